package program_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/spec/trace"
)

// mortal is a layer that is told who is gone for good.
type mortal struct {
	queues
	Gone   []core.Rank
	Cut    map[core.Group]core.Rank // who is gone of a group
	Paused bool
	Seen   int // operations that have ended in errors
}

func (m *mortal) Sources(buf []core.Rank) []core.Rank {
	if m.Paused {
		return buf
	}
	buf = m.queues.Sources(buf)
	if len(m.Queue[group]) > 0 {
		buf = append(buf, group)
	}
	return buf
}

func (m *mortal) Dead() []core.Rank {
	if m.Paused {
		return nil
	}
	return m.Gone
}

func (m *mortal) Broken(g core.Group) (core.Rank, bool) {
	r, ok := m.Cut[g]
	return r, ok && !m.Paused
}

func (m *mortal) Erred() { m.Seen++ }

func (m *mortal) Holds(core.OpKind) bool { return m.Paused }

// group is the source of the one group.
var group = core.Group(1).Source()

// newMortal makes rank a of the ranks a b c and the group g of all, from the text of its program.
func newMortal(t *testing.T, text string) (*program.Host, *mortal) {
	t.Helper()
	suite, err := script.Read("a: "+text+"\nb:\nc:\ngroup g: a > b c", 1)
	if err != nil {
		t.Fatal(err)
	}
	m := &mortal{queues: queues{Queue: map[core.Rank][]core.Payload{}},
		Cut: map[core.Group]core.Rank{}}
	return program.NewHost(0, suite.Programs[0], func(core.Application) core.Layer { return m }), m
}

// act drives a rank by words: "b dies", "g breaks" (by the death of c), "b:3" (its message 3
// arrives), "pause", "go", or a step, "step" or "from b", which must be enabled. The answer is what
// the program does: "sent 1", "got b:3", "error ...", "fatal ...", "exit", "end".
func act(t *testing.T, h *program.Host, m *mortal, word string) (done []string) {
	t.Helper()
	ranks := map[string]core.Rank{"a": 0, "b": 1, "c": 2, "g": group}
	name, rest, _ := strings.Cut(word, " ")
	want := -1
	switch {
	case rest == "dies":
		m.Gone = append(m.Gone, ranks[name])
		return nil
	case rest == "breaks":
		m.Gone, m.Cut[1] = append(m.Gone, 2), 2
		return nil
	case strings.Contains(name, ":"):
		from, n, _ := strings.Cut(name, ":")
		m.put(ranks[from], uint32(n[0]-'0'))
		return nil
	case name == "pause" || name == "go":
		m.Paused = name == "pause"
		return nil
	case name == "from":
		want = int(ranks[rest])
	}
	list := h.Choices(nil)
	i := slices.IndexFunc(choices(h), func(c [2]int) bool { return c[1] == want })
	if i < 0 {
		return []string{"stuck"}
	}
	for _, e := range h.Step(core.Input{Kind: core.Advance, Choice: list[i]}, nil) {
		switch e.Kind {
		case core.ProgramSent:
			done = append(done, "sent "+string(rune('0'+e.Payload.ID.Number)))
		case core.Deliver:
			done = append(done, "got "+string("abc"[e.Payload.ID.From%3])+":"+
				string(rune('0'+e.Payload.ID.Number)))
		case core.Declare:
			if e.What == trace.Ruled {
				done = append(done, e.Key+" "+string("abc"[e.To]))
			}
		case core.Exit:
			done = append(done, "exit")
		case core.ProgramDone:
			done = append(done, "end")
		}
	}
	return done
}

// Aim: every operation that waits when a rank is gone ends as it should, and what is not about that
// rank goes on. Method: the table, a row of what happens for each line of it.
func TestErrors(t *testing.T) {
	tests := []struct{ name, program, script, want string }{
		{"send to the dead", "try send b; send c", "b dies; step; step; step",
			"error send peer-dead b; sent 2; end"},
		{"sent before", "send b; output", "step; b dies; step; step", "sent 1; end"},
		{"whole message here", "try recv b; try recv b", "b:1; b dies; from b; step",
			"got b:1; error recv peer-dead b"},
		{"nothing here", "try recv b", "b dies; step; step", "error recv peer-dead b; end"},
		{"from anyone", "try recv *; try recv *", "b dies; step; step; step",
			"error recv pending b; error recv pending b; end"},
		{"acknowledged", "try recv *; ack; try recv *; try recv *",
			"b dies; step; step; step; c:1; from c; c dies; step",
			"error recv pending b; stuck; got c:1; error recv pending c"},
		{"from anyone, and it is here", "try recv *", "c:1; b dies; from c", "got c:1"},
		{"posted", "post b; post c; try wait", "step; step; b dies; step; c:1; from c; step; step",
			"stuck; got c:1; error wait peer-dead b; end"},
		{"posted from anyone, stays posted", "post *; try wait; try wait; wait",
			"step; b dies; step; step; c dies; step; c:1; from c; step; step",
			"error wait pending b; stuck; error wait pending c; got c:1; end"},
		{"posted from anyone, given up", "post *; try wait; onerror cancel; output",
			"step; b dies; step; step; step; step", "error wait pending b; end"},
		{"each post once", "post b; post *; post b; try wait; wait",
			"step; step; step; b dies; step; step; c:1; from c; step; step",
			"error wait peer-dead b; error wait pending b; error wait peer-dead b; stuck; " +
				"got c:1; end"},
		{"among survivors", "try send c; try recv c", "b dies; step; step; c:1; from c; step",
			"sent 1; stuck; got c:1; end"},
		{"group", "try contribute g; try recv g; try multicast g",
			"step; g breaks; step; g:1; step; step",
			"sent 1; error collective peer-dead c; error collective group-broken c; end"},
		{"out of the group already", "try contribute g; try recv g; try contribute g",
			"step; g:1; g breaks; from g; step", "sent 1; got a:1; error collective peer-dead c"},
		{"posted of a group", "post g; try contribute g; try wait; try recv g",
			"step; g breaks; step; step; g:1; step",
			"error collective peer-dead c; error collective group-broken c; " +
				"error collective group-broken c"},
		{"nobody looks", "send b; send c", "b dies; step", "fatal send peer-dead b; exit"},
		{"nobody looks at a receive", "recv *", "b dies; step", "fatal recv pending b; exit"},
		{"nobody waits", "post b", "step; b dies; step", "fatal wait peer-dead b; exit"},
		{"only then", "try recv b; onerror send c x; onerror recv c; send c y",
			"b dies; step; step; c:1; from c; step",
			"error recv peer-dead b; sent 1; got c:1; sent 2"},
		{"not then", "try recv b; onerror send c x; onerror recv c; send c y",
			"b:1; b dies; from b; step; step", "got b:1; sent 2; end"},
		{"the last that was tried", "try recv b; try send c; onerror output; send c",
			"b dies; step; step; step; step", "error recv peer-dead b; sent 1; sent 2; end"},
		{"standing still", "try recv b", "b dies; pause; step; go; step",
			"stuck; error recv peer-dead b"},
		{"reply", "try recv b; try reply; onerror reply", "b:1; from b; b dies; step; step",
			"got b:1; error send peer-dead b; fatal send peer-dead b; exit"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, m := newMortal(t, tt.program)
			var got []string
			for word := range strings.SplitSeq(tt.script, "; ") {
				got = append(got, act(t, h, m, word)...)
			}
			if diff := cmp.Diff(strings.Split(tt.want, "; "), got); diff != "" {
				t.Errorf("what the program does (-want +got):\n%s", diff)
			}
		})
	}
}

// Aim: what a program sees of errors shows in its final state: which, of whom, and in which order.
// Method: runs that differ in one of these must end in different states, one that differs in
// nothing but when the rank died, in the same.
func TestErrorsShow(t *testing.T) {
	final := func(text, script string) uint64 {
		h, m := newMortal(t, text)
		for word := range strings.SplitSeq(script, "; ") {
			act(t, h, m, word)
		}
		if !h.Ended() {
			t.Fatalf("%s: %s: not at its end", text, script)
		}
		seen := strings.Count(script, "dies")
		if m.Seen < seen {
			t.Errorf("%s: %s: the layer is told of %d errors, want at least %d", text, script,
				m.Seen, seen)
		}
		return h.History().Digest
	}
	const both = "try recv b; try recv c"
	seen := map[uint64]string{}
	for _, script := range []string{"b:1; from b; c:1; from c; step",
		"b dies; step; c:1; from c; step", "b:1; from b; c dies; step; step",
		"b dies; step; c dies; step; step"} {
		digest := final(both, script)
		if first, ok := seen[digest]; ok {
			t.Errorf("%q and %q end in the same state", first, script)
		}
		seen[digest] = script
	}
	const one = "try recv *; try recv *"
	if final(one, "b dies; step; step; step") == final(one, "c dies; step; step; step") {
		t.Error("who is dead does not show")
	}
	if final(one, "b dies; step; c:1; from c; step") ==
		final(one, "c:1; from c; b dies; step; step") {
		t.Error("when the error comes does not show")
	}
	if final(one, "b dies; b:1; from b; step; step") !=
		final(one, "b:1; from b; b dies; step; step") {
		t.Error("the moment of a death shows, though the program sees the same")
	}
}

// Aim: what a program knows of errors is in its image; programs that look at none have the state
// that they always had. Method: a rank is loaded from the image of another one, and goes on alike.
func TestErrorsInImage(t *testing.T) {
	const text = "post *; post b; try wait; onerror send c; ack; try recv *"
	h, m := newMortal(t, text)
	for _, word := range []string{"step", "step", "b dies", "step", "step", "step"} {
		act(t, h, m, word)
	}
	other, n := newMortal(t, text)
	other.Load(h.Image())
	n.Gone = m.Gone
	if diff := cmp.Diff(h.Image(), other.Image()); diff != "" {
		t.Errorf("image of an image (-want +got):\n%s", diff)
	}
	for _, word := range []string{"step", "c dies", "step", "c:1", "from c"} {
		if diff := cmp.Diff(act(t, h, m, word), act(t, other, n, word)); diff != "" {
			t.Errorf("%s (-rank +loaded):\n%s", word, diff)
		}
	}
	plain, _ := newMortal(t, "recv b")
	if len(plain.State()) != 2 || len(other.State()) != 3 {
		t.Errorf("states of %d and %d parts, want 2 and 3", len(plain.State()), len(other.State()))
	}
}
