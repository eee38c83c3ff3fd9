package performability

import (
	"math"
	"strings"
	"testing"
)

// near reports whether two numbers differ by at most so much.
func near(a, b, by float64) bool { return math.Abs(a-b) <= by }

// heat is the heat program of [RADIC] 6.5 on its cluster, with logging.
func heat() Program {
	return Program{Side: 1000, Dim: 2, Iterations: 1, Times: Times{Tile: 2.21e-8, LogTile: 5.08e-9,
		Edge: 2.49e-8, LogEdge: 6.63e-9, Links: []Link{{Tile: 3.79e-6, Log: 3.36e-6}}}}
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
	program := heat()
	before := 2.0
	for cores := 1; cores <= 4096; cores *= 2 {
		r, err := program.On(cores)
		if err != nil || r.Serial >= before {
			t.Fatalf("%d cores: %g after %g, %v", cores, r.Serial, before, err)
		}
		before = r.Serial
		if cores == 1 && !near(r.Iteration(), 1e6*(2.21e-8+5.08e-9), 1e-12) {
			t.Errorf("one core takes %g s", r.Iteration())
		}
	}
	if r, err := program.On(56); err != nil || !near(r.Efficiency, .502, 5e-4) {
		t.Errorf("at 56 cores %g, %v", r.Efficiency, err) // Fig 6.12a: about 50 %
	}
}

// TestOn: all iterations take as long as so many of one; and supertiles of less than two tiles a
// side have no inside: 100 tiles on 40 cores are 2.5 each, all at edges, of which the square root
// is sent.
func TestOn(t *testing.T) {
	p := heat()
	p.Side, p.Iterations = 10, 1000
	r, err := p.On(40)
	want := 2.5*(2.49e-8+6.63e-9) + math.Sqrt(2.5)*7.15e-6
	if err != nil || !near(r.Iteration(), want, 1e-15) || !near(r.Total, 1000*want, 1e-12) ||
		r.Internal != 0 {
		t.Errorf("%+v, %v, want %g an iteration", r, err, want)
	}
	if r, err = p.On(100); err != nil || r.K != 1 {
		t.Errorf("a tile each: %+v, %v", r, err)
	}
	if _, err = p.On(101); err == nil {
		t.Error("less than a tile each")
	}
}

// TestKeeping holds both efficiencies at the K of Table 6.2 against what the dossier of the thesis
// has computed from Fig 6.11 by other means: the share of the time in which a core computes, and
// that against one core that logs nothing.
func TestKeeping(t *testing.T) {
	logging := heat()
	plain := logging
	logging.LogTile = 5.1e-9 // Cpt_int is 2.72e-8, as Fig 6.11 rounds it
	plain.LogTile, plain.LogEdge, plain.Links = 0, 0, []Link{{Tile: 3.79e-6}}
	for name, tt := range map[string]struct {
		p                     Program
		k, efficiency, serial float64
	}{"heat": {plain, 133.0374, .7589, .7560}, "with logging": {logging, 201.9502, .7574, .6135}} {
		r, err := tt.p.Keeping(tt.k, 24)
		if err != nil || !near(r.Efficiency, tt.efficiency, 1e-4) ||
			!near(r.Serial, tt.serial, 1e-4) || !near(r.Speedup, 24*tt.serial, 24e-4) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

// TestSlowest: of several links the slowest rules, wherever it is in the list.
func TestSlowest(t *testing.T) {
	want, err := Solve(heat(), .75, Machine{})
	if err != nil {
		t.Fatal(err)
	}
	slow, fast := heat().Links[0], Link{Tile: 1e-6, Log: 2e-6}
	for _, links := range [][]Link{{slow, fast}, {fast, slow}, {fast, slow, fast}} {
		p := heat()
		p.Links = links
		if got, err := Solve(p, .75, Machine{}); err != nil || got.Ideal != want.Ideal ||
			got.Comm != want.Comm {
			t.Errorf("%v: %+v, %v, want %+v", links, got, err, want)
		}
	}
}

// TestRoom: a machine with just as many cores as wanted has them; with one less it has not.
func TestRoom(t *testing.T) {
	for room, fits := range map[int]bool{23: false, 24: true, 25: true} {
		s, err := Solve(heat(), .75, Machine{Nodes: 1, CoresPerNode: room + 2, ReservedPerNode: 2})
		if err != nil || s.Fits != fits || s.Cores != min(room, 24) || (len(s.Notes) == 0) != fits {
			t.Errorf("%d cores: %+v, %v", room, s, err)
		}
	}
}

// TestWrongPrograms: what has no answer is refused with the reason.
func TestWrongPrograms(t *testing.T) {
	good := heat()
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
	s, err := Solve(good, .75, Machine{Nodes: 3, CoresPerNode: 8, ReservedPerNode: 1})
	if err != nil || s.Fits || s.Cores != 21 || len(s.Notes) != 1 {
		t.Errorf("on 21 cores: %+v, %v", s, err)
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

// TestSides: of a line of 1,000 tiles 4 cores have 250 each; of a square 16 have 250 a side, and of
// a cube 64.
func TestSides(t *testing.T) {
	for dim, cores := range map[int]int{1: 4, 2: 16, 3: 64} {
		p := heat()
		p.Dim = dim
		if r, err := p.On(cores); err != nil || !near(r.K, 250, 1e-9) {
			t.Errorf("%d dimensions, %d cores: K = %g, %v, want 250", dim, cores, r.K, err)
		}
	}
}
