package performability

import (
	"errors"
	"fmt"
	"math"
)

// Link is one way to a neighbour: what a tile takes on it, and what logging adds, [RADIC] Eq 5.4.
type Link struct{ Tile, Log float64 }

// Total is CommT.
func (l Link) Total() float64 { return l.Tile + l.Log }

// Times characterise an application and a machine, a tile each, [RADIC] 5.3.2.
type Times struct {
	Tile    float64 // Cpt_tile, to compute one
	LogTile float64 // FTCpt_int, what logging adds to that
	Edge    float64 // Cpt_tile_ed, to compute one at the edge, with packing and unpacking
	LogEdge float64 // FTCpt_ed, what logging adds to that
	Links   []Link  // by level and direction; the slowest rules
}

// Internal is Cpt_int, Eq 5.1.
func (t *Times) Internal() float64 { return t.Tile + t.LogTile }

// Border is Cpt_ed, Eq 5.2 and 5.3.
func (t *Times) Border() float64 { return t.Edge + t.LogEdge }

// Comm is the largest CommT, which Eq 5.10 counts: all directions overlap.
func (t *Times) Comm() (slowest float64) {
	for _, l := range t.Links {
		slowest = max(slowest, l.Total())
	}
	return slowest
}

// Lambda is the largest lambda, Eq 5.5: how many tiles are computed while one is sent.
func (t *Times) Lambda() float64 { return t.Comm() / t.Internal() }

// check refuses times that no machine has.
func (t *Times) check() error {
	if !(t.Tile > 0) || math.IsInf(t.Tile, 0) {
		return fmt.Errorf("computing a tile takes %g s: want more than 0", t.Tile)
	}
	for _, one := range []struct {
		what string
		time float64
	}{{"logging adds to a tile", t.LogTile}, {"a tile at the edge takes", t.Edge},
		{"logging adds to a tile at the edge", t.LogEdge}} {
		if !(one.time >= 0) || math.IsInf(one.time, 0) {
			return fmt.Errorf("%s %g s: want a time of at least 0", one.what, one.time)
		}
	}
	for _, l := range t.Links {
		if !(l.Tile >= 0) || !(l.Log >= 0) || math.IsInf(l.Total(), 0) {
			return fmt.Errorf("sending a tile takes %g s and logging it %g s: "+
				"want times of at least 0", l.Tile, l.Log)
		}
	}
	return nil
}

// Program is an SPMD program over a domain of Side^Dim tiles that is cut into supertiles, one a
// core, of K^Dim tiles each.
type Program struct {
	Times
	Ratio      float64 // lambda, if not that of the times: tables print one that is not
	Side       float64 // M, tiles
	Dim        int     // n, 1 to 3
	Iterations int
}

// lambda is the ratio that counts.
func (p *Program) lambda() float64 {
	if p.Ratio != 0 {
		return p.Ratio
	}
	return p.Lambda()
}

// check refuses what has no answer.
func (p *Program) check() error {
	if p.Dim < 1 || p.Dim > 3 {
		return fmt.Errorf("a domain of %d dimensions: want 1, 2 or 3", p.Dim)
	}
	if !(p.Side >= 3) || math.IsInf(p.Side, 0) {
		return fmt.Errorf("a domain of %g tiles a side: want at least 3, of which one is not at "+
			"the edge", p.Side)
	}
	if p.Iterations < 0 {
		return fmt.Errorf("%d iterations: want at least 0", p.Iterations)
	}
	if err := p.Times.check(); err != nil {
		return err
	}
	if l := p.lambda(); math.IsInf(l, 1) {
		return fmt.Errorf("lambda is %g, tiles that are computed while one is sent: are the units "+
			"right?", l)
	} else if !(l > 0) {
		return fmt.Errorf("lambda is %g: want more than 0; without communication any number of "+
			"cores will do", l)
	}
	return nil
}

// Run is what the model says of the program on some cores.
type Run struct {
	Cores    int
	K        float64 // tiles a side of a supertile
	Edge     float64 // s an iteration, Eq 5.8
	Internal float64 // Eq 5.9
	Comm     float64 // Eq 5.10
	Total    float64 // of all iterations, Eq 5.7
	// Efficiency is the share of the time in which a core computes, which the tables print; Serial
	// is that against one core without logging. The thesis does not say which it means.
	Efficiency, Serial float64
	Speedup            float64 // against one core without logging
}

// Iteration is the time of one, Eq 5.7.
func (r *Run) Iteration() float64 { return r.Edge + max(r.Internal, r.Comm) }

// at is a run with supertiles of a size, on so many cores. One core has no neighbours.
func (p *Program) at(k float64, cores int) Run {
	n := float64(p.Dim)
	inner, all, comm := math.Pow(max(k-2, 0), n), math.Pow(k, n), math.Pow(k, n-1)*p.Times.Comm()
	if cores == 1 {
		inner, comm = all, 0
	}
	r := Run{Cores: cores, K: k, Edge: (all - inner) * p.Border(),
		Internal: inner * p.Times.Internal(), Comm: comm}
	r.Total = float64(p.Iterations) * r.Iteration()
	r.Efficiency = (r.Edge + r.Internal) / r.Iteration()
	r.Serial = all * p.Tile / r.Iteration()
	r.Speedup = float64(cores) * r.Serial
	return r
}

// On is the program on a number of cores: strong scaling.
func (p *Program) On(cores int) (Run, error) {
	if err := p.check(); err != nil {
		return Run{}, err
	}
	if cores < 1 {
		return Run{}, fmt.Errorf("%d cores: want at least 1", cores)
	}
	k := p.Side / math.Pow(float64(cores), 1/float64(p.Dim))
	if k < 1 {
		return Run{}, fmt.Errorf("%d cores have less than a tile each of %g^%d", cores, p.Side,
			p.Dim)
	}
	return p.at(k, cores), nil
}

// Keeping is the program with supertiles of a size, on as many cores: weak scaling.
func (p *Program) Keeping(k float64, cores int) (Run, error) {
	if err := p.check(); err != nil {
		return Run{}, err
	}
	if !(k >= 1) || cores < 1 {
		return Run{}, fmt.Errorf("supertiles of %g tiles a side on %d cores: want at least 1", k,
			cores)
	}
	return p.at(k, cores), nil
}

// Machine is what a program may have; the zero value is as much as it wants.
type Machine struct{ Nodes, CoresPerNode, ReservedPerNode int }

// room is how many cores programs have, and whether there is a limit.
func (m Machine) room() (cores int, limited bool, err error) {
	switch {
	case m == Machine{}:
		return 0, false, nil
	case m.Nodes < 1 || m.CoresPerNode < 1 || m.ReservedPerNode < 0:
		return 0, false, fmt.Errorf("%d nodes of %d cores with %d reserved: want at least one "+
			"node and core", m.Nodes, m.CoresPerNode, m.ReservedPerNode)
	case m.ReservedPerNode >= m.CoresPerNode:
		return 0, false, fmt.Errorf("%d of %d cores a node are reserved: none is left for the "+
			"program", m.ReservedPerNode, m.CoresPerNode)
	case m.Nodes > math.MaxInt32/m.CoresPerNode:
		return 0, false, fmt.Errorf("%d nodes of %d cores: too many", m.Nodes, m.CoresPerNode)
	}
	return m.Nodes * (m.CoresPerNode - m.ReservedPerNode), true, nil
}

// Plan is how many cores keep the efficiency asked for.
type Plan struct {
	Run
	Lambda float64
	Ideal  float64 // K that Eq 5.13 asks for
	Exact  float64 // cores before rounding down, Eq 5.6
	Fits   bool    // the machine has them
	Notes  []string
}

// Solve finds how many cores keep an efficiency in (0, 1], with the largest speed-up: the size of a
// supertile at which communication takes as long as internal computation by the efficiency.
func Solve(p Program, efficiency float64, m Machine) (Plan, error) {
	if err := p.check(); err != nil {
		return Plan{}, err
	}
	if !(efficiency > 0 && efficiency <= 1) {
		return Plan{}, fmt.Errorf("an efficiency of %g: want more than 0 and at most 1", efficiency)
	}
	room, limited, err := m.room()
	if err != nil {
		return Plan{}, err
	}
	s := Plan{Lambda: p.lambda(), Fits: true}
	s.Ideal = supertile(efficiency*s.Lambda, p.Dim)
	s.Exact = math.Pow(p.Side/s.Ideal, float64(p.Dim))
	if s.Exact > math.MaxInt32 {
		return Plan{}, errors.New("more cores than can be counted: are the units right?")
	}
	cores := int(s.Exact)
	if cores < 1 {
		cores = 1
		s.Notes = append(s.Notes, fmt.Sprintf("the domain is smaller than one supertile of %.2f "+
			"tiles a side: one core, which sends nothing", s.Ideal))
	}
	if limited && cores > room {
		s.Fits = false
		s.Notes = append(s.Notes, fmt.Sprintf("the machine has %d cores for it, not %d: each "+
			"holds more tiles, which only helps the efficiency", room, cores))
		cores = room
	}
	s.Run, err = p.On(cores)
	return s, err
}

// supertile is the one K > 2 with K^(n-1) x = (K-2)^n: how many tiles a side hide communication,
// Eq 5.13, with x = effic lambda.
func supertile(x float64, n int) float64 {
	switch n {
	case 1:
		return 2 + x
	case 2:
		b := 4 + x // Eq 5.14; the other root, 4/K, is below 2
		return b * (1 + math.Sqrt(1-16/b/b)) / 2
	}
	low, high := 2.0, 8+2*x // f(8+2x) > 0
	for range 200 {
		k := (low + high) / 2
		if (k-2)*(k-2)*(k-2) < x*k*k {
			low = k
		} else {
			high = k
		}
	}
	return (low + high) / 2
}
