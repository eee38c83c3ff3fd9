package minimise

import (
	"slices"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/scenarios"
)

// Aim: what programs do about errors is made less like everything else, and the messages of a
// failure-free run, without what is sent after an error, stay matched. Method: the changes of a
// program that tries, and its simulation.
func TestFewerErrors(t *testing.T) {
	names, programs, err := script.Parse(
		"a: try recv b; onerror send b x; ack; recv b\nb: try send a; send a", 1)
	if err != nil {
		t.Fatal(err)
	}
	d := &draft{scenario: scenarios.Scenario{}, names: names, programs: programs,
		clusters: []int{0, 1}}
	var words []string
	for _, c := range fewerWords(d) {
		words = append(words, c.Words)
		if c.To.programs[0].Validate(0, 2) != nil && c.Words != "recv of a is not tried" {
			t.Errorf("%s: %v", c.Words, c.To.programs[0].Validate(0, 2))
		}
	}
	for _, want := range []string{"without send of a on an error", "recv of a is not tried",
		"send of b is not tried"} {
		if !slices.Contains(words, want) {
			t.Errorf("no change %q in %q", want, words)
		}
	}
	for _, s := range d.simulations() {
		if len(s.matches) != 2 || len(s.order) != 5 {
			t.Errorf("%d messages and %d operations, want 2 and 5: b sends two, a receives them",
				len(s.matches), len(s.order))
		}
	}
	if len(d.simulations()) == 0 || count(d.programs, core.OpAcknowledge) != 1 {
		t.Error("the programs get stuck, or have lost an operation")
	}
}
