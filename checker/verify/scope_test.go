package verify_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/report"
)

// TestScope: the run of an erratum has what both searches said, each as if it had been asked alone.
func TestScope(t *testing.T) {
	c, err := verify.NewCatalogue(all.Protocols()...)
	if err != nil {
		t.Fatal(err)
	}
	list, err := c.Errata("hydee", "H1")
	if err != nil {
		t.Fatal(err)
	}
	var want []report.Search
	e := list[0]
	if err := e.Explore(verify.Options{}, func(s *scenarios.Scenario,
		o verify.Options) (*verify.Answer, error) {
		a, err := verify.Check(t.Context(), c.Protocols(), s, o)
		if err == nil {
			want = append(want, report.Search{Variant: s.Variant, Verdict: a.Verdict.String(),
				Bounds: a.Bounds, States: a.States})
		}
		return a, err
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, e.Broken.Story().Scope); diff != "" {
		t.Errorf("(-asked +told)\n%s", diff)
	}
	if len(want) != 2 || want[0].Verdict != "violated" || want[1].Variant != "repaired" ||
		want[1].Verdict != "holds" || want[1].States == 0 || want[1].Bounds == "" {
		t.Errorf("asked %+v", want)
	}
}
