package spec_test

import (
	"testing"

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
		events: []trace.Event{decided(x, "abort"), decided(y, "abort"), decided(x, "abort"), crashed(c), restored(c, 1, 0, 0), in(1, decided(c, "abort"))},
	},
}

func TestDecision(t *testing.T) { judge(t, decisionCases) }
