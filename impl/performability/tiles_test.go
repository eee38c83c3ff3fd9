package performability

import (
	"math"
	"strings"
	"testing"
)

// near reports whether two numbers differ by at most so much.
func near(a, b, by float64) bool { return math.Abs(a-b) <= by }

// TestTables holds the model against values computed by hand, with exact arithmetic, for the rows
// of Table 6.2: by the lambda that it prints, and by that of the times beside it.
func TestTables(t *testing.T) {
	for i, want := range []struct {
		k, exact       float64
		cores          int
		ratio, k2      float64
		own, serial    float64 // efficiencies at that K, of what Fig 6.11 adds up
		weak, overhead float64
	}{
		{133.0374, 56.5005, 56, 172.2727, 133.1745, .7589, .7560, 0, 0},
		{201.9502, 24.5195, 24, 263.8376, 201.8584, .7568, .6135, 204.1241, 61.0},
		{191.0811, 53.6810, 53, 220.3488, 191.2756, .8528, .8459, 0, 0},
		{280.3632, 24.9353, 24, 325.0000, 280.2357, .8527, .6625, 285.7738, 47.7},
	} {
		row := Tables()[i]
		s, err := Solve(row.Program, row.Efficiency, Machine{})
		if err != nil {
			t.Fatal(err)
		}
		if !near(s.Ideal, want.k, 5e-5) || !near(s.Exact, want.exact, 5e-5) ||
			s.Cores != want.cores {
			t.Errorf("%s: K %.4f, cores %.4f, %d", row.Name, s.Ideal, s.Exact, s.Cores)
		}
		if ratio := row.Comm / row.Internal; !near(ratio, want.ratio, 5e-5) ||
			!near(supertile(row.Efficiency*ratio, 2), want.k2, 5e-5) {
			t.Errorf("%s: lambda of its times %.4f", row.Name, ratio)
		}
		r := row.Program.at(s.Ideal, s.Cores)
		if !near(r.Efficiency, want.own, 6e-5) || !near(r.Serial, want.serial, 6e-5) {
			t.Errorf("%s: efficiency %.5f and %.5f", row.Name, r.Efficiency, r.Serial)
		}
		if row.Weak == 0 {
			continue
		}
		k := row.Program.Side / math.Sqrt(float64(row.Cores))
		if !near(k, want.weak, 5e-5) || math.Trunc(k) != row.Weak {
			t.Errorf("%s: weak scaling at K %.4f", row.Name, k)
		}
		plain := row.Plain()
		with, err1 := row.Program.Keeping(row.Weak, row.Cores)
		without, err2 := plain.Keeping(row.Weak, row.Cores)
		if over := 100 * (with.Iteration()/without.Iteration() - 1); err1 != nil || err2 != nil ||
			!near(over, want.overhead, .05) {
			t.Errorf("%s: logging costs %.2f %%, %v %v", row.Name, over, err1, err2)
		}
	}
}

// TestRounding: the lambda and the K of Table 6.2 follow from what is printed before them, if that
// is rounded, and K is cut. Rounded it would not: the third is 191.08.
func TestRounding(t *testing.T) {
	units := []float64{.1e-8, .01e-8, .01e-8, .1e-8} // of Cpt_int
	for i, row := range Tables() {
		low, high := Span(row.Comm, .01e-6)
		from, to := Span(row.Internal, units[i])
		if l := row.Program.Ratio; l < low/to || l > high/from {
			t.Errorf("%s: lambda %g is not in %g to %g", row.Name, l, low/to, high/from)
		}
		low, high = Span(row.Program.Ratio, .01)
		least, most := supertile(row.Efficiency*low, 2), supertile(row.Efficiency*high, 2)
		if math.Trunc(100*least) > math.Round(100*row.K) ||
			math.Trunc(100*most) < math.Round(100*row.K) {
			t.Errorf("%s: K %g is not cut from %g to %g", row.Name, row.K, least, most)
		}
		if rounded := math.Round(100*least) <= math.Round(100*row.K); rounded != (i != 2) {
			t.Errorf("%s: K %g rounded from %g", row.Name, row.K, least)
		}
	}
}

// TestSums: with the sums as Fig 6.11 rounds them the efficiencies are those of the last figure.
func TestSums(t *testing.T) {
	for i, want := range []struct{ internal, edge, efficiency float64 }{
		1: {2.72e-8, 3.15e-8, .7574}, 3: {2.20e-8, 3.23e-8, .8530}} {
		row := Tables()[i]
		row.Program.Tile, row.Program.Edge = want.internal, want.edge
		row.Program.LogTile, row.Program.LogEdge = 0, 0
		s, err := Solve(row.Program, row.Efficiency, Machine{})
		if want.internal == 0 {
			continue
		}
		if r := row.Program.at(s.Ideal, 2); err != nil ||
			!near(r.Efficiency, want.efficiency, 5e-5) {
			t.Errorf("%s: %.5f, %v", row.Name, r.Efficiency, err)
		}
	}
}

// TestSupertile puts the K found back into Eq 5.13, for each dimension; at K communication takes
// internal computation by the efficiency.
func TestSupertile(t *testing.T) {
	for n := 1; n <= 3; n++ {
		for _, x := range []float64{1e-6, .1, 1, 129.0675, 1e4, 1e9} {
			k := supertile(x, n)
			inner, face := math.Pow(k-2, float64(n)), math.Pow(k, float64(n-1))
			if k <= 2 || !near(inner/face/x, 1, 1e-6) {
				t.Errorf("n = %d, x = %g: K = %g", n, x, k)
			}
		}
	}
	// by hand, for the first row of Table 6.2 in one and in three dimensions
	if k := supertile(.75*172.09, 1); !near(k, 131.0675, 5e-5) {
		t.Errorf("K = %.4f in one dimension", k)
	}
	if k := supertile(.75*172.09, 3); !near(k, 134.9790, 5e-5) {
		t.Errorf("K = %.4f in three dimensions", k)
	}
}

// TestScaling: more cores are less efficient under the same time of communication, one core is as
// fast as itself, and logging slows down.
func TestScaling(t *testing.T) {
	row := Tables()[1]
	before := 2.0
	for cores := 1; cores <= 4096; cores *= 2 {
		r, err := row.Program.On(cores)
		if err != nil || r.Serial >= before {
			t.Fatalf("%d cores: %g after %g, %v", cores, r.Serial, before, err)
		}
		before = r.Serial
		if cores == 1 && !near(r.Iteration(), 1e6*(2.21e-8+5.08e-9), 1e-12) {
			t.Errorf("one core takes %g s", r.Iteration())
		}
	}
	if r, err := row.Program.On(56); err != nil || !near(r.Efficiency, .502, 5e-4) {
		t.Errorf("at 56 cores %g, %v", r.Efficiency, err) // Fig 6.12a: about 50 %
	}
}

// TestWrongPrograms: what has no answer is refused with the reason.
func TestWrongPrograms(t *testing.T) {
	good := Tables()[0].Program
	change := func(f func(*Program)) Program { p := good; f(&p); return p }
	nan := math.NaN()
	for _, tt := range []struct {
		p    Program
		e    float64
		m    Machine
		want string
	}{
		{good, 0, Machine{}, "efficiency of 0"},
		{good, 1.01, Machine{}, "efficiency of 1.01"},
		{good, nan, Machine{}, "efficiency of NaN"},
		{change(func(p *Program) { p.Dim = 0 }), .5, Machine{}, "0 dimensions"},
		{change(func(p *Program) { p.Dim = 4 }), .5, Machine{}, "4 dimensions"},
		{change(func(p *Program) { p.Side = 2 }), .5, Machine{}, "2 tiles a side"},
		{change(func(p *Program) { p.Side = nan }), .5, Machine{}, "NaN tiles a side"},
		{change(func(p *Program) { p.Iterations = -1 }), .5, Machine{}, "-1 iterations"},
		{change(func(p *Program) { p.Ratio = -1 }), .5, Machine{}, "lambda is -1"},
		{change(func(p *Program) { p.Ratio, p.Links = 0, nil }), .5, Machine{}, "lambda is 0"},
		{change(func(p *Program) { p.Tile = 0 }), .5, Machine{}, "computing a tile takes 0 s"},
		{change(func(p *Program) { p.LogEdge = -1 }), .5, Machine{}, "at least 0"},
		{change(func(p *Program) { p.Links = []Link{{Tile: nan}} }), .5, Machine{},
			"sending a tile"},
		{good, .75, Machine{Nodes: 4, CoresPerNode: 8, ReservedPerNode: 8}, "none is left"},
		{good, .75, Machine{Nodes: -4, CoresPerNode: 8}, "at least one node"},
		{good, .75, Machine{Nodes: 1 << 30, CoresPerNode: 8}, "too many"},
		{change(func(p *Program) { p.Side = 1e300 }), .75, Machine{}, "more cores than"},
	} {
		if _, err := Solve(tt.p, tt.e, tt.m); err == nil ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
	s, err := Solve(good, .75, Machine{Nodes: 4, CoresPerNode: 8, ReservedPerNode: 1})
	if err != nil || s.Fits || s.Cores != 28 || len(s.Notes) != 1 {
		t.Errorf("on 28 cores: %+v, %v", s, err)
	}
	small, err := Solve(change(func(p *Program) { p.Side = 100 }), .75, Machine{})
	if err != nil || small.Cores != 1 || small.Comm != 0 || len(small.Notes) != 1 {
		t.Errorf("a small domain: %+v, %v", small, err)
	}
	if _, err := good.On(0); err == nil {
		t.Error("a run on no core")
	}
	if _, err := good.On(2_000_000); err == nil ||
		!strings.Contains(err.Error(), "less than a tile") {
		t.Errorf("a run on more cores than tiles: %v", err)
	}
}
