package spec_test

import (
	"testing"

	"github.com/domino-check/domino/spec/trace"
)

// bothBack is an episode in which the two ranks go back to snapshot 1.
func bothBack(digestOfQ uint64) []trace.Event {
	return run(crashed(rankP), crashed(rankQ), walked(1, rankP), selects(1, 1, 0),
		restored(rankP, 1, 0, 0), back(rankP, 1, 1, 0, image(1, rankP)), restored(rankQ, 1, 0, 0),
		back(rankQ, 1, 1, 0, digestOfQ))
}

var restoreCases = []judged{
	{
		name: "one rank takes a newer one", property: "no-mixed-restore", facts: jobFacts,
		events: run(established(1), saved(2), selects(1, 1, 0), back(rankP, 1, 1, 0, 10),
			back(rankQ, 1, 2, 0, 21)),
		want: "q restarts from snapshot 2.0, and episode 1 has selected snapshot 1.0",
	},
	{
		name: "one rank takes the part of another", property: "no-mixed-restore", facts: jobFacts,
		events: run(established(1), selects(1, 1, 0), back(rankP, 1, 1, 0, 11)),
		want:   "p restarts from other bytes than it had saved for snapshot 1.0",
	},
	{
		name: "a part that was never taken", property: "no-mixed-restore", facts: jobFacts,
		events: run(ofHead(trace.SnapReserved, 1, 0), selects(1, 1, 0), back(rankP, 1, 1, 0, 10)),
		want:   "p restarts from snapshot 1.0, of which it has no part",
	},
	{
		name: "an episode that has selected nothing", property: "no-mixed-restore", facts: jobFacts,
		events: run(established(1), selects(1, 1, 0), back(rankP, 2, 1, 0, 10)),
		want:   "p restarts from snapshot 1.0 in episode 2, which has selected none",
	},
	{
		name: "a retired snapshot", property: "no-mixed-restore", facts: jobFacts,
		events: run(established(1), selects(1, 1, 0), ofHead(trace.SnapRetired, 1, 0),
			back(rankP, 1, 1, 0, 10)),
		want: "p restarts from snapshot 1.0, of which it has no part",
	},
	{
		name: "a file that is cut short", property: "no-mixed-restore", facts: jobFacts,
		events: run(saved(1)[:4], snap(store, trace.SnapCopied, 1, 0, rankP, 9)),
		want:   "store has a file of snapshot 1.0 that is not the image of p",
	},
	{
		name: "a mover runs from something else", property: "no-mixed-restore", facts: jobFacts,
		events: run(snap(rankP, trace.SnapImage, 1, 0, rankP, 5),
			in(1, snap(rankP, trace.SnapMoved, 1, 0, rankP, 6))),
		want: "p runs from an image that is not the one that it left",
	},
	{
		name: "a mover runs from an image of the move before", property: "no-mixed-restore",
		facts: jobFacts,
		events: run(snap(rankP, trace.SnapImage, 1, 0, rankP, 5),
			snap(rankQ, trace.SnapImage, 2, 0, rankQ, 6),
			in(1, snap(rankP, trace.SnapMoved, 1, 0, rankP, 5))),
		want: "p runs from an image that is not the one that it left",
	},
	{
		name: "a move, and a snapshot of the same number", property: "no-mixed-restore",
		facts: jobFacts,
		events: run(established(1), snap(rankP, trace.SnapImage, 1, 0, rankP, 5),
			snap(rankQ, trace.SnapImage, 1, 0, rankQ, 6),
			in(1, snap(rankP, trace.SnapMoved, 1, 0, rankP, 5)),
			in(1, snap(rankQ, trace.SnapMoved, 1, 0, rankQ, 6)), selects(1, 1, 0),
			back(rankP, 1, 1, 0, 10)),
	},
	{
		name: "both from one, one of them in the second attempt", property: "no-mixed-restore",
		facts: jobFacts,
		events: run(established(1), saved(2), selects(1, 1, 0), back(rankP, 1, 1, 0, 10),
			selects(2, 1, 0), back(rankQ, 1, 1, 0, 11), back(rankP, 2, 1, 0, 10),
			back(rankQ, 2, 1, 0, 11)),
	},
	{
		name: "one starts late from what the other could not read", property: "no-mixed-restore",
		facts: damagedFacts,
		events: run(established(1), established(2), selects(1, 2, 0), ofHead(trace.SnapBad, 2, 0),
			back(rankP, 1, 2, 0, 20), selects(2, 1, 0), back(rankP, 2, 1, 0, 10),
			back(rankQ, 2, 1, 0, 11)),
	},
	{
		name: "both from the start", property: "no-mixed-restore", facts: jobFacts,
		events: run(selects(1, 0, 0), back(rankP, 1, 0, 0, 7), back(rankQ, 1, 0, 0, 8)),
	},
	{
		name: "a rank has received what the other does not send", property: "cut-consistent",
		facts: jobFacts,
		events: run(sent(m2, y), delivered(rankQ, m2, 0), established(1), crashed(rankP),
			crashed(rankQ), walked(1, rankP), selects(1, 1, 0), restored(rankP, 1, 0, 0),
			back(rankP, 1, 1, 0, 10), restored(rankQ, 1, 0, 1), back(rankQ, 1, 1, 0, 11),
			rules(1, "resumed", head)),
		want: "episode 1 goes on, and q has received p#1, which p has not sent",
	},
	{
		name: "a rank that restarted alone was behind what it had sent", property: "cut-consistent",
		facts: deterministicFacts,
		events: run(sent(m2, y), delivered(rankQ, m2, 0), established(1), crashed(rankP),
			crashed(rankQ), walked(1, rankP), selects(1, 1, 0), restored(rankP, 1, 0, 0),
			back(rankP, 1, 1, 0, 10), restored(rankQ, 1, 0, 1), back(rankQ, 1, 1, 0, 11),
			rules(1, "resumed", head)),
	},
	{
		name: "a survivor goes on where it is", property: "cut-consistent", facts: jobFacts,
		events: run(established(1), crashed(rankP), walked(1, rankP), selects(1, 1, 0),
			restored(rankP, 1, 0, 0), back(rankP, 1, 1, 0, 10), rules(1, "resumed", head)),
		want: "episode 1 goes on from snapshot 1.0, and q has not restarted from it",
	},
	{
		name: "one restarts from the attempt before", property: "cut-consistent", facts: jobFacts,
		events: run(established(1), bothBack(11), walked(2, rankP), selects(2, 1, 0),
			in(1, crashed(rankP)), restored(rankP, 2, 0, 0), in(2, episodeOf(2,
				snap(rankP, trace.SnapRestored, 1, 0, rankP, 10))), rules(2, "resumed", head)),
		want: "episode 2 goes on from snapshot 1.0, and q has not restarted from it",
	},
	{
		name: "both are back, and one has failed again meanwhile", property: "cut-consistent",
		facts:  jobFacts,
		events: run(established(1), bothBack(11), in(1, crashed(rankQ)), rules(1, "resumed", head)),
	},
	{
		name: "who goes on when the job runs on without a rank", property: "cut-consistent",
		facts: sustainFacts,
		events: run(sent(m2, y), delivered(rankQ, m2, 0), crashed(rankP), failed(1, rankP),
			rules(1, "offered crmig", head), rules(1, "deferred crmig", head),
			rules(1, "offered sustain", head), rules(1, "claimed sustain", head),
			rules(1, "resumed", head)),
	},
	{
		name: "an image of an earlier moment", property: "lost-work", facts: jobFacts,
		events: run(sent(m2, y), ofHead(trace.SnapReserved, 1, 0),
			snap(rankP, trace.SnapTaken, 1, 0, rankP, 10)),
		want: "the image that p has taken is at 0 sent, 0 delivered, and the rank at 1 and 0",
	},
	{
		name: "a restart somewhere else", property: "lost-work", facts: jobFacts,
		events: run(sent(m2, y), delivered(rankP, m3, 0), crashed(rankP), restored(rankP, 1, 1, 0),
			at(back(rankP, 1, 1, 0, 10), 1, 1)),
		want: "the image that p has restored is at 1 sent, 1 delivered, and the rank at 1 and 0",
	},
	{
		name: "an image of the moment, and a restart from it", property: "lost-work",
		facts: jobFacts,
		events: run(sent(m2, y), at(snap(rankP, trace.SnapTaken, 1, 0, rankP, 10), 1, 0),
			sent(x2, y), crashed(rankP), restored(rankP, 1, 1, 0),
			at(back(rankP, 1, 1, 0, 10), 1, 0)),
	},
	{
		name: "another output than was seen", property: "outputs-agree", facts: jobFacts,
		events: run(shows(0, 5), snap(rankP, trace.SnapTaken, 1, 0, rankP, 10), shows(0, 6),
			back(rankP, 1, 1, 0, 10), shows(1, 7)),
		want: "output 2 of p is 7, and 6 has been seen outside",
	},
	{
		name: "the outputs change their places", property: "outputs-agree", facts: jobFacts,
		events: run(shows(0, 5), shows(0, 6), back(rankP, 1, 0, 0, 10), shows(1, 6)),
		want:   "output 1 of p is 6, and 5 has been seen outside",
	},
	{
		name: "the same outputs again, and others behind them", property: "outputs-agree",
		facts: jobFacts,
		events: run(shows(0, 5), snap(rankP, trace.SnapTaken, 1, 0, rankP, 10),
			trace.Event{Kind: trace.Released, Proc: rankQ, Digest: 9}, shows(0, 6),
			snap(rankP, trace.SnapTaken, 2, 0, rankP, 20), ofHead(trace.SnapVoid, 2, 0),
			back(rankP, 1, 1, 0, 10), shows(1, 6), shows(1, 7)),
	},
}

// shows is an output of p.
func shows(life trace.Incarnation, digest uint64) trace.Event {
	return in(life, trace.Event{Kind: trace.Released, Proc: rankP, Digest: digest})
}

// at is the event with a position.
func at(e trace.Event, sent, received uint32) trace.Event {
	e.Sent, e.Received = sent, received
	return e
}

// Aim: what ranks restart from is compared with what they had saved. Method: hand-written runs, one
// step away from each other.
func TestRestores(t *testing.T) { judge(t, restoreCases) }
