package node_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/pessimistic"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/link"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/node"
)

// notebook is a transport that notes what is sent, and from which the test's messages come.
type notebook struct {
	node.Transport
	queued int
	sent   []string
	wrong  int // payloads that are not what was received
	come   []mesh.Arrival
}

func (b *notebook) Flush()                {}
func (b *notebook) Borrowed() bool        { return false }
func (b *notebook) MostQueued() int       { return b.queued }
func (b *notebook) Pause(core.Proc, bool) {}

func (b *notebook) Send(to core.Proc, _ frame.Kind, _ uint8, extra, payload []byte) bool {
	m := new(pessimistic.Message)
	if m.ParseHeader(extra, 1) != nil {
		b.wrong++
	}
	if m.Kind == pessimistic.LogPut && !bytes.Equal(payload,
		bytes.Repeat([]byte{byte(m.Entries[0].SSN)}, len(payload))) {
		b.wrong++
	}
	b.sent = append(b.sent, fmt.Sprintf("%s to %d", m.Describe().Kind, to))
	return true
}

func (b *notebook) Next(a *mesh.Arrival, _ time.Duration) mesh.What {
	if len(b.come) == 0 {
		return mesh.Nothing
	}
	*a = b.come[0]
	b.come = b.come[1:]
	return mesh.Frame
}

// put lets a message come.
func (b *notebook) put(from core.Proc, m *pessimistic.Message, payload []byte) {
	extra, _ := m.AppendHeader(nil)
	b.come = append(b.come,
		mesh.Arrival{Arrival: link.Arrival{Header: frame.Header{Kind: frame.Data}, Extra: extra,
			Payload: payload}, From: from})
}

// TestLater lets a rank receive from 0, send to 2, and receive again: what it gives to its logger,
// 4, leaves behind what it sends if it is large and the program can go on, and before everything
// else if not; never with other bytes, although the program is done with them.
func TestLater(t *testing.T) {
	const program = "a: send b; send b; send b; send b; send b; send b; send b\nb: recv a; send " +
		"c; recv a; recv a; recv a; recv a; recv a; recv a\nc: recv b"
	tests := []struct {
		name, protocol        string
		size, messages, turns int
		queued                int
		acks                  bool
		want                  string
	}{
		{"the program waits for nobody", "hmpl", 20_000, 1, 3, 0, false, "Data to 2, LogPut to 4"},
		{"the answer is not written", "hmpl", 20_000, 1, 3, 1, false, "Data to 2, LogPut to 4"},
		{"small messages", "hmpl", 100, 1, 3, 0, false, "LogPut to 4, Data to 2"},
		{"a program that is not held", "hmpl", 20_000, 3, 7, 0, false,
			"Data to 2, LogPut to 4, LogPut to 4, LogPut to 4"},
		{"the program waits for the logger", "rbml", 20_000, 1, 3, 0, false, "LogPut to 4"},
		{"the logger answers", "rbml", 20_000, 1, 5, 0, true,
			"LogPut to 4, Confirm to 0, Data to 2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := setup(t, tt.protocol, program)
			b, pool := &notebook{queued: tt.queued}, new(buffer.Pool)
			var n *node.Node
			// as a program with a kernel says it
			done := func(_ *core.Input, effects []core.Effect) error {
				for _, e := range effects {
					if e.Kind == core.Deliver {
						n.Buffers().Done(e.Payload.Data)
					}
				}
				return nil
			}
			n, err := node.New(node.Config{Proc: 1, Procs: 6, Machine: s.New(1),
				NewMessage: s.NewMessage, Mesh: b, Pool: pool, Observe: done})
			if err != nil {
				t.Fatal(err)
			}
			if err := n.Input(core.Input{Kind: core.Start}); err != nil {
				t.Fatal(err)
			}
			for ssn := range pessimistic.SSN(tt.messages) {
				payload := pool.Get(tt.size)
				copy(payload, bytes.Repeat([]byte{byte(ssn + 1)}, tt.size))
				b.put(0, &pessimistic.Message{Kind: pessimistic.Data, SSN: ssn + 1,
					Payload: core.Payload{ID: core.MsgID{From: 0, Number: uint32(ssn + 1)}}},
					payload)
				if _, err := n.Turn(0); err != nil { // it is delivered in a later turn
					t.Fatal(err)
				}
			}
			for range tt.turns {
				if tt.acks && strings.HasSuffix(strings.Join(b.sent, ", "), "LogPut to 4") &&
					len(b.come) == 0 {
					b.put(4, &pessimistic.Message{Kind: pessimistic.LogAck, RSN: 1}, nil)
				}
				if _, err := n.Turn(0); err != nil {
					t.Fatal(err)
				}
				for range 3 { // whoever takes buffers from the pool gets none that is still needed
					clear(pool.Get(tt.size))
				}
			}
			if got := strings.Join(b.sent, ", "); got != tt.want || b.wrong > 0 {
				t.Errorf("sent %s, want %s; %d payloads are wrong", got, tt.want, b.wrong)
			}
		})
	}
}

// TestLaterEnds: a rank that has something to send yet is not idle, however little its program can
// do, and when its machine is followed by another one, what it has sent is on its way.
func TestLaterEnds(t *testing.T) {
	s := setup(t, "hmpl", "a: send b\nb: recv a")
	b, pool := &notebook{}, new(buffer.Pool)
	n, err := node.New(node.Config{Proc: 1, Procs: 4, Machine: s.New(1), NewMessage: s.NewMessage,
		Mesh: b, Pool: pool})
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Input(core.Input{Kind: core.Start}); err != nil {
		t.Fatal(err)
	}
	b.put(0, &pessimistic.Message{Kind: pessimistic.Data, SSN: 1,
		Payload: core.Payload{ID: core.MsgID{From: 0, Number: 1}}}, bytes.Repeat([]byte{1}, 10_000))
	for !n.Done() {
		if _, err := n.Turn(0); err != nil {
			t.Fatal(err)
		}
	}
	if len(b.sent) > 0 || n.Idle() {
		t.Fatalf("sent %v, idle %t: want something left to do", b.sent, n.Idle())
	}
	n.Restart(s.New(1), 1)
	if got := strings.Join(b.sent, ", "); got != "LogPut to 3" || b.wrong > 0 || !n.Idle() {
		t.Errorf("sent %s, idle %t", got, n.Idle())
	}
}
