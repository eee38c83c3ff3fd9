package program_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/spec/trace"
)

// Shorthand for programs.
func send(to core.Rank, label string) core.Op {
	return core.Op{Kind: core.OpSend, Peer: to, Label: label}
}
func recv(from core.Rank) core.Op { return core.Op{Kind: core.OpRecv, Peer: from} }
func loop(n int) core.Op          { return core.Op{Kind: core.OpLoop, Count: n} }

var end = core.Op{Kind: core.OpEnd}

// queues is a protocol layer for tests: what the test puts into a queue can be received.
type queues struct {
	Blocked bool
	Queue   map[core.Rank][]core.Payload
	Steps   []string
}

func (q *queues) State() any           { return q }
func (q *queues) Ready(core.Rank) bool { return !q.Blocked }
func (q *queues) Sources(buf []core.Rank) []core.Rank {
	for r := range core.Rank(8) {
		if len(q.Queue[r]) > 0 {
			buf = append(buf, r)
		}
	}
	return buf
}

func (q *queues) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Send:
		q.Steps = append(q.Steps, fmt.Sprintf("send %d to %d", in.Payload.ID.Number, in.To))
	case core.Checkpoint:
		q.Steps = append(q.Steps, "checkpoint")
	case core.Receive:
		p := q.Queue[core.Rank(in.From)][0]
		q.Queue[core.Rank(in.From)] = q.Queue[core.Rank(in.From)][1:]
		return append(out, core.DropInput(0, core.MsgID{}, "something before the delivery"),
			core.Effect{Kind: core.Deliver, From: in.From, Payload: p, Stamp: core.Stamp{Date: 7}})
	}
	return out
}

// newHost makes rank 0 with the program over queues.
func newHost(ops ...core.Op) (*program.Host, *queues) {
	q := &queues{Queue: map[core.Rank][]core.Payload{}}
	h := program.NewHost(0, ops, func(core.Application) core.Layer { return q })
	return h, q
}

// put makes message number n of a rank receivable.
func (q *queues) put(from core.Rank, n uint32) {
	q.Queue[from] = append(q.Queue[from], core.Payload{ID: core.MsgID{From: from, Number: n},
		Data: []byte{byte(from), byte(n)}})
}

// choices are the enabled steps as (posted receive, source); -1 stands for "none".
func choices(h *program.Host) [][2]int {
	list := [][2]int{}
	for _, c := range h.Choices(nil) {
		source := -1
		if r, ok := c.Source(); ok {
			source = int(r)
		}
		list = append(list, [2]int{int(c>>32) - 1, source})
	}
	return list
}

// take runs the i-th enabled step.
func take(t *testing.T, h *program.Host, i int) []core.Effect {
	t.Helper()
	list := h.Choices(nil)
	if i >= len(list) {
		t.Fatalf("step %d of %d", i, len(list))
	}
	return h.Step(core.Input{Kind: core.Advance, Choice: list[i]}, nil)
}

var (
	next     = [2]int{-1, -1}
	ignoring = cmp.Options{cmpopts.IgnoreUnexported(core.MsgID{}, core.Payload{}, core.Stamp{},
		trace.History{}, trace.Delivery{}), cmpopts.EquateEmpty()}
)

// TestChoices gives, for each operation, the steps that are enabled with nothing to receive, and
// with a message of rank 1 and two of rank 2.
func TestChoices(t *testing.T) {
	anyone := core.Op{Kind: core.OpRecv, Any: true}
	tests := []struct {
		name          string
		program       []core.Op
		empty, filled [][2]int
	}{
		{"end of the program", nil, [][2]int{next}, [][2]int{next}},
		{"send", []core.Op{send(1, "")}, [][2]int{next}, [][2]int{next}},
		{"reply without receive", []core.Op{{Kind: core.OpSend, Any: true}}, nil, nil},
		{"named receive", []core.Op{recv(2)}, nil, [][2]int{{-1, 2}}},
		{"receive from a silent rank", []core.Op{recv(3)}, nil, nil},
		{"receive from anyone", []core.Op{anyone}, nil, [][2]int{{-1, 1}, {-1, 2}}},
		{"post", []core.Op{{Kind: core.OpPost, Any: true}}, [][2]int{next}, [][2]int{next}},
		{"wait for nothing", []core.Op{{Kind: core.OpWait}}, [][2]int{next}, [][2]int{next}},
		{"checkpoint", []core.Op{{Kind: core.OpCheckpoint}}, [][2]int{next}, [][2]int{next}},
		{"output", []core.Op{{Kind: core.OpOutput}}, [][2]int{next}, [][2]int{next}},
		{"pick", []core.Op{pick(2)}, [][2]int{{0, -1}, {1, -1}}, [][2]int{{0, -1}, {1, -1}}},
		{"loop", []core.Op{loop(2), end}, [][2]int{next}, [][2]int{next}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, q := newHost(tt.program...)
			if diff := cmp.Diff(tt.empty, choices(h), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("nothing to receive (-want +got):\n%s", diff)
			}
			q.put(1, 1)
			q.put(2, 1)
			q.put(2, 2)
			if diff := cmp.Diff(tt.filled, choices(h), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("two sources (-want +got):\n%s", diff)
			}
		})
	}
}

// TestBlockedSend checks that a send is no choice while the protocol is not ready; everything else
// goes on.
func TestBlockedSend(t *testing.T) {
	h, q := newHost(core.Op{Kind: core.OpPost, Peer: 1}, send(1, ""))
	take(t, h, 0)
	q.Blocked = true
	q.put(1, 1)
	if diff := cmp.Diff([][2]int{{0, 1}}, choices(h)); diff != "" {
		t.Errorf("blocked (-want +got):\n%s", diff)
	}
	q.Blocked = false
	if diff := cmp.Diff([][2]int{{0, 1}, next}, choices(h)); diff != "" {
		t.Errorf("ready (-want +got):\n%s", diff)
	}
}

// TestPostedReceives checks that posted receives and the current one match a source in the order of
// posting: a message goes to the first that fits, and a wildcard before others takes every source.
func TestPostedReceives(t *testing.T) {
	post := func(from core.Rank) core.Op { return core.Op{Kind: core.OpPost, Peer: from} }
	anyone := core.Op{Kind: core.OpPost, Any: true}
	wait := core.Op{Kind: core.OpWait}
	tests := []struct {
		name   string
		posted []core.Op
		then   core.Op
		want   [][2]int // with messages of ranks 1 and 2
	}{
		{"wait blocks", []core.Op{post(1), post(2)}, wait, [][2]int{{0, 1}, {1, 2}}},
		{"same source twice", []core.Op{post(1), post(1)}, wait, [][2]int{{0, 1}}},
		{"named before anyone", []core.Op{post(1), anyone}, wait, [][2]int{{0, 1}, {1, 2}}},
		{"anyone before named", []core.Op{anyone, post(1)}, wait, [][2]int{{0, 1}, {0, 2}}},
		{"anyone twice", []core.Op{anyone, anyone}, wait, [][2]int{{0, 1}, {0, 2}}},
		{"receive behind posted", []core.Op{post(1)}, recv(1), [][2]int{{0, 1}}},
		{"receive of another source", []core.Op{post(1)}, recv(2), [][2]int{{0, 1}, {-1, 2}}},
		{"receive behind anyone", []core.Op{anyone}, recv(2), [][2]int{{0, 1}, {0, 2}}},
		{"send goes on", []core.Op{post(1)}, send(1, ""), [][2]int{{0, 1}, next}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, q := newHost(append(slices.Clone(tt.posted), tt.then)...)
			for range tt.posted {
				take(t, h, 0)
			}
			q.put(1, 1)
			q.put(2, 1)
			if diff := cmp.Diff(tt.want, choices(h)); diff != "" {
				t.Errorf("choices (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPostsWait: with it a posted receive completes where the program waits, and nowhere else. A
// reply before anything is received waits, too.
func TestPostsWait(t *testing.T) {
	post := core.Op{Kind: core.OpPost, Peer: 1}
	for _, tt := range []struct {
		name string
		then core.Op
		want [][2]int // with messages of ranks 1 and 2
	}{
		{"wait", core.Op{Kind: core.OpWait}, [][2]int{{0, 1}}},
		{"receive", recv(2), [][2]int{{0, 1}, {-1, 2}}},
		{"reply to nobody", core.Op{Kind: core.OpSend, Any: true}, [][2]int{{0, 1}}},
		{"send", send(1, ""), [][2]int{next}},
		{"output", core.Op{Kind: core.OpOutput}, [][2]int{next}},
		{"checkpoint", core.Op{Kind: core.OpCheckpoint}, [][2]int{next}},
		{"post", core.Op{Kind: core.OpPost, Peer: 2}, [][2]int{next}},
	} {
		h, q := newHost(post, tt.then)
		h.PostsWait()
		take(t, h, 0)
		q.put(1, 1)
		q.put(2, 1)
		if diff := cmp.Diff(tt.want, choices(h)); diff != "" {
			t.Errorf("%s: choices (-want +got):\n%s", tt.name, diff)
		}
	}
	h, q := newHost(post)
	h.PostsWait()
	take(t, h, 0)
	q.put(1, 1)
	if diff := cmp.Diff([][2]int{{0, 1}}, choices(h)); diff != "" {
		t.Errorf("end: choices (-want +got):\n%s", diff)
	}
}

// TestWait checks that a program ends only when every posted receive is complete.
func TestWait(t *testing.T) {
	h, q := newHost(core.Op{Kind: core.OpPost, Any: true})
	take(t, h, 0)
	if got := choices(h); len(got) != 0 {
		t.Fatalf("at the end with a posted receive: %v", got)
	}
	q.put(2, 1)
	take(t, h, 0)
	out := take(t, h, 0)
	if len(out) != 1 || out[0].Kind != core.ProgramDone || out[0].Digest == 0 || !h.History().Done {
		t.Errorf("end: %+v, history %+v", out, h.History())
	}
	if got := choices(h); len(got) != 0 {
		t.Errorf("after the end: %v", got)
	}
}

// TestReply checks that a reply goes to the source of the last receive.
func TestReply(t *testing.T) {
	reply := core.Op{Kind: core.OpSend, Any: true}
	h, q := newHost(core.Op{Kind: core.OpRecv, Any: true}, reply,
		core.Op{Kind: core.OpRecv, Any: true}, reply, reply)
	q.put(3, 1)
	q.put(5, 1)
	take(t, h, 1) // rank 5
	take(t, h, 0)
	take(t, h, 0) // rank 3
	take(t, h, 0)
	take(t, h, 0)
	if diff := cmp.Diff([]string{"send 1 to 5", "send 2 to 3", "send 3 to 3"},
		q.Steps); diff != "" {
		t.Errorf("replies (-want +got):\n%s", diff)
	}
}

// final runs a program of two receives from anyone in one order and returns its digest at the end
// and the bytes of its last send.
func final(t *testing.T, ordered bool, first int) (uint64, []byte) {
	t.Helper()
	receive := core.Op{Kind: core.OpRecv, Any: true, Ordered: ordered}
	h, q := newHost(receive, receive, send(1, ""))
	q.put(1, 1)
	q.put(2, 1)
	take(t, h, first)
	take(t, h, 0)
	sent := take(t, h, 0)
	return take(t, h, 0)[0].Digest, sent[0].Payload.Data
}

// TestOrder checks that deliveries commute unless they are ordered, in the state at the end and in
// the payloads sent later.
func TestOrder(t *testing.T) {
	for _, ordered := range []bool{false, true} {
		a, sentA := final(t, ordered, 0)
		b, sentB := final(t, ordered, 1)
		if (a != b) != ordered || slices.Equal(sentA, sentB) == ordered {
			t.Errorf("ordered %t: ends %x and %x, sends %x and %x", ordered, a, b, sentA, sentB)
		}
	}
}

func pick(n int) core.Op { return core.Op{Kind: core.OpPick, Count: n} }

// TestPick: what a program sends after a pick, and how it ends, tells which value each of its picks
// took, also those in a loop, and the same values always give the same. What is received between
// two steps may as well be received before or after a pick.
func TestPick(t *testing.T) {
	ends, sends := map[uint64]bool{}, map[string]bool{}
	for k := range 16 { // each value of four picks
		for range 2 {
			h, _ := newHost(loop(2), pick(2), end, pick(2), pick(2), send(1, ""))
			take(t, h, 0)
			for i, loops := 0, 2; i < 4; i++ {
				take(t, h, k>>i&1)
				if loops--; loops >= 0 {
					take(t, h, 0) // end
				}
			}
			sends[string(take(t, h, 0)[0].Payload.Data)] = true
			ends[take(t, h, 0)[0].Digest] = true
		}
	}
	if len(ends) != 16 || len(sends) != 16 {
		t.Errorf("%d ends and %d sends of 16 runs that pick differently", len(ends), len(sends))
	}
	before := map[uint64]bool{}
	for _, first := range []int{0, 1} { // of the steps: the message for the post, or the pick
		h, q := newHost(core.Op{Kind: core.OpPost, Any: true}, pick(2))
		take(t, h, 0)
		q.put(2, 1)
		take(t, h, first)
		take(t, h, 0)
		before[take(t, h, 0)[0].Digest] = true
	}
	if len(before) != 1 {
		t.Errorf("%d ends of a pick and a reception, want 1", len(before))
	}
}

// TestEffectsOfOperations checks what the host shows of each operation, and the history that it
// keeps.
func TestEffectsOfOperations(t *testing.T) {
	h, q := newHost(loop(2), send(1, "x"), recv(2), end, core.Op{Kind: core.OpCheckpoint},
		core.Op{Kind: core.OpOutput})
	q.put(2, 1)
	q.put(2, 2)
	kinds := [][]trace.Kind{}
	for range 10 {
		list := []trace.Kind{}
		for _, e := range take(t, h, 0) {
			list = append(list, e.Event())
		}
		kinds = append(kinds, list)
	}
	s, d := []trace.Kind{trace.Sent}, []trace.Kind{trace.Dropped, trace.Delivered}
	want := [][]trace.Kind{{}, s, d, {}, s, d, {}, {}, {trace.Released}, {trace.Finished}}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("effects (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"send 1 to 1", "send 2 to 1", "checkpoint"}, q.Steps); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	// what it is worth is compared with the payload elsewhere
	for i := range h.History().Delivered {
		if h.History().Delivered[i].Digest == 0 {
			t.Errorf("delivery %d has no digest", i+1)
		}
		h.History().Delivered[i].Digest = 0
	}
	history := trace.History{Sent: 2, Done: true, Digest: h.History().Digest,
		Delivered: []trace.Delivery{
			{ID: core.MsgID{From: 2, Number: 1}, Stamp: core.Stamp{Date: 7}},
			{ID: core.MsgID{From: 2, Number: 2}, Stamp: core.Stamp{Date: 7}}}}
	if diff := cmp.Diff(history, *h.History(), ignoring); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

// TestImage checks that an image holds the program: after Load the run goes on as from there, with
// the same payloads, and Position counts sends and deliveries.
func TestImage(t *testing.T) {
	ops := []core.Op{loop(2), send(1, ""), recv(2), end}
	h, q := newHost(ops...)
	q.put(2, 1)
	take(t, h, 0)
	take(t, h, 0)
	take(t, h, 0)
	image := h.Image()
	rest := func(h *program.Host, q *queues) (bytes [][]byte, digest uint64) {
		q.put(2, 2)
		for len(h.Choices(nil)) > 0 {
			for _, e := range take(t, h, 0) {
				switch e.Kind {
				case core.ProgramSent:
					bytes = append(bytes, e.Payload.Data)
				case core.ProgramDone:
					digest = e.Digest
				}
			}
		}
		return bytes, digest
	}
	wantBytes, wantDigest := rest(h, q)
	restored, q2 := newHost(ops...)
	restored.Load(image)
	if sent, received := restored.Position(image); sent != 1 || received != 1 {
		t.Errorf("position: sent %d received %d, want 1 and 1", sent, received)
	}
	gotBytes, gotDigest := rest(restored, q2)
	if diff := cmp.Diff(wantBytes, gotBytes); diff != "" || wantDigest != gotDigest {
		t.Errorf("after Load: digest %x, want %x, payloads (-want +got):\n%s", gotDigest,
			wantDigest, diff)
	}
}

// TestBadImage checks that bytes that Image did not write are a programmer error with words.
func TestBadImage(t *testing.T) {
	for name, use := range map[string]func(*program.Host){
		"load":     func(h *program.Host) { h.Load([]byte{1, 2}) },
		"position": func(h *program.Host) { h.Position(nil) },
	} {
		t.Run(name, func(t *testing.T) {
			h, _ := newHost()
			defer func() {
				if p := fmt.Sprint(recover()); p == "<nil>" || p[:10] != "invariant:" {
					t.Errorf("panic %q, want one that names the invariant", p)
				}
			}()
			use(h)
		})
	}
}
