package search_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/spec"
)

// slow is a grid of which each state takes some time; it calls at when the n-th state is expanded.
type slow struct {
	grid
	pause    time.Duration
	expanded int
	n        int
	at       func()
}

func (s *slow) Expand(state []uint32, reduce checker.Reduction, x *checker.Expansion) {
	if s.expanded++; s.expanded == s.n {
		s.at()
	}
	for began := time.Now(); time.Since(began) < s.pause; { // as a machine that computes
	}
	s.grid.Expand(state, reduce, x)
}

// TestInterruptIsPrompt cancels a search of slow states: it ends after a few more of them, not at
// the next look at the limits, and the time limit likewise.
func TestInterruptIsPrompt(t *testing.T) {
	for _, order := range []checker.Order{checker.DepthFirst, checker.BreadthFirst} {
		ctx, cancel := context.WithCancel(t.Context())
		s := &slow{grid: grid{n: 100}, pause: time.Millisecond, n: 5, at: cancel}
		r := search.Explore(ctx, s, checker.Options{Order: order})
		if r.Bound != "interrupted" || r.States > 100 || r.Verdict != spec.Unknown ||
			r.Frontier == 0 {
			t.Errorf("order %d: bound %q, %v, %d states, %d waiting", order, r.Bound, r.Verdict,
				r.States, r.Frontier)
		}
		cancel()
		s = &slow{grid: grid{n: 100}, pause: time.Millisecond}
		r = search.Explore(t.Context(), s, checker.Options{Order: order,
			MaxTime: 5 * time.Millisecond})
		if r.Bound != "time limit 5ms" || r.States > 400 {
			t.Errorf("order %d: bound %q, %d states", order, r.Bound, r.States)
		}
	}
}

// TestProgress looks at the reports of a search of slow states: they grow, they account for the
// states that wait, and the peak is never below what is in use.
func TestProgress(t *testing.T) {
	for _, order := range []checker.Order{checker.DepthFirst, checker.BreadthFirst} {
		var reports []checker.Stats
		s := &slow{grid: grid{n: 40}, pause: 200 * time.Microsecond}
		r := search.Explore(t.Context(), s, checker.Options{Order: order,
			Progress: func(s checker.Stats) {
				reports = append(reports, s)
			}})
		if len(reports) == 0 {
			t.Fatalf("order %d: no report", order)
		}
		for i, a := range append(reports, r.Stats) {
			if i > 0 && (a.States < reports[i-1].States || a.Peak < reports[i-1].Peak) {
				t.Errorf("order %d: report %d goes back: %+v after %+v", order, i, a, reports[i-1])
			}
			if a.Peak < a.Bytes || a.Bytes == 0 {
				t.Errorf("order %d: peak %d, in use %d", order, a.Peak, a.Bytes)
			}
		}
		if r.Frontier != 0 || r.States != 1600 {
			t.Errorf("order %d: %d states wait at the end of %d", order, r.Frontier, r.States)
		}
	}
}

// TestPeak compares the memory that is reported at the end of a breadth-first search with the
// widest level, which is gone by then.
func TestPeak(t *testing.T) {
	// past the widest level
	r := search.Explore(t.Context(), grid{n: 600},
		checker.Options{Order: checker.BreadthFirst, MaxStates: 185_000})
	if widest := int64(600 * 4 * 4); r.Peak < r.Bytes || r.Peak < widest {
		t.Errorf("peak %d, at the end %d, the widest level alone takes %d", r.Peak, r.Bytes, widest)
	}
}

// TestCoverage checks what is said of a search that ends early: how far breadth first has looked at
// everything is what geometry says.
func TestCoverage(t *testing.T) {
	// Levels 0 to 9 of the grid hold 55 states.
	r := search.Explore(t.Context(), grid{n: 100},
		checker.Options{Order: checker.BreadthFirst, MaxStates: 60})
	if r.Covered != 9 || r.Frontier != 6+5+1 || r.States != 60 {
		t.Errorf("covered %d steps, %d wait, want 9 and 12; %d states", r.Covered, r.Frontier,
			r.States)
	}
	want := "60 states explored, 12 waiting; every run of at most 9 steps looked at"
	if !strings.HasPrefix(r.Coverage(), want) {
		t.Errorf("got  %s\nwant %s", r.Coverage(), want)
	}
	r = search.Explore(t.Context(), grid{n: 2000}, checker.Options{MaxStates: 1234})
	if want := "1,234 states explored, "; !strings.HasPrefix(r.Coverage(), want) ||
		!strings.Contains(r.Coverage(), "not all of any length") {
		t.Errorf("got %s", r.Coverage())
	}
	r = search.Explore(t.Context(), grid{n: 3}, checker.Options{Order: checker.BreadthFirst})
	if r.Covered != r.Depth || r.Frontier != 0 {
		t.Errorf("complete, and covered %d of %d steps, %d wait", r.Covered, r.Depth, r.Frontier)
	}
}

// TestTooSmall gives limits that the first state does not fit into: the search says so and explores
// nothing.
func TestTooSmall(t *testing.T) {
	r := search.Explore(t.Context(), grid{n: 100}, checker.Options{MaxBytes: 100})
	if r.States != 0 || r.Verdict != spec.Unknown ||
		!strings.Contains(r.Bound,
			"memory limit 100 bytes, too little for the first state: its tables take ") {
		t.Errorf("%v, %d states, %q", r.Verdict, r.States, r.Bound)
	}
}
