package papers

import (
	"fmt"
	"math"

	"github.com/domino-check/domino/impl/performability"
)

// radicModel is 5.3.
func radicModel() []Claim {
	equation := func(number, says string) Claim {
		return Claim{ID: "eq-" + number, Where: "5.3", Says: says, Method: Data,
			Why: "a definition; Fig 6.11 and Table 6.2 use it"}
	}
	return []Claim{
		drawing("fig-5.9", "5.3", "SPMD programs on multicore nodes: slow links make others idle"),
		drawing("fig-5.10", "5.3", "supertiles: edges first, then the inside beside communication"),
		radicTuned(),
		drawing("fig-5.12", "5.3", "supertiles under receiver-based logging"),
		drawing("fig-5.13", "5.3.1", "a pattern of communication"),
		drawing("fig-5.14", "5.3.1", "levels of communication in a cluster"),
		curve("fig-5.15", "what logging adds to messages by size and link"),
		equation("5.1", "Cpt_int = Cpt_tile + FTCpt_int"),
		equation("5.2", "Cpt_tile_ed = Pack_Unpack + Cpt_tile"),
		equation("5.3", "Cpt_ed = Cpt_tile_ed + FTCpt_ed"),
		curve("fig-5.16", "what logging adds to tiles of the heat program"),
		equation("5.4", "CommT = Comm_tile + FTComm"),
		equation("5.5", "lambda = CommT / Cpt_int"),
		radicProduct(),
		equation("5.7", "Tex = sum of EdComp + max(IntComp, EdComm); printed with a free index"),
		radicEdge(),
		equation("5.9", "IntComp = (K-2)^n Cpt_int"),
		equation("5.10", "EdComm = K^(n-1) max CommT"),
		radicBound("5.11", "communication takes at least internal computation by effic",
			func(comm, inner, effic float64) bool { return comm >= inner/effic }),
		radicBound("5.12", "communication takes at most internal computation",
			func(comm, inner, _ float64) bool { return comm <= inner }),
		radicRoot("5.13", "K^(n-1) lambda = (K-2)^n / effic", "is solved by K of Eq 5.14",
			func(k, x float64) bool { return math.Abs(k*x/((k-2)*(k-2))-1) < 1e-9 }),
		radicRoot("5.14", "K^2 - 4 K - effic lambda K + 4 = 0",
			"has one root that is a supertile", func(k, x float64) bool {
				other := 4 / k // the product of both is 4
				return math.Abs(k*k-(4+x)*k+4) < 1e-9*k*k && k > 2 && other < 2
			}),
		radicLinks(),
		drawing("fig-5.18", "5.3.3", "processes and loggers on cores"),
		drawing("fig-5.19", "5.3.4", "a summary of the method"),
		drawing("fig-5.20", "5.3.5", "a flowchart of the framework"),
		radicSupertiles("table-5.1", "5.3.6", 2),
	}
}

// curve is a figure of measured times without numbers in the text.
func curve(id, says string) Claim {
	return Claim{ID: id, Where: "5.3.1", Says: says, Method: None,
		Why: "a curve without numbers in the text; " + absolute}
}

// radicTuned is Fig 5.11: what a tuned program keeps.
func radicTuned() Claim {
	c := Claim{ID: "fig-5.11", Where: "5.3", Method: Arithmetic,
		Says: "the heat program tuned for an efficiency of 85 % has it",
		Why:  "curves; ours is the model's", Command: modelled(0) + " --efficiency 0.85",
		Values: []Value{{Name: "efficiency", Unit: "%", Printed: "85", Sense: AtLeast}}}
	c.Make = making(func() ([]Got, error) {
		wanted, _ := c.Values[0].Number()
		plan, err := performability.Solve(Supertiles()[0].Program, wanted/100,
			performability.Machine{})
		return []Got{{Name: "efficiency", Number: 100 * plan.Efficiency,
			Why: fmt.Sprintf("on %d cores", plan.Cores)}}, err
	})
	return c
}

// radicProduct is Eq 5.6, which is printed as a product, twice.
func radicProduct() Claim {
	table := supertiles()
	c := Claim{ID: "eq-5.6", Where: "5.3.2, 6.5.2", Says: "Ncores = M^n K^n", Method: Arithmetic,
		Command: modelled(0)}
	for _, name := range tilePrograms {
		c.Values = append(c.Values, *table.at(name, coreCount))
	}
	c.Make = making(func() (got []Got, err error) {
		for _, name := range tilePrograms {
			m, k := table.number(name, side), table.number(name, superSide)
			got = append(got, Got{Row: name, Name: coreCount, Number: m * m * k * k,
				Why: fmt.Sprintf("as printed, with M and ST of Table 6.2; M^n / K^n is %.2f",
					m*m/k/k)})
		}
		return got, nil
	})
	return c
}

// radicEdge is Eq 5.8, printed with ST, of which the tables have a column.
func radicEdge() Claim {
	const positive = "is a time with ST of Table 6.2"
	table, figure := supertiles(), sheet(times())
	c := Claim{ID: "eq-5.8", Where: "5.3.2", Method: Arithmetic,
		Says: "EdComp = (ST - (K-2)^n) Cpt_ed, where ST is the supertile size"}
	for _, name := range tilePrograms {
		c.Values = append(c.Values, sentence(name, positive, None))
	}
	c.Make = making(func() (got []Got, err error) {
		for _, name := range tilePrograms {
			k, each := table.number(name, superSide), figure.number(name, edge)
			time := (k - (k-2)*(k-2)) * each
			got = append(got, Got{Row: name, Name: positive, Text: word(time > 0),
				Why: fmt.Sprintf("%.3g s; with K^n for ST it is %.3g s", time,
					(k*k-(k-2)*(k-2))*each)})
		}
		return got, nil
	})
	return c
}

// radicBound is Eq 5.11 or 5.12, which the K that is found is to meet.
func radicBound(number, says string, meets func(comm, inner, effic float64) bool) Claim {
	const valid = "K of Table 6.2 meets it"
	table := supertiles()
	c := Claim{ID: "eq-" + number, Where: "5.3.2", Says: says, Method: Arithmetic}
	for _, name := range tilePrograms {
		c.Values = append(c.Values, sentence(name, valid, None))
	}
	c.Make = making(func() (got []Got, err error) {
		for _, name := range tilePrograms {
			// in units of Cpt_int
			k, effic := table.number(name, superSide), table.number(name, desired)/100
			comm, inner := k*table.number(name, ratio), (k-2)*(k-2)
			got = append(got, Got{Row: name, Name: valid, Text: word(meets(comm, inner, effic)),
				Why: fmt.Sprintf("communication takes %.4f times the internal computation; "+
					"1 / effic is %.4f", comm/inner, 1/effic)})
		}
		return got, nil
	})
	return c
}

// radicRoot is a sentence about the K that the model finds for each row of Table 6.2; x is effic
// lambda.
func radicRoot(number, says, name string, holds func(k, x float64) bool) Claim {
	c := Claim{ID: "eq-" + number, Where: "5.3.2", Says: says, Method: Arithmetic,
		Command: modelled(0)}
	for _, row := range tilePrograms {
		c.Values = append(c.Values, sentence(row, name, None))
	}
	c.Make = making(func() (got []Got, err error) {
		for _, t := range Supertiles() {
			plan, err := performability.Solve(t.Program, t.Efficiency, performability.Machine{})
			if err != nil {
				return nil, err
			}
			got = append(got, Got{Row: t.Name, Name: name,
				Text: word(holds(plan.Ideal, t.Efficiency*plan.Lambda)),
				Why:  fmt.Sprintf("K is %.4f", plan.Ideal)})
		}
		return got, nil
	})
	return c
}

// radicLinks is Fig 5.17 and its text: how many messages an iteration cross nodes.
func radicLinks() Claim {
	const name = "communications over the slow link"
	layouts := []struct {
		row, printed                string
		width, height, across, down int // processes; of a node
	}{
		{"two nodes, in sequence", "16", 8, 2, 8, 1},
		{"two nodes, in blocks", "4", 8, 2, 4, 2},
		{"32 nodes, in sequence", "512", 16, 16, 8, 1},
		{"32 nodes, in blocks", "320", 16, 16, 4, 2},
	}
	c := Claim{ID: "fig-5.17", Where: "5.3.3", Method: Graph,
		Says: "blocks of processes have fewer neighbours in other nodes than processes in sequence"}
	for _, l := range layouts {
		c.Values = append(c.Values, Value{Row: l.row, Name: name, Printed: l.printed})
	}
	c.Make = making(func() (got []Got, err error) {
		for _, l := range layouts {
			got = append(got, Got{Row: l.row, Name: name,
				Number: float64(crossing(l.width, l.height, l.across, l.down)),
				Why: fmt.Sprintf("%d x %d processes, %d x %d a node", l.width, l.height, l.across,
					l.down)})
		}
		return got, nil
	})
	return c
}

// crossing counts the messages to neighbours in other nodes, of a grid of processes, each of which
// sends one to each neighbour; a node has a rectangle of them.
func crossing(width, height, across, down int) (messages int) {
	node := func(x, y int) [2]int { return [2]int{x / across, y / down} }
	for x := range width {
		for y := range height {
			if x+1 < width && node(x, y) != node(x+1, y) {
				messages += 2
			}
			if y+1 < height && node(x, y) != node(x, y+1) {
				messages += 2
			}
		}
	}
	return messages
}
