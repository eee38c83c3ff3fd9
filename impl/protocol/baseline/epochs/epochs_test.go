package epochs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/spec/trace"
)

// everyone is a program of n ranks that send to all others and receive from them, as often as
// there are rounds, with a checkpoint behind each.
func everyone(n, rounds int) string {
	var text strings.Builder
	for p := range n {
		fmt.Fprintf(&text, "r%d: loop %d", p, rounds)
		for _, what := range []string{"send", "recv"} {
			for q := range n {
				if q != p {
					fmt.Fprintf(&text, "; %s r%d", what, q)
				}
			}
		}
		text.WriteString("; checkpoint; end\n")
	}
	return text.String()
}

// TestSameInstants: when all take their checkpoints at one instant and nothing is on its way,
// every message is received in the epoch in which it was sent, and nothing is logged. When they do
// not, something is.
func TestSameInstants(t *testing.T) {
	for _, together := range []bool{true, false} {
		r := newRig(t, everyone(4, 3), "", nil)
		if !together {
			r.step(0, core.Input{Kind: core.Checkpoint})
		}
		r.run(true)
		r.ended()
		if logged := len(r.seen[trace.Logged]); (logged == 0) != together {
			t.Errorf("%d messages are logged, together is %v", logged, together)
		}
	}
}

// TestPruned: what is kept is bounded by the line and not by the length of the run.
func TestPruned(t *testing.T) {
	for _, rounds := range []int{8, 32} {
		r := newRig(t, everyone(3, rounds), "variant=groups", []int{0, 1, 2})
		r.run(true)
		r.ended()
		for q := range core.Proc(3) {
			l := r.machines[q].(*program.Host).Layer().(*layer)
			for i, p := range l.s.Peers {
				if len(p.Log) > 3 || len(p.Received) > 3 || len(l.s.Images) > 3 {
					t.Errorf("%d rounds: rank %d has %d messages for rank %d, %d receptions, "+
						"%d images", rounds, q, len(p.Log), i, len(p.Received), len(l.s.Images))
				}
			}
		}
	}
}

// TestGroups counts who rolls back when one rank has failed, of six in three groups, all of which
// have sent to each other: all groups, those from the second on, and one.
func TestGroups(t *testing.T) {
	clusters := []int{0, 0, 1, 1, 2, 2}
	for failed, want := range map[core.Proc]string{0: "[0 1 2 3 4 5]", 3: "[2 3 4 5]", 5: "[4 5]"} {
		r := newRig(t, strings.ReplaceAll(everyone(6, 1), "; checkpoint", ""), "variant=groups",
			clusters)
		r.run(true)
		r.crash(failed)
		r.run(true)
		r.ended()
		back := append(r.seen[trace.Undone], failed)
		slices.Sort(back)
		if got := fmt.Sprint(back); got != want {
			t.Errorf("the failure of %d rolls back %s, want %s", failed, got, want)
		}
	}
}

// TestRefused: what can not be run, and by what it is refused.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		options  string
		clusters []int
		want     string
	}{
		{"variant=group", nil, "want base or groups"},
		{"phase=coarse", nil, "want safe or logged or unlogged"},
		{"phases=safe", nil, "unknown, did you mean \"phase\""},
		{"variant=groups", nil, "needs a group for each of 2 ranks, 0 have one"},
		{"variant=groups", []int{0}, "needs a group for each of 2 ranks, 1 have one"},
		{"variant=groups", []int{0, 7}, "rank 1 is in group 7, want a number in [0, 2)"},
		{"variant=groups phase=safe", []int{1, 0}, ""},
		{"", []int{0}, ""}, // the base variant has no groups
	} {
		_, err := newSetup(t, "a: send b\nb: recv a", c.options, c.clusters)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: %v, want %q", c.options, c.clusters, err, c.want)
		}
	}
	if _, err := newSetup(t, "RP: recv b\nb: send RP", "", nil); err == nil {
		t.Error("a rank called RP is accepted")
	}
	if _, err := setup(protocol.Request{}); err == nil {
		t.Error("no ranks are accepted")
	}
}

// TestEpochsStay: a rank takes no image with an epoch of the next group.
func TestEpochsStay(t *testing.T) {
	r := newRig(t, "a: recv b\nb: send a", "variant=groups", []int{0, 1})
	l := r.machines[0].(*program.Host).Layer().(*layer)
	l.s.Epoch = l.last(0)
	out := l.Step(core.Input{Kind: core.Checkpoint}, nil)
	if len(out) != 0 || l.s.Epoch != 1<<20-1 {
		t.Errorf("epoch %d, effects %v", l.s.Epoch, out)
	}
	if first := l.first(1); first != 1<<20+1 {
		t.Errorf("the second group begins with epoch %d", first)
	}
}

// TestRounds: a life of the recovery process that has used up its numbers gives up in words.
func TestRounds(t *testing.T) {
	c := &config{ranks: 1, groups: []uint32{0}}
	p := &process{config: c}
	p.Step(core.Input{Kind: core.Start}, nil)
	p.s.Round = 1<<17 - 1
	out := p.Step(core.Input{Kind: core.Received,
		Message: &message{Kind: hello, Incarnation: 1}}, nil)
	if len(out) != 1 || out[0].What != trace.Halted || p.s.Round != 1<<17-1 {
		t.Errorf("%+v, round %d", out, p.s.Round)
	}
}

// TestHeader reads back what it writes, and refuses every other length.
func TestHeader(t *testing.T) {
	app := &message{Kind: app}
	app.Data.Number, app.Data.Index, app.Data.Phase, app.Data.Life = 300, 2, 7, 1<<16
	app.Data.Payload.ID = core.MsgID{From: 3, Number: 9}
	for _, m := range []*message{app,
		{Kind: ack, Number: 1, Epoch: 1 << 21, Sent: 3, Taken: 400, Round: 5}} {
		header, ok := m.AppendHeader(nil)
		read := message{To: 3, Marks: []mark{{}}} // what is left of another message must go
		if err := read.ParseHeader(header, 3); err != nil || !ok {
			t.Fatal(err, ok)
		}
		if got, want := fmt.Sprintf("%+v", read), fmt.Sprintf("%+v", *m); got != want {
			t.Errorf("read back %s, want %s", got, want)
		}
		for n := range len(header) + 2 {
			if n != len(header) && read.ParseHeader(append(slices.Clone(header), 0)[:min(n,
				len(header)+1)], 3) == nil {
				t.Errorf("a header of %d bytes was accepted, of %d", n, len(header))
			}
		}
	}
	for k := hello; k <= onwards; k++ {
		if _, ok := (&message{Kind: k}).AppendHeader(nil); ok {
			t.Errorf("kind %d has a fixed layout", k)
		}
		if new(message).ParseHeader([]byte{byte(k), 0, 0, 0, 0, 0, 0, 0}, 0) == nil {
			t.Errorf("a header of kind %d was accepted", k)
		}
	}
}

// TestNoAllocation: a round trip with its acknowledgements allocates nothing in the layers once
// their queues are warm. The host around them is left out: it makes the payloads of programs
// without numbers. What was received is noted until a line holds it, so there is room for it.
func TestNoAllocation(t *testing.T) {
	for _, clusters := range [][]int{{0, 0}, {0, 1}} {
		s, err := newSetup(t, "a: send b; recv b\nb: recv a; send a", "variant=groups", clusters)
		if err != nil {
			t.Fatal(err)
		}
		var layers [2]*layer
		for r := range layers {
			layers[r] = s.New(core.Proc(r)).(*program.Host).Layer().(*layer)
			layers[r].Step(core.Input{Kind: core.Start}, nil)
			p := &layers[r].s.Peers[1-r]
			p.Received, p.Log = make([]reception, 0, 3000), make(messageLog, 0, 3000)
		}
		var out, answer []core.Effect
		var header []byte
		scratch := new(message)
		payload := core.Payload{ID: core.MsgID{Number: 1}, Data: make([]byte, 8)}
		cross := func(e *core.Effect, from core.Rank) {
			header, _ = e.Message.(core.Framed).AppendHeader(header[:0])
			if err := scratch.ParseHeader(header, from.Proc()); err != nil {
				t.Fatal(err)
			}
			if scratch.Kind == app {
				scratch.Data.Payload.Data = payload.Data
			}
			answer = layers[e.To].Step(core.Input{Kind: core.Received, From: from.Proc(),
				Message: scratch}, answer[:0])
		}
		n := testing.AllocsPerRun(2000, func() {
			for from := range core.Rank(2) {
				to := 1 - from
				payload.ID.From = from
				out = layers[from].Step(core.Input{Kind: core.Send, To: to, Payload: payload},
					out[:0])
				cross(&out[len(out)-1], from)
				out = layers[to].Step(core.Input{Kind: core.Receive, From: from.Proc()}, out[:0])
				cross(&out[len(out)-1], to)
			}
		})
		if n != 0 {
			t.Errorf("groups %v: %v allocations, want 0", clusters, n)
		}
		if kept := len(layers[0].s.Peers[1].Log); (kept == 0) != (clusters[1] == 0) {
			t.Errorf("groups %v: %d messages are kept", clusters, kept)
		}
	}
}

// TestRandomCrashes runs programs to their end through crashes at random places, in both variants.
func TestRandomCrashes(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 1))
		options := []string{"variant=base", "variant=groups"}[seed%2]
		r := newRig(t, everyone(4, 3), options, []int{1, 0, 2, 1})
		for range 60 {
			p := core.Proc(random.IntN(len(r.machines)))
			if h, ok := r.machines[p].(*program.Host); ok {
				if list := h.Choices(nil); len(list) > 0 {
					r.step(p, core.Input{Kind: core.Advance, Choice: list[random.IntN(len(list))]})
				}
			}
			if r.deliver(p); random.IntN(12) == 0 {
				r.crash(core.Proc(random.IntN(len(r.machines))))
			}
		}
		r.run(false)
		r.ended()
	}
}
