package papers

import (
	"cmp"
	"fmt"
	"math"

	"github.com/domino-check/domino/impl/performability"
)

// Supertile is a row of Table 6.2 of [RADIC] with the times of Fig 6.11: a program, and what the
// thesis makes of it.
type Supertile struct {
	Name       string
	Program    performability.Program // the times of Fig 6.11, and the lambda of the table
	Efficiency float64                // asked for
	K          float64                // the column ST
	Cores      int
}

// The programs of 6.5.
const (
	heat      = "heat"
	heatFT    = "heat with FT"
	laplace   = "Laplace"
	laplaceFT = "Laplace with FT"
)

var tilePrograms = []string{heat, heatFT, laplace, laplaceFT}

// The columns of Table 6.2 and Fig 6.11 that others are made of.
const (
	side, desired, perTile, comm, ratio = "M", "desired effic", "Cpt_int", "CommT", "lambda"
	superSide, coreCount                = "ST", "Ncores"
	obtained, missed                    = "obtained effic", "abs(error)"
	edgeTile, edgeLog, edge             = "Cpt_tile_ed", "FTCpt_ed", "Cpt_ed"
	tile, tileLog                       = "Cpt_tile", "FTCpt_int"
	wire, wireLog                       = "Comm_tile", "FTComm"
)

// times is Fig 6.11: what a tile takes.
func times() []Value {
	columns := []string{edgeTile, edgeLog, edge, tile, tileLog, perTile, wire, wireLog, comm}
	var values []Value
	row := func(name string, printed ...string) {
		values = append(values, line(columns, Value{Row: name, Unit: "s"}, printed...)...)
	}
	row(heat, "2,49E-08", "0", "2,49E-08", "2,21E-08", "0", "2,21E-08", "3,79E-06", "0",
		"3,79E-06")
	row(heatFT, "2,49E-08", "6,63E-09", "3,15E-08", "2,21E-08", "5,08E-09", "2,72E-08",
		"3,79E-06", "3,36E-06", "7,15E-06")
	row(laplace, "2,39E-08", "0", "2,39E-08", "1,72E-08", "0", "1,72E-08", "3,79E-06", "0",
		"3,79E-06")
	row(laplaceFT, "2,39E-08", "8,41E-09", "3,23E-08", "1,72E-08", "4,79E-09", "2,20E-08",
		"3,79E-06", "3,36E-06", "7,15E-06")
	return values
}

// supertiles is Table 6.2, of which Table 5.1 has the first rows.
func supertiles() sheet {
	columns := []string{side, desired, perTile, comm, ratio, superSide, coreCount, obtained, missed}
	units := []string{"tiles", "%", "s", "s", "", "tiles", "cores", "%", "points"}
	var values sheet
	row := func(name string, printed ...string) {
		cells := line(columns, Value{Row: name}, printed...)
		for i := range cells {
			cells[i].Unit = units[i]
		}
		values = append(values, cells...)
	}
	row(heat, "1000", "75", "2.2E-8", "3.79E-6", "172.09", "133.03", "56", "76", "1")
	row(heatFT, "1000", "75", "2.71E-8", "7.15E-6", "263.96", "201.95", "24", "80.4", "5.4")
	row(laplace, "1400", "85", "1.72E-8", "3.79E-6", "220.12", "191.07", "54", "83.57", "1.43")
	row(laplaceFT, "1400", "85", "2.2E-8", "7.15E-6", "325.15", "280.36", "24", "88.94", "3.94")
	for _, name := range tilePrograms {
		v := values.at(name, superSide)
		v.Cut, v.Why = true, "that of Laplace is none that is rounded"
		values.at(name, obtained).Method = Modelled
		values.at(name, side).Method, values.at(name, desired).Method = Data, Data // inputs
	}
	return values
}

// Supertiles are the rows of Table 6.2.
func Supertiles() (rows []Supertile) { return supertilesOf(supertiles(), times()) }

// modelled is the command that asks the model about a row of Table 6.2.
func modelled(row int) string {
	s := Supertiles()[row]
	command := fmt.Sprintf("domino performability cores --side %g --tile %gs --edge %gs --comm %gs",
		s.Program.Side, s.Program.Tile, s.Program.Edge, s.Program.Links[0].Tile)
	if s.Program.LogTile > 0 {
		command += fmt.Sprintf(" --log-tile %gs --log-edge %gs --log-comm %gs",
			s.Program.LogTile, s.Program.LogEdge, s.Program.Links[0].Log)
	}
	return command
}

// supertilesOf reads the rows of the table and of the figure.
func supertilesOf(table, figure sheet) (rows []Supertile) {
	for _, name := range tilePrograms {
		rows = append(rows, Supertile{Name: name, Efficiency: table.number(name, desired) / 100,
			K: table.number(name, superSide), Cores: int(table.number(name, coreCount)),
			Program: performability.Program{Side: table.number(name, side), Dim: 2, Iterations: 1,
				Ratio: table.number(name, ratio), Times: performability.Times{
					Tile: figure.number(name, tile), LogTile: figure.number(name, tileLog),
					Edge: figure.number(name, edgeTile), LogEdge: figure.number(name, edgeLog),
					Links: []performability.Link{{Tile: figure.number(name, wire),
						Log: figure.number(name, wireLog)}}}}})
	}
	return rows
}

// Plain is the program without logging.
func (s *Supertile) Plain() performability.Program {
	p := s.Program
	p.LogTile, p.LogEdge, p.Ratio = 0, 0, 0
	p.Links = []performability.Link{{Tile: s.Program.Links[0].Tile}}
	return p
}

// Overhead is what logging adds to an iteration with supertiles of a size, %, Eq 5.7.
func (s *Supertile) Overhead(k float64) (float64, error) {
	plain := s.Plain()
	with, err := s.Program.Keeping(k, s.Cores)
	without, wrong := plain.Keeping(k, s.Cores)
	return 100 * (with.Iteration()/without.Iteration() - 1), cmp.Or(err, wrong)
}

// radicSupertiles is Table 5.1 or 6.2, with so many rows.
func radicSupertiles(id, where string, rows int) Claim {
	values := supertiles()
	values = values[:rows*len(values)/len(tilePrograms)]
	c := Claim{ID: id, Where: where, Method: Arithmetic,
		Says:    "supertile and cores that keep an efficiency, and what efficiency was obtained",
		Command: modelled(0), Values: values}
	figure := sheet(times())
	c.Make = making(func() (got []Got, err error) {
		whole := supertiles()
		copy(whole, values)
		table := supertilesOf(whole, figure)
		for i, name := range tilePrograms[:rows] {
			cores, err := coresOf(table, i)
			plan, wrong := performability.Solve(table[i].Program, table[i].Efficiency,
				performability.Machine{})
			if err = cmp.Or(err, wrong); err != nil {
				return nil, err
			}
			got = append(got,
				Got{Row: name, Name: perTile, Number: figure.number(name, perTile),
					Why: "as in Fig 6.11"},
				Got{Row: name, Name: comm, Number: figure.number(name, comm),
					Why: "as in Fig 6.11"},
				lambda(values, name),
				Got{Row: name, Name: superSide, Number: plan.Ideal,
					// K changes by less than effic lambda does
					Rounding: table[i].Efficiency * values.half(name, ratio)}, cores,
				Got{Row: name, Name: missed,
					Number: math.Abs(values.number(name, obtained) - values.number(name, desired))})
			followed, err := table[i].Program.Simulate(table[i].Cores)
			if err != nil {
				return nil, err
			}
			got = append(got, Got{Row: name, Name: obtained, Number: 100 * followed.Efficiency,
				Why: onGrid(followed.Layout)})
		}
		return got, nil
	})
	return c
}

// onGrid says how efficiencies of ours come about.
func onGrid(layout []int) string {
	return fmt.Sprintf("a model with the times of Fig 6.11, in which %dx%d cores have whole tiles "+
		"and wait for what their neighbours send: where cores are no square, faces are longer",
		layout[0], layout[1])
}

// lambda is Eq 5.5 with what the row prints of times, which is rounded.
func lambda(s sheet, row string) Got {
	const above, below = comm, perTile
	number := s.number(row, above) / s.number(row, below)
	return Got{Row: row, Name: ratio, Number: number, Why: above + " / " + below,
		Rounding: number * (s.share(row, above) + s.share(row, below))}
}

// coresOf rounds the cores of a row, by the rounding that meets most rows of the table: none meets
// all.
func coresOf(table []Supertile, row int) (Got, error) {
	roundings := []struct {
		name string
		by   func(float64) float64
	}{{"rounded down", math.Floor}, {"rounded", math.Round}, {"rounded up", math.Ceil}}
	var exact []float64
	for _, t := range table {
		plan, err := performability.Solve(t.Program, t.Efficiency, performability.Machine{})
		if err != nil {
			return Got{}, err
		}
		exact = append(exact, plan.Exact)
	}
	best, most := roundings[0], -1
	for _, r := range roundings {
		met := 0
		for i, t := range table {
			if r.by(exact[i]) == float64(t.Cores) {
				met++
			}
		}
		if met > most {
			best, most = r, met
		}
	}
	g := Got{Row: table[row].Name, Name: coreCount, Number: best.by(exact[row]),
		Why: fmt.Sprintf("%.2f %s", exact[row], best.name)}
	if most < len(table) {
		g.Why += fmt.Sprintf(": no rounding meets more than %d of %d rows", most, len(table))
	}
	return g, nil
}
