package kernels_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/spec/trace"
)

// plain is the least that a protocol layer can be: it passes payloads on and allocates nothing, so
// that a run over it shows what programs, kernels and the rank host cost.
type plain struct {
	arrived [][]core.Payload // by source
	heads   []int
	state   struct{}
	message passed
}

type passed struct{ Payload core.Payload }

func (*passed) Describe() trace.Wire { return trace.Wire{Kind: "App"} }

func (l *plain) State() any           { return &l.state }
func (l *plain) Ready(core.Rank) bool { return true }
func (l *plain) Sources(buf []core.Rank) []core.Rank {
	for q := range l.arrived {
		if l.heads[q] < len(l.arrived[q]) {
			buf = append(buf, core.Rank(q))
		}
	}
	return buf
}

func (l *plain) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Send:
		l.message.Payload = in.Payload
		return append(out, core.SendTo(in.To.Proc(), &l.message))
	case core.Received:
		l.arrived[in.From] = append(l.arrived[in.From], in.Message.(*passed).Payload)
	case core.Receive:
		q := in.From
		p := l.arrived[q][l.heads[q]]
		if l.heads[q]++; l.heads[q] == len(l.arrived[q]) {
			l.arrived[q], l.heads[q] = l.arrived[q][:0], 0
		}
		return append(out, core.Effect{Kind: core.Deliver, From: p.ID.From.Proc(), Payload: p})
	}
	return out
}

// overPlain makes a runner whose ranks have the least layer. Its messages are recycled, so it hands
// them over at once.
func overPlain(t testing.TB, text string) *runner {
	t.Helper()
	r := prepare(t, text)
	n := len(r.machines)
	for p := range r.machines {
		r.machines[p] = program.NewHost(core.Rank(p), r.setup.Programs[p],
			func(core.Application) core.Layer {
				return &plain{arrived: make([][]core.Payload, n), heads: make([]int, n)}
			})
	}
	r.atOnce = true
	return r
}

// benchmarks are moderate sizes; what there is to compute for a message grows from top to bottom.
var benchmarks = []string{
	"ring ranks=8 size=8 iterations=20000", "ring ranks=8 size=8192 iterations=20000",
	"ring ranks=8 size=1048576 iterations=50",
	"smg ranks=8 edge=256 iterations=300", "lu ranks=8 n=24 iterations=20",
	"mg ranks=8 n=32 iterations=20", "cg ranks=8 n=1400 iterations=5",
	"ft ranks=8 n=32 iterations=10",
	"bt ranks=9 n=24 iterations=20", "sp ranks=9 n=24 iterations=20",
	"heat ranks=8 n=256 iterations=200", "laplace ranks=8 n=256 iterations=200",
	"nbody ranks=8 n=64 iterations=20",
	"matmul ranks=5 n=128", "matmul-dynamic ranks=5 n=128 blocks=32",
	"leanmd ranks=8 cx=3 cy=3 cz=3 iterations=20 size=1024",
	"openatom ranks=16 row=4 iterations=100 size=8192",
}

// BenchmarkRun runs whole kernels in one process, one rank after the other, and reports the time,
// the allocations and the bytes allocated for a message, all set-up included; over the least layer
// and without a protocol (none, which carries clocks of causality for the checker).
//
//	go test ./impl/program/kernels -run '^$' -bench Run -benchtime 1x
func BenchmarkRun(b *testing.B) {
	for _, text := range benchmarks {
		name := strings.ReplaceAll(text, " ", ",")
		for layer, prepare := range map[string]func(testing.TB, string) *runner{"plain": overPlain,
			"none": prepare} {
			b.Run("layer="+layer+"/kernel="+name, func(b *testing.B) {
				var before, after runtime.MemStats
				var messages int64
				for b.Loop() {
					r := prepare(b, text)
					r.tune()
					runtime.ReadMemStats(&before)
					r.run(b)
					runtime.ReadMemStats(&after)
					messages = kernels.Total(r.traffic).Messages
				}
				m := float64(messages)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/m, "ns/message")
				b.ReportMetric(float64(after.Mallocs-before.Mallocs)/m, "allocs/message")
				b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/m, "B/message")
			})
		}
	}
}

// TestAllocations checks that a message costs no allocation in the steady state: twice the
// iterations allocate as much as once, over the least layer.
func TestAllocations(t *testing.T) {
	mallocs := func(text string) (n uint64, messages int64) {
		r := overPlain(t, text)
		r.tune()
		r.start()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r.goOn(t)
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs, kernels.Total(r.traffic).Messages
	}
	for _, text := range []string{"ring ranks=4 size=100", "heat ranks=4 n=16",
		"heat ranks=4 n=16 receives=any", "lu ranks=4 n=8", "bt ranks=4 n=8", "sp ranks=4 n=8",
		"cg ranks=4 n=40", "mg ranks=4 n=8",
		"nbody ranks=4 n=4"} {
		once, m := mallocs(text + " iterations=20")
		twice, n := mallocs(text + " iterations=40")
		if extra := float64(twice) - float64(once); extra > 0.05*float64(n-m) {
			t.Errorf("%s: %v allocations for %d messages more", text, extra, n-m)
		}
	}
}
