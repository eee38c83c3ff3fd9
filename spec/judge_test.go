package spec_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// Aim: a trace is judged by all properties at once, in order, to its end. Method: one run that breaks five of them, taken as
// complete and as cut off.
func TestJudge(t *testing.T) {
	f := exampleFacts()
	run := traceOf(f, []trace.Event{
		sent(m2, y),
		delivered(y, m2, 1), delivered(y, m2, 1),
		{Kind: trace.Logged, Proc: x, Peer: y, ID: m2},
		with(crashed(c), func(e *trace.Event) { e.Text = "rollback" }),
	})
	want := []spec.Violation{
		{Property: "exactly-once", Message: "m2 is delivered to y a second time", Step: 3},
		{Property: "legal-order", Message: "y receives m2, m2: no failure-free run delivers in this order", Step: 3},
		{Property: "log-scope", Message: "x logs m2 for y of its own cluster", Step: 4},
		{Property: "contained", Message: "c rolls back although its cluster has not failed", Step: 5},
	}
	if diff := cmp.Diff(want, spec.Judge(f, run, spec.Select(f), false)); diff != "" {
		t.Errorf("violations of the run as cut off (-want +got):\n%s", diff)
	}
	want = append(want, spec.Violation{Property: "terminates",
		Message: "the run is stuck: x has sent 1 and received 0 and can not go on; y has sent 0 and received 2 and can not go on; c is down for good"})
	if diff := cmp.Diff(want, spec.Judge(f, run, spec.Select(f), true)); diff != "" {
		t.Errorf("violations of the run as complete (-want +got):\n%s", diff)
	}
	if got := spec.Judge(f, run, nil, true); got != nil {
		t.Errorf("violations %v of no property", got)
	}
}

// Aim: the same evidence gives the same verdict. Method: judge one run two times; the fold must not change its input.
func TestJudgeTwice(t *testing.T) {
	f := exampleFacts()
	run := traceOf(f, failedPair(joins(c, 1), in(1, joins(y, 1)), announces(2, 1)))
	first := spec.Judge(f, run, spec.Select(f), true)
	if diff := cmp.Diff(first, spec.Judge(f, run, spec.Select(f), true)); diff != "" || len(first) == 0 {
		t.Errorf("%d violations, then (-first +second):\n%s", len(first), diff)
	}
}

// Aim: properties see what is known of a proc at each moment. Method: one life after the other of one rank and of a service.
func TestLedger(t *testing.T) {
	f := exampleFacts()
	l := spec.NewLedger(f.Layout)
	type seen struct {
		Up       bool
		Life     trace.Incarnation
		Round    uint64
		History  string // sent and received, "-" when there is none
		LineSent int    // sends of the recovery line, -1 for the initial state
	}
	look := func(p trace.Proc) seen {
		o := l.Observed(p)
		s := seen{Up: o.Up, Life: o.Incarnation, Round: o.Round, History: "-", LineSent: -1}
		if o.History != nil {
			s.History = spec.DeliveredSet(f, o.History)
		}
		if o.Line != nil {
			s.LineSent = int(o.Line.Sent)
		}
		return s
	}
	steps := []struct {
		name  string
		event trace.Event
		want  seen
	}{
		{"delivers", delivered(y, m2, 1), seen{Up: true, History: "m2", LineSent: -1}},
		{"sends", sent(m3, c), seen{Up: true, History: "m2", LineSent: -1}},
		{"commits", committed(y, 1, 1), seen{Up: true, History: "m2", LineSent: 1}},
		{"names a round", joins(y, 3), seen{Up: true, Round: 3, History: "m2", LineSent: 1}},
		{"names an older round", joins(y, 2), seen{Up: true, Round: 3, History: "m2", LineSent: 1}},
		{"delivers more", delivered(y, m7, 2), seen{Up: true, Round: 3, History: "m2 m7", LineSent: 1}},
		{"crashes", crashed(y), seen{History: "-", LineSent: 1}},
		{"restarts", restored(y, 1, 1, 1), seen{Up: true, Life: 1, History: "m2", LineSent: 1}},
	}
	for _, s := range steps {
		l.Apply(s.event)
		if diff := cmp.Diff(s.want, look(y)); diff != "" {
			t.Errorf("y %s (-want +got):\n%s", s.name, diff)
		}
	}
	l.Apply(joins(rp, 4))
	if diff := cmp.Diff(seen{Up: true, Round: 4, History: "-", LineSent: -1}, look(rp)); diff != "" {
		t.Errorf("the service (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(seen{Up: true, LineSent: -1}, look(x)); diff != "" {
		t.Errorf("a rank that did nothing (-want +got):\n%s", diff)
	}
}
