package minimise

import (
	"errors"
	"testing"
	"time"

	"github.com/domino-check/domino/checker/boundary"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/scenarios"
)

// TestHangs: a step that does not return is not tried again and again in smaller scenarios.
func TestHangs(t *testing.T) {
	forever := make(chan struct{})
	t.Cleanup(func() { close(forever) })
	steps := 0
	hanging := func(s *scenarios.Scenario) (world.Case, error) {
		c, err := resolve(s)
		if err != nil {
			return c, err
		}
		c.MaxStep = 500 * time.Millisecond
		c.Setup = boundary.Watch(c.Setup, func(b *boundary.Machine, in core.Input,
			out []core.Effect) []core.Effect {
			if in.Kind == core.Received {
				steps++
				<-forever
			}
			return b.Inner.Step(in, out)
		})
		return c, nil
	}
	s := embedded(t, "h5", "repaired+H5")
	if _, err := Minimise(t.Context(), Question{Scenario: s, Resolve: hanging}); steps != 1 ||
		!errors.Is(err, errHangs) {
		t.Errorf("%d steps left behind, %v", steps, err)
	}
}
