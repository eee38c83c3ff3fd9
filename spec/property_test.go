package spec_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// noticed is one event for a Sometimes property, and one that it must not take for it.
var noticed = []struct {
	property     string
	event, other trace.Event
	facts        func() *spec.Facts // nil = exampleFacts
}{
	{property: "commits", event: committed(x, 0, 0),
		other: trace.Event{Kind: trace.Stored, Proc: x, Text: "commit/1"}},
	{property: "prunes", event: trace.Event{Kind: trace.Pruned, Proc: y, Peer: c, ID: m3},
		other: trace.Event{Kind: trace.Logged, Proc: y, Peer: c, ID: m3}},
	{property: "recovers", event: in(1, sent(m2, y)), other: restored(x, 1, 0, 0)},
	{
		property: "replays-orphan",
		event:    trace.Event{Kind: trace.Emitted, Proc: y, Peer: rp, Text: "OrphanDone"},
		other:    trace.Event{Kind: trace.Arrived, Proc: rp, Peer: y, Text: "OrphanDone"},
	},
	{property: "decides-commit", event: decided(x, "commit"), other: decided(x, "abort")},
	{property: "decides-abort", event: decided(rp, "abort"),
		other: trace.Event{Kind: trace.Halted, Proc: rp, Text: "abort"}},
	{property: "reads-value", event: returned(x, "A"), other: returned(x, "")},
	{property: "degrades", event: says(c), other: trace.Event{Kind: trace.Halted, Proc: c,
		Text: "no spare"}},
	{property: "searches", event: asks(x), other: trace.Event{Kind: trace.Arrived, Proc: x,
		Peer: rp, Text: "WhereIs"}},
	{property: "unrecoverable", event: trace.Event{Kind: trace.Halted, Proc: y,
		Text: "unrecoverable"}, other: crashed(y)},
	{property: "resends-log", event: with(emitted(m3, c, 1, 1), func(e *trace.Event) {
		e.Again = true
	}), other: emitted(m3, c, 1, 1)},
	{property: "restores-all", event: rules(1, "completed autor", head),
		other: rules(1, "completed crmig", head), facts: jobFacts},
	{property: "restores-failed", event: rules(1, "completed light", head),
		other: rules(1, "claimed light", head), facts: lightFacts},
	{property: "runs-through", event: rules(1, "completed sustain", head),
		other: rules(1, "completed autor", head), facts: sustainFacts},
	{property: "moves-away", event: rules(1, "completed crmig", head),
		other: rules(1, "failed crmig", head), facts: jobFacts},
	{property: "gives-up-job", event: rules(1, "claimed abort", head),
		other: rules(1, "offered abort", head), facts: jobFacts},
}

// Aim: guards against a vacuous pass see what they are to see. Method: one event each, and one that
// comes close.
func TestSometimes(t *testing.T) {
	for _, tt := range noticed {
		t.Run(tt.property, func(t *testing.T) {
			f, p := exampleFacts(), property(t, tt.property)
			if tt.facts != nil {
				f = tt.facts()
			}
			l := spec.NewLedger(f.Layout)
			if got := p.Event(f, l, tt.event); got != "seen" {
				t.Errorf("%s: got %q, want seen", f.Layout.Describe(tt.event), got)
			}
			if got := p.Event(f, l, tt.other); got != "" {
				t.Errorf("%s: got %q, want nothing", f.Layout.Describe(tt.other), got)
			}
		})
	}
}

// allJudged are the hand-written runs of all tables.
func allJudged() []judged {
	return slices.Concat(deliveryCases, phaseCases, refinesCases, lineCases, ofLogging(),
		changesCases, hostingCases, watchingCases, terminationCases, decisionCases, registerCases,
		determinantCases, snapshotCases, restoreCases, policyCases, bodyCases, undoneCases,
		linedCases, releasedCases)
}

// Aim: no property goes untested. Method: the tables of this package name every registered
// property, with a run that breaks it and a near miss.
func TestEveryPropertyIsJudged(t *testing.T) {
	broken, near := map[string]bool{}, map[string]bool{}
	for _, tt := range allJudged() {
		broken[tt.property] = broken[tt.property] || tt.want != ""
		near[tt.property] = near[tt.property] || tt.want == ""
	}
	for _, tt := range relatedCases {
		broken[tt.property] = broken[tt.property] || tt.want != nil
		near[tt.property] = near[tt.property] || tt.want == nil
	}
	for _, tt := range quietCases {
		broken[tt.property] = broken[tt.property] || tt.want != ""
		near[tt.property] = near[tt.property] || tt.want == ""
	}
	for _, tt := range noticed {
		broken[tt.property], near[tt.property] = true, true
	}
	for _, p := range spec.Properties() {
		if !broken[p.Name] || !near[p.Name] {
			t.Errorf("property %s: broken by a hand-written run: %t, near miss: %t, want both",
				p.Name, broken[p.Name], near[p.Name])
		}
		if p.Doc == "" || p.Source == "" {
			t.Errorf("property %s does not say what holds or where it comes from", p.Name)
		}
		if (p.Applies == nil) != (p.Needs == "") {
			t.Errorf("property %s: whom it applies to is said in words: %q", p.Name, p.Needs)
		}
		set := [...]bool{p.Event != nil && (p.Kind == spec.Always || p.Kind == spec.Sometimes),
			p.End != nil && p.Kind == spec.Final,
			p.Relate != nil && p.Kind == spec.Pair, p.Memory != nil && p.Kind == spec.Monitor,
			p.Whole != nil && p.Kind == spec.FailureFree}
		only := [...]bool{p.Event != nil, p.End != nil, p.Relate != nil, p.Memory != nil,
			p.Whole != nil}
		if set != only || set == [5]bool{} {
			t.Errorf("%v property %s has functions of another kind: event, end, relate, memory, "+
				"whole set: %v", p.Kind, p.Name, only)
		}
		if p.Memory != nil {
			p.Begin() // panics if it can not be remembered
		}
		if (len(p.Watched) > 0) != (p.Kind == spec.Monitor) || p.Watches(trace.Arrived) ||
			p.Watches(trace.Told) {
			t.Errorf("%v property %s watches %v", p.Kind, p.Name, p.Watched)
		}
	}
}

// Aim: a protocol is judged by what it promises and nothing else. Method: one promise after the
// other on top of none.
func TestSelect(t *testing.T) {
	// of one that says nothing of programs and rolls all back
	none := []string{"exactly-once", "fifo", "gives-not-up", "line-consistent", "line-progress",
		"no-orphan", "one-incarnation", "prune-safe", "terminates"}
	tests := []struct {
		name     string
		promises promise.Promises
		facts    spec.Facts
		also     []string
	}{
		{name: "nothing"},
		{name: "containment", promises: promise.Promises{RollsBack: promise.Cluster},
			also: []string{"contained"}},
		{name: "phases", promises: promise.Promises{Phases: true},
			also: []string{"gate-sound", "phase-order", "phases-derived", "round-named"}},
		{name: "logs between clusters", promises: promise.Promises{LogsOutside: true},
			also: []string{"log-scope", "undeclared"}},
		{name: "send-determinism", facts: spec.Facts{Sends: true},
			also: []string{"send-determinism"}},
		{name: "declared records", promises: promise.Promises{StableKeys: []string{}},
			also: []string{"stable-only"}},
		{name: "an oracle", facts: spec.Facts{Oracle: &spec.Oracle{}},
			also: []string{"final-state", "legal-order"}},
		{name: "phases and send-determinism", promises: promise.Promises{Phases: true},
			facts: spec.Facts{Sends: true},
			also: []string{"gate-sound", "phase-order", "phases-derived", "round-named",
				"send-determinism", "stamp-determinism"}},
		{name: "phases and an oracle", promises: promise.Promises{Phases: true},
			facts: spec.Facts{Oracle: &spec.Oracle{}},
			also: []string{"causal-replay", "final-state", "gate-sound", "legal-order",
				"phase-order", "phases-derived", "round-named"}},
		{name: "send-determinism and an oracle",
			facts: spec.Facts{Sends: true, Oracle: &spec.Oracle{}},
			also:  []string{"final-state", "genuine", "legal-order", "send-determinism"}},
		{name: "decisions", promises: promise.Promises{Decisions: []string{"x"}},
			also: []string{"agreement"}},
		{name: "a transaction", promises: promise.Promises{Decisions: []string{"abort", "commit"}},
			also: []string{"agreement", "decides-abort", "decides-commit"}},
		{name: "deciders", facts: spec.Facts{Learners: 2}, also: []string{"decision-learned"}},
		{name: "a register", promises: promise.Promises{Register: true},
			also: []string{"linearizable", "reads-value"}},
		{name: "failures", facts: spec.Facts{Failures: true},
			also: []string{"recovers", "replays-orphan", "resends-log"}},
		{name: "checkpoints", facts: spec.Facts{Checkpoints: true},
			also: []string{"commits", "prunes"}},
		{name: "containment and checkpoints",
			promises: promise.Promises{RollsBack: promise.Cluster},
			facts:    spec.Facts{Checkpoints: true},
			also:     []string{"commits", "contained", "line-settles", "prunes"}},
		{name: "checkpoints by message",
			promises: promise.Promises{RollsBack: promise.Cluster, Fetches: true},
			facts:    spec.Facts{Checkpoints: true},
			also:     []string{"commits", "contained", "prunes"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			if tt.facts.Promises = tt.promises; tt.promises.RollsBack != promise.Cluster {
				tt.facts.RollsBack = promise.All
			}
			for _, p := range selected(t, &tt.facts) {
				got = append(got, p.Name)
			}
			slices.Sort(got)
			want := slices.Sorted(slices.Values(slices.Concat(none, tt.also)))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("selected properties (-want +got):\n%s", diff)
			}
		})
	}
}

// Aim: exit codes and reports name verdicts in words. Method: a golden
// of every verdict.
func TestVerdictWords(t *testing.T) {
	var words []string
	for v := spec.Holds; v <= spec.OutOfModel; v++ {
		text, err := v.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		words = append(words, string(text))
	}
	if diff := cmp.Diff([]string{"holds", "violated", "unknown", "out of model"},
		words); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
}

// Aim: the keys of the oracle tell different behaviour apart. Method: all sequences of up to three
// deliveries out of four, and final states in which one rank differs or has not ended.
func TestKeys(t *testing.T) {
	ids := []trace.MsgID{m2, x2, m3, {From: 1, Number: 1 << 16}}
	seen := map[string][]trace.Delivery{}
	var extend func(list []trace.Delivery)
	extend = func(list []trace.Delivery) {
		key := spec.SequenceKey(list)
		if other, ok := seen[key]; ok {
			t.Errorf("%v and %v have the same key", list, other)
		}
		seen[key] = slices.Clone(list)
		if len(list) < 3 {
			for _, id := range ids {
				extend(append(slices.Clone(list), trace.Delivery{ID: id}))
			}
		}
	}
	extend(nil)
	if want := 1 + 4 + 16 + 64; len(seen) != want {
		t.Errorf("%d keys, want %d", len(seen), want)
	}
	f := exampleFacts()
	key := func(events ...trace.Event) string {
		l := spec.NewLedger(f.Layout)
		for _, e := range events {
			l.Apply(e)
		}
		return spec.FinalKey(f, l)
	}
	one, two := key(finished(x, 1), finished(y, 2), finished(c, 3)),
		key(finished(x, 1), finished(y, 3), finished(c, 2))
	if one == "" || one == two {
		t.Errorf("final keys %x and %x, want different ones", one, two)
	}
	if k := key(finished(x, 1), finished(y, 2)); k != "" {
		t.Errorf("final key %x of a run in which c has not ended, want none", k)
	}
}
