package papers

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/domino-check/domino/impl/performability"
)

// radicTiles is 6.5.
func radicTiles() []Claim {
	return []Claim{radicTimes(), radicSupertiles("table-6.2", "6.5.2", len(tilePrograms)),
		radicStrong(), radicWeak(), radicOverhead()}
}

// radicTimes is Fig 6.11, whose sums are its own.
func radicTimes() Claim {
	figure := sheet(times())
	c := Claim{ID: "fig-6.11", Where: "6.5.2", Method: Arithmetic,
		Says: "what computing and sending a tile takes, and what logging adds", Values: figure}
	c.Make = making(func() (got []Got, err error) {
		for _, name := range tilePrograms {
			for _, sum := range [][3]string{{edge, edgeTile, edgeLog}, {perTile, tile, tileLog},
				{comm, wire, wireLog}} {
				got = append(got, Got{Row: name, Name: sum[0], Why: sum[1] + " + " + sum[2],
					Number:   figure.number(name, sum[1]) + figure.number(name, sum[2]),
					Rounding: figure.half(name, sum[1]) + figure.half(name, sum[2])})
				got = append(got, notHere(absolute, *figure.at(name, sum[1]),
					*figure.at(name, sum[2]))...)
			}
		}
		return got, nil
	})
	return c
}

// radicStrong is Fig 6.12: curves, of which the text has some numbers.
func radicStrong() Claim {
	const efficiency, ideal = "efficiency on 56 cores", "ideal cores"
	c := Claim{ID: "fig-6.12", Where: "6.5.2", Method: Arithmetic,
		Says: "with logging heat is 50 % efficient on 56 cores; Laplace without is to have about " +
			"54; towards 64 cores the speed-up with logging falls",
		Why: "curves; ours is the model's", Command: modelled(1) + " --cores 56",
		Values: []Value{
			{Row: heatFT, Name: efficiency, Unit: "%", Printed: "50", Tolerance: 2, Why: "about"},
			{Row: laplace, Name: ideal, Printed: "54", Tolerance: 1, Why: "about"},
			sentence("with FT the speed-up falls towards 64 cores", so, Modelled)}}
	c.Make = making(func() ([]Got, error) {
		rows := Supertiles()
		falls, err := falling(&rows[1].Program, c.Values[2])
		if err != nil {
			return nil, err
		}
		run, err := rows[1].Program.On(56)
		cores, wrong := coresOf(rows, 2)
		cores.Name = ideal
		return []Got{{Row: heatFT, Name: efficiency, Number: 100 * run.Efficiency,
				Why: "of the model: the share of the time in which a core computes"}, cores, falls},
			cmp.Or(err, wrong)
	})
	return c
}

// falling says whether a program is slower on 64 cores than on some fewer of them.
func falling(p *performability.Program, v Value) (Got, error) {
	var speeds []string
	most, last := 0., 0.
	for _, cores := range []int{16, 24, 32, 40, 48, 56, 64} {
		s, err := p.Simulate(cores)
		if err != nil {
			return Got{}, err
		}
		most, last = max(most, s.Speedup), s.Speedup
		speeds = append(speeds, fmt.Sprintf("%d: %.1f", cores, s.Speedup))
	}
	return Got{Row: v.Row, Name: v.Name, Text: word(last < most), Why: "speed-up by cores, which " +
		"wait for their neighbours, without contention: " + strings.Join(speeds, ", ")}, nil
}

// The rows of 6.5.3.
var weak = []struct {
	row     int // of Table 6.2
	k, over string
}{{1, "204", "50"}, {3, "285", "45"}}

// radicWeak is Fig 6.13: supertiles of one size on more and more cores.
func radicWeak() Claim {
	const size, error5 = "K on 24 cores", "error of the prediction"
	c := Claim{ID: "fig-6.13", Where: "6.5.3", Method: Arithmetic,
		Says: "supertiles of 204 and of 285 tiles a side keep 75 and 85 % efficiency, but 5 points",
		Why:  "curves; the error is of runs on their machine, ours of a model"}
	for _, w := range weak {
		c.Values = append(c.Values, Value{Row: tilePrograms[w.row], Name: size, Unit: "tiles",
			Printed: w.k, Cut: true, Why: "that of Laplace is not rounded"},
			Value{Row: tilePrograms[w.row], Name: error5, Unit: "points", Printed: "5",
				Sense: AtMost, Method: Modelled})
	}
	c.Make = making(func() (got []Got, err error) {
		for _, w := range weak {
			s := Supertiles()[w.row]
			got = append(got, Got{Row: s.Name, Name: size, Why: "M / sqrt(Ncores)",
				Number: s.Program.Side / math.Sqrt(float64(s.Cores))})
			k, _ := (&Value{Printed: w.k}).Number()
			missed, err := missing(&s, k)
			if err != nil {
				return nil, err
			}
			missed.Name = error5
			got = append(got, missed)
		}
		return got, nil
	})
	return c
}

// missing is by how many points squares of cores, with supertiles of one size, miss the efficiency
// that was asked for, at most.
func missing(s *Supertile, k float64) (Got, error) {
	g := Got{Row: s.Name, Why: "of 16 to 64 cores that wait for their neighbours, without " +
		"contention, by the times of Fig 6.11"}
	for side := 4.; side <= 8; side++ {
		p := s.Program
		p.Side = k * side
		followed, err := p.Simulate(int(side * side))
		if err != nil {
			return g, err
		}
		g.Number = max(g.Number, 100*math.Abs(followed.Efficiency-s.Efficiency))
	}
	return g, nil
}

// radicOverhead is Fig 6.14: what the model of the thesis says of its own times.
func radicOverhead() Claim {
	const over = "overhead of logging"
	c := Claim{ID: "fig-6.14", Where: "6.5.3", Method: Arithmetic,
		Says:    "with supertiles of one size logging adds around 50 % to heat, 45 % to Laplace",
		Why:     "curves; the text has one number each",
		Command: modelled(1)}
	for _, w := range weak {
		c.Values = append(c.Values, Value{Row: tilePrograms[w.row], Name: over, Unit: "%",
			Printed: w.over, Tolerance: 5, Why: "around"})
	}
	c.Make = making(func() (got []Got, err error) {
		for i, w := range weak {
			s := Supertiles()[w.row]
			k, _ := (&Value{Printed: w.k}).Number()
			number, err := s.Overhead(k)
			if err != nil {
				return nil, err
			}
			got = append(got, Got{Row: c.Values[i].Row, Name: over, Number: number,
				Why: fmt.Sprintf("%.1f %%, by Eq 5.7 with the times of Fig 6.11 and K %s", number,
					w.k)})
		}
		return got, nil
	})
	return c
}
