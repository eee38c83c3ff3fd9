package spec_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// Aim: a trace is judged by all properties at once, in order, to its end. Method: one run that
// breaks five of them, taken as complete and as cut off.
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
		{Property: "legal-order",
			Message: "y receives m2, m2: no failure-free run delivers in this order", Step: 3},
		{Property: "refines-arrivals", Message: "y (life 0) receives m2 a second time", Step: 3},
		{Property: "log-scope", Message: "x logs m2 for y of its own cluster", Step: 4},
		{Property: "contained", Message: "c rolls back although its cluster has not failed",
			Step: 5},
	}
	if diff := cmp.Diff(want, judgedBy(t, f, run, selected(t, f), false)); diff != "" {
		t.Errorf("violations of the run as cut off (-want +got):\n%s", diff)
	}
	want = append(want, spec.Violation{Property: "terminates",
		Message: "the run is stuck: x has sent 1 and received 0 and can not go on; y has sent 0 " +
			"and received 2 and can not go on; c is down for good"})
	if diff := cmp.Diff(want, judgedBy(t, f, run, selected(t, f), true)); diff != "" {
		t.Errorf("violations of the run as complete (-want +got):\n%s", diff)
	}
	if got := judgedBy(t, f, run, nil, true); got != nil {
		t.Errorf("violations %v of no property", got)
	}
}

// Aim: the same evidence gives the same verdict. Method: judge one run two times; the fold must not
// change its input.
func TestJudgeTwice(t *testing.T) {
	f := exampleFacts()
	run := traceOf(f, failedPair(joins(c, 1), in(1, joins(y, 1)), announces(2, 1)))
	first := judgedBy(t, f, run, selected(t, f), true)
	if diff := cmp.Diff(first, judgedBy(t, f, run, selected(t, f), true)); diff != "" ||
		len(first) == 0 {
		t.Errorf("%d violations, then (-first +second):\n%s", len(first), diff)
	}
}

// Aim: properties see what is known of a proc at each moment. Method: one life after the other of
// one rank and of a service.
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
		{"delivers more", delivered(y, m7, 2),
			seen{Up: true, Round: 3, History: "m2 m7", LineSent: 1}},
		{"crashes", crashed(y), seen{History: "-", LineSent: 1}},
		{"restarts", restored(y, 1, 1, 1), seen{Up: true, Life: 1, History: "m2", LineSent: 1}},
		{"crashes again", crashed(y), seen{Life: 1, History: "-", LineSent: 1}},
		{"restarts with less", restored(y, 2, 0, 0), seen{Up: true, Life: 2, LineSent: 1}},
		{"rolls back", crashed(y), seen{Life: 2, History: "-", LineSent: 1}},
		{"restarts with more, as it had done nothing", restored(y, 3, 1, 2),
			seen{Up: true, Life: 3, History: "m2 m7", LineSent: 1}},
		{"delivers another one", delivered(y, m3, 1),
			seen{Up: true, Life: 3, History: "m2 m3 m7", LineSent: 1}},
		{"restarts behind that", restored(y, 4, 1, 1),
			seen{Up: true, Life: 4, History: "m2", LineSent: 1}},
	}
	for _, s := range steps {
		l.Apply(s.event)
		if diff := cmp.Diff(s.want, look(y)); diff != "" {
			t.Errorf("y %s (-want +got):\n%s", s.name, diff)
		}
	}
	l.Apply(joins(rp, 4))
	if diff := cmp.Diff(seen{Up: true, Round: 4, History: "-", LineSent: -1},
		look(rp)); diff != "" {
		t.Errorf("the service (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(seen{Up: true, LineSent: -1}, look(x)); diff != "" {
		t.Errorf("a rank that did nothing (-want +got):\n%s", diff)
	}
}

// Aim: a restart is judged in the state that it leads to, with what the new incarnation declares in
// the same step; a restart that the next crash cuts short leads to none. Method: a property that
// asks whether the restored proc holds a copy, on restarts that differ in when the copy comes.
func TestJudgeRestarts(t *testing.T) {
	f := exampleFacts()
	f.Layout.Holdings = true
	holds := spec.Property{Name: "holds", Kind: spec.Always, Global: true,
		Event: func(_ *spec.Facts, v spec.View, e trace.Event) string {
			if _, ok := v.Observed(e.Proc).Holding.Copy(m2, y); e.Kind == trace.Restored && !ok {
				return "no copy"
			}
			return ""
		}}
	logged := trace.Event{Kind: trace.Logged, Proc: x, Peer: y, ID: m2, Incarnation: 1, Step: 2}
	at := func(step int, e trace.Event) trace.Event {
		e.Step = step
		return e
	}
	back := at(2, restored(x, 1, 0, 0))
	tests := []struct {
		name   string
		events []trace.Event
		want   []spec.Violation
	}{
		{"in the same step", []trace.Event{back, logged}, nil},
		{"in the next step", []trace.Event{back, at(3, logged)},
			[]spec.Violation{{Property: "holds", Message: "no copy", Step: 2}}},
		{"of another proc", []trace.Event{back,
			{Kind: trace.Logged, Proc: y, Peer: y, ID: m2, Step: 2}},
			[]spec.Violation{{Property: "holds", Message: "no copy", Step: 2}}},
		{"cut short", []trace.Event{back, at(2, in(1, crashed(x)))}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			run := &trace.Trace{Layout: *f.Layout,
				Events: append([]trace.Event{at(1, crashed(x))}, tt.events...)}
			if diff := cmp.Diff(tt.want, judgedBy(t, f, run, []spec.Property{holds},
				false)); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

// Aim: what must be the same in every run is compared between traces. Method: one send that has
// another payload in a second run, and one that has not.
func TestWitnesses(t *testing.T) {
	f := exampleFacts()
	pairs := selected(t, f)
	var w spec.Witnesses
	run := func(payload uint64) *trace.Trace {
		return traceOf(f, []trace.Event{with(sent(m2, y), func(e *trace.Event) {
			e.Digest = payload
		})})
	}
	for _, payload := range []uint64{7, 7} {
		if v, err := w.Judge(f, run(payload), pairs); v != nil || err != nil {
			t.Errorf("payload %d: %+v", payload, v)
		}
	}
	want := &spec.Violation{Property: "send-determinism", Step: 1,
		Message: `m2 (send 1 of x) is "to y payload 7 after {}" in one run and "to y payload 8 after {}" in another`}
	got, err := w.Judge(f, run(8), pairs)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("another payload (-want +got):\n%s", diff)
	}
}
