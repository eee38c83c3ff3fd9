package emulate_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/impl/runtime/emulate"
	"github.com/domino-check/domino/spec/trace"
)

// ring is ranks without a protocol that pass a message of 8 KiB round, so many times.
func ring(ranks, laps int) (*core.Setup, error) {
	layout := core.Layout{Ranks: ranks}
	var programs []core.Program
	for r := range ranks {
		layout.Names = append(layout.Names, fmt.Sprint("r", r))
		send := core.Op{Kind: core.OpSend, Peer: core.Rank((r + 1) % ranks), Bytes: 8 << 10}
		recv := core.Op{Kind: core.OpRecv, Peer: core.Rank((r + ranks - 1) % ranks)}
		lap := []core.Op{recv, send}
		if r == 0 {
			lap = []core.Op{send, recv, {Kind: core.OpOutput}}
		}
		loop := append(core.Program{{Kind: core.OpLoop, Count: laps}}, lap...)
		programs = append(programs, append(loop, core.Op{Kind: core.OpEnd}))
	}
	return none.NewSetup(layout, programs)
}

// A message goes round a ring of four, each hop through two cards and a wire.
func ExampleRun() {
	setup, err := ring(4, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	run, err := emulate.New(setup, emulate.Config{
		Costs: emulate.Costs{Operation: time.Microsecond, Between: emulate.Link{
			Latency: 50 * time.Microsecond, Rate: 128 << 20, Chunk: 64 << 10}},
		Size: func(core.Message) int64 { return 8 << 10 },
		Observe: func(r *emulate.Run, e trace.Event) {
			if e.Kind == trace.Released {
				fmt.Println("a lap ends at", r.Now())
			}
		}})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := run.Run()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Messages, "messages,", result.Bytes, "bytes")
	// Output:
	// a lap ends at 454.14µs
	// a lap ends at 908.281µs
	// 8 messages, 65536 bytes
}

// BenchmarkRing is messages a second of a ring without a protocol.
func BenchmarkRing(b *testing.B) {
	for _, ranks := range []int{64, 1024} {
		b.Run(fmt.Sprint("ranks=", ranks), func(b *testing.B) {
			setup, err := ring(ranks, 1+b.N/ranks)
			if err != nil {
				b.Fatal(err)
			}
			run, err := emulate.New(setup, emulate.Config{Wire: true, Costs: emulate.Costs{
				Between: emulate.Link{Latency: 50 * time.Microsecond, Rate: 1e9}}})
			if err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			result, err := run.Run()
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(result.Messages)/b.Elapsed().Seconds(), "messages/s")
		})
	}
}
