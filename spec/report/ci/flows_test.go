package ci_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report/ci"
	"github.com/domino-check/domino/spec/trace"
)

// result is what the tests read of a result.
type result struct {
	Level        string
	RuleID       string
	Fingerprints map[string]string `json:"partialFingerprints"`
	CodeFlows    []struct {
		ThreadFlows []struct {
			ID        string
			Locations []struct {
				ExecutionOrder int
				Importance     string
			}
		}
	}
}

// resultsOf are the results of some cases.
func resultsOf(t *testing.T, cases ...ci.Case) []result {
	t.Helper()
	s := all()
	s.Cases = cases
	var log struct{ Runs []struct{ Results []result } }
	if err := json.Unmarshal(written(t, ci.SARIF, s), &log); err != nil {
		t.Fatal(err)
	}
	return log.Runs[0].Results
}

// TestThreads: each proc that does something has one thread, in ascending order of steps, and the
// accused step is what a reader sees first; who does nothing has none.
func TestThreads(t *testing.T) {
	flows := resultsOf(t, broken(""))[0].CodeFlows
	if len(flows) != 1 {
		t.Fatalf("%d code flows", len(flows))
	}
	var names []string
	for _, f := range flows[0].ThreadFlows {
		names = append(names, f.ID)
		last := 0
		for _, l := range f.Locations {
			if l.ExecutionOrder <= last {
				t.Errorf("%s: step %d after %d", f.ID, l.ExecutionOrder, last)
			}
			last = l.ExecutionOrder
			if essential := l.Importance == "essential"; essential != (last == 5) {
				t.Errorf("%s: step %d is %s", f.ID, last, l.Importance)
			}
		}
	}
	if !slices.Equal(names, []string{"a", "b"}) {
		t.Errorf("threads of %v", names)
	}
}

// TestFingerprint changes one thing at a time: a fingerprint is of what is broken and how, and of
// nothing else.
func TestFingerprint(t *testing.T) {
	base := resultsOf(t, broken(""))[0].Fingerprints
	for _, tt := range []struct {
		name   string
		same   bool
		change func(c *ci.Case)
	}{
		{"times and counts", true, func(c *ci.Case) {
			c.Seconds, c.Figures, c.Why = 99, []string{"states 7"}, "otherwise"
		}},
		{"place and command", true, func(c *ci.Case) { c.File, c.Line, c.Command = "x", 1, "y" }},
		{"numbers of steps", true, func(c *ci.Case) {
			for i := range c.Run.Trace.Events {
				c.Run.Trace.Events[i].Step += 10
			}
		}},
		{"order of what is concurrent", true, func(c *ci.Case) {
			e := c.Run.Trace.Events // the crash of a, and what b does before it
			e[2], e[4] = e[4], e[2]
			e[3], e[4] = e[4], e[3]
		}},
		{"order at one proc", false, func(c *ci.Case) {
			e := c.Run.Trace.Events
			e[2], e[3] = e[3], e[2]
		}},
		{"another message", false, func(c *ci.Case) {
			c.Run.Trace.Layout.Labels = map[trace.MsgID]string{{From: 0, Number: 1}: "other"}
		}},
		{"protocol", false, func(c *ci.Case) { c.Protocol = "x" }},
		{"variant", false, func(c *ci.Case) { c.Variant = "x" }},
		{"property", false, func(c *ci.Case) {
			c.Violation = &spec.Violation{Property: "fifo", Message: "x"}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := broken("")
			tt.change(&c)
			got := resultsOf(t, c)[0].Fingerprints
			for key := range base {
				if (got[key] == base[key]) != tt.same {
					t.Errorf("%s: %s, and %s before", key, got[key], base[key])
				}
			}
		})
	}
}

// TestLevels: a broken property is an error, as is what has ended in one, what is not decided a
// warning, and neither what is as expected nor what has no answer is a result.
func TestLevels(t *testing.T) {
	var got []string
	for _, r := range resultsOf(t, all().Cases...) {
		got = append(got, r.Level+" "+r.RuleID)
	}
	want := []string{"error no-duplicates", "error as-expected", "warning decided",
		"error completed"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
