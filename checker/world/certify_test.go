package world

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

func bare(t *testing.T, text string) *core.Setup {
	t.Helper()
	names, programs, err := script.Parse(text, 1)
	if err != nil {
		t.Fatal(err)
	}
	setup, err := none.NewSetup(trace.Layout{Names: names, Ranks: len(names)}, programs)
	if err != nil {
		t.Fatal(err)
	}
	return setup
}

// TestCertify classifies programs whose class is known by hand, one just inside and one just
// outside of each, and replays both runs of every conflict: they must be failure-free runs of the
// program, and end with what is said to differ.
func TestCertify(t *testing.T) {
	tests := []struct {
		name, program string
		class         promise.Determinism
		words         string // of the first conflict
	}{
		{"named", "a: send b x; recv b\nb: recv a; send a y", promise.Deterministic, ""},
		{"one sender to anyone", "a: send b x; send b y\nb: recv *; recv *", promise.Deterministic,
			""},
		{"gathered", "a: send c x; recv c\nb: send c y\nc: recv *; recv *; send a z",
			promise.SendDeterministic, ""},
		{"gathered, in order",
			"a: send c x; recv c\nb: send c y\nc: recv * ordered; recv * ordered; send a z",
			promise.Piecewise, "send 1 of c (z): its payload is"},
		{"between", "a: send c x; recv c\nb: send c y\nc: recv *; send a z; recv *",
			promise.Piecewise, "send 1 of c (z): its"},
		{"other content",
			"a: send b x\nc: send b y\nb: recv * ordered; recv * ordered; send d z\nd: recv b; " +
				"send e w\ne: recv d", promise.Piecewise, "send 1 of "},
		{"waited for", "a: send b x; recv b\nb: post a; wait; send a y", promise.Deterministic, ""},
		{"while posted", "a: send b x; recv b\nb: post a; send a y; wait", promise.NoDeterminism,
			"after the same 0 receptions b receives the next message after 0 sends in one run " +
				"and receives the next message after 1 sends in another"},
		{"picked", "a: pick 2; send b x\nb: recv a", promise.NoDeterminism,
			"after the same 0 receptions a sends x to b with payload"},
		{"picked and kept", "a: recv b; pick 2\nb: send a x", promise.NoDeterminism,
			"after the same 1 receptions a ends after 0 sends, in state"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			setup := bare(t, tt.program)
			c, err := Certify(t.Context(), setup, checker.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if c.Class != tt.class || len(c.Lacks) != int(promise.Deterministic-tt.class) ||
				c.Stuck != "" {
				t.Fatalf("class %v with %d conflicts, want %v", c.Class, len(c.Lacks), tt.class)
			}
			if tt.words != "" && !strings.HasPrefix(c.Lacks[0].Words, tt.words) {
				t.Errorf("%q, want %q", c.Lacks[0].Words, tt.words)
			}
			for i, l := range c.Lacks {
				if l.Class != tt.class+promise.Determinism(i)+1 || len(l.First) == 0 ||
					len(l.Other) == 0 || strings.Join(l.First, "") == strings.Join(l.Other, "") {
					t.Errorf("conflict %+v", l)
				}
				for _, schedule := range [][]string{l.First, l.Other} {
					w, _ := New(Config{Setup: setup})
					if _, err := w.Replay(schedule); err != nil {
						t.Errorf("%s: %v", l.Words, err)
					}
				}
			}
		})
	}
}

// TestCertifyBounds says that a bound was hit, and does not guess.
func TestCertifyBounds(t *testing.T) {
	c, err := Certify(t.Context(), bare(t, "a: send b x; recv b\nb: recv a; send a y"),
		checker.Options{MaxStates: 2})
	if err == nil || c != nil || errors.Is(err, ErrStale) ||
		!errors.Is(err, checker.ErrBound) {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestCertifyClasses checks on random programs that the classes include each other: where moments
// differ sends differ, and what is refused for a class is refused for those above.
func TestCertifyClasses(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	seen := map[promise.Determinism]int{}
	for range effort.Of(80, 300) {
		setup := bare(t, randomProgram(r, 2+r.IntN(2), 1+r.IntN(5)))
		o, err := Oracle(t.Context(), setup, checker.Options{MaxStates: 20000})
		if err != nil {
			t.Fatal(err)
		}
		if len(o.Moments) > 0 && len(o.Differ) == 0 {
			t.Errorf("moments differ and sends do not: %+v", o.Moments)
		}
		class := promise.NoDeterminism
		for k := promise.Piecewise; k <= promise.Deterministic; k++ {
			refused := conflictOf(t.Context(), setup, o, k) != nil
			if !refused && class < k-1 {
				t.Errorf("refused for %v, but not for %v", class+1, k)
			}
			if !refused {
				class = k
			}
		}
		seen[class]++
	}
	for k := promise.NoDeterminism; k <= promise.Deterministic; k++ {
		if seen[k] < effort.Of(1, 2) {
			t.Errorf("%d programs that are %v", seen[k], k)
		}
	}
}
