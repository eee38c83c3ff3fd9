package papers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/domino-check/domino/impl/performability"
	"github.com/domino-check/domino/impl/runtime/compare"
)

// hydeeFr is [HydEE-fr].
func hydeeFr() Paper {
	return Paper{Name: "hydee-fr", Key: "HydEE-fr", Claims: []Claim{
		hydeeFrMost(),
		{ID: "io-50", Where: "section 2.4", Method: None,
			Values: []Value{{Name: "time for checkpoints", Unit: "%", Printed: "50"}},
			Says:   "nearly half of the time of a larger machine may go to checkpoints",
			Why:    "cited, without the parameters of its model"},
		hydeeFrCompared("table-1", "Tableau 1", "seven flat protocols by six properties",
			"1", time.Minute),
		hydeeFrCompared("table-2", "Tableau 2", "five hierarchical protocols by six properties",
			"2", time.Minute),
		{ID: "table-3", Where: "Tableau 3", Method: Data,
			Says: "the applications by what they compute; MILC, CAM and IMPACT are not measured"},
		{ID: "eq-1", Where: "equation 1", Method: Data, Says: "cost = alpha L + beta R",
			Command: "domino plan lu class=D ranks=1024"},
		hydeeFrAlpha(),
		hydeeFrBeta(),
		hydeeFrFigure1(), hydeeFrFigure2(), hydeeFrTable4(),
	}}
}

// hydeeFrCompared is a table of which every cell is measured in modelled time, for each protocol
// that a row is about.
func hydeeFrCompared(id, where, says, table string, takes time.Duration) Claim {
	c := Claim{ID: id, Where: where, Says: says, Method: Simulated, Takes: takes,
		Why:     "in modelled time, with thousands of runs",
		Command: "domino compare --tables " + table}
	var rows []compare.Row
	for _, r := range compare.Rows() {
		if r.Table != table || strings.HasPrefix(r.Paper, "[") {
			continue
		}
		rows = append(rows, r)
		for i, words := range compare.Words(r) {
			c.Values = append(c.Values, Value{Row: r.Paper + ": " + r.Protocol,
				Name: compare.Columns[i], Printed: words})
		}
	}
	c.Long = func(ctx context.Context, b *Bench) (got []Got, err error) {
		if b.Compare == nil {
			return nil, fmt.Errorf("protocols in modelled time: %w", ErrAbsent)
		}
		agrees := map[[2]string]string{} // by row and column, a protocol that does as printed
		for _, r := range rows {
			s, err := b.Compare(ctx, r)
			if err != nil {
				return nil, err
			}
			for i := range s.Cells {
				got = append(got, compared(r.Paper+": "+r.Protocol, &s.Cells[i]))
				if s.Cells[i].Verdict == compare.Same {
					agrees[[2]string{r.Paper, s.Cells[i].Column}] = r.Protocol
				}
			}
		}
		for i := range got { // a row is about a class: one protocol of it does not contradict
			paper, _, _ := strings.Cut(got[i].Row, ": ")
			if other := agrees[[2]string{paper, got[i].Name}]; other != "" {
				got[i].Doubt = other + " does as printed"
			}
		}
		return got, nil
	}
	return c
}

// compared is a cell as it was measured.
func compared(row string, c *compare.Cell) Got {
	g := Got{Row: row, Name: c.Column, Text: c.Says, Why: c.Figures}
	switch c.Verdict {
	case compare.Unmeasured:
		g.Text, g.Status, g.Why = "", Unclear, "not measured: "+c.Why
	case compare.Contrary:
		g.Text = c.Value
		if c.Shows != "" {
			g.Why += "; domino compare --run '" + c.Shows + "'"
		}
	}
	return g
}

// kernel reports whether a row is one of those whose programs are public; the others are
// data.
func kernel(row string) bool {
	return slices.Contains([]string{"BT", "CG", "FT", "LU", "MG", "SP"}, row)
}

// hydeeFrTable4 is Tableau 4, on 1,024 ranks, of which bytes of SPECFEM3D are not printed.
func hydeeFrTable4() Claim {
	printed := table([]Value{{Name: clusters}, {Name: smallest}, {Name: largest},
		{Name: rolledBack, Unit: "%"}, {Name: logged, Unit: "GB"}, bytesIn,
		{Name: share, Unit: "%"}},
		"BT 8 123 133 12.5 201 1635 12.3", "CG 32 32 32 3.1 910 5606 16.2",
		"FT 2 502 522 50 432 864 50", "LU 16 64 64 6.25 67 700 9.7",
		"MG 8 128 128 12.5 20 107 18.5", "SP 8 123 133 12.5 366 2989 12.2")
	others := table([]Value{{Name: processes, Method: Data}, {Name: clusters}, {Name: smallest},
		{Name: largest}, {Name: rolledBack, Unit: "%"}, {Name: logged, Unit: "GB"},
		{Name: inAll, Unit: "GB"}, {Name: share, Unit: "%"}},
		"GTC 512 16 32 32 6.25 240 3654 6.6", "LAMMPS 1024 8 127 129 12.5 0.3 4 7.6",
		"MAESTRO 1024 4 252 259 25 55 309 17.7", "Nbody 1024 30 31 61 3.5 80 2733 2.9",
		"PARATEC 1024 13 64 128 8.5 2262 23914 9.4",
		"SPECFEM3D 1215 14 76 152 7.80 - - 11.12")
	find(printed, "LU", inAll).Tolerance = 5
	find(printed, "LU", inAll).Why = "rounded to tens: the share printed beside it is of 697"
	find(printed, "MG", share).Tolerance = .2
	find(printed, "MG", share).Why = "by formulas for the kernel, of 20 GB printed without decimals"
	values := tabled(printed, "CG", "LU", "MG")
	rest := hydeeFrOthers(others)
	return Claim{ID: "table-4", Where: "Tableau 4, section 6.3", Method: Graph,
		Values:  slices.Concat(values, rest),
		Says:    "clusters of twelve applications, six of them kernels of class D, 1,024 processes",
		Why:     "GTC ran on 512 processes, SPECFEM3D on 1,215; N-body is a ring",
		Command: "domino plan lu class=D ranks=1024 --method bisection",
		Make: func(ctx context.Context, b *Bench) ([]Got, error) {
			got, err := b.tabled(ctx, values, 1024)
			if err != nil {
				return nil, err
			}
			turn, err := b.row(ctx, rest, ring, 1024)
			for _, v := range rest {
				switch {
				case v.Name == ofBytes:
					got = append(got, shareOf(rest, v.Row))
				case v.Name == ofSizes:
					got = append(got, sizesOf(rest, v.Row))
				case v.Row != ring && v.Method != Data || v.Name == logged || v.Name == inAll:
					got = append(got, Got{Row: v.Row, Name: v.Name, Status: NotHere, Why: v.Why})
				}
			}
			for _, g := range turn {
				if g.Name != logged && g.Name != inAll {
					got = append(got, g)
				}
			}
			return got, err
		}}
}

// ring is the row whose bytes are not known, and whose shape is.
const ring = "Nbody"

// hydeeFrOthers are the rows of programs that are no kernels, each with what its own numbers must
// meet.
func hydeeFrOthers(printed []Value) (values []Value) {
	for i, v := range printed {
		switch {
		case v.Method == Data:
		case v.Row != ring:
			v.Method, v.Why = None, "the traffic of this program is not public"
		case v.Name == logged || v.Name == inAll:
			v.Method, v.Why = None, "how many bodies there are is not printed"
		default:
			v.Shown, v.Why = true, "other plans cost as much, or less"
		}
		values = append(values, v)
		if i+1 < len(printed) && printed[i+1].Row == v.Row {
			continue
		}
		if v.Row != "SPECFEM3D" {
			values = append(values, Value{Row: v.Row, Name: ofBytes, Printed: yes,
				Method: Arithmetic})
		}
		values = append(values, Value{Row: v.Row, Name: ofSizes, Printed: yes,
			Method: Arithmetic})
		if v.Row == ring {
			values = append(values, Value{Row: v.Row, Name: costs, Printed: yes})
		}
	}
	return values
}

// sizesOf compares what rolls back with the sizes of the clusters: one has the least, one the most,
// and the others are as equal, or as unequal, as these let them be.
func sizesOf(s sheet, row string) Got {
	n, k := s.number(row, processes), s.number(row, clusters)
	least, most := s.number(row, smallest), s.number(row, largest)
	left, others := n-least-most, k-2
	ends := least*least + most*most
	low := ends + left*left/max(others, 1)
	high := low
	if most > least {
		large := (left - others*least) / (most - least) // of the others
		high = ends + large*most*most + (others-large)*least*least
	}
	low, high = 100*low/n/n, 100*high/n/n
	v := s.at(row, rolledBack)
	q := Got{Number: (low + high) / 2, Rounding: (high - low) / 2}
	return Got{Row: row, Name: ofSizes, Text: word(v.meets(&q) == Reproduced),
		Why: fmt.Sprintf("clusters of these sizes roll back %.2f to %.2f %%, printed %s", low, high,
			v.Printed)}
}

// hydeeFrMost is the sentence of the abstract, by the table.
func hydeeFrMost() Claim {
	most := Value{Name: "less than 15 % roll back and are logged", Printed: "la plupart"}
	return Claim{ID: "abstract-15", Where: "abstract, section 6.3", Method: Arithmetic,
		Values: []Value{most}, Why: "most: more than half of the rows of Tableau 4",
		Says: "of most applications less than 15% is logged, and less than 15% rolls back",
		Make: making(func() ([]Got, error) {
			return []Got{limitedIn(hydeeFrTable4().Values, &most)}, nil
		})}
}

// hydeeFrFigure1 is the execution, under the algorithms of this paper, which differ.
func hydeeFrFigure1() Claim {
	printed := Value{Row: "as printed", Name: "a restart ends well", Printed: yes}
	repaired := Value{Row: "repaired", Name: "a restart ends well", Printed: yes}
	return Claim{ID: "fig-1", Where: "Figure 1, section 5.2", Method: Explored,
		Values: []Value{printed, repaired},
		Says:   "an execution of eight processes in three groups, and its restart",
		Why: "as printed, algorithms 2 to 4 are explored on two processes, where one run is " +
			"enough; " + reconstructed,
		Command: "domino check published-fr s0-cluster2",
		Make: func(ctx context.Context, b *Bench) ([]Got, error) {
			g, err := explored(ctx, b, &printed, "published-fr")
			if err != nil {
				return nil, err
			}
			again, err := explored(ctx, b, &repaired, "s0-cluster2")
			return []Got{g, again}, err
		}}
}

// hydeeFrFigure2 is what the text says of phases in that execution.
func hydeeFrFigure2() Claim {
	// line 4 of Algorithm 1: the phase of whoever has received nothing
	const initial = 0
	first := Value{Row: "m1", Name: "by Algorithm 1", Printed: "1", Method: Arithmetic}
	return Claim{ID: "fig-2", Where: "Figure 2, section 5.2", Method: Explored,
		Values: append(table([]Value{{Name: phase}}, "m1 1", "m7 3"), first),
		Says:   "phases after a failure: m7 waits for m3, m1 for nothing",
		Why:    reconstructed, Command: "domino check s0-free",
		Make: func(ctx context.Context, b *Bench) ([]Got, error) {
			got, err := phases(ctx, b, "s0-free", map[string]string{"m1": "m1", "m7": "m7"}, nil)
			return append(got, Got{Row: first.Row, Name: first.Name, Number: initial,
				Why: "line 4 begins with phase 0, and m1 is sent before anything is received"}), err
		}}
}

// hydeeFrBeta is what failures cost of a day.
func hydeeFrBeta() Claim {
	const day, halfHour = 24 * 60 * 60, 30 * 60
	job := performability.Job{MTBF: day, Checkpoint: halfHour, Restart: halfHour}
	beta := Value{Name: "lost to a failure", Unit: "% of a day", Printed: "12.4"}
	return Claim{ID: "beta", Where: "section 6.2", Method: Arithmetic, Values: []Value{beta},
		Says: "a failure a day, half an hour for a checkpoint and as much for a restart, at the " +
			"interval of Daly",
		Command: "domino performability paper",
		Make: making(func() ([]Got, error) {
			part := func(interval float64) float64 { return 100 * job.Lost(interval) / day }
			return []Got{{Name: beta.Name, Number: part(job.Daly()), Why: fmt.Sprintf(
				"%.3f %% at %.2f minutes; %.2f %% by his higher order, %.2f %% by Young; without "+
					"the time of checkpoints, %.1f %%", part(job.Daly()), job.Daly()/60,
				part(job.DalyHigher()), part(job.Young()),
				100*halfHour/(job.Daly()+halfHour))}}, nil
		})}
}
