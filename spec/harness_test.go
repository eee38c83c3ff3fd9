package spec_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// The procs of hand-written traces: the core of the example in the paper. x sends m2 to y; y sends
// m3 to c, which sends m7 to y. x and y are one cluster, c is another, RP is a service.
const (
	x, y, c, rp = trace.Proc(0), trace.Proc(1), trace.Proc(2), trace.Proc(3)
)

var (
	m2 = trace.MsgID{From: 0, Number: 1}
	m3 = trace.MsgID{From: 1, Number: 1}
	m7 = trace.MsgID{From: 2, Number: 1}
	x2 = trace.MsgID{From: 0, Number: 2} // no program sends it
)

// payload is the digest of what a message carries in every run.
func payload(id trace.MsgID) uint64 { return 1000*uint64(id.From) + uint64(id.Number) }

// exampleFacts are those of the example over HydEE, with all promises.
func exampleFacts() *spec.Facts {
	layout := &trace.Layout{
		Names: []string{"x", "y", "c", "RP"}, Ranks: 3, Clusters: []int{0, 0, 1},
		Labels: map[trace.MsgID]string{m2: "m2", m3: "m3", m7: "m7"},
		Kinds: map[string]trace.Meaning{"Frontier": trace.Gate, "OrphanDone": trace.Replay,
			"WhereIs": trace.Question},
		Trees: trees, Collectives: collective,
	}
	sequence := func(ids ...trace.MsgID) string {
		var list []trace.Delivery
		for _, id := range ids {
			list = append(list, trace.Delivery{ID: id})
		}
		return spec.SequenceKey(list)
	}
	f := &spec.Facts{
		Layout: layout, Sends: true, Failures: true, Checkpoints: true,
		Promises: promise.Promises{RollsBack: promise.Cluster, Phases: true, LogsOutside: true,
			StableKeys: []string{"image/", "commit/"}, Decisions: []string{"commit", "abort"}},
		Oracle: &spec.Oracle{
			Legal: []map[string]bool{{"": true},
				{"": true, sequence(m2): true, sequence(m2, m7): true},
				{"": true, sequence(m3): true}},
			Past: map[trace.MsgID][]uint32{m2: {1, 0, 0}, m3: {1, 1, 0}, m7: {1, 1, 1}},
			Sent: map[trace.MsgID]spec.SendFact{m2: {To: y, Digest: payload(m2)},
				m3: {To: c, Digest: payload(m3), Before: "m2"},
				m7: {To: y, Digest: payload(m7), Before: "m3"}},
		},
	}
	l := spec.NewLedger(layout)
	for _, e := range []trace.Event{finished(x, 11), finished(y, 12), finished(c, 13)} {
		l.Apply(e)
	}
	f.Oracle.Finals = map[string]bool{spec.FinalKey(f, l): true}
	f.Oracle.Before = map[trace.MsgID][]trace.MsgID{m3: {m2}, m7: {m3}}
	f.Abstract, f.Unlike = spec.Abstract(layout, f.Oracle)
	return f
}

// The events of hand-written traces. Stamps have the phase alone unless a test sets more.

func sent(id trace.MsgID, to trace.Proc) trace.Event {
	return trace.Event{Kind: trace.Sent, Proc: id.From.Proc(), Peer: to, ID: id,
		Digest: payload(id)}
}

func delivered(p trace.Proc, id trace.MsgID, phase uint64) trace.Event {
	return trace.Event{Kind: trace.Delivered, Proc: p, Peer: id.From.Proc(), ID: id,
		Digest: payload(id), Stamp: trace.Stamp{Phase: phase}}
}

func emitted(id trace.MsgID, to trace.Proc, phase, round uint64) trace.Event {
	return trace.Event{Kind: trace.Emitted, Proc: id.From.Proc(), Peer: to, ID: id, Text: "App",
		Stamp: trace.Stamp{Phase: phase, Round: round}}
}

// joins is the first message that a proc stamps with a round.
func joins(p trace.Proc, round uint64) trace.Event {
	return trace.Event{Kind: trace.Emitted, Proc: p, Peer: rp, Text: "Status",
		Stamp: trace.Stamp{Round: round}}
}

func announces(phase, round uint64) trace.Event {
	return trace.Event{Kind: trace.Emitted, Proc: rp, Peer: c, Text: "Frontier",
		Stamp: trace.Stamp{Phase: phase, Round: round}}
}

func crashed(p trace.Proc) trace.Event { return trace.Event{Kind: trace.Crashed, Proc: p} }

func restored(p trace.Proc, life trace.Incarnation, sent, received uint32) trace.Event {
	return trace.Event{Kind: trace.Restored, Proc: p, Incarnation: life, Sent: sent,
		Received: received}
}

func committed(p trace.Proc, sent, received uint32) trace.Event {
	return trace.Event{Kind: trace.Committed, Proc: p, Sent: sent, Received: received}
}

func finished(p trace.Proc, digest uint64) trace.Event {
	return trace.Event{Kind: trace.Finished, Proc: p, Digest: digest}
}

// in is the event in a later life of its proc.
func in(life trace.Incarnation, e trace.Event) trace.Event {
	e.Incarnation = life
	return e
}

// traceOf numbers the events as steps.
func traceOf(f *spec.Facts, events []trace.Event) *trace.Trace {
	t := &trace.Trace{Layout: *f.Layout}
	for i, e := range events {
		e.Step = i + 1
		t.Events = append(t.Events, e)
	}
	return t
}

// judged is one hand-written run and what one property says about it.
type judged struct {
	name     string
	property string
	events   []trace.Event
	complete bool // the run has come to its end
	// message of the only violation; "" for a near miss, which must be accepted
	want  string
	facts func() *spec.Facts // nil = exampleFacts
	// of the violation: 0 means the last event, or the end for a complete run
	step int
}

// judge runs the cases of one table.
func judge(t *testing.T, cases []judged) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt.property+"/"+tt.name, func(t *testing.T) {
			var want []spec.Violation
			if tt.want != "" {
				v := spec.Violation{Property: tt.property, Message: tt.want, Step: tt.step}
				if tt.step == 0 && !tt.complete {
					v.Step = len(tt.events)
				}
				want = append(want, v)
			}
			f := exampleFacts()
			if tt.facts != nil {
				f = tt.facts()
			}
			got := judgedBy(t, f, traceOf(f, tt.events), []spec.Property{property(t, tt.property)},
				tt.complete)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

// property is the registered property with the name.
func property(t *testing.T, name string) spec.Property {
	t.Helper()
	for _, p := range spec.Properties() {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("there is no property %q", name)
	return spec.Property{}
}

// judgedBy is what the judge finds in a run; no property panics.
func judgedBy(t *testing.T, f *spec.Facts, run *trace.Trace, properties []spec.Property,
	complete bool) []spec.Violation {
	t.Helper()
	found, err := spec.Judge(f, run, properties, complete)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// selected are the properties that a protocol with the promises must satisfy.
func selected(t *testing.T, f *spec.Facts) []spec.Property {
	t.Helper()
	list, err := spec.Select(f)
	if err != nil {
		t.Fatal(err)
	}
	return list
}
