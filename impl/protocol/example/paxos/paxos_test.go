package paxos_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/example/paxos"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
)

func newWorld(t testing.TB, o paxos.Options) *world.World {
	t.Helper()
	setup, err := paxos.NewSetup(o)
	if err != nil {
		t.Fatal(err)
	}
	return worldOn(t, setup, fault.Model{Unordered: true, Selective: true})
}

func worldOn(t testing.TB, setup *core.Setup, m fault.Model) *world.World {
	t.Helper()
	w, err := world.New(world.Config{Setup: setup, Model: m, Facts: world.FactsOf(setup, &m, nil),
		Twice: true})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestPublishedCounts compares the numbers of states with the published ones, in every mode of the
// search. They are those of a model in which a message that changes nothing stays in flight and in
// which the history of the clients' operations is part of the state.
func TestPublishedCounts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ clients, states int }{{2, 16_668}, {3, 1_194_428}} {
		for _, order := range []checker.Order{checker.DepthFirst, checker.BreadthFirst} {
			for _, workers := range []int{1, 2} {
				o := checker.Options{Order: order, Workers: workers}
				if tt.clients == 3 && !effort.Huge() && (!effort.Long() || workers == 1 ||
					order == checker.BreadthFirst) {
					continue
				}
				t.Run(fmt.Sprintf("clients=%d/order=%d/workers=%d", tt.clients, order,
					workers), func(t *testing.T) {
					w := newWorld(t, paxos.Options{Servers: 3, Clients: tt.clients})
					r := search.Explore(t.Context(), w, o)
					if r.Verdict != spec.Holds || r.States != tt.states {
						t.Errorf("%v with %d states, published are %d; %v", r.Verdict, r.States,
							tt.states, r.Found)
					}
					if seen, _ := w.Seen(); !slices.Contains(seen, "reads-value") {
						t.Errorf("no run reads a value, only %v", seen)
					}
					t.Logf("%d states, %d transitions, %d ends", r.States, r.Transitions,
						r.Terminals)
				})
			}
		}
	}
}

// TestBroken checks which properties the broken variants break, that the runs can be followed, and
// that the judge of traces says of them what the world says.
func TestBroken(t *testing.T) {
	tests := []struct {
		name    string
		options paxos.Options
		want    []string
	}{
		{"deaf", paxos.Options{Servers: 3, Clients: 2, Deaf: true}, []string{"agreement"}},
		{"stale", paxos.Options{Servers: 3, Clients: 2, Stale: true}, []string{"linearizable"}},
		{"stale, alone", paxos.Options{Servers: 1, Clients: 2, Stale: true}, nil},
		{"one server", paxos.Options{Servers: 1, Clients: 3}, nil},
		{"two servers", paxos.Options{Servers: 2, Clients: 2}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, tt.options)
			r := search.Explore(t.Context(), w,
				checker.Options{Order: checker.BreadthFirst, All: true})
			var got []string
			for _, f := range r.Found {
				got = append(got, f.Property)
				run, err := w.Follow(f.Path)
				if err != nil {
					t.Fatal(err)
				}
				want := []spec.Violation{*run.Violation}
				list, err := spec.Select(w.Facts)
				if err != nil {
					t.Fatal(err)
				}
				judged, err := spec.Judge(w.Facts, &run.Trace, list, run.Complete)
				if diff := cmp.Diff(want, judged); diff != "" || err != nil {
					t.Errorf("the judge of traces differs (-world +judge):\n%s", diff)
				}
				t.Logf("%d steps: %s", len(f.Path), f.Message)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("broken properties (-want +got):\n%s", diff)
			}
		})
	}
}

// TestBadOptions gives numbers of procs that make no sense.
func TestBadOptions(t *testing.T) {
	for _, o := range []paxos.Options{{}, {Servers: 3}, {Clients: 2}, {Servers: 65, Clients: 1},
		{Servers: 3, Clients: 27}} {
		if _, err := paxos.NewSetup(o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

// TestOtherNetworks checks that the servers need no order and no reliable channel: nothing breaks
// where messages arrive again at any time, and where some are lost and some arrive twice.
func TestOtherNetworks(t *testing.T) {
	tests := []struct {
		clients int
		model   fault.Model
	}{
		{2, fault.Model{}},
		{2, fault.Model{Unordered: true}},
		{2, fault.Model{Set: true}},
		{1, fault.Model{Unordered: true, Selective: true, Loss: 1, Duplicates: 1}},
		{1, fault.Model{Unordered: true, Loss: 2, Duplicates: 1}},
	}
	for _, tt := range tests {
		setup, err := paxos.NewSetup(paxos.Options{Servers: 3, Clients: tt.clients})
		if err != nil {
			t.Fatal(err)
		}
		r := search.Explore(t.Context(), worldOn(t, setup, tt.model),
			checker.Options{MaxStates: 1 << 20})
		if r.Verdict != spec.Holds {
			t.Errorf("%+v: %v %v %s", tt.model, r.Verdict, r.Found, r.Bound)
		}
		t.Logf("%d clients, %+v: %d states", tt.clients, tt.model, r.States)
	}
}
