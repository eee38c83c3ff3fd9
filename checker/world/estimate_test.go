package world_test

import (
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/search"
)

// TestEstimate stops searches of embedded scenarios at a tenth, a quarter and half of their states
// and compares the estimate with the real number: most are within a factor of three, nearly all in
// the interval that is printed. With -v it prints each.
func TestEstimate(t *testing.T) {
	effort.Seconds(t)
	all, near, within := 0, 0, 0
	for _, o := range []checker.Options{{Reduce: checker.Singletons | checker.Crashes},
		{Order: checker.BreadthFirst}} {
		for _, name := range effort.Of([]string{"one-cluster", "h8"},
			[]string{"one-cluster", "intra-flight", "h8", "s1-staggered"}) {
			total := search.Explore(t.Context(), fresh(t, name, "").World, o).States
			for _, part := range []int{10, 4, 2} {
				p := o
				p.MaxStates = total / part
				r := search.Explore(t.Context(), fresh(t, name, "").World, p)
				e := r.Estimate
				ratio := e.States / float64(total)
				t.Logf("%-12s %v after 1/%-2d of %6d states: %5.2f times the number", name, o.Order,
					part, total, ratio)
				all++
				if ratio > 1.0/3 && ratio < 3 {
					near++
				}
				if e.Low <= float64(total) && float64(total) <= e.High {
					within++
				}
				if e.States > 0 && (e.Low > e.States || e.States > e.High ||
					e.Low < float64(r.States)) {
					t.Errorf("%s: %+v after %d states", name, e, r.States)
				}
			}
		}
	}
	t.Logf("%d of %d within a factor of three, %d in the interval", near, all, within)
	if near*10 < all*5 || within*10 < all*8 {
		t.Errorf("of %d estimates %d are within a factor of three, %d in the interval", all, near,
			within)
	}
}
