package papers

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/domino-check/domino/impl/protocol"
)

// errmgr is [ErrMgr].
func errmgr() Paper {
	return Paper{Name: "errmgr", Key: "ErrMgr", Claims: []Claim{
		{ID: "fig-1", Where: "Fig. 1", Method: Data, Says: "the layers of Open MPI"},
		errmgrFigure2(),
		errmgrFigure3("fig-3a", "Fig. 3(a)", "POP"),
		errmgrFigure3("fig-3b", "Fig. 3(b)", "LAMMPS"),
		errmgrFigure3("fig-3c", "Fig. 3(c)", "HPL"),
		errmgrFigure4a(), errmgrFigure4b(),
		errmgrFigure5("fig-5a", "Fig. 5(a), section V-C", "a migration of two ranks",
			Value{Name: "central", Printed: "performs better"}),
		errmgrFigure5("fig-5b", "Fig. 5(b), section V-C", "the parts of a migration of two ranks",
			Value{Name: "time to restart", Printed: "fairly constant"}),
		errmgrFigure6a(), errmgrFigure6b(),
		errmgrTable("noop"), errmgrTable("LAMMPS"), errmgrTable("POP"), errmgrTable("HPL"),
		errmgrLimits(),
		{ID: "flow-10", Where: "section V-A", Method: None,
			Says:   "ten files in flight, by default, keep the nodes from fighting for the store",
			Values: []Value{{Name: "files in flight", Printed: "10"}},
			Why: "the best limit is that of the store, which nobody has here; that of the " +
				"emulated one is a price of ours"},
	}}
}

// The components of [ErrMgr], in the order of its tables, and of the curves of our experiments.
const (
	byCentral = iota
	byStage
	byZip
	byCache
	inPlace
)

// errmgrRing are the numbers of the text to Figure 2.
func errmgrRing() []Value {
	const undefined = "it is not said what a step is, nor how half round trips are averaged"
	const scaled = "ours is what central takes in the paper by the ratio of the emulated cluster"
	return table([]Value{
		{Name: "added", Unit: "us", Why: undefined}, {Name: "steps", Why: undefined},
		{Name: "checkpoint", Unit: "s", Tolerance: .9, Method: Modelled,
			Why: scaled + ", .08 of it"},
		{Name: "local", Unit: "s", Tolerance: .3, Method: Modelled, Why: scaled + ", .03 of it"},
		{Name: "staging", Unit: "s", Method: Data}},
		"central 1018 - 11.1 - -", "stage 244 21 8.3 0.8 7.4", "zip 257 4 4.1 0.7 2.7")
}

// errmgrFigure2 is what a checkpoint does to a ring.
func errmgrFigure2() Claim {
	const sum = "checkpoint, by its parts"
	values := errmgrRing()
	find(values, "central", "checkpoint").Shown = true
	for _, row := range []string{"stage", "zip"} {
		v := *find(values, row, "checkpoint")
		v.Name, v.Method, v.Tolerance, v.Why = sum, Arithmetic, 0, ""
		values = append(values, v)
	}
	return Claim{ID: "fig-2", Where: "Fig. 2, section V-A", Method: Modelled, Values: values,
		Says:    "a checkpoint beside a message of 8 KB that travels around a ring of 64",
		Command: "domino experiments ring",
		Make: func(ctx context.Context, b *Bench) (got []Got, err error) {
			got = append(got, partsOf(values, "stage", sum), partsOf(values, "zip", sum))
			for _, v := range values {
				if v.Name == "added" || v.Name == "steps" {
					got = append(got, Got{Row: v.Row, Name: v.Name, Status: NotHere})
				}
			}
			f, err := b.findings(ctx, "ring")
			if errors.Is(err, ErrAbsent) {
				return append(got, without(values, Modelled, err)...), nil
			} else if err != nil {
				return nil, err
			}
			whole := number(find(values, "central", "checkpoint"))
			r := ratios{f: f}
			stall := whole * r.of("longest lap stage/central")
			return append(got, Got{Row: "central", Name: "checkpoint", Number: whole},
				Got{Row: "stage", Name: "checkpoint",
					Number: whole * r.of("snapshot stage/central")},
				Got{Row: "zip", Name: "checkpoint", Number: whole * r.of("snapshot zip/central")},
				Got{Row: "stage", Name: "local", Number: stall},
				Got{Row: "zip", Name: "local", Number: stall}), r.err
		}}
}

// partsOf is the sum of the parts of a checkpoint. What is missing is a silence: nobody says that
// there are no other parts.
func partsOf(values []Value, row, name string) Got {
	local, staging := find(values, row, "local"), find(values, row, "staging")
	whole := find(values, row, "checkpoint")
	g := Got{Row: row, Name: name, Number: number(local) + number(staging),
		Rounding: local.unit()/2 + staging.unit()/2}
	if left := number(whole) - g.Number; left > g.Rounding+whole.unit()/2+1e-9 {
		g.Status, g.Why = Unclear, fmt.Sprintf("the parts are %.1f s: what %.1f s more are for is "+
			"not printed, packing perhaps", g.Number, left)
	}
	return g
}

// without is the answer for all values of a method, for a reason.
func without(values []Value, m Method, why error) (got []Got) {
	for _, v := range values {
		if v.Method == m {
			got = append(got, Got{Row: v.Row, Name: v.Name, Status: NotHere, Why: why.Error()})
		}
	}
	return got
}

// ratios looks up what an experiment came down to. The first name that is not there is an error.
type ratios struct {
	f   *protocol.Findings
	err error
}

// of is a ratio.
func (r *ratios) of(name string) float64 {
	for _, x := range r.f.Ratios {
		if x.Name == name {
			return x.Value
		}
	}
	if r.err == nil {
		r.err = fmt.Errorf("the experiment has no ratio %q", name)
	}
	return math.NaN()
}

// curves looks up the curves of a figure, by component.
func (r *ratios) curves(figure string) []protocol.Curve {
	for _, fig := range r.f.Figures {
		if fig.Name == figure && len(fig.Curves) > 0 {
			return fig.Curves
		}
	}
	if r.err == nil {
		r.err = fmt.Errorf("the experiment has no curves of %q", figure)
	}
	return make([]protocol.Curve, inPlace+1)
}

// errmgrFigure3 compares the sentence about run times with the table.
func errmgrFigure3(id, where, program string) Claim {
	times := runTimes(program)
	var values []Value
	for _, row := range errmgrRanks {
		values = append(values, Value{Row: row, Name: "stage against central",
			Printed: "an improvement"})
	}
	values = append(values, Value{Row: "all", Name: "for large checkpoint sizes",
		Printed: "especially", Why: "the improvement grows with the size of the checkpoint"})
	return Claim{ID: id, Where: where + ", Table I", Method: Arithmetic, Values: values,
		Says: "the run time of " + program + " with checkpoints: stage is better than central",
		Why:  "the curves have no numbers; the run times are those of the table",
		Make: func(context.Context, *Bench) (got []Got, err error) {
			gain, size := make([]float64, 0, 3), make([]float64, 0, 3)
			for _, row := range errmgrRanks {
				g := Got{Row: row, Name: "stage against central", Text: "an improvement"}
				saved := saving(find(times, row, "run central"), find(times, row, "run stage"),
					row, "")
				if saved.Number-saved.Rounding <= 0 {
					g.Text = fmt.Sprintf("%.1f %% slower", -saved.Number)
				}
				got = append(got, g)
				gain = append(gain, saved.Number)
				size = append(size, number(find(times, row, "raw")))
			}
			g := Got{Row: "all", Name: "for large checkpoint sizes", Text: "especially"}
			for i := 1; i < len(gain); i++ {
				if (gain[i] > gain[i-1]) != (size[i] > size[i-1]) {
					g.Text = fmt.Sprintf("not from %s to %s ranks", errmgrRanks[i-1],
						errmgrRanks[i])
				}
			}
			return append(got, g), nil
		}}
}
