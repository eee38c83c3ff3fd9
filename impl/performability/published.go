package performability

// Published is a row of Table 6.2 of [RADIC], of which Table 5.1 has the first two, with the times
// of Fig 6.11. Numbers are as printed; those of K and of cores are what the thesis makes of them.
type Published struct {
	Name       string
	Program    Program // the times of Fig 6.11, and the lambda of the table
	Efficiency float64 // asked for
	Internal   float64 // Cpt_int of the table, which is not always the sum of Fig 6.11
	Comm       float64 // CommT
	K          float64 // the column ST
	Cores      int
	Obtained   float64 // efficiency, %
	Error      float64 // of it against what was asked for, points
	Weak       float64 // K of the weak scaling, 6.5.3; 0: none is printed
	Overhead   float64 // of logging at that K, about, %; Fig 6.14
}

// Tables are the rows of Tables 5.1 and 6.2.
func Tables() []Published {
	wire, logged := []Link{{Tile: 3.79e-6}}, []Link{{Tile: 3.79e-6, Log: 3.36e-6}}
	heat := Program{Side: 1000, Dim: 2, Iterations: 1,
		Times: Times{Tile: 2.21e-8, Edge: 2.49e-8, Links: wire}}
	laplace := Program{Side: 1400, Dim: 2, Iterations: 1,
		Times: Times{Tile: 1.72e-8, Edge: 2.39e-8, Links: wire}}
	with := func(p Program, lambda, tile, edge float64, links []Link) Program {
		p.Ratio, p.LogTile, p.LogEdge, p.Links = lambda, tile, edge, links
		return p
	}
	return []Published{
		{Name: "heat", Program: with(heat, 172.09, 0, 0, wire), Efficiency: .75,
			Internal: 2.2e-8, Comm: 3.79e-6, K: 133.03, Cores: 56, Obtained: 76, Error: 1},
		{Name: "heat with logging", Program: with(heat, 263.96, 5.08e-9, 6.63e-9, logged),
			Efficiency: .75, Internal: 2.71e-8, Comm: 7.15e-6, K: 201.95, Cores: 24,
			Obtained: 80.4, Error: 5.4, Weak: 204, Overhead: 50},
		{Name: "Laplace", Program: with(laplace, 220.12, 0, 0, wire), Efficiency: .85,
			Internal: 1.72e-8, Comm: 3.79e-6, K: 191.07, Cores: 54, Obtained: 83.57, Error: 1.43},
		{Name: "Laplace with logging", Program: with(laplace, 325.15, 4.79e-9, 8.41e-9, logged),
			Efficiency: .85, Internal: 2.2e-8, Comm: 7.15e-6, K: 280.36, Cores: 24,
			Obtained: 88.94, Error: 3.94, Weak: 285, Overhead: 45},
	}
}

// Plain is the program without logging.
func (p *Published) Plain() Program {
	q := p.Program
	q.LogTile, q.LogEdge, q.Ratio, q.Links = 0, 0, 0, nil
	for _, l := range p.Program.Links {
		q.Links = append(q.Links, Link{Tile: l.Tile})
	}
	return q
}

// Span is what a printed number may stand for: half a unit of its last digit to each side.
func Span(printed, unit float64) (low, high float64) { return printed - unit/2, printed + unit/2 }
