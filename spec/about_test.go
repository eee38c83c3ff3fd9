package spec_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// said is what a violation is about, on one line.
func said(f *spec.Facts, run *trace.Trace, v *spec.Violation, refs []spec.Ref) string {
	var words []string
	for _, r := range refs {
		name := f.Layout.Name(r.Proc)
		if !r.Message.IsZero() {
			name = f.Layout.Label(r.Message)
		}
		if r.Event >= 0 {
			name += fmt.Sprintf(" (%s of %s)", run.Events[r.Event].Kind,
				f.Layout.Name(run.Events[r.Event].Proc))
		}
		words = append(words, string(r.Role)+" "+name)
	}
	return fmt.Sprintf("%s: %s\n    %s\n", v.Property, v.Message, strings.Join(words, ", "))
}

// Aim: every property says what its violation is about. Method: all hand-written runs that break
// one, against a golden file that was read line by line; none may be about nothing, and a run of
// each property must be there.
func TestAbout(t *testing.T) {
	var lines []string
	told := map[string]bool{}
	tell := func(f *spec.Facts, run *trace.Trace, p spec.Property, v spec.Violation,
		q *spec.Quiet) {
		refs := spec.About(f, run, &p, &v, q)
		if len(refs) == 0 {
			t.Errorf("%s: %s: about nothing", p.Name, v.Message)
		}
		told[p.Name] = true
		if line := said(f, run, &v, refs); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	for _, tt := range allJudged() {
		if tt.want == "" {
			continue
		}
		f, p := exampleFacts(), property(t, tt.property)
		if tt.facts != nil {
			f = tt.facts()
		}
		run := traceOf(f, tt.events)
		for _, v := range judgedBy(t, f, run, []spec.Property{p}, tt.complete) {
			tell(f, run, p, v, nil)
		}
	}
	for _, tt := range quietCases {
		f, p := quietFacts(), property(t, tt.property)
		if tt.change != nil {
			tt.change(f)
		}
		tt.quiet.Trace = traceOf(f, tt.events)
		found, _ := spec.JudgeQuiet(f, &tt.quiet, []spec.Property{p})
		for _, v := range found {
			tell(f, tt.quiet.Trace, p, v, &tt.quiet)
		}
	}
	for _, tt := range relatedCases {
		f, p := exampleFacts(), property(t, tt.property)
		w := &spec.Witnesses{}
		for _, events := range [][]trace.Event{tt.first, tt.second} {
			run := traceOf(f, events)
			if v, _ := w.Judge(f, run, []spec.Property{p}); v != nil {
				tell(f, run, p, *v, nil)
			}
		}
	}
	for _, p := range spec.Properties() {
		if p.Kind != spec.Sometimes && !told[p.Name] {
			t.Errorf("nothing is said about a violation of %s", p.Name)
		}
	}
	slices.Sort(lines)
	got, file := strings.Join(lines, ""), "testdata/about.golden"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got); rewrite with -update:\n%s", file, diff)
	}
}
