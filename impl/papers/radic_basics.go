package papers

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/domino-check/domino/impl/performability"
	architecture "github.com/domino-check/domino/impl/protocol/radic"
)

// radicBasics are chapters 1 to 3.
func radicBasics() []Claim {
	return []Claim{
		figure("fig-1.1", "1.1", "sender-based logging", "fig2.5-sbml"),
		figure("fig-1.2", "1.1", "receiver-based logging", "fig4.3-rbml"),
		radicExpected(),
		figure("fig-1.4", "1.4.1", "hybrid logging", "fig4.3-hmpl"),
		drawing("fig-2.1", "2.1.1", "nodes of two cores"),
		drawing("fig-2.2", "2.1.1", "a cluster of nodes of four cores"),
		radicAvailability(),
		{ID: "40-80", Where: "2.2", Method: Data, Why: "cited, of Los Alamos in nine years",
			Says: "nodes cause 40 to 80 % of the incidents",
			Values: []Value{{Row: "nodes", Name: "at least", Unit: "%", Printed: "40"},
				{Row: "nodes", Name: "at most", Unit: "%", Printed: "80"}}},
		drawing("fig-2.3", "2.2", "the kinds of rollback recovery"),
		figure("fig-2.4", "2.2.2", "coordinated checkpoints: all roll back", "coordinated"),
		figure("fig-2.5", "2.2.3", "uncoordinated checkpoints: with a log only the failed process "+
			"rolls back", "fig2.5-sbml", "fig2.5-rbml", "fig2.5-hmpl"),
		figure("fig-2.6", "2.2.4", "messages in transit, lost, delayed, duplicate and orphan",
			"fig2.6-sbml"),
		drawing("fig-2.7", "2.3.2", "protectors and observers"),
		figure("fig-2.8", "2.3.3", "node 7 fails, and a spare takes its processes",
			"radic-figure-2-8"),
		{ID: "table-2.1", Where: "2.3.2", Says: "the tasks of protector and observer",
			Method: Data, Why: "which message does what: domino list claims"},
		drawing("fig-2.9", "2.3.4", "layers of fault tolerance"),
		drawing("fig-2.10", "2.3.4", "protectors are divided into threads"),
		radicSystems(),
	}
}

// radicExpected is Fig 1.3, which ranks the protocols.
func radicExpected() Claim {
	const quiet, failing = "without a failure hybrid beats receiver-based",
		"with one receiver-based recovers as fast as hybrid"
	c := Claim{ID: "fig-1.3", Where: "1.3", Method: Arithmetic,
		Says: "sender-based logging is fastest without a failure, receiver-based with one; " +
			"hybrid logging is near the better of them",
		Command: "domino cluster perf --protocols none,sbml,rbml,hmpl",
		Values: []Value{
			sentence(quiet, so, None),
			sentence("without a failure sender-based beats hybrid", so, Modelled),
			sentence(failing, so, None),
			sentence("with one receiver-based beats sender-based", so, Modelled),
		}}
	breakdown := sheet(radicBreakdown().Values)
	c.Make = func(ctx context.Context, b *Bench) ([]Got, error) {
		faster, slower := true, true
		for _, bench := range radicBenches {
			before := func(technique string) float64 {
				return breakdown.number(preCheckpoint, bench+technique)
			}
			faster = faster && before(hybrid) < before(receiver)
			slower = slower && recovering(breakdown, bench+receiver) <=
				recovering(breakdown, bench+hybrid)
		}
		models, err := expected(ctx, b, c.Values[1], c.Values[3])
		models, err = orAbsent(models, err, c.Values[1], c.Values[3])
		return append(models, Got{Row: quiet, Name: so, Text: word(faster),
			Why: "Fig 6.5: the time to the checkpoint"},
			Got{Row: failing, Name: so, Text: word(slower),
				Why: "Fig 6.5: image and log to the spare, restart, consuming the log"}), err
	}
	return c
}

// radicAvailability is Eq 2.1.
func radicAvailability() Claim {
	const closed, drawn = "in closed form", "of a drawn history, within 1 %"
	c := Claim{ID: "eq-2.1", Where: "2.1.3", Says: "availability is MTTF / (MTTF + MTTR)",
		Method: Arithmetic, Command: "domino performability spares --nodes 1 --mttf 100h --mttr 5h",
		Values: []Value{sentence(closed, so, None), sentence(drawn, so, None)}}
	c.Make = making(func() ([]Got, error) {
		equal, near := true, true
		for i, mttr := range []float64{.01, .1, 1, 10} {
			pool := performability.Pool{Nodes: 1, MTTF: 1, MTTR: mttr}
			formula := pool.MTTF / (pool.MTTF + pool.MTTR)
			service, err := pool.Serve()
			history, wrong := pool.Sample(200_000, uint64(i))
			if err = cmp.Or(err, wrong); err != nil {
				return nil, err
			}
			equal = equal && math.Abs(service.Available-formula) < 1e-12
			near = near && math.Abs(history.Available/formula-1) < .01
		}
		return []Got{{Row: closed, Name: so, Text: word(equal)},
			{Row: drawn, Name: so, Text: word(near),
				Why: "200000 failures and repairs of a node"}}, nil
	})
	return c
}

// radicSystems is Table 3.1, and what the text of 3.3.2 says of the same systems.
func radicSystems() Claim {
	c := Claim{ID: "table-3.1", Where: "3.3.2", Says: "RADIC and seven other systems",
		Method: Data, Command: "domino list claims",
		Why: "judged is what the text says of the same systems"}
	for _, s := range architecture.Systems() {
		c.Values = append(c.Values, line([]string{"logging", "decentralised", "checkpoint",
			"storage", "transparent", "automatic", "spares"}, Value{Row: s.Name},
			s.Logging, s.Decentralised, s.Checkpoint, s.Storage, s.Transparent, s.Automatic,
			s.Spares)...)
	}
	// what the text says, and where; "" where it is silent on what the table has
	said := []struct{ row, name, text, quote string }{
		{"OPEN-MPI", "checkpoint", "coordinated", "an implementation of coordinated checkpoint"},
		{"OPEN-MPI", "automatic", no, "operators or programmers are responsible for restarts"},
		{"MPICH-V", "storage", "central", "centralized checkpoint servers"},
		{"MPICH-V", "logging", "several", "V1 receiver-based, V2 sender-based, Vcausal causal"},
		{"FT-Pro", "storage", "central", "it demands a central stable storage"},
		{"FT-Pro", "checkpoint", "coordinated", "coordinated checkpoint"},
		{"FT-Pro", "spares", "predefined", "only works with an static number of spare nodes"},
		{"MPI/FT", "transparent", no, "a non-transparent solution"},
		{"MPI/FT", "spares", "predefined", "spare nodes taken from a pool"},
		{"LAM/MPI", "checkpoint", "coordinated", "using a coordinated checkpoint approach"},
		{"LAM/MPI", "automatic", no, "this procedure is neither automatic, nor transparent"},
		{"LAM/MPI", "transparent", no, "this procedure is neither automatic, nor transparent"},
		{"FT-MPI", "transparent", no, "such a solution is not transparent to the programmer"},
		{"FT-MPI", "spares", "", "the text says nothing of spares"},
		{"Starfish", "checkpoint", "uncoordinated or coordinated",
			"both coordinated and uncoordinated checkpoints strategies"},
		{"Starfish", "automatic", yes, "automatic restart"},
	}
	c.Make = making(func() (got []Got, err error) {
		for _, s := range said {
			g := Got{Row: s.row, Name: s.name, Text: s.text,
				Why: fmt.Sprintf("the text: %q", s.quote)}
			if s.text == "" {
				g = Got{Row: s.row, Name: s.name, Status: Unclear, Why: s.quote}
			}
			got = append(got, g)
		}
		return got, nil
	})
	return c
}
