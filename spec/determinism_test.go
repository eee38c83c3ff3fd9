package spec_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// related is two hand-written runs and what a Pair property says about them.
type related struct {
	name          string
	property      string
	first, second []trace.Event
	want          []string // keys on which the runs disagree, with both values; nil for a near miss
}

var relatedCases = []related{
	{
		name: "another payload", property: "send-determinism",
		first:  []trace.Event{sent(m2, y)},
		second: []trace.Event{with(sent(m2, y), func(e *trace.Event) { e.Digest = 0xbad })},
		want:   []string{"m2 (send 1 of x): to y payload 1 after {} / to y payload bad after {}"},
	},
	{
		name: "another destination", property: "send-determinism",
		first:  []trace.Event{sent(m2, y)},
		second: []trace.Event{sent(m2, c)},
		want:   []string{"m2 (send 1 of x): to y payload 1 after {} / to c payload 1 after {}"},
	},
	{
		name: "another set of deliveries before it", property: "send-determinism",
		first:  []trace.Event{delivered(y, m2, 1), sent(m3, c)},
		second: []trace.Event{sent(m3, c)},
		want: []string{
			"m3 (send 1 of y): to c payload 3e9 after {m2} / to c payload 3e9 after {}"},
	},
	{
		name: "another replay in one run", property: "send-determinism",
		first: []trace.Event{delivered(y, m2, 1), sent(m3, c), crashed(y), restored(y, 1, 0, 0),
			in(1, sent(m3, c))},
		want: []string{
			"m3 (send 1 of y): to c payload 3e9 after {m2} / to c payload 3e9 after {}"},
	},
	{
		name: "another order of the same deliveries, and a replay", property: "send-determinism",
		first: []trace.Event{delivered(y, m2, 1), delivered(y, m7, 2), sent(m3, c)},
		second: []trace.Event{delivered(y, m7, 2), delivered(y, m2, 1), sent(m3, c), crashed(y),
			restored(y, 1, 0, 2),
			in(1, sent(m3, c))},
	},
	{
		name: "another phase", property: "stamp-determinism",
		first:  []trace.Event{emitted(m3, c, 1, 0)},
		second: []trace.Event{emitted(m3, c, 2, 0)},
		want:   []string{"m3 (send 1 of y): date 0 phase 1 / date 0 phase 2"},
	},
	{
		name: "another date in a later life", property: "stamp-determinism",
		first: []trace.Event{emitted(m3, c, 1, 0), crashed(y), restored(y, 1, 0, 0),
			in(1, with(emitted(m3, c, 1, 1), func(e *trace.Event) { e.Stamp.Date = 7 }))},
		want: []string{"m3 (send 1 of y): date 0 phase 1 / date 7 phase 1"},
	},
	{
		name: "another round, and control traffic with any stamp", property: "stamp-determinism",
		first:  []trace.Event{emitted(m3, c, 1, 0), announces(1, 1)},
		second: []trace.Event{emitted(m3, c, 1, 4), announces(2, 4)},
	},
}

// relate folds the runs one after the other and returns where they disagree with what was seen
// first.
func relate(f *spec.Facts, p spec.Property, runs ...[]trace.Event) []string {
	first := map[string]string{}
	var found []string
	for _, events := range runs {
		l := spec.NewLedger(f.Layout)
		for _, e := range events {
			if key, value := p.Relate(f, l, e); key != "" {
				if _, ok := first[key]; !ok {
					first[key] = value
				}
				if first[key] != value {
					found = append(found, fmt.Sprintf("%s: %s / %s", key, first[key], value))
				}
			}
			l.Apply(e)
		}
	}
	return found
}

// Aim: what must be the same in all runs is compared, and nothing else. Method: pairs of
// hand-written runs; spec.Judge sees one run at a time, so the comparison is done here, as a driver
// does it.
func TestDeterminism(t *testing.T) {
	for _, tt := range relatedCases {
		t.Run(tt.property+"/"+tt.name, func(t *testing.T) {
			f, p := exampleFacts(), property(t, tt.property)
			if diff := cmp.Diff(tt.want, relate(f, p, tt.first, tt.second)); diff != "" {
				t.Errorf("disagreements (-want +got):\n%s", diff)
			}
			if got := judgedBy(t, f, traceOf(f, tt.first), []spec.Property{p}, true); got != nil {
				t.Errorf("one run alone is judged by a property of two: %v", got)
			}
		})
	}
}
