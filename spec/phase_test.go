package spec_test

import (
	"testing"

	"github.com/domino-check/domino/spec/trace"
)

// failedPair is the example up to the point where the cluster of x and y has failed and restarted
// from the beginning, while c has received m3 and sent m7; the recovery process has opened round 1.
func failedPair(more ...trace.Event) []trace.Event {
	return append([]trace.Event{
		sent(m2, y), emitted(m2, y, 1, 0), delivered(y, m2, 1), sent(m3, c), emitted(m3, c, 1, 0),
		delivered(c, m3, 1),
		sent(m7, y), emitted(m7, y, 2, 0), crashed(x), crashed(y), restored(x, 1, 0, 0),
		restored(y, 1, 0, 0), joins(rp, 1),
	}, more...)
}

var phaseCases = []judged{
	{
		name: "a restarted rank without a round", property: "round-named",
		events: []trace.Event{crashed(x), restored(x, 1, 0, 0), in(1, sent(m2, y)),
			in(1, emitted(m2, y, 1, 0))},
		want: "m2 leaves x, which has restarted, and names no round",
	},
	{
		name: "a restarted rank with one, and others without", property: "round-named",
		events: []trace.Event{emitted(m3, c, 1, 0), crashed(x), restored(x, 1, 0, 0),
			in(1, emitted(m2, y, 1, 1)), in(1, joins(x, 0))},
	},
	{
		name: "below a message of its own cluster", property: "phase-order",
		events: []trace.Event{delivered(y, m2, 2), emitted(m3, c, 1, 0)},
		want:   "m3 has phase 1, below phase 2 of m2, which y had received",
	},
	{
		name: "equal to a message of another cluster", property: "phase-order",
		events: []trace.Event{delivered(c, m3, 1), emitted(m7, y, 1, 0)},
		want:   "m7 has phase 1, not above phase 1 of m3, which c had received",
	},
	{
		name: "equal to a message of its own cluster", property: "phase-order",
		events: []trace.Event{delivered(y, m2, 2), emitted(m3, c, 2, 0)},
	},
	{
		name: "a copy from the log, older than what was received since", property: "phase-order",
		events: []trace.Event{delivered(c, m3, 1), with(emitted(m7, y, 1, 0), func(e *trace.Event) {
			e.Again = true
		})},
	},
	{
		name: "as Algorithm 1 says", property: "phases-derived",
		events: []trace.Event{emitted(m2, y, 1, 0), delivered(y, m2, 1), emitted(m3, c, 1, 0),
			delivered(c, m3, 1), emitted(m7, y, 2, 0), delivered(c, m2, 4),
			with(emitted(m7, y, 2, 4), func(e *trace.Event) { e.Again = true }), joins(c, 9)},
	},
	{
		name: "from phase 0 on", property: "phases-derived",
		events: []trace.Event{emitted(m2, y, 0, 0), delivered(y, m2, 0), emitted(m3, c, 0, 0),
			delivered(c, m3, 0), emitted(m7, y, 1, 0)},
	},
	{
		name: "more than what it has received", property: "phases-derived",
		events: []trace.Event{delivered(y, m2, 1), emitted(m3, c, 2, 0)},
		want:   "m3 leaves y (life 0) with phase 2, want 1 by what it has received",
	},
	{
		name: "less than what it has received", property: "phases-derived",
		events: []trace.Event{delivered(c, m3, 3), emitted(m7, y, 3, 0)},
		want:   "m7 leaves c (life 0) with phase 3, want 4 by what it has received",
	},
	{
		name: "a first phase of its own", property: "phases-derived",
		events: []trace.Event{emitted(m2, y, 2, 0)},
		want:   "m2 leaves x (life 0) with phase 2, want 1 by what it has received",
	},
	{
		name: "control traffic without a phase", property: "phase-order",
		events: []trace.Event{delivered(c, m3, 1), joins(c, 1)},
	},
	{
		name: "an answer before the message of a mate of the sender", property: "causal-replay",
		events: failedPair(joins(c, 1), in(1, joins(x, 1)), emitted(m7, y, 2, 1)),
		want:   "m7 leaves c although it depends on m2, which x has not sent again",
	},
	{
		name: "an answer before the message that it answers", property: "causal-replay",
		events: failedPair(joins(c, 1), in(1, joins(y, 1)), emitted(m7, y, 2, 1)),
		want:   "m7 leaves c although it depends on m3, which y has not sent again",
	},
	{
		name: "an answer of the old round", property: "causal-replay",
		events: failedPair(in(1, joins(x, 1)), emitted(m7, y, 2, 0)),
	},
	{
		name: "an answer before anybody who was restarted takes part", property: "causal-replay",
		events: failedPair(joins(c, 1), emitted(m7, y, 2, 1)),
	},
	{
		name: "an answer after everything was sent again", property: "causal-replay",
		events: failedPair(joins(c, 1), in(1, joins(x, 1)), in(1, joins(y, 1)), in(1, sent(m2, y)),
			in(1, delivered(y, m2, 1)),
			in(1, sent(m3, c)), emitted(m7, y, 2, 1)),
	},
	{
		name: "a message that the program never sends", property: "causal-replay",
		events: failedPair(joins(c, 1), in(1, joins(x, 1)), in(1, emitted(x2, y, 1, 1))),
	},
	{
		name: "a gate above an orphan", property: "gate-sound",
		events: failedPair(joins(c, 1), in(1, joins(y, 1)), announces(2, 1)),
		want: "sends are allowed above phase 1, but orphan m3 of that phase (received by c) is " +
			"outstanding",
	},
	{
		name: "a gate at the orphan", property: "gate-sound",
		events: failedPair(joins(c, 1), in(1, joins(y, 1)), announces(1, 1)),
	},
	{
		name: "a gate of a round that is over", property: "gate-sound",
		events: failedPair(joins(c, 1), in(1, joins(y, 1)), joins(c, 2), announces(2, 1)),
	},
	{
		name: "a gate before the receiver of the orphan takes part", property: "gate-sound",
		events: failedPair(in(1, joins(y, 1)), announces(2, 1)),
	},
	{
		name: "a gate after the orphan was sent again", property: "gate-sound",
		events: failedPair(joins(c, 1), in(1, joins(y, 1)), in(1, sent(m3, c)), announces(2, 1)),
	},
	{
		name: "another message above the orphan", property: "gate-sound",
		events: failedPair(joins(c, 1), in(1, joins(y, 1)),
			with(announces(2, 1), func(e *trace.Event) {
				e.Text = "Status"
			})),
	},
}

// Aim: stamps and gates are judged against what was received and sent. Method: the recovery of one
// failed cluster, stopped at different points.
func TestPhases(t *testing.T) { judge(t, phaseCases) }
