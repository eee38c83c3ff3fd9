package world

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// TestNetworksAgainstReference compares the world with the reference on random toys that only send,
// over every kind of network.
func TestNetworksAgainstReference(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	networks := []fault.Model{{}, {Unordered: true}, {Unordered: true, Selective: true},
		{Set: true}, {Set: true, Selective: true}}
	compared := 0
	for n := range effort.Cases(8, 40) {
		toy := randomToy(r, toyFeatures{crashes: true, groups: n%5 == 0, restoreSends: n%2 == 0,
			cyclic: n%4 == 0})
		for _, table := range toy.rules {
			for _, row := range table {
				for i := range row {
					row[i].persist, row[i].timer = false, false
				}
			}
		}
		for _, m := range networks {
			m.Failures, m.FromDead, m.DetectAny = n%2, fault.Every, true
			if n%3 == 0 {
				m.FromDead = fault.Nothing
			}
			w, err := New(Config{Setup: toy.setup(), Model: m})
			if err != nil {
				t.Fatal(err)
			}
			if search.Explore(t.Context(), w, checker.Options{MaxStates: 1500}).Bound != "" {
				continue // large
			}
			compared++
			if !t.Run(fmt.Sprintf("toy=%d/model=%+v", n, m), func(t *testing.T) {
				compareWithReference(t, toy.setup(), m)
			}) {
				t.Fatalf("model %+v\n%s", m, toy)
			}
		}
	}
	t.Logf("%d cases compared", compared)
	if compared < effort.Of(12, 60) {
		t.Errorf("only %d cases were compared", compared)
	}
}

// pipeOf is a toy whose first proc sends two messages of kind 0 and one of kind 1 to the second
// one, which counts.
func pipeOf(states int) *toy {
	toy := newToy(2, states, 2)
	toy.on(0, 0, 2+toyStart, 0, toySend{1, 0}, toySend{1, 0}, toySend{1, 1})
	return toy
}

// TestNetworks holds the numbers of states and of ends of one small protocol on each network,
// counted by hand.
func TestNetworks(t *testing.T) {
	// The receiver counts messages of kind 0 up to 3 and ignores kind 1 but in state 2, in which it
	// starts again.
	counts := func() *toy {
		toy := pipeOf(4)
		toy.on(1, 0, 0, 1)
		toy.on(1, 1, 0, 2)
		toy.on(1, 2, 0, 3)
		toy.on(1, 2, 1, 0)
		return toy
	}
	tests := []struct {
		name         string
		model        fault.Model
		states, ends int
	}{
		// 0 0 1 in this order: states 0, 1, 2, 0.
		{"fifo", fault.Model{}, 4, 1},
		// 001: 0; 01: 1; 00: 0 (1 ignored); 1: 2; 0: 1 (1 ignored or not yet there); none: 0 and 2.
		{"unordered", fault.Model{Unordered: true}, 7, 2},
		// 1 is taken in state 2 alone, when both of kind 0 are gone.
		{"selective", fault.Model{Unordered: true, Selective: true}, 4, 1},
		// {0, 1} for ever: 0, 1, 2, and from there 3 or 0; 3 ignores everything.
		{"set", fault.Model{Set: true}, 4, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, err := New(Config{Setup: counts().setup(), Model: tt.model})
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range []checker.Options{{}, {Reduce: checker.Singletons | checker.Crashes},
				{Order: checker.BreadthFirst}} {
				if r := search.Explore(t.Context(), w, o); r.States != tt.states ||
					r.Terminals != tt.ends {
					t.Errorf("%+v: %d states, %d ends, want %d and %d", o, r.States, r.Terminals,
						tt.states, tt.ends)
				}
			}
		})
	}
}

// TestNothingComesOfIt: in a set a message that leaves everything as it is arrives no more,
// whatever its receiver asks for that was so before. If it did, the run would have no end, and
// nobody would look at what it ends in.
func TestNothingComesOfIt(t *testing.T) {
	for name, asks := range map[string]func(*toyRule){
		"nobody is watched":       func(r *toyRule) { r.unwatch = []core.Proc{0} },
		"it is watched":           func(r *toyRule) { r.watches = []core.Proc{0} },
		"a watchdog about itself": func(r *toyRule) { r.watches = []core.Proc{1} },
	} {
		toy := pipeOf(3)
		toy.on(1, 0, 0, 1)
		toy.on(1, 1, 0, 1)
		asks(&toy.rules[1][0][0])
		asks(&toy.rules[1][1][0])
		w, err := New(Config{Setup: toy.setup(), Model: fault.Model{Set: true}})
		if err != nil {
			t.Fatal(err)
		}
		r := search.Explore(t.Context(), w, checker.Options{})
		if r.States != 2 || r.Terminals != 1 {
			t.Errorf("%s: %d states, %d ends, want 2 and 1", name, r.States, r.Terminals)
		}
	}
}

// TestLossInASet checks that a set can lose a message for good, and that a crash takes what is for
// the crashed proc.
func TestLossInASet(t *testing.T) {
	toy := pipeOf(2)
	toy.on(1, 0, 0, 1)
	w, err := New(Config{Setup: toy.setup(), Model: fault.Model{Set: true, Loss: 2, Failures: 1,
		Victims: []core.Proc{1}}})
	if err != nil {
		t.Fatal(err)
	}
	state := make([]uint32, w.Words())
	w.Initial(state)
	want := []string{"deliver p0->p1 k0", "crash p1", "lose p0->p1 k0", "lose p0->p1 k1"}
	texts, x := w.Enabled(state)
	if fmt.Sprint(texts) != fmt.Sprint(want) {
		t.Fatalf("enabled are %q, want %q", texts, want)
	}
	if got := w.inbox(x.State(0, nil), 1); len(got.heads) != 2 {
		t.Errorf("%d messages after a delivery, want 2", len(got.heads))
	}
	if got := w.inbox(x.State(2, nil), 1); len(got.heads) != 1 {
		t.Errorf("%d messages after a loss, want 1", len(got.heads))
	}
	if got := w.inboxOf(x.State(1, nil), 1); got != emptyInbox {
		t.Errorf("inbox %d after a crash, want the empty one", got)
	}
}

// TestLostIsEvidence: the network leaves word of what it loses, and of nothing else.
func TestLostIsEvidence(t *testing.T) {
	toy := newToy(2, 3, 1)
	toy.on(0, 0, 1+toyStart, 0, toySend{1, 0})
	w, err := New(Config{Setup: toy.setup(), Model: fault.Model{Loss: 1}})
	if err != nil {
		t.Fatal(err)
	}
	r := w.begin()
	texts, x := w.Enabled(r.last())
	i := slices.IndexFunc(texts, func(s string) bool { return strings.HasPrefix(s, "lose ") })
	if i < 0 {
		t.Fatalf("nothing can be lost: %v", texts)
	}
	w.take(r, texts[i], x.Steps[i].Code, 0, x.State(i, nil))
	var kinds []trace.Kind
	for _, e := range r.Trace.Events {
		kinds = append(kinds, e.Kind)
	}
	last := r.Trace.Events[len(r.Trace.Events)-1]
	if !slices.Equal(kinds, []trace.Kind{trace.Emitted, trace.Lost}) || last.Proc != 1 ||
		last.Peer != 0 || last.Step != 1 || last.Text != r.Trace.Events[0].Text {
		t.Errorf("%v, the last one %+v", kinds, last)
	}
}
