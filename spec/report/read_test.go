package report_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/report"
)

// TestRead reads what JSON writes of runs of several kinds, and writes the same again.
func TestRead(t *testing.T) {
	embedded, err := scenarios.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"h10", "m10", "h3-twice", "m28-rejoin", "paxos-stale", "causal-s1"}
	for _, name := range names[:effort.Of(2, len(names))] {
		list, err := scenarios.Named(embedded, name)
		if err != nil || len(list) != 1 {
			t.Fatalf("%s: %d scenarios, %v", name, len(list), err)
		}
		s := *list[0]
		if s.Erratum != "" {
			s.Variant, s.Force = "repaired+"+s.Erratum, true
		}
		a, err := verify.Check(context.Background(), all.Protocols(), &s,
			verify.Options{Order: checker.BreadthFirst})
		if err != nil || a.Story() == nil {
			t.Fatalf("%s: %v", name, err)
		}
		story := a.Story()
		for i := range story.Trace.Events { // as if there had been a clock
			story.Trace.At = append(story.Trace.At, int64(i/2)*1_000_000_007)
		}
		story.Scope = append(story.Scope, report.Search{Variant: "repaired", Verdict: "holds",
			Bounds: "one failure", States: 7})
		var first, again bytes.Buffer
		if err := report.JSON(&first, story); err != nil {
			t.Fatal(err)
		}
		run, err := report.Read(bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := report.JSON(&again, run); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first.String(), again.String()); diff != "" {
			t.Errorf("%s (-written +read and written again)\n%s", name, diff)
		}
		if diff := cmp.Diff(story.Trace.At, run.Trace.At); diff != "" {
			t.Errorf("%s: times (-written +read)\n%s", name, diff)
		}
		if diff := cmp.Diff(story.Trace.Layout.Roles, run.Trace.Layout.Roles); diff != "" {
			t.Errorf("%s: roles (-written +read)\n%s", name, diff)
		}
		for _, cut := range []int{0, 1, first.Len() / 2, first.Len() - 3} {
			if _, err := report.Read(bytes.NewReader(first.Bytes()[:cut])); !errors.Is(err,
				report.ErrSchema) {
				t.Errorf("%s: the first %d bytes are read: %v", name, cut, err)
			}
		}
	}
}

// TestReadRefuses gives what is no run.
func TestReadRefuses(t *testing.T) {
	for _, text := range []string{"{}", "[]", "null", `{"schema":1}`, `{"schema":"domino/run/1"}`,
		`{"schema":"domino/run/2"}`, `{"schema":"domino/run/2","layout":{},"events":[{"kind":"x"}]}`,
		`{"schema":"domino/run/2","layout":{},"events":[{"kind":"sent","digest":"zz"}]}`} {
		if run, err := report.Read(strings.NewReader(text)); err == nil {
			t.Errorf("%s is read as %+v", text, run)
		} else if strings.Contains(err.Error(), "but \""+report.Schema+"\"") {
			t.Errorf("%s is refused for the schema that it has: %v", text, err)
		}
	}
}

// TestReadSteps gives events and violations of steps that a run has not, and the last ones that it
// may have.
func TestReadSteps(t *testing.T) {
	tests := []struct {
		name, rest, want string
	}{
		{"negative", `"events":[{"kind":"sent","step":-1}]`, "event 0 is in step -1"},
		{"without a schedule", `"events":[{"kind":"sent","step":1048576}]`, ""},
		{"huge", `"events":[{"kind":"sent"},{"kind":"sent","step":1048577}]`,
			"event 1 is in step 1048577, want one in [0, 1048576]"},
		{"the last one", `"steps":[{"event":"a"}],"events":[{"kind":"sent","step":1}]`, ""},
		{"behind the last one", `"steps":[{"event":"a"}],"events":[{"kind":"sent","step":2}]`,
			"event 0 is in step 2, want one in [0, 1]"},
		{"violation", `"steps":[{"event":"a"}],"violation":{"property":"fifo","step":7}`,
			"the violation of fifo is in step 7"},
		{"another violation", `"also":[{"property":"fifo","step":-7}]`,
			"the violation of fifo is in step -7"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := report.Read(strings.NewReader(`{"schema":"domino/run/2","layout":{},` +
				tt.rest + "}"))
			if tt.want == "" && err != nil || tt.want != "" && (err == nil ||
				!strings.Contains(err.Error(), tt.want)) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}
