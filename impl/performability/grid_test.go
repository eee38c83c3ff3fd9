package performability

import (
	"slices"
	"strings"
	"testing"
)

// TestSimulate: where supertiles are squares of whole tiles and some core has neighbours on all
// sides, the slowest core is that of the model, whether communication rules or computation; of
// others the time is that by hand.
func TestSimulate(t *testing.T) {
	for _, n := range []int{16, 25, 64, 100, 400, 1600} {
		for _, comm := range []float64{3.79e-6, 3.79e-8} {
			p := heat()
			p.Side, p.Links = 1200, []Link{{Tile: comm}}
			want, err := p.On(n)
			got, wrong := p.Simulate(n)
			if err != nil || wrong != nil || !near(got.Iteration/want.Iteration(), 1, 1e-9) ||
				!near(got.Speedup/want.Speedup, 1, 1e-9) || got.Efficiency > want.Efficiency+1e-9 {
				t.Errorf("%d cores, %g: %+v, want %+v (%v, %v)", n, comm, got, want, err, wrong)
			}
		}
	}
	p := heat()
	one, err := p.Simulate(1)
	if err != nil || !near(one.Iteration, 1e6*(2.21e-8+5.08e-9), 1e-12) ||
		!near(one.Efficiency, 1, 1e-12) {
		t.Errorf("one core: %+v, %v", one, err)
	}
	// 4 x 6 cores, the largest of 250 x 167 tiles, inner ones with 830 edges; 250 tiles are sent
	got, err := p.Simulate(24)
	want := 830*(2.49e-8+6.63e-9) + 250*7.15e-6
	if err != nil || !slices.Equal(got.Layout, []int{4, 6}) || got.Largest != 41750 ||
		!near(got.Iteration, want, 1e-9) {
		t.Errorf("24 cores: %+v, %v, want %g", got, err, want)
	}
	p.Dim, p.Side = 3, 90
	if got, err = p.Simulate(60); err != nil || !slices.Equal(got.Layout, []int{4, 3, 5}) {
		t.Errorf("60 cores: %+v, %v", got, err)
	}
	p.Dim = 1
	if got, err = p.Simulate(7); err != nil || got.Largest != 13 {
		t.Errorf("7 cores: %+v, %v", got, err)
	}
}

// TestSimulateErrors: what can not be followed is said.
func TestSimulateErrors(t *testing.T) {
	for want, change := range map[string]func(*Program) int{
		"0 cores: want 1":            func(*Program) int { return 0 },
		"want 1 to 16384":            func(*Program) int { return MostSimulated + 1 },
		"want a whole number":        func(p *Program) int { p.Side = 10.5; return 4 },
		"less than a tile each of 5": func(p *Program) int { p.Side = 5; return 49 },
		"want 1, 2 or 3":             func(p *Program) int { p.Dim = 4; return 4 },
	} {
		p := heat()
		cores := change(&p)
		if _, err := p.Simulate(cores); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
