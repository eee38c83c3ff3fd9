package boundary_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// The properties that the world judges by itself, beside those of spec.
const (
	deterministic = "deterministic"
	noPanic       = "no-panic"
)

// caught says in which scope each mutant must be found out. The property is the one that the mutant
// names.
var caught = []struct {
	mutant, scope string
}{
	{mutant: "answers-nothing", scope: "register"},
	{mutant: "contradicts", scope: "transaction"},
	{mutant: "decides-silently", scope: "transaction"},
	{mutant: "stays-behind", scope: "one cluster, saved"},
	{mutant: "corrupts-payload", scope: "core"},
	{mutant: "keeps-no-copy", scope: "hmpl"},
	{mutant: "keeps-no-copy", scope: "sbml, rank"},
	{mutant: "keeps-no-image", scope: "hmpl"},
	{mutant: "never-confirms", scope: "hmpl"},
	{mutant: "puts-out-early", scope: "hmpl"},
	{mutant: "trims-nothing", scope: "hmpl, line"},
	{mutant: "trims-nothing", scope: "sbml, line"},
	{mutant: "misplaces", scope: "hmpl, rank"},
	{mutant: "goes-back", scope: "hmpl"},
	{mutant: "sends-otherwise", scope: "hmpl, rank"},
	{mutant: "sends-otherwise", scope: "sbml, rank"},
	{mutant: "adopts-everywhere", scope: "radic"},
	{mutant: "disowns-nobody", scope: "radic, zombies"},
	{mutant: "asks-for-ever", scope: "radic, search"},
	{mutant: "degrades-silently", scope: "radic, basic"},
	{mutant: "watches-nobody", scope: "radic"},
	{mutant: "counts-into-date", scope: "core, failure"},
	{mutant: "counts-into-payload", scope: "core, failure"},
	{mutant: "delivers-twice", scope: "core"},
	{mutant: "forgets-checkpoint", scope: "one cluster, saved"},
	{mutant: "forgets-checkpoint", scope: "ping, saved"},
	{mutant: "gives-up", scope: "core"},
	{mutant: "invents-message", scope: "core"},
	{mutant: "keeps-no-determinant", scope: "race, receiver"},
	{mutant: "keeps-no-determinant", scope: "reduction, contributor"},
	{mutant: "keeps-no-part", scope: "reduction"},
	{mutant: "keeps-two-stories", scope: "race, receiver"},
	{mutant: "misremembers", scope: "echo"},
	{mutant: "never-prunes", scope: "line"},
	{mutant: "waits-for-nothing", scope: "line"},
	{mutant: "never-recovers", scope: "race, receiver"},
	{mutant: "recovers-early", scope: "race, receiver"},
	{mutant: "recovers-early", scope: "hmpl, rank"},
	{mutant: "forgets-round", scope: "core, failure"},
	{mutant: "never-releases", scope: "reduction"},
	{mutant: "numbers-inside", scope: "reduction"},
	{mutant: "late-marker", scope: "one cluster, saved"},
	{mutant: "logs-inside", scope: "core"},
	{mutant: "loses-first", scope: "burst"},
	{mutant: "low-phase", scope: "core"},
	{mutant: "low-phase", scope: "ping"},
	{mutant: "misroutes", scope: "fork"},
	{mutant: "mute", scope: "core"},
	{mutant: "opens-gate", scope: "core, failure"},
	{mutant: "overtakes", scope: "burst, unknown"},
	{mutant: "panics", scope: "core"},
	{mutant: "prunes-at-once", scope: "core"},
	{mutant: "repeats-early", scope: "core, failure"},
	{mutant: "restores-early-image", scope: "one cluster, saved"},
	{mutant: "rolls-back", scope: "core, failure"},
	{mutant: "stores-determinants", scope: "core"},
	{mutant: "ticks-of-a-clock", scope: "core"},
	{mutant: "wrong-end", scope: "core"},
}

// accepted says in which scope a near miss of each property must be accepted.
var accepted = []struct {
	property, mutant, scope string
	inside                  bool // what it does does not show at the boundary
}{
	{property: "agreement", mutant: "decides-twice", scope: "transaction"},
	{property: "decision-learned", mutant: "orders-twice", scope: "transaction"},
	{property: "line-settles", mutant: "commits-twice-later", scope: "one cluster, saved"},
	{property: "buffers-drain", mutant: "confirms-twice", scope: "hmpl, rank"},
	{property: "log-trimmed", mutant: "trims-twice", scope: "hmpl, line"},
	{property: "log-trimmed", mutant: "trims-twice", scope: "sbml, line"},
	{property: "log-true", mutant: "places-twice", scope: "hmpl, rank"},
	{property: "log-true", mutant: "places-twice", scope: "hmpl, memory"},
	{property: "no-orphan", mutant: "sends-twice-later", scope: "hmpl, rank"},
	{property: "output-stable", mutant: "puts-out-with-send", scope: "rbml, rank"},
	{property: "protected", mutant: "keeps-images-twice", scope: "hmpl, rank"},
	{property: "recoverable", mutant: "drops-copy-of-stable", scope: "hmpl, rank"},
	{property: "one-host", mutant: "adopts-twice", scope: "radic, node"},
	{property: "hosts-settle", mutant: "disowns-twice", scope: "radic, zombies"},
	{property: "reach", mutant: "asks-twice", scope: "radic, search"},
	{property: "degradation-said", mutant: "declares-twice", scope: "radic, basic"},
	{property: "nodes-watched", mutant: "watches-twice", scope: "radic, node"},
	{property: "causal-replay", mutant: "repeats-stale", scope: "core, rank"},
	{property: "contained", mutant: "reports-twice", scope: "burst, rank"},
	{property: deterministic, mutant: "counts", scope: "core, rank", inside: true},
	{property: "determinant-stable", mutant: "keeps-twice", scope: "race, receiver"},
	{property: "log-available", mutant: "completes-twice", scope: "reduction"},
	{property: "log-minimal", mutant: "completes-twice", scope: "reduction"},
	{property: "log-pruned", mutant: "prunes-again", scope: "line"},
	{property: "waits-sent", mutant: "prunes-again", scope: "line"},
	{property: "no-orphan-process", mutant: "keeps-twice", scope: "race, receiver"},
	{property: "no-orphan-process", mutant: "keeps-twice", scope: "reduction, contributor"},
	{property: "repeated", mutant: "recovers-twice", scope: "race, receiver"},
	{property: "round-named", mutant: "repeats-stale", scope: "core, rank"},
	{property: "recovery-ends", mutant: "recovers-twice", scope: "race, receiver"},
	{property: "replay-order", mutant: "keeps-twice", scope: "race, receiver"},
	{property: "root-determinants", mutant: "keeps-twice", scope: "reduction"},
	{property: "exactly-once", mutant: "repeats-stale", scope: "burst, rank"},
	{property: "fifo", mutant: "overtakes-elsewhere", scope: "fork, rank"},
	{property: "final-state", mutant: "slow", scope: "collect, rank"},
	{property: "gate-sound", mutant: "repeats-gate", scope: "core, rank"},
	{property: "genuine", mutant: "copies-to-service", scope: "core, failure"},
	{property: "gives-not-up", mutant: "declares-drops", scope: "core, rank"},
	{property: "legal-order", mutant: "slow", scope: "core, rank"},
	{property: "line-consistent", mutant: "reads-backwards", scope: "one cluster, saved",
		inside: true},
	{property: "line-progress", mutant: "commits-twice", scope: "one cluster, saved"},
	{property: "linearizable", mutant: "reads-again", scope: "register"},
	{property: "log-scope", mutant: "logs-twice", scope: "core, rank"},
	{property: noPanic, mutant: "panics-inside", scope: "core", inside: true},
	{property: "prune-safe", mutant: "prunes-twice", scope: "ping, saved"},
	{property: "prune-safe", mutant: "prunes-twice", scope: "rally, saved"},
	{property: "send-determinism", mutant: "shifts-payload", scope: "core, rank"},
	{property: "stable-only", mutant: "stores-spare-image", scope: "core, rank"},
	{property: "stamp-determinism", mutant: "shifts-date", scope: "core, rank"},
	{property: "terminates", mutant: "never-acknowledges", scope: "ping, saved"},
}

// byTrace are the properties that no machine can break in the world, because the driver and not the
// machine decides, each with a run that breaks it and one that nearly does.
var byTrace = []struct {
	property     string
	why          string
	broken, near []trace.Event
	// ranks run on nodes that can change: a and b on N1 and N2, their loggers La and Lb, a spare S1
	hosts    bool
	together bool // a and b both on N2, and the spare has room for one
	complete bool
}{
	{
		property: "one-incarnation",
		why: "the environment numbers the lives and stops the dead; the modelled one never " +
			"lets an older life act",
		broken: []trace.Event{{Kind: trace.Sent, Proc: 0, Peer: 1,
			ID: trace.MsgID{From: 0, Number: 1}},
			{Kind: trace.Crashed, Proc: 0}, {Kind: trace.Restored, Proc: 0, Incarnation: 1},
			{Kind: trace.Sent, Proc: 0, Peer: 1, ID: trace.MsgID{From: 0, Number: 1}}},
		near: []trace.Event{{Kind: trace.Sent, Proc: 0, Peer: 1,
			ID: trace.MsgID{From: 0, Number: 1}},
			{Kind: trace.Crashed, Proc: 0}, {Kind: trace.Restored, Proc: 0, Incarnation: 1},
			{Kind: trace.Sent, Proc: 0, Incarnation: 1, Peer: 1,
				ID: trace.MsgID{From: 0, Number: 1}}},
	},
	{
		property: "stable-only",
		why:      "also on a trace of a driver that does not explore",
		broken:   []trace.Event{{Kind: trace.Stored, Proc: 0, Text: "determinant/1"}},
		near:     []trace.Event{{Kind: trace.Stored, Proc: 0, Text: "image/1"}},
	},
	{
		property: "spare-once", hosts: true,
		why: "a spare that adopts for two must have promised itself two times: erratum M26 of " +
			"radic explores it",
		broken: []trace.Event{adopts(s1, a), adopts(s1, b)},
		near:   []trace.Event{adopts(s1, a), adopts(s1, lb), adopts(s1, a)},
	},
	{
		property: "kept-elsewhere", hosts: true, complete: true,
		why: "where ranks are put is decided inside the machine: erratum M31 of radic " +
			"explores it",
		broken: []trace.Event{keeps(la, a), keeps(lb, b), adopts(n1, a), adopts(n1, la),
			adopts(n2, b), adopts(n1, lb)},
		near: []trace.Event{keeps(la, a), keeps(lb, b), adopts(n1, a), adopts(n2, la),
			adopts(n2, b), adopts(n1, lb)},
	},
	{
		property: "spares-used", hosts: true, complete: true,
		why: "which spare is asked is decided inside the machine: erratum M27 of radic " +
			"explores it",
		broken: []trace.Event{keeps(la, a), keeps(lb, b), adopts(s1, b), says,
			{Kind: trace.Disowned, Proc: s1, Peer: b}, adopts(n2, a), adopts(n1, la)},
		near: []trace.Event{keeps(la, a), keeps(lb, b), adopts(s1, b), says, adopts(n2, a),
			adopts(n1, la)},
	},
	{
		property: "spares-asked", hosts: true,
		why: "which spare is asked is decided inside the machine: mutant spares-forgotten of " +
			"radic explores it",
		broken: []trace.Event{adopts(n1, a), says},
		near:   []trace.Event{adopts(n1, a), adopts(s1, b), says},
	},
	{
		property: "spare-room", hosts: true,
		why: "what a spare takes is decided inside the machine: mutant asks-for-less of " +
			"radic explores it",
		broken: []trace.Event{adopts(s1, b), adopts(s1, a)}, together: true,
		near: []trace.Event{adopts(s1, b), adopts(s1, la), adopts(s1, b), adopts(n2, a)},
	},
	{
		property: "hosted-somewhere", hosts: true, complete: true,
		why: "who is asked to adopt is decided inside the machine: mutant drop-protect of " +
			"radic explores it",
		broken: []trace.Event{adopts(n1, a), adopts(n2, b), adopts(n2, la)},
		near:   []trace.Event{adopts(n1, a), adopts(n2, b), adopts(n2, la), adopts(s1, lb)},
	},
	{
		property: "leaves-nothing", hosts: true,
		why: "when a node stops is decided inside the machine: mutant leaves-early of " +
			"radic explores it",
		broken: []trace.Event{adopts(n1, a), sends1, leaves},
		near: []trace.Event{adopts(n1, a), sends1, {Kind: trace.Committed, Proc: a, Sent: 1},
			leaves},
	},
	{
		property: "changes-made", hosts: true, complete: true,
		why: "whom a machine tells is its own decision: scenario radic-rbml-swap-back fails " +
			"when a node forgets whom it has to ask again",
		broken: []trace.Event{adopts(n1, a), adopts(n2, b), leaves},
		near: []trace.Event{adopts(n1, a), adopts(n2, b), leaves,
			{Kind: trace.Crashed, Proc: n1}},
	},
	{
		property: "watch-dropped", hosts: true, complete: true,
		why: "when a watchdog is stopped is decided inside the machine: scenario " +
			"radic-sbml-silent fails when a spare never stops one",
		broken: []trace.Event{{Kind: trace.Watched, Proc: s1, Peer: n2}},
		near: []trace.Event{{Kind: trace.Watched, Proc: s1, Peer: n2},
			{Kind: trace.Watched, Proc: n1, Peer: n2},
			{Kind: trace.Unwatched, Proc: s1, Peer: n2}},
	},
	{
		property: "recovery-saved", hosts: true, complete: true,
		why: "what a machine does at the end of its recovery is its own decision: mutant unsaved " +
			"of radic explores it",
		broken: []trace.Event{{Kind: trace.Crashed, Proc: a},
			{Kind: trace.Restored, Proc: a, Incarnation: 1},
			{Kind: trace.Recovered, Proc: a, Incarnation: 1}},
		near: []trace.Event{{Kind: trace.Crashed, Proc: a},
			{Kind: trace.Restored, Proc: a, Incarnation: 1},
			{Kind: trace.Recovered, Proc: a, Incarnation: 1},
			{Kind: trace.Committed, Proc: a, Incarnation: 1}},
	},
}

// sends1 is a send of a.
var sends1 = trace.Event{Kind: trace.Sent, Proc: a, Peer: b, ID: trace.MsgID{From: 0, Number: 1}}

// The procs of hand-written runs with nodes.
const a, b, la, lb, n1, n2, s1 = trace.Proc(0), trace.Proc(1), trace.Proc(2), trace.Proc(3),
	trace.Proc(4), trace.Proc(5), trace.Proc(6)

// says is the declaration of a node that there is no spare.
var says = trace.Event{Kind: trace.Declared, Proc: n2, Text: "no spare"}

// leaves is the declaration of a node that it stops.
var leaves = trace.Event{Kind: trace.Declared, Proc: n1, Text: "leaving"}

func adopts(node, p trace.Proc) trace.Event {
	return trace.Event{Kind: trace.Adopted, Proc: node, Peer: p}
}

func keeps(p, of trace.Proc) trace.Event {
	return trace.Event{Kind: trace.Kept, Proc: p, Text: trace.Image, Peer: of}
}

// nodeFacts are those of hand-written runs with nodes.
func nodeFacts() *spec.Facts {
	promised := promise.Promises{KeepsLines: true, RollsBack: promise.All}
	return &spec.Facts{Promises: promised, Layout: &trace.Layout{
		Names: []string{"a", "b", "La", "Lb", "N1", "N2", "S1"}, Ranks: 2, Holdings: true,
		Spares: []trace.Proc{s1}, Nodes: []trace.Proc{n1, n2}, Leaving: []trace.Proc{n1},
		Hosted: map[trace.Proc]bool{a: true, b: true, la: true, lb: true, n1: false, n2: false,
			s1: false},
		Kinds: map[string]trace.Meaning{says.Text: trace.Shares, leaves.Text: trace.Leaves},
	}}
}

// Aim: a property that catches nothing is found out. Method: break the machines at their boundary
// in the way that the property speaks of, explore breadth first, and want the first violation to be
// of that property, in a run that can be followed again.
func TestMutantsAreCaught(t *testing.T) {
	for _, tt := range slices.Concat(caught, jobsCaught) {
		t.Run(tt.mutant+" in "+tt.scope, func(t *testing.T) {
			m := find(t, tt.mutant)
			w, r := scopeOf(t, tt.scope).explore(t, m.Wrap)
			if r.Verdict != spec.Violated {
				t.Fatalf("%s, which %s, is accepted: %v after %d states, want %s violated", m.Name,
					m.Doc, r.Verdict, r.States, m.Breaks)
			}
			found := r.Found[0]
			if found.Property != m.Breaks {
				t.Fatalf("%s breaks %s (%s), want %s", m.Name, found.Property, found.Message,
					m.Breaks)
			}
			run, err := w.Follow(found.Path)
			if err != nil {
				t.Fatalf("the run that shows it can not be followed: %v", err)
			}
			got := *run.Violation
			got.Step = 0
			if diff := cmp.Diff(found.Violation, got); diff != "" {
				t.Errorf("the run followed again shows something else (-search +run):\n%s", diff)
			}
		})
	}
}

// Aim: a property rejects nothing that is legal. Method: machines that do something close to what
// the property forbids; the whole scope is explored and no property at all may fail. The near miss
// must have done something: what crosses the boundary differs from what it is without it.
func TestNearMissesAreAccepted(t *testing.T) {
	explored := map[string]string{}
	for i, tt := range accepted {
		t.Run(tt.mutant+" in "+tt.scope+" for "+tt.property, func(t *testing.T) {
			if before := explored[tt.mutant+" in "+tt.scope]; before != "" {
				t.Log("all properties are held against it for " + before)
				return
			}
			explored[tt.mutant+" in "+tt.scope] = tt.property
			if i%4 > 0 {
				effort.Seconds(t)
			}
			m, s := find(t, tt.mutant), scopeOf(t, tt.scope)
			with := witness{}
			_, r := s.explore(t, func(s *core.Setup) *core.Setup { return with.wrap(m.Wrap(s)) })
			if r.Verdict != spec.Holds {
				t.Fatalf("%s, which %s, is legal, got %v: %v", m.Name, m.Doc, r.Verdict, r.Found)
			}
			without, _ := s.unmutated(t)
			if shows := !maps.Equal(with, without); shows == tt.inside {
				t.Errorf("%s, which %s: shows at the boundary: %t, want %t", m.Name, m.Doc, shows,
					!tt.inside)
			}
		})
	}
}

// Aim: what the mutants are caught at is their own doing. Method: explore each scope with the
// machines as they are.
func TestUnmutatedSetupHolds(t *testing.T) {
	used := map[string]bool{}
	for _, tt := range slices.Concat(caught, jobsCaught) {
		used[tt.scope] = true
	}
	for _, tt := range accepted {
		used[tt.scope] = true
	}
	for _, tt := range quietly {
		used[tt.at], used[tt.nearAt] = true, true
	}
	for name, s := range scopes {
		t.Run(name, func(t *testing.T) {
			if !used[name] {
				t.Errorf("no mutant is explored in the scope %q", name)
			}
			if _, r := s.unmutated(t); r.Verdict != spec.Holds {
				t.Errorf("the protocol %v in the scope of its mutants: %v", r.Verdict, r.Found)
			}
		})
	}
}

// Aim: properties that no machine can break in the world catch something too. Method: hand-written
// traces.
func TestTracesAreJudged(t *testing.T) {
	f := &spec.Facts{
		Layout: &trace.Layout{Names: []string{"a", "b"}, Ranks: 2, Clusters: []int{0, 1}},
		Promises: promise.Promises{RollsBack: promise.All,
			StableKeys: []string{"image/", "commit/"}},
	}
	for _, tt := range byTrace {
		t.Run(tt.property, func(t *testing.T) {
			f, finals := f, []spec.Property(nil)
			if tt.hosts {
				f = nodeFacts()
			}
			if tt.together {
				f.Layout.Nodes, f.Layout.Room = []trace.Proc{n2, n2}, 1
			}
			if tt.complete { // the run is not at its end: only this property is asked about it
				finals = slices.DeleteFunc(spec.Properties(), func(p spec.Property) bool {
					return p.Name != tt.property || p.Kind == spec.Monitor
				})
			}
			for _, events := range [][]trace.Event{tt.broken, tt.near} {
				var got, want []string
				list, err := spec.Select(f)
				if err != nil {
					t.Fatal(err)
				}
				found, err := spec.Judge(f, &trace.Trace{Layout: *f.Layout, Events: events},
					append(always(list), finals...), tt.complete)
				if err != nil {
					t.Fatal(err)
				}
				for _, v := range found {
					got = append(got, v.Property)
				}
				if &events[0] == &tt.broken[0] {
					want = []string{tt.property}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("violated properties (-want +got):\n%s", diff)
				}
			}
		})
	}
}
