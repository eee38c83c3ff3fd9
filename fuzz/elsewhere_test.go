package fuzz_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/fuzz"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/scenarios"
)

// elsewhere tries scenarios in pieces of three, as somebody else would, and changes what is shown.
func elsewhere(t *testing.T, target fuzz.Target, o fuzz.Options,
	change func(*fuzz.Shown) error) fuzz.Elsewhere {
	return func(ctx context.Context, first uint64, take func(fuzz.Shown) (bool, error)) error {
		for ; ; first += 3 {
			list, err := fuzz.Try(ctx, target, o, first, 3)
			if err != nil {
				return err
			}
			for _, s := range list {
				if err := change(&s); err != nil {
					return err
				}
				if more, err := take(s); err != nil || !more {
					return err
				}
			}
		}
	}
}

// TestElsewhere compares what is drawn here with what others draw for us, where nothing breaks and
// where something does.
func TestElsewhere(t *testing.T) {
	for _, variant := range []string{"repaired", "repaired+H1"} {
		target, err := fuzz.TargetOf(all.Protocols(), "hydee", variant)
		if err != nil {
			t.Fatal(err)
		}
		o := fuzz.Options{Seed: 3, Runs: effort.Cases(150, 400), Shrink: 5, All: true}
		want, err := fuzz.Run(t.Context(), target, o)
		if err != nil {
			t.Fatal(err)
		}
		there := o
		there.Elsewhere = elsewhere(t, target, o, func(*fuzz.Shown) error { return nil })
		got, err := fuzz.Run(t.Context(), target, there)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got,
			cmpopts.IgnoreFields(fuzz.Result{}, "Elapsed", "Shrinking"),
			cmpopts.IgnoreUnexported(scenarios.Scenario{})); diff != "" {
			t.Errorf("%s: %s", variant, diff)
		}
		if broken := len(got.Failures) > 0; broken != (variant != "repaired") {
			t.Errorf("%s: %d failures", variant, len(got.Failures))
		}
	}
}

// TestElsewhereWrong notices a failure that is none here, a scenario out of its turn, and one
// without an answer.
func TestElsewhereWrong(t *testing.T) {
	target, err := fuzz.TargetOf(all.Protocols(), "hydee", "repaired")
	if err != nil {
		t.Fatal(err)
	}
	o := fuzz.Options{Seed: 3, Runs: 100}
	for want, change := range map[string]func(*fuzz.Shown) error{
		fuzz.ErrDiffers.Error(): func(s *fuzz.Shown) error {
			if s.Number == 1 {
				s.Found = "exactly-once"
			}
			return nil
		},
		"got scenario 2, want 1": func(s *fuzz.Shown) error {
			if s.Number == 1 {
				s.Number++
			}
			return nil
		},
		"strategies": func(s *fuzz.Shown) error {
			s.Yields = s.Yields[:min(1, len(s.Yields))]
			return nil
		},
	} {
		there := o
		there.Elsewhere = elsewhere(t, target, o, change)
		if _, err := fuzz.Run(t.Context(), target, there); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	o.Elsewhere = elsewhere(t, target, o, func(s *fuzz.Shown) error {
		if s.Number == 1 {
			return fmt.Errorf("it ends its workers: %w", fuzz.ErrGap)
		}
		return nil
	})
	r, err := fuzz.Run(t.Context(), target, o)
	if err != nil || r.Next != 1 || r.Bound != r.Gap ||
		!strings.Contains(r.Gap, "ends its workers") {
		t.Errorf("%+v, %v", r, err)
	}
}
