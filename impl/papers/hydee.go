package papers

import (
	"context"
	"fmt"
	"strings"
)

// hydee is [HydEE].
func hydee() Paper {
	return Paper{Name: "hydee", Key: "HydEE", Claims: []Claim{
		hydeeOverhead(),
		hydeeTypical(),
		{ID: "fig-1", Where: "Figure 1", Method: Data,
			Says: "the events of the reception of a message by an MPI process"},
		{ID: "fig-2", Where: "Figure 2", Method: Data,
			Says: "the events of sending a message by an MPI process"},
		hydeeScenarios("fig-3", "Figure 3", "eight processes in three clusters, of which one "+
			"fails or none", "s0-free", "s0-cluster3"),
		hydeeFigure4(),
		{ID: "alg-messages", Where: "Algorithms 1 to 4", Method: Data,
			Says: "the messages of a recovery", Why: "no figures are printed"},
		hydeeProperty("lemma-1", "phase-order", "phases do not fall along causality"),
		hydeeProperty("lemma-2", "line-consistent", "orphans are between clusters"),
		hydeeProperty("lemma-3", "phase-order", "what follows from an orphan has a later phase"),
		hydeeProved("lemma-4", "Lemma 4", "a message has one phase in all executions", "H16"),
		hydeeProperty("lemma-5", "causal-replay", "between two sends of a recovery of which one "+
			"depends on the other is an orphan"),
		hydeeProved("thm-1", "Theorem 1", "no message leaves before what it depends on", "H10"),
		hydeeProved("thm-2", "Theorem 2", "every orphan is sent again", "H5", "H11a", "H11b"),
		hydeeTable1(), hydeeAt1024(),
		hydeeFigure5(), hydeeFigure6(),
		hydeeBurst(),
	}}
}

// reconstructed says what is explored of figures.
const reconstructed = "the drawings are not in the text: who sends m1 to m8 to whom is " +
	"reconstructed from what it says of them"

// phase is the column of phases of messages and processes.
const phase = "phase"

// hydeeFigure4 is what the text says of phases in the execution of Figure 3, and of what waits.
func hydeeFigure4() Claim {
	values := table([]Value{{Name: phase}}, "p2 2", "p3 2", "p5 3", "p6 3", "p7 3", "m3 2", "m7 3")
	waits := []Value{{Row: "cluster 2 fails", Name: "m7 waits for m3", Printed: yes},
		{Row: "clusters 2 and 3 fail", Name: "m7 waits for m3", Printed: yes}}
	c := hydeeScenarios("fig-4", "Figure 4, section III-B", "the phases of messages, and which "+
		"wait for which after a failure", "s0-cluster2", "s0-both")
	c.Values = append(values, waits...)
	c.Make = func(ctx context.Context, b *Bench) ([]Got, error) {
		// the phase of a process is that of what it sends next, or at the end
		got, err := phases(ctx, b, "s0-free", map[string]string{"p2": "m2", "p3": "m3",
			"p5": "m4", "p7": "m7", "m3": "m3", "m7": "m7"}, []string{"p6"})
		for i, scenario := range []string{"s0-cluster2", "s0-both"} {
			if err != nil {
				break
			}
			var g Got
			g, err = explored(ctx, b, &waits[i], scenario)
			got = append(got, g)
		}
		return got, err
	}
	return c
}

// phases are those of messages, by row, and of processes at the end, in all schedules of a scenario
// without failures.
func phases(ctx context.Context, b *Bench, scenario string, messages map[string]string,
	procs []string) (got []Got, err error) {
	if b.Ends == nil {
		return nil, fmt.Errorf("scenario %s: %w", scenario, ErrAbsent)
	}
	ends, err := b.Ends(ctx, scenario)
	if err == nil && len(ends) == 0 {
		err = fmt.Errorf("%s has no end", scenario)
	}
	if err != nil {
		return nil, err
	}
	of := func(row string, at func(*End) (uint64, bool)) Got {
		g := Got{Row: row, Name: phase, Why: fmt.Sprintf("in all %d ends", len(ends))}
		for i := range ends {
			n, ok := at(&ends[i])
			if !ok || i > 0 && float64(n) != g.Number {
				return Got{Row: row, Name: phase, Status: Unclear, Why: "not in all ends"}
			}
			g.Number = float64(n)
		}
		return g
	}
	for row, message := range messages {
		got = append(got, of(row, func(e *End) (uint64, bool) {
			n, ok := e.Messages[message]
			return n, ok
		}))
	}
	for _, proc := range procs {
		got = append(got, of(proc, func(e *End) (uint64, bool) {
			n, ok := e.Procs[proc]
			return n, ok
		}))
	}
	return got, nil
}

// hydeeProved is a lemma or a theorem that a run of the algorithms as printed refutes, if its
// errata are confirmed.
func hydeeProved(id, where, promise string, errata ...string) Claim {
	v := Value{Name: promise, Printed: yes}
	return Claim{ID: id, Where: where, Method: Explored, Values: []Value{v}, Says: promise,
		Why:     "as printed; repaired, it holds at the same scope, or refuses the program",
		Command: "domino errata hydee " + strings.Join(errata, " "),
		Make: func(ctx context.Context, b *Bench) ([]Got, error) {
			if b.Errata == nil {
				return nil, fmt.Errorf("errata of hydee: %w", ErrAbsent)
			}
			list, err := b.Errata(ctx, "hydee", errata...)
			if err != nil {
				return nil, err
			}
			return []Got{withstands(&v, list)}, nil
		}}
}

// hydeeProperty is a lemma of which no erratum is known: a property in the runs of Figure 4.
func hydeeProperty(id, property, says string) Claim {
	_, number, _ := strings.Cut(id, "-")
	c := hydeeScenarios(id, "Lemma "+number, says, "s1", "s2", "s3")
	c.Why = "explored is the repaired protocol, with the property " + property
	return c
}

// hydeeScenarios is what holds in all schedules of scenarios, with all that domino judges.
func hydeeScenarios(id, where, says string, scenarios ...string) Claim {
	c := Claim{ID: id, Where: where, Says: says, Method: Explored,
		Command: "domino check " + strings.Join(scenarios, " "),
		Why:     "explored is the repaired protocol; " + reconstructed}
	for _, s := range scenarios {
		c.Values = append(c.Values, Value{Row: s, Name: "in all schedules", Printed: yes})
	}
	c.Make = func(ctx context.Context, b *Bench) (got []Got, err error) {
		for i, s := range scenarios {
			g, err := explored(ctx, b, &c.Values[i], s)
			if err != nil {
				return nil, err
			}
			got = append(got, g)
		}
		return got, nil
	}
	return c
}
