package papers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/performability"
)

// hydeeFr is [HydEE-fr].
func hydeeFr() Paper {
	return Paper{Name: "hydee-fr", Key: "HydEE-fr", Claims: []Claim{
		hydeeFrMost(),
		{ID: "io-50", Where: "section 2.4", Method: None,
			Values: []Value{{Name: "time for checkpoints", Unit: "%", Printed: "50"}},
			Says:   "nearly half of the time of a larger machine may go to checkpoints",
			Why:    "cited, without the parameters of its model"},
		hydeeFrCompared("table-1", "Tableau 1", "seven flat protocols by six properties", "1"),
		hydeeFrCompared("table-2", "Tableau 2", "five hierarchical protocols by six properties",
			"2"),
		{ID: "table-3", Where: "Tableau 3", Method: Data,
			Says: "the applications by what they compute; MILC, CAM and IMPACT are not measured"},
		{ID: "eq-1", Where: "equation 1", Method: Data, Says: "cost = alpha L + beta R",
			Command: "domino plan lu class=D ranks=1024"},
		{ID: "alpha", Where: "section 6.2", Method: Measured,
			Values: []Value{{Name: "mean cost of logging", Unit: "%", Printed: "23"}},
			Says:   "what logging costs of latency and bandwidth, in the mean",
			Why: "of their network; fig-5 of hydee says that logging costs nothing, only what is " +
				"piggybacked does",
			Command: "domino cluster netpipe --protocols none,hydee-2"},
		hydeeFrBeta(),
		hydeeScenarios("fig-1", "Figure 1", "phases without a failure", "s0-free"),
		hydeeScenarios("fig-2", "Figure 2", "what is sent again after a failure", "s1", "s2", "s3"),
		hydeeFrTable4(),
	}}
}

// hydeeFrCompared is a table of which every cell is measured in modelled time, in minutes.
func hydeeFrCompared(id, where, says, table string) Claim {
	return Claim{ID: id, Where: where, Says: says, Method: Simulated,
		Why:     "in modelled time, minutes for each table",
		Command: "domino compare --tables " + table}
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
	others := table([]Value{{Name: clusters}, {Name: smallest}, {Name: largest},
		{Name: rolledBack, Unit: "%"}, {Name: logged, Unit: "GB"}, {Name: inAll, Unit: "GB"},
		{Name: share, Unit: "%"}},
		"GTC 16 32 32 6.25 240 3654 6.6", "LAMMPS 8 127 129 12.5 0.3 4 7.6",
		"MAESTRO 4 252 259 25 55 309 17.7", "Nbody 30 31 61 3.5 80 2733 2.9",
		"PARATEC 13 64 128 8.5 2262 23914 9.4", "SPECFEM3D 14 76 152 7.80 - - 11.12")
	find(printed, "LU", inAll).Tolerance = 5
	find(printed, "LU", inAll).Why = "rounded to tens: the share printed beside it is of 697"
	find(printed, "MG", share).Tolerance = .2
	find(printed, "MG", share).Why = "by formulas for the kernel, of 20 GB printed without decimals"
	for i := range others {
		others[i].Method, others[i].Why = None, "the traffic of this program is not public"
	}
	values := tabled(printed, "CG", "LU", "MG")
	all := slices.Concat(values, others)
	var shares []Value // of the others, which their own bytes must make
	c := Claim{Values: others}
	for _, row := range c.Rows() {
		if row != "SPECFEM3D" {
			shares = append(shares, Value{Row: row, Name: ofBytes, Printed: yes,
				Method: Arithmetic})
		}
	}
	all = append(all, shares...)
	return Claim{ID: "table-4", Where: "Tableau 4", Method: Graph, Values: all,
		Says:    "clusters of twelve applications, six of them kernels of class D, 1,024 processes",
		Command: "domino plan lu class=D ranks=1024 --method bisection",
		Make: func(ctx context.Context, b *Bench) ([]Got, error) {
			got, err := b.tabled(ctx, values, 1024)
			for _, v := range others {
				got = append(got, Got{Row: v.Row, Name: v.Name, Status: NotHere, Why: v.Why})
			}
			for _, v := range shares {
				got = append(got, shareOf(others, v.Row))
			}
			return got, err
		}}
}

// hydeeFrMost is the sentence of the abstract, by the table.
func hydeeFrMost() Claim {
	most := Value{Name: "less than 15 % roll back and are logged", Printed: "most applications"}
	return Claim{ID: "abstract-15", Where: "abstract, section 6.3", Method: Arithmetic,
		Values: []Value{most},
		Says:   "of most applications less than 15% is logged, and less than 15% rolls back",
		Make: making(func() ([]Got, error) {
			values := hydeeFrTable4().Values
			rows := rowsOf(values, func(sheet, string) bool { return true })
			met := rowsOf(values, limited)
			g := Got{Name: most.Name, Text: fmt.Sprintf("%d of %d", len(met), len(rows)),
				Why: fmt.Sprintf("%d of %d: %s", len(met), len(rows), strings.Join(met, ", "))}
			if 2*len(met) > len(rows) {
				g.Text = most.Printed
			}
			return []Got{g}, nil
		})}
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
