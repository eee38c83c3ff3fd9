package world

import (
	"errors"
	"slices"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// TestRetraceCut: a driver may have lost what one cut loses in another order than the world, if the
// network keeps none; what it has not lost is missed.
func TestRetraceCut(t *testing.T) {
	toy := newToy(2, 2, 2)
	toy.on(0, 0, 2+toyStart, 0, toySend{1, 0}, toySend{1, 1})
	for _, unordered := range []bool{false, true} {
		w, err := New(Config{Setup: toy.setup(),
			Model: fault.Model{Failures: 1, Unordered: unordered, Victims: []core.Proc{0}}})
		if err != nil {
			t.Fatal(err)
		}
		run, err := w.Replay([]string{"crash p0", "cut p0->p1"})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(run.Trace.Events, func(e trace.Event) bool {
			return e.Kind == trace.Lost
		})
		swapped, short := run.Trace, run.Trace
		swapped.Events = slices.Clone(run.Trace.Events)
		slices.Reverse(swapped.Events[at : at+2])
		short.Events = slices.Delete(slices.Clone(run.Trace.Events), at, at+1)
		for _, tt := range []struct {
			what     string
			recorded *trace.Trace
			fits     bool
		}{
			{"as it was", &run.Trace, true},
			{"in another order", &swapped, unordered},
			{"one of two", &short, false},
		} {
			_, err := w.Retrace(run.Schedule, tt.recorded, nil)
			if tt.fits && err != nil || !tt.fits && !errors.Is(err, ErrStale) {
				t.Errorf("unordered %t, lost %s: %v", unordered, tt.what, err)
			}
		}
	}
}
