package spec_test

import (
	"testing"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

func decided(p trace.Proc, what string) trace.Event {
	return trace.Event{Kind: trace.Decided, Proc: p, Text: what}
}

var decisionCases = []judged{
	{
		name: "two decisions", property: "agreement",
		events: []trace.Event{decided(x, "commit"), sent(m2, y), decided(y, "abort")},
		want:   "y decides abort after commit was decided",
	},
	{
		name: "one proc that changes its mind", property: "agreement",
		events: []trace.Event{decided(x, "abort"), decided(x, "commit")},
		want:   "x decides commit after abort was decided",
	},
	{
		name: "a decision that was no choice", property: "agreement",
		events: []trace.Event{decided(x, "commit"), decided(y, "perhaps")},
		want:   `y decides "perhaps", which is none of ["commit" "abort"]`,
	},
	{
		name: "the same decision, by all, again, and after a restart", property: "agreement",
		events: []trace.Event{decided(x, "abort"), decided(y, "abort"), decided(x, "abort"),
			crashed(c), restored(c, 1, 0, 0), in(1, decided(c, "abort"))},
	},
	{
		name: "a decision that one never learns", property: "decision-learned", facts: deciders,
		complete: true,
		events:   []trace.Event{decided(y, "commit"), decided(x, "commit")},
		want:     "x has decided, and c never learns what",
	},
	{
		name:     "a decision that all know, one of them from a former life",
		property: "decision-learned", facts: deciders, complete: true,
		events: []trace.Event{decided(c, "abort"), decided(y, "abort"), decided(y, "abort"),
			crashed(c), restored(c, 1, 0, 0), decided(x, "abort")},
	},
	{
		name: "no decision but by one who is no decider", property: "decision-learned",
		facts: deciders, complete: true,
		events: []trace.Event{decided(rp, "abort")},
	},
	{
		name: "a run that is cut off before all know", property: "decision-learned",
		facts:  deciders,
		events: []trace.Event{decided(c, "abort")},
	},
}

// deciders are facts of a protocol in which the ranks learn what is decided.
func deciders() *spec.Facts {
	f := exampleFacts()
	f.Learners = 3
	return f
}

func TestDecision(t *testing.T) { judge(t, decisionCases) }
