package app

import (
	"errors"
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/papers"
	"github.com/domino-check/domino/impl/program/script"
)

// TestPaperErrors: who asks for what is not there is told what is near.
func TestPaperErrors(t *testing.T) {
	for line, want := range map[string]string{
		"paper hyde":                  `did you mean "hydee"?`,
		"paper hydee fig-11":          `has no claim "fig-11", did you mean "fig-1"?`,
		"paper hydee nowhere-*":       `hydee has no claim "nowhere-*"`,
		"paper --json --markdown":     "--json contradicts --markdown",
		"paper hydee --quick=false":   "nothing else is made",
		"paper hydee fig-1 --measure": "unknown flag",
	} {
		code, out, errs := domino(t.Context(), strings.Fields(line)...)
		if code != exitUsage || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: %d %q %q, want %q", line, code, out, errs, want)
		}
	}
}

// Aim: a run for a claim is one of the protocol that is asked for, with all of the program, and
// what is counted is what the trees of the program say. A protocol that is not there is said to be
// absent.
func TestPaperRuns(t *testing.T) {
	w, err := script.LeanMD([3]int{3, 3, 1}, 1, 8, 2)
	if err != nil {
		t.Fatal(err)
	}
	std := streams{Catalogue: catalogue()}
	const steps = 2
	for name, v := range map[string]script.Volume{"causal": w.Plain(false), "camel": w.Aware()} {
		got, err := std.runClaimed(t.Context(), name, w.Program(steps), true)
		if err != nil {
			t.Fatal(err)
		}
		if got.Piggybacked == 0 {
			t.Errorf("%s piggybacks nothing", name)
		}
		sum := [4]int{got.Messages, got.Determinants, got.Copies + got.Parts, got.Seeds}
		want := [4]int{steps * v.Messages, steps * v.Determinants, steps * v.Logged,
			steps * v.Seeds}
		if sum != want {
			t.Errorf("%s: %v messages, determinants, logged, seeds, want %v", name, sum, want)
		}
	}
	if _, err := std.runClaimed(t.Context(), "nobody", w.Program(1), true); !errors.Is(err,
		papers.ErrAbsent) {
		t.Errorf("a protocol that is not there: %v", err)
	}
}
