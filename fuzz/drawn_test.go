package fuzz_test

import (
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/fuzz"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/trace"
)

// deaf is a rank that receives nothing after its first delivery.
type deaf struct{ core.Machine }

func (m *deaf) History() *trace.History { return core.HistoryOf(m.Machine) }

func (m *deaf) Choices(buf []core.Choice) (out []core.Choice) {
	for _, c := range m.Machine.Choices(buf) {
		if _, receive := c.Source(); !receive || len(m.History().Delivered) == 0 {
			out = append(out, c)
		}
	}
	return out
}

// TestDrawnInModel: a fault of what runs programs, which shows without any failure, too, is no
// scenario out of model that is counted and passed over.
func TestDrawnInModel(t *testing.T) {
	target, err := fuzz.TargetOf(all.Protocols(), "sbml", "repaired")
	if err != nil {
		t.Fatal(err)
	}
	resolve := target.Resolve
	target.Resolve = func(s *scenarios.Scenario) (world.Case, error) {
		c, err := resolve(s)
		if err == nil && c.Baseline != nil {
			baseline := *c.Baseline
			plain := baseline.New
			baseline.New = func(p core.Proc) core.Machine { return &deaf{plain(p)} }
			c.Baseline = &baseline
		}
		return c, err
	}
	r, err := fuzz.Run(t.Context(), target, fuzz.Options{Seed: 1, Runs: 400, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Failures) != 1 || r.Failures[0].Property != fuzz.Drawn ||
		!strings.Contains(r.Failures[0].Message, "fails without any failure") ||
		r.Failures[0].Strategy == "" || r.Failures[0].Scenario.Expect != "holds" {
		t.Errorf("%d of %d cases out of model, failures %+v", r.OutOfModel, r.Cases, r.Failures)
	}
}
