package spec_test

import (
	"encoding/binary"
	"testing"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// Messages of the ranks p and q of a job: q sends to p and, only after an error, p to q.
var (
	q1 = trace.MsgID{From: 1, Number: 1}
	p1 = trace.MsgID{From: 0, Number: 1}
)

// survivorFacts are those of a job that goes on without a rank. The program of p waits for q and
// ends in state 1, or in state 3 when q is gone; that of q sends and ends in state 5, or waits for
// what p sends when it has seen an error.
func survivorFacts() *spec.Facts {
	f := sustainFacts()
	end := func(digests ...uint64) string {
		var key []byte
		for _, d := range digests {
			key = binary.BigEndian.AppendUint64(key, d)
		}
		return string(key)
	}
	one := spec.SequenceKey([]trace.Delivery{{ID: q1}})
	f.Oracle = &spec.Oracle{
		Legal:  []map[string]bool{{"": true}, {"": true}},
		Finals: map[string]bool{end(1, 5): true},
		Survivors: &spec.Survivors{
			Finals: map[string]bool{end(1, 5): true, end(3, spec.Gone): true,
				end(spec.Gone, spec.Blocked): true},
			Legal: []map[string]bool{{"": true, one: true}, {"": true}},
			Sent:  map[spec.SendOf]bool{{ID: q1, To: rankP, Digest: payload(q1)}: true},
		},
	}
	return f
}

// Aim: what survivors do is what they do in some run in which those that are gone stop. Method: for
// each property a run that breaks it, and its neighbour.
func TestSurvivors(t *testing.T) {
	without := func(gone, left trace.Proc) []trace.Event {
		return []trace.Event{crashed(gone), rules(1, "opened", gone), rules(1, "stabilised", head),
			rules(1, "offered crmig", head), rules(1, "deferred crmig", head),
			rules(1, "offered sustain", head), rules(1, "claimed sustain", head),
			rules(1, "sustained", gone), rulesAt(left, "sustained", gone),
			rules(1, "completed sustain", head)}
	}
	run := func(list []trace.Event, more ...trace.Event) []trace.Event {
		return append(list, more...)
	}
	// q sends q1 to a group
	group := func() *spec.Facts {
		f := survivorFacts()
		f.Layout.Trees = []trace.Tree{{Name: "g", Members: []trace.Rank{1, 0}}}
		f.Layout.Collectives = map[trace.MsgID]trace.Collective{q1: {}}
		return f
	}
	q2 := trace.MsgID{From: 1, Number: 2}
	refused := rulesAt(rankP, "error recv peer-dead", rankQ)
	wrong := delivered(rankP, q1, 0)
	wrong.Digest++
	judge(t, []judged{{
		name: "the error shows", property: "final-state", facts: survivorFacts, complete: true,
		events: run(without(rankQ, rankP), finished(rankP, 3)),
	}, {
		name: "the error does not show", property: "final-state", facts: survivorFacts,
		complete: true, events: run(without(rankQ, rankP), finished(rankP, 1)),
		want: "the ranks end in a combination of states that no run ends in in which those that " +
			"are down stop",
	}, {
		name: "nobody is gone", property: "final-state", facts: survivorFacts, complete: true,
		events: []trace.Event{finished(rankP, 1), finished(rankQ, 5)},
	}, {
		name: "nobody is gone, and an error shows", property: "final-state", facts: survivorFacts,
		complete: true, events: []trace.Event{finished(rankP, 3), finished(rankQ, 5)},
		want: "the ranks end in a combination of states that no run ends in in which those that " +
			"are down stop",
	}, {
		name: "it waits for what never comes", property: "terminates", facts: survivorFacts,
		complete: true, events: without(rankP, rankQ),
	}, {
		name: "it waits, and could go on", property: "terminates", facts: survivorFacts,
		complete: true, events: without(rankQ, rankP),
		want: "the run is stuck: p has sent 0 and received 0 and can not go on",
	}, {
		name: "nobody ruled on it", property: "terminates", facts: survivorFacts, complete: true,
		events: []trace.Event{crashed(rankP)},
		want: "the run is stuck: p is down for good; q has sent 0 and received 0 and can not go " +
			"on",
	}, {
		name: "received after an error", property: "legal-order", facts: survivorFacts,
		events: []trace.Event{delivered(rankP, q1, 0)},
	}, {
		name: "received in no run", property: "legal-order", facts: survivorFacts,
		events: []trace.Event{delivered(rankQ, p1, 0)},
		want:   "q receives p#1: no failure-free run delivers in this order",
	}, {
		name: "of a group, behind an error", property: "operations-end-once", facts: group,
		events: run(without(rankQ, rankP), refused, delivered(rankP, q1, 0)),
	}, {
		name: "of no group, behind an error", property: "operations-end-once", facts: group,
		events: run(without(rankQ, rankP), refused, delivered(rankP, q2, 0)),
		want:   "p receives q#2 after a receive from q has ended in an error",
	}, {
		name: "sent in some run", property: "genuine", facts: survivorFacts,
		events: []trace.Event{delivered(rankP, q1, 0)},
	}, {
		name: "sent in none", property: "genuine", facts: survivorFacts,
		events: []trace.Event{wrong},
		want:   "p receives q#1 with payload 3ea, which no run sends to it, whoever is gone",
	}})
}
