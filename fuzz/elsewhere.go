package fuzz

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// Shown is what the runs of one scenario have shown, as data: it may have been found elsewhere.
type Shown struct {
	Number   uint64  `json:"number"` // of the scenario
	Refused  bool    `json:"refused,omitempty"`
	TooLarge bool    `json:"tooLarge,omitempty"`
	Reason   string  `json:"reason,omitempty"` // out of model, or refused
	Runs     int     `json:"runs,omitempty"`
	Steps    int     `json:"steps,omitempty"`
	Faults   int     `json:"faults,omitempty"`
	Cut      int     `json:"cut,omitempty"`
	Yields   []Yield `json:"yields,omitempty"`
	Found    string  `json:"found,omitempty"`   // property that is broken
	Message  string  `json:"message,omitempty"` // how
	Broken   string  `json:"broken,omitempty"`  // a property panics: nothing was judged
}

// Elsewhere gives trials from a number on, in their order, until take wants no more, and returns
// the error of take. ErrGap says that it can not give one: the result ends before it.
type Elsewhere func(ctx context.Context, first uint64,
	take func(Shown) (more bool, err error)) error

// ErrGap ends a Result at a trial that nobody can tell; what wraps it says why.
var ErrGap = errors.New("a scenario without an answer")

// ErrDiffers says that a failure is none here, or another one.
var ErrDiffers = errors.New("it is another one here")

// Try draws the scenarios [first, first+n) and their runs, in the terms of the options: Seed,
// PerCase, Mix and StepTime. The list ends at a scenario that is Broken.
func Try(ctx context.Context, t Target, o Options, first uint64, n int) ([]Shown, error) {
	if err := t.Shapes.Validate(); err != nil {
		return nil, err
	}
	f := newFuzzer(ctx, t, &o)
	var list []Shown
	for i := range uint64(max(n, 0)) {
		got := f.try(ctx, first+i)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		list = append(list, got.data())
		if got.broken != nil {
			break
		}
	}
	return list, nil
}

// data is the trial without what belongs to this process.
func (t *trial) data() Shown {
	d := Shown{Number: t.number, Refused: t.refused, TooLarge: t.tooLarge, Reason: t.reason,
		Runs: t.runs, Steps: t.steps, Faults: t.faults, Cut: t.cut, Yields: t.yields}
	if t.found != nil {
		d.Found, d.Message = t.found.property, t.found.message
	}
	if t.broken != nil {
		d.Broken = t.broken.Error()
	}
	return d
}

// gather takes trials from elsewhere. One with a failure that is wanted is tried again here: a
// failure is made small where its scenario is.
func (f *fuzzer) gather(ctx context.Context) error {
	if f.over || ctx.Err() != nil {
		return nil
	}
	err := f.options.Elsewhere(ctx, f.result.Next, func(d Shown) (bool, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if d.Number != f.result.Next {
			return false, fmt.Errorf("fuzz: got scenario %d, want %d", d.Number, f.result.Next)
		}
		t, err := f.known(ctx, d)
		if err != nil {
			return false, err
		}
		f.add(ctx, t)
		return !f.over, nil
	})
	switch {
	case errors.Is(err, ErrGap):
		f.result.Gap = err.Error()
		f.result.Bound = f.result.Gap
	case ctx.Err() == nil:
		return err
	}
	return nil
}

// known is a trial from elsewhere as one of ours.
func (f *fuzzer) known(ctx context.Context, d Shown) (*trial, error) {
	if d.Found != "" && !f.properties[d.Found] && !slices.Contains(f.options.Ignore, d.Found) {
		t := f.try(ctx, d.Number)
		if again := t.data(); !t.interrupted && !reflect.DeepEqual(again, d) {
			return nil, fmt.Errorf("fuzz: scenario %d breaks %s elsewhere, here %q: %w", d.Number,
				d.Found, again.Found, ErrDiffers)
		}
		return t, nil
	}
	t := &trial{number: d.Number, refused: d.Refused, tooLarge: d.TooLarge, reason: d.Reason,
		runs: d.Runs, steps: d.Steps, faults: d.Faults, cut: d.Cut, yields: d.Yields}
	if len(d.Yields) > 0 && len(d.Yields) != len(f.result.Strategies) {
		return nil, fmt.Errorf("fuzz: scenario %d has %d strategies, want %d", d.Number,
			len(d.Yields), len(f.result.Strategies))
	}
	if d.Broken != "" {
		t.broken = errors.New(d.Broken)
	}
	return t, nil
}
