package resend_test

import (
	"testing"

	"example.com/resend"
	"github.com/domino-check/domino/checker/mutate"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/fuzz"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/scenarios"
)

// TestScenarios explores every scenario and compares with what it expects.
func TestScenarios(t *testing.T) { verify.Test(t, "scenarios/*.txtar", resend.Protocol) }

// TestRandom explores small programs exhaustively, and draws random ones.
func TestRandom(t *testing.T) { fuzz.Test(t, resend.Protocol) }

// FuzzRandom is the same for go test -fuzz=FuzzRandom -fuzzminimizetime 1x.
func FuzzRandom(f *testing.F) { fuzz.Fuzz(f, resend.Protocol) }

// TestMutants breaks the protocol on purpose in every way that mutants.txt says, and searches each:
// what is expected of it must come out.
func TestMutants(t *testing.T) {
	list, err := mutate.Parse("mutants.txt", resend.Protocol.Mutants)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := scenarios.Load("scenarios/answer.txtar")
	if err != nil {
		t.Fatal(err)
	}
	methods, err := mutate.SelectMethods(mutate.Methods(), []string{"exhaustive"})
	if err != nil {
		t.Fatal(err)
	}
	q := mutate.Question{Methods: methods, Scenarios: []*scenarios.Scenario{answer},
		Resolve: func(s *scenarios.Scenario) (world.Case, error) {
			r, err := verify.Resolve(protocol.List{resend.Protocol}, s)
			if err != nil {
				return world.Case{}, err
			}
			return r.Case, nil
		}}
	for _, m := range list {
		if r, err := q.Ask(t.Context(), m); err != nil || r.Undecided || r.Unexpected != "" {
			t.Errorf("%s: %v, %+v", m.Name, err, r)
		}
	}
}
