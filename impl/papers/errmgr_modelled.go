package papers

import (
	"context"
	"fmt"
	"math"

	"github.com/domino-check/domino/impl/protocol"
)

// ofCurves is a claim about curves without numbers: what its sentences say, of runs of our
// composite on an emulated cluster. Make looks at an experiment.
func ofCurves(id, where, says, experiment string, values []Value,
	read func(r *ratios) []Got) Claim {
	return Claim{ID: id, Where: where, Method: Modelled, Values: values, Says: says,
		Why: "the curves have no numbers; the prices of the emulated cluster are those by which " +
			"its checkpoints of 64 ranks take as long as in Table I",
		Command: "domino experiments " + experiment,
		Make: func(ctx context.Context, b *Bench) ([]Got, error) {
			f, err := b.findings(ctx, experiment)
			if err != nil {
				return nil, err
			}
			r := ratios{f: f}
			got := read(&r)
			return got, r.err
		}}
}

// worded is what the paper says where it is true, and another one where it is not.
func worded(row, name, said string, holds bool, otherwise string, args ...any) Got {
	g := Got{Row: row, Name: name, Text: said}
	if !holds {
		g.Text = fmt.Sprintf(otherwise, args...)
	}
	return g
}

// ends are the first and the last point of a curve; not a number for none.
func ends(c protocol.Curve) (first, last float64) {
	if len(c.At) == 0 {
		return math.NaN(), math.NaN()
	}
	return c.At[0][1], c.At[len(c.At)-1][1]
}

// rise is how much a curve rises from its first point to its last, as a share of the first.
func rise(c protocol.Curve) float64 {
	first, last := ends(c)
	return last/first - 1
}

// flat is how much a curve may rise, as a share, that is constant.
const flat = .1

// errmgrCached is how long a recovery takes with a cache, about, and where the processes start.
func errmgrCached(row, printed string) Value {
	return Value{Row: row, Name: "recovery", Unit: "s", Printed: printed}
}

// errmgrFigure4a is recovery against the size of the job.
func errmgrFigure4a() Claim {
	time := errmgrCached("cached", "3")
	time.Shown, time.Why = true, "a time of that machine, and no value to meet"
	values := []Value{time,
		{Row: "cached", Name: "with the size of the job", Printed: "constant"},
		{Row: "central", Name: "for small job sizes, against cached", Printed: "outperforms"},
		{Row: "zip", Name: "at larger job sizes, against stage", Printed: "begins to outperform"}}
	return ofCurves("fig-4a", "Fig. 4(a), section V-B", "recovery from one failure, by job size",
		"recovery", values, func(r *ratios) []Got {
			c := r.curves("recovery-ranks")
			smallCentral, _ := ends(c[byCentral])
			smallCached, _ := ends(c[byCache])
			smallStage, largeStage := ends(c[byStage])
			smallZip, largeZip := ends(c[byZip])
			zip := worded("zip", values[3].Name, values[3].Printed, largeZip < largeStage,
				"takes %.2f times as long", largeZip/largeStage)
			if smallZip < smallStage && zip.Text == values[3].Printed {
				zip.Status, zip.Why = Unclear, fmt.Sprintf("ours does from %g ranks on: where it "+
					"begins is not to be seen", c[byZip].At[0][0])
			}
			return []Got{{Row: "cached", Name: time.Name, Number: smallCached},
				worded("cached", values[1].Name, values[1].Printed,
					math.Abs(rise(c[byCache])) <= flat, "%+.0f %%", 100*rise(c[byCache])),
				worded("central", values[2].Name, values[2].Printed, smallCentral < smallCached,
					"takes %.2f times as long", smallCentral/smallCached), zip}
		})
}

// errmgrFigure4b is recovery against the number of failures.
func errmgrFigure4b() Claim {
	in := errmgrCached("in place", "1.5")
	in.Tolerance, in.Why = .3, "ours is the 3 s of Figure 4(a) by the ratio of the emulated "+
		"cluster, .1 of them"
	values := []Value{in,
		{Row: "in place", Name: "with the failures", Printed: "regardless"},
		{Row: "central", Name: "with the failures", Printed: "not changed"},
		{Row: "stage", Name: "with the failures", Printed: "not changed"},
		{Row: "cached", Name: "better than central up to", Printed: "about half of the job",
			Why: "from .4 to .6 of it"},
		{Row: "cached", Name: "against stage, 62 failures", Printed: "still performs better"}}
	claim := ofCurves("fig-4b", "Fig. 4(b), section V-B", "recovery of 64 processes, by failures",
		"recovery", values, func(r *ratios) []Got {
			c := r.curves("recovery-failures")
			whole := number(&Value{Printed: errmgrCached("cached", "3").Printed})
			half := r.of("failures/ranks at which cached takes as long as central")
			last := r.of("cached/stage, 62 failures")
			got := []Got{{Row: "in place", Name: in.Name,
				Number: whole * r.of("in place/cached, 64 ranks, 1 failure")}}
			for i, k := range []int{inPlace, byCentral, byStage} {
				v := &values[1+i]
				got = append(got, worded(v.Row, v.Name, v.Printed, math.Abs(rise(c[k])) <= flat,
					"%+.0f %%", 100*rise(c[k])))
			}
			return append(got,
				worded("cached", values[4].Name, values[4].Printed, half >= .4 && half <= .6,
					"%.2f of the job", half),
				worded("cached", values[5].Name, values[5].Printed, last < 1,
					"takes %.2f times as long", last))
		})
	claim.Why += "; the text calls what is plotted checkpoint latency once, and time to recover"
	return claim
}

// errmgrFigure5 is one sentence about a migration of two ranks, against the size of the job.
func errmgrFigure5(id, where, says string, v Value) Claim {
	claim := ofCurves(id, where, says+", by job size", "migration", []Value{v},
		func(r *ratios) []Got {
			c := r.curves("migration-ranks")
			if v.Name == "central" {
				_, central := ends(c[byCentral])
				_, stage := ends(c[byStage])
				_, zip := ends(c[byZip])
				return []Got{worded("", v.Name, v.Printed, central < min(stage, zip),
					"takes %.2f and %.2f times as long as stage and zip", central/stage,
					central/zip)}
			}
			most := 0.
			for _, k := range []int{byCentral, byStage, byZip} {
				most = max(most, math.Abs(rise(c[k])))
			}
			return []Got{worded("", v.Name, v.Printed, most <= flat, "%+.0f %%", 100*most)}
		})
	if v.Name != "central" {
		claim.Why += "; ours is the whole migration, of which the restart is a part"
	}
	return claim
}

// errmgrFigure6a is a migration against the number of movers.
func errmgrFigure6a() Claim {
	values := []Value{
		{Row: "zip", Name: "with more movers, against stage", Printed: "begins to outperform"},
		{Row: "zip", Name: "with more movers, to central", Printed: "approaches"}}
	return ofCurves("fig-6a", "Fig. 6(a), section V-C", "migration in a job of 64, by movers",
		"migration", values, func(r *ratios) []Got {
			c := r.curves("migration-movers")
			fewStage, manyStage := ends(c[byStage])
			fewZip, manyZip := ends(c[byZip])
			fewCentral, manyCentral := ends(c[byCentral])
			return []Got{
				worded("zip", values[0].Name, values[0].Printed,
					fewZip >= fewStage && manyZip < manyStage,
					"takes %.2f times as long for few, %.2f for many", fewZip/fewStage,
					manyZip/manyStage),
				worded("zip", values[1].Name, values[1].Printed,
					math.Abs(manyZip/manyCentral-1) < math.Abs(fewZip/fewCentral-1),
					"takes %.2f times as long for few, %.2f for many", fewZip/fewCentral,
					manyZip/manyCentral)}
		})
}

// errmgrFigure6b is what such a migration is made of.
func errmgrFigure6b() Claim {
	values := []Value{{Name: "time to checkpoint and to restart, with more movers",
		Printed: "increases"}}
	claim := ofCurves("fig-6b", "Fig. 6(b), section V-C", "what such a migration is made of",
		"migration", values, func(r *ratios) []Got {
			least := math.Inf(1)
			for _, k := range []int{byCentral, byStage, byZip} {
				least = min(least, rise(r.curves("migration-movers")[k]))
			}
			return []Got{worded("", values[0].Name, "increases", least > flat, "%+.0f %%",
				100*least)}
		})
	claim.Why += "; ours is the whole migration"
	return claim
}
