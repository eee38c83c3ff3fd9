package spec_test

import (
	"testing"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// givenUp is an episode in which nobody can help: the ranks are stopped.
func givenUp() []trace.Event {
	return run(crashed(rankP), failed(1, rankP), rules(1, "offered crmig", head),
		rules(1, "deferred crmig", head), rules(1, "offered autor", head),
		rules(1, "failed autor", head), rules(1, "offered abort", head),
		rules(1, "claimed abort", head), crashed(rankQ), rules(1, "aborted", head),
		rules(1, "completed abort", head))
}

// without is a run in which the job goes on without q, up to the ruling.
func without() []trace.Event {
	return run(crashed(rankQ), failed(1, rankQ), rules(1, "offered crmig", head),
		rules(1, "deferred crmig", head), rules(1, "offered sustain", head),
		rules(1, "claimed sustain", head), rules(1, "sustained", rankQ),
		rulesAt(rankP, "sustained", rankQ), rules(1, "completed sustain", head))
}

// lightFacts are those of a job in which failed ranks go back alone.
func lightFacts() *spec.Facts {
	f := jobFacts()
	f.Policies[0] = promise.Policy{Name: "light", Answer: promise.RestoresFailed}
	return f
}

// deterministicFacts are those of a job in which they do the same again.
func deterministicFacts() *spec.Facts {
	f := lightFacts()
	f.Needs = promise.Deterministic
	return f
}

var policyCases = []judged{
	{
		name: "two claim one failure", property: "policy-claims-once", facts: jobFacts,
		events: run(walked(1, rankP), rules(1, "claimed crmig", head)),
		want:   "episode 1 is claimed crmig while autor owns a failure",
	},
	{
		name: "the next episode begins while the owner goes on", property: "policy-claims-once",
		facts:  jobFacts,
		events: run(walked(1, rankP), failed(2, rankQ), rules(2, "offered crmig", head)),
		want:   "episode 2 is offered crmig while autor owns a failure",
	},
	{
		name: "somebody else completes", property: "policy-claims-once", facts: jobFacts,
		events: run(walked(1, rankP), rules(1, "completed crmig", head)),
		want:   "crmig completes what it does not own in episode 1",
	},
	{
		name: "the owner is overtaken, and asked again", property: "policy-claims-once",
		facts: jobFacts,
		events: run(walked(1, rankP), rules(2, "opened", rankQ), rules(1, "failed autor", head),
			rules(2, "stabilised", head), walked(2, rankQ)[2:], rules(2, "completed autor", head)),
	},
	{
		name: "the first one is passed over", property: "policy-order", facts: jobFacts,
		events: run(failed(1, rankP), rules(1, "offered autor", head)),
		want:   `autor is asked after "", answered: false`,
	},
	{
		name: "the second one is asked before the first has answered", property: "policy-order",
		facts: jobFacts,
		events: run(failed(1, rankP), rules(1, "offered crmig", head),
			rules(1, "offered autor", head)),
		want: `autor is asked after "crmig", answered: false`,
	},
	{
		name: "back up", property: "policy-order", facts: jobFacts,
		events: run(walked(1, rankP), rules(1, "failed autor", head),
			rules(1, "offered crmig", head)),
		want: `crmig is asked after "autor", answered: true`,
	},
	{
		name: "a claim of one who was not asked", property: "policy-order", facts: jobFacts,
		events: run(failed(1, rankP), rules(1, "offered crmig", head),
			rules(1, "claimed autor", head)),
		want: "autor has claimed and was not asked",
	},
	{
		name: "one that is not there", property: "policy-order", facts: jobFacts,
		events: run(failed(1, rankP), rules(1, "offered light", head)),
		want:   "light is asked, which is no policy of this job",
	},
	{
		name: "before the runtime is repaired", property: "policy-order", facts: jobFacts,
		events: run(rules(1, "opened", rankP), rules(1, "offered crmig", head)),
		want:   "crmig is asked before the runtime is repaired",
	},
	{
		name: "the job is given up by itself", property: "policy-order", facts: jobFacts,
		events: run(walked(1, rankP), rules(1, "aborted", head)),
		want:   `the job is given up, and "autor" owns the failure`,
	},
	{
		name: "the job is given up for a prediction", property: "policy-order", facts: jobFacts,
		events: run(rules(0, "predicted", node1), rules(0, "deferred crmig", head),
			rules(0, "observed autor", head), rules(0, "claimed abort", head)),
		want: "the job is given up for a prediction",
	},
	{
		name: "down to the last one, which a head repeats", property: "policy-order",
		facts: jobFacts,
		events: run(givenUp(), crashed(head), restored(head, 1, 0, 0),
			in(1, rules(0, "aborted", head))),
	},
	{
		name: "a prediction that nobody claims, then a failure", property: "policy-order",
		facts: jobFacts,
		events: run(rules(0, "predicted", node1), rules(0, "deferred crmig", head),
			rules(0, "observed autor", head), walked(1, rankP)),
	},
	{
		name: "a prediction is claimed, and overtaken", property: "policy-order", facts: jobFacts,
		events: run(rules(0, "predicted", node1), rules(0, "claimed crmig", head),
			rules(1, "opened", rankQ), rules(0, "failed crmig", head),
			rules(1, "stabilised", head), walked(1, rankQ)[2:]),
	},
	{
		name: "although there is a snapshot", property: "abort-last", facts: jobFacts,
		events: run(established(1), givenUp()[:9]),
		want:   "the job is given up, although snapshot 1.0 can be read and 3 nodes are up",
	},
	{
		name: "no snapshot", property: "abort-last", facts: jobFacts,
		events: run(saved(1), givenUp()),
	},
	{
		name: "no node", property: "abort-last", facts: jobFacts,
		events: run(established(1), crashed(node1), crashed(node2), crashed(spare1), givenUp()),
	},
	{
		name: "a rank is started", property: "abort-final", facts: jobFacts,
		events: run(givenUp(), starts(node2, rankP)),
		want:   "N2 starts p, and the job has been given up",
	},
	{
		name: "a rank comes back", property: "abort-final", facts: jobFacts,
		events: run(givenUp(), restored(rankP, 1, 0, 0), back(rankP, 1, 1, 0, 10)),
		want:   "p has restored snapshot 1.0, and the job has been given up",
	},
	{
		name: "somebody claims", property: "abort-final", facts: jobFacts,
		events: run(givenUp(), rules(2, "claimed autor", head)),
		want:   "head has claimed autor, and the job has been given up",
	},
	{
		name: "reports go on", property: "abort-final", facts: jobFacts,
		events: run(givenUp(), rules(1, "duplicate", rankQ),
			trace.Event{Kind: trace.Disowned, Proc: node1, Peer: rankP}),
	},
	{
		name: "a late report", property: "report-idempotence", facts: jobFacts,
		events: run(crashed(rankP), walked(1, rankP), restored(rankP, 1, 0, 0),
			rules(1, "completed autor", head), rules(2, "opened", rankP)),
		want: "episode 2 is opened about p, which is up",
	},
	{
		name: "a second report", property: "report-idempotence", facts: jobFacts,
		events: run(crashed(rankP), walked(1, rankP), restored(rankP, 1, 0, 0),
			rules(1, "duplicate", rankP), rules(1, "opened", rankQ)),
		want: "episode 1 is opened about q, which is up",
	},
	{
		name: "the next episode is about both", property: "report-idempotence", facts: jobFacts,
		events: run(crashed(rankP), walked(1, rankP), restored(rankP, 1, 0, 0), crashed(rankQ),
			rules(2, "opened", rankP), rules(2, "opened", rankQ)),
	},
	{
		name: "a node comes back before it is heard of", property: "report-idempotence",
		facts:  jobFacts,
		events: run(crashed(node1), restored(node1, 1, 0, 0), rules(1, "opened", node1)),
	},
	{
		name: "a failure that nobody completes", property: "episodes-end", facts: jobFacts,
		complete: true, events: run(walked(1, rankP)),
		want: "autor owns a failure in episode 1 and never completes",
	},
	{
		name: "an episode without an owner", property: "episodes-end", facts: jobFacts,
		complete: true, events: run(failed(1, rankP)),
		want: "episode 1 of head never ends",
	},
	{
		name: "a rank stands still", property: "episodes-end", facts: jobFacts, complete: true,
		events: run(rulesAt(rankP, "paused", rankP), rulesAt(rankQ, "paused", rankQ),
			rulesAt(rankQ, "continued", rankQ)),
		want: "p stands still for good",
	},
	{
		name: "a rank survives its job", property: "episodes-end", facts: jobFacts,
		complete: true,
		events:   run(rules(1, "aborted", head), crashed(rankP)),
		want:     "q is up, and the job has been given up",
	},
	{
		name: "completed, and a paused rank has failed since", property: "episodes-end",
		facts: jobFacts, complete: true,
		events: run(rulesAt(rankP, "paused", rankP), crashed(rankP), walked(1, rankP),
			restored(rankP, 1, 0, 0), rules(1, "completed autor", head)),
	},
	{
		name: "given up", property: "episodes-end", facts: jobFacts, complete: true,
		events: run(givenUp()),
	},
	{
		name: "the job is given up", property: "terminates", facts: jobFacts, complete: true,
		events: run(givenUp()),
	},
	{
		name: "nobody has given it up", property: "terminates", facts: jobFacts, complete: true,
		events: run(givenUp()[:8], crashed(rankQ)),
		want:   "the run is stuck: p is down for good; q is down for good",
	},
	{
		name: "a rank is gone, and the other has ended", property: "terminates",
		facts: sustainFacts, complete: true, events: run(without(), finished(rankP, 1)),
	},
	{
		name: "a rank is gone, and the other waits", property: "terminates",
		facts: sustainFacts, complete: true, events: run(without()),
		want: "the run is stuck: p has sent 0 and received 0 and can not go on",
	},
	{
		name: "a rank says that another one is gone, the head does not", property: "terminates",
		facts: sustainFacts, complete: true,
		events: run(crashed(rankQ), rulesAt(rankP, "sustained", rankQ), finished(rankP, 1)),
		want:   "the run is stuck: q is down for good",
	},
}

var bodyCases = []judged{
	{
		name: "a rank that is up is started", property: "one-body", facts: jobFacts,
		events: run(starts(spare1, rankP)),
		want:   "S1 starts p, which is up",
	},
	{
		name: "the target is released beside the source", property: "one-body", facts: jobFacts,
		events: run(crashed(rankP), starts(node1, rankP), rulesAt(spare1, "released", rankP)),
		want:   "S1 releases p, which runs at N1",
	},
	{
		name: "the source is stopped, then the target starts", property: "one-body",
		facts: jobFacts,
		events: run(crashed(rankP), starts(node1, rankP), restored(rankP, 1, 0, 0),
			rulesAt(node1, "released", rankP), in(1, crashed(rankP)),
			trace.Event{Kind: trace.Disowned, Proc: node1, Peer: rankP}, starts(spare1, rankP),
			rulesAt(spare1, "released", rankP)),
	},
	{
		name: "a message of the past that was given up", property: "fenced-out", facts: jobFacts,
		events: run(sent(m2, y), crashed(rankP), restored(rankP, 1, 0, 0), delivered(rankQ, m2, 0)),
		want:   "q receives p#1, which p has not sent since it went back",
	},
	{
		name: "a message of the past that was kept, and of one who is down", property: "fenced-out",
		facts: jobFacts,
		events: run(sent(m2, y), sent(x2, y), crashed(rankP), delivered(rankQ, x2, 0),
			restored(rankP, 1, 1, 0), delivered(rankQ, m2, 0)),
	},
	{
		name: "a rank sends while it stands still", property: "bystanders-untouched",
		facts: jobFacts, events: run(rulesAt(rankP, "paused", rankP), sent(m2, y)),
		want: "p has sent something, and stands still",
	},
	{
		name:     "a rank sends before and after, another one in between",
		property: "bystanders-untouched", facts: jobFacts,
		events: run(sent(m2, y), rulesAt(rankP, "paused", rankP), delivered(rankQ, m2, 0),
			rulesAt(rankP, "continued", rankP), sent(x2, y)),
	},
	{
		name: "a message for a node that is drained", property: "no-residue", facts: jobFacts,
		events: run(rules(0, "drained", node1), emitted(m2, node1, 0, 0)),
		want:   "p sends App to N1, which nothing needs any more",
	},
	{
		name: "an episode about a node that is drained", property: "no-residue", facts: jobFacts,
		events: run(rules(0, "drained", node1), crashed(node1), rules(1, "opened", node1)),
		want:   "episode 1 is about N1, which nothing needs any more",
	},
	{
		name: "a drained node starts a rank", property: "no-residue", facts: jobFacts,
		events: run(rules(0, "drained", node1), starts(node1, rankP)),
		want:   "N1 starts p, and nothing needs that node any more",
	},
	{
		name: "a drained node fails, and comes back as a new one", property: "no-residue",
		facts: jobFacts,
		events: run(emitted(m2, node1, 0, 0), rules(0, "drained", node1), crashed(node1),
			rules(1, "opened", node2), restored(node1, 1, 0, 0), emitted(m2, node1, 0, 0)),
	},
	{
		name: "an error before the news", property: "operations-end-once", facts: sustainFacts,
		events: run(crashed(rankQ), rulesAt(rankP, "error send peer-dead", rankQ)),
		want:   "send peer-dead at p, and the rank was not told that q is gone",
	},
	{
		name: "the news before anybody has claimed", property: "operations-end-once",
		facts: sustainFacts,
		events: run(crashed(rankQ), rules(1, "opened", rankQ), with(rulesAt(rankP, "sustained",
			rankQ), func(e *trace.Event) { e.Stamp.Round = 1 })),
		want: "p is told in episode 1 that q is gone, and nobody has claimed that the job runs on",
	},
	{
		name: "the news of an episode that is overtaken", property: "operations-end-once",
		facts: sustainFacts,
		events: run(crashed(rankQ), rules(1, "opened", rankQ), rules(2, "opened", rankQ),
			with(rulesAt(rankP, "sustained", rankQ), func(e *trace.Event) { e.Stamp.Round = 1 })),
	},
	{
		name: "a message after the error", property: "operations-end-once", facts: sustainFacts,
		events: run(sent(m3, x), without(), rulesAt(rankP, "error recv peer-dead", rankQ),
			delivered(rankP, m3, 0)),
		want: "p receives q#1 after a receive from q has ended in an error",
	},
	{
		name: "what is there is received, then there are errors", property: "operations-end-once",
		facts: sustainFacts,
		events: run(sent(m3, x), without(), rulesAt(rankP, "error send peer-dead", rankQ),
			delivered(rankP, m3, 0), rulesAt(rankP, "error recv peer-dead", rankQ)),
	},
}

// Aim: who rules what, and when, is judged; runs in which the job is given up or goes on without a
// rank are excused for that and for nothing else. Method: hand-written runs, one step away from
// each other.
func TestPolicies(t *testing.T) { judge(t, policyCases) }

// Aim: ranks are in one place, stand still when they are to, and operations end once. Method:
// hand-written runs, one step away from each other.
func TestBodies(t *testing.T) { judge(t, bodyCases) }

// Aim: what is promised of policies and of snapshots, and nothing else, selects what is judged.
// Method: properties that some promises turn on or off.
func TestSelectByPolicies(t *testing.T) {
	on := func(f *spec.Facts, name string) bool {
		for _, p := range selected(t, f) {
			if p.Name == name {
				return true
			}
		}
		return false
	}
	none, blind := exampleFacts(), jobFacts()
	blind.Layout.Holdings = false
	nodes := jobFacts()
	nodes.Policies, nodes.Snapshots = nil, promise.Storage{}
	for _, tt := range []struct {
		name     string
		yes, not *spec.Facts
	}{
		{"policy-order", jobFacts(), none}, {"policy-order", jobFacts(), blind},
		{"established-only", jobFacts(), nodes},
		{"operations-end-once", sustainFacts(), jobFacts()},
		{"abort-last", jobFacts(), damagedFacts()}, {"fenced-out", jobFacts(), lightFacts()},
		{"no-residue", jobFacts(), lightFacts()}, {"nodes-watched", nodes, jobFacts()},
		{"line-consistent", nodes, jobFacts()}, {"replays-orphan", nodes, jobFacts()},
		{"resends-log", lightFacts(), jobFacts()}, {"restores-all", jobFacts(), nodes},
		{"restores-failed", lightFacts(), jobFacts()}, {"runs-through", sustainFacts(), jobFacts()},
	} {
		if !on(tt.yes, tt.name) || on(tt.not, tt.name) {
			t.Errorf("%s: on %t, want true; off %t, want false", tt.name, on(tt.yes, tt.name),
				on(tt.not, tt.name))
		}
	}
	f := sustainFacts()
	for _, known := range []*spec.Survivors{nil, new(spec.Survivors)} {
		f.Oracle = &spec.Oracle{Survivors: known}
		for _, name := range []string{"legal-order", "final-state", "genuine"} {
			if on(f, name) != (known != nil) {
				t.Errorf("a job that goes on without a rank, of which runs are known: %t; %s is "+
					"on: %t", known != nil, name, on(f, name))
			}
		}
	}
}
