package papers

import (
	"context"
	"errors"
	"fmt"

	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/runtime/census"
)

// leanRun is the shape of LeanMD whose groups are nearest to those that Figure 5 of [CAMEL]
// implies, of those that take seconds.
const leanRun = "4x4x4 cells of reach 2 on 64 ranks with 3 children a node"

// leanRuns runs a step of LeanMD over SCMEL and over CAMEL, with acknowledgements of determinants
// at once or as late as can be.
func (b *Bench) leanRuns(ctx context.Context, late bool) (plain, aware *census.Counts, err error) {
	if pair, ok := b.leans[late]; ok {
		return pair[0], pair[1], nil
	}
	if b.Run == nil {
		return nil, nil, fmt.Errorf("runs of machines: %w", ErrAbsent)
	}
	w, err := script.LeanMD([3]int{4, 4, 4}, 2, 64, 3)
	if err != nil {
		return nil, nil, err
	}
	var pair [2]*census.Counts
	for i, protocol := range []string{"causal", "camel"} {
		if pair[i], err = b.Run(ctx, protocol, w.Program(1), late); err != nil {
			return nil, nil, err
		}
	}
	if b.leans == nil {
		b.leans = map[bool][2]*census.Counts{}
	}
	b.leans[late] = pair
	return pair[0], pair[1], nil
}

// inRuns are values that runs of LeanMD answer; each by itself is not here where nothing runs.
func inRuns(ctx context.Context, b *Bench, values []Value, late bool,
	read func(v *Value, plain, aware *census.Counts) Got) (got []Got, err error) {
	plain, aware, err := b.leanRuns(ctx, late)
	if err != nil && !errors.Is(err, ErrAbsent) {
		return nil, err
	}
	for i := range values {
		v := &values[i]
		g := Got{Status: NotHere}
		if err != nil {
			g.Why = err.Error()
		} else {
			g = read(v, plain, aware)
		}
		g.Row, g.Name = v.Row, v.Name
		got = append(got, g)
	}
	return got, nil
}

// percentOf is how much a count is of another.
func percentOf(part, whole int) float64 { return 100 * float64(part) / float64(whole) }

// camelSavedInRuns is what the repaired machines save, without and with what C11 adds.
func camelSavedInRuns() (values []Value) {
	for _, name := range []string{"saved", "saved, with what C11 adds"} {
		v := camelSaved("in runs", name)
		v.Method, v.Why = Explored, "machines of both protocols run once on "+leanRun
		values = append(values, v)
	}
	return values
}

// savedInRuns answers them.
func savedInRuns(v *Value, plain, aware *census.Counts) Got {
	kept := aware.Copies + aware.Parts
	if v.Name != "saved" {
		kept += aware.Seeds
	}
	return Got{Number: 100 - percentOf(kept, plain.Copies+plain.Parts)}
}

// inRunsAs is a printed quotient, to be compared with runs of our own.
func inRunsAs(v *Value, tolerance float64) []Value {
	w := *v
	w.Name, w.Method, w.Tolerance = v.Name+" in runs", Explored, tolerance
	w.Why = "machines of both protocols run once on " + leanRun
	return []Value{w}
}

// createdInRuns is how many determinants the repaired machines create.
func createdInRuns(_ *Value, plain, aware *census.Counts) Got {
	return Got{Number: percentOf(aware.Determinants, plain.Determinants)}
}

// carriedInRuns is what the repaired machines carry with the latest acknowledgements and with the
// earliest, neither of which is how the paper's came.
func carriedInRuns(ctx context.Context, b *Bench, values []Value) ([]Got, error) {
	return inRuns(ctx, b, values, true, func(_ *Value, plain, aware *census.Counts) Got {
		last := percentOf(aware.Piggybacked, plain.Piggybacked)
		plain, aware, err := b.leanRuns(ctx, false)
		if err != nil {
			return Got{Status: NotHere, Why: err.Error()}
		}
		first := percentOf(aware.Piggybacked, plain.Piggybacked)
		return Got{Number: (first + last) / 2, Status: Unclear, Why: fmt.Sprintf("%.0f %% with "+
			"the latest acknowledgements, %.0f %% with the earliest, on %s", last, first, leanRun)}
	})
}
