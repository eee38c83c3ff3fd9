package ci_test

import (
	"fmt"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/report/ci"
	"github.com/domino-check/domino/spec/trace"
)

// hostile is a name that means something to every format: it ends tags, comments, quotes, code and
// workflow commands, has a link, characters that XML forbids, and bytes that are no text.
const hostile = "</failure>]]><script>alert(1)</script>\"'&amp;\x00\x1b[31m\x0b\uFFFE\r\n" +
	"::error::x%0A,y:z\n```\n| [a](javascript:1) `b` *c* @d\t-->\xff\x80"

// doubled is the property that the runs break.
var doubled = spec.Property{Name: "no-duplicates", Kind: spec.Always,
	Doc: "No message is delivered twice.", Source: "[Paper] Lemma 1"}

// twice is a run in which b delivers m twice: a sends it, fails, starts again, and sends it again.
// Each name has what is added to it.
func twice(add string) *report.Run {
	a, b := trace.Proc(0), trace.Proc(1)
	m := trace.MsgID{From: 0, Number: 1}
	return &report.Run{
		Title: "double" + add, Property: &doubled,
		Violation: &spec.Violation{Property: doubled.Name, Message: "b has m twice" + add, Step: 5},
		Steps: []report.Step{{Event: "a sends" + add, Changes: []string{"a: sent: 0 -> 1" + add}},
			{Event: "b delivers"}, {Event: "a crashes"}, {Event: "a sends"}, {Event: "b delivers"}},
		Trace: trace.Trace{
			Layout: trace.Layout{Names: []string{"a" + add, "b" + add, "idle" + add}, Ranks: 3,
				Labels: map[trace.MsgID]string{m: "m" + add}},
			Events: []trace.Event{
				{Step: 1, Kind: trace.Sent, Proc: a, Peer: b, ID: m},
				{Step: 1, Kind: trace.Emitted, Proc: a, Peer: b, ID: m, Text: "App" + add},
				{Step: 2, Kind: trace.Arrived, Proc: b, Peer: a, ID: m, Text: "App" + add},
				{Step: 2, Kind: trace.Delivered, Proc: b, Peer: a, ID: m},
				{Step: 3, Kind: trace.Crashed, Proc: a},
				{Step: 3, Kind: trace.Restored, Proc: a, Incarnation: 1},
				{Step: 4, Kind: trace.Sent, Proc: a, Incarnation: 1, Peer: b, ID: m},
				{Step: 4, Kind: trace.Emitted, Proc: a, Incarnation: 1, Peer: b, ID: m,
					Text: "App"},
				{Step: 5, Kind: trace.Arrived, Proc: b, Peer: a, ID: m, Text: "App"},
				{Step: 5, Kind: trace.Delivered, Proc: b, Peer: a, ID: m},
			},
		},
	}
}

// broken is the case of that run.
func broken(add string) ci.Case {
	r := twice(add)
	return ci.Case{Name: "double" + add, Variant: "published" + add, Protocol: "toy" + add,
		File: "toys/double" + add + ".txtar", Line: 7, Verdict: spec.Violated,
		Why:     "violated, expected holds; " + r.Violation.Property + ": " + r.Violation.Message,
		Figures: []string{"within 1 failure" + add, "states 12"}, Seconds: 1.5,
		Violation: r.Violation, Property: r.Property, Quote: "sends it again" + add, Run: r,
		Command: "domino replay double.txtar" + add}
}

// all is a suite with a case of each outcome, and of each reason for it.
func all() *ci.Suite {
	return &ci.Suite{Tool: "domino", Version: "v1.2.3", Command: "check", Cases: []ci.Case{
		{Name: "good", Variant: "repaired", Protocol: "toy", File: "toys/good.txtar", Line: 3,
			Verdict: spec.Holds, Expected: true, Figures: []string{"within 1 failure", "states 9"},
			Seconds: 0.25},
		{Name: "known", Variant: "published", Protocol: "toy", Verdict: spec.Violated,
			Expected: true, Violation: &spec.Violation{Property: "fifo", Message: "as expected"}},
		broken(""),
		{Name: "mild", Variant: "published", Protocol: "toy", File: "toys/mild.txtar", Line: 2,
			Verdict: spec.Holds, Why: "holds, expected violated"},
		{Name: "large", Variant: "repaired", Protocol: "toy", File: "toys/large.txtar", Line: 2,
			Verdict: spec.Unknown, Why: "unknown, expected holds; the limit of 10 states"},
		{Name: "beyond", Variant: "repaired", Protocol: "toy", File: "toys/beyond.txtar", Line: 2,
			Verdict: spec.OutOfModel, Why: "the network is a set"},
		{Name: "drawn", Variant: "repaired", Protocol: "toy", File: "toys/drawn.txtar", Line: 2,
			Verdict: spec.Unknown, Sampled: true, Why: "100 runs, nothing found"},
		{Name: "sick", Variant: "repaired", Protocol: "toy", File: "toys/sick.txtar", Line: 2,
			Verdict: spec.Holds, Failed: true, Why: "panic: toy"},
	}}
}

// many is a suite in which so many cases break a property, before as many that do not, and as many
// that are not decided.
func many(n int) *ci.Suite {
	s := all()
	s.Cases = nil
	for i := range n {
		c := broken("")
		c.Name = fmt.Sprint("case", i)
		s.Cases = append(s.Cases, c, ci.Case{Name: "good", Expected: true},
			ci.Case{Name: "large", Verdict: spec.Unknown, Why: "limit"})
	}
	return s
}
