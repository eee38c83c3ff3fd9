package papers

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/clustering"
)

// The columns of the tables of clusters. Shares are in percent, GB are 2^30 bytes.
const (
	clusters   = "clusters"
	smallest   = "smallest"
	largest    = "largest"
	rolledBack = "rolled back"
	logged     = "logged"
	inAll      = "in all"
	share      = "logged share"
	ofBytes    = "share recomputes"
	ofSizes    = "sizes give what rolls back"
	costs      = "ours costs no more"
	processes  = "processes"
)

// attempts are the seeds of the search beside bisection.
const attempts = 4

// bytesIn is what the total of a kernel may be off: the formulas leave out what MPI adds.
var bytesIn = Value{Name: inAll, Unit: "GB", Share: .001,
	Why: "by formulas for the kernel, without the bytes that MPI adds"}

// hydeePlans are the rows of Table I. Only if digits of bytes are cut do the printed shares follow
// from them, and are ours the totals: two of both would be wrong if they were rounded. Shares are
// rounded: that of MG, whose clusters are the same, is 19.629 %.
func hydeePlans() []Value {
	const digits = "digits of bytes are cut, not rounded: CG sends 2318.5 GB, FT 860.6"
	cut := func(v Value) Value {
		v.Cut, v.Why = true, digits
		return v
	}
	values := tabled(table([]Value{{Name: clusters}, {Name: rolledBack, Unit: "%"},
		cut(Value{Name: logged, Unit: "GB"}), cut(bytesIn), {Name: share, Unit: "%"}},
		"BT 5 21.78 143 791 18.09", "CG 16 6.25 440 2318 18.98", "FT 2 50 431 860 50.19",
		"LU 8 12.5 44 337 13.26", "MG 4 25 13 66 19.63", "SP 6 18.56 289 1446 20.04"),
		"CG", "MG")
	cg := find(values, "CG", share)
	cg.Tolerance, cg.Why = .02, bytesIn.Why // 0.1 % of the total
	return values
}

// hydeeTable1 is Table I of [HydEE], on 256 ranks.
func hydeeTable1() Claim {
	values := hydeePlans()
	around := []Value{{Row: "all but FT", Name: rolledBack, Unit: "%", Printed: "20",
		Sense: AtMost, Tolerance: 2.5, Why: "less or around: nearer to 20 than to 25",
		Method: Arithmetic},
		{Row: "all but FT", Name: share, Unit: "%", Printed: "20", Sense: AtMost,
			Method: Arithmetic}}
	return Claim{ID: "table-1", Where: "Table I, section V-B", Method: Graph,
		Values: slices.Concat(values, around),
		Says: "clusters of six kernels of class D on 256 processes, what a failure rolls back, " +
			"and how much is logged",
		Command: "domino plan bt class=D ranks=256 --method bisection",
		Make: func(ctx context.Context, b *Bench) ([]Got, error) {
			got, err := b.tabled(ctx, values, 256)
			return append(got, mostBut(values, "FT", &around[0]),
				mostBut(values, "FT", &around[1])), err
		}}
}

// mostBut is the largest printed number of a column but for one row.
func mostBut(values []Value, but string, says *Value) Got {
	g := Got{Row: says.Row, Name: says.Name}
	for _, v := range values {
		if v.Name == says.Name && v.Row != but && number(&v) > g.Number {
			g.Number, g.Why = number(&v), "that of "+v.Row
		}
	}
	return g
}

// tabled adds to each row what its own numbers and its plan must meet. Rows that are exact come out
// of bisection as they are printed; of the others there are plans as good that differ, so that what
// a plan decides is shown beside the printed one.
func tabled(printed []Value, exact ...string) (values []Value) {
	for i, v := range printed {
		switch {
		case v.Name == inAll || slices.Contains(exact, v.Row):
		case v.Row == "FT":
			v.Shown, v.Why = true, "no clusters pay: these are two because two are printed"
		default:
			v.Shown, v.Why = true, "other plans cost as much, or less"
		}
		values = append(values, v)
		if i+1 < len(printed) && printed[i+1].Row == v.Row {
			continue
		}
		values = append(values, Value{Row: v.Row, Name: ofBytes, Printed: yes, Method: Arithmetic},
			Value{Row: v.Row, Name: costs, Printed: yes})
	}
	return values
}

// tabled makes the rows of a table of clusters.
func (b *Bench) tabled(ctx context.Context, values []Value, ranks int) (got []Got, err error) {
	c := Claim{Values: values}
	for _, row := range c.Rows() {
		list, err := b.row(ctx, values, row, ranks)
		if err != nil {
			return nil, err
		}
		got = append(append(got, list...), shareOf(values, row))
	}
	return got, nil
}

// row makes a row of a table of clusters, and what its plan must meet.
func (b *Bench) row(ctx context.Context, s sheet, row string, ranks int) (got []Got, err error) {
	plan, p, err := b.plan(ctx, row, ranks)
	if err != nil {
		return nil, err
	}
	const gb = 1 << 30
	ours := map[string]float64{clusters: float64(len(plan.Sizes)),
		rolledBack: 100 * p.Back(plan), logged: float64(plan.Logged) / gb,
		inAll: float64(p.Traffic.Bytes) / gb, share: 100 * p.Share(plan),
		smallest: float64(slices.Min(plan.Sizes)), largest: float64(slices.Max(plan.Sizes))}
	for _, v := range s {
		if n, ok := ours[v.Name]; ok && v.Row == row {
			got = append(got, Got{Row: row, Name: v.Name, Number: n})
		}
	}
	best, err := cheapest(ctx, p, plan)
	if err != nil {
		return nil, err
	}
	paid := 0.23*s.number(row, share)/100 + 0.124*s.number(row, rolledBack)/100
	return append(got, Got{Row: row, Name: costs,
		Text: word(p.Cost(best) <= 1.005*paid), // of which half a percent may be rounding
		Why:  fmt.Sprintf("%.4f %s, printed %.4f", p.Cost(best), sizes(best), paid)}), nil
}

// sizes are those of the clusters of a plan, in words.
func sizes(p *clustering.Plan) string {
	least, most := slices.Min(p.Sizes), slices.Max(p.Sizes)
	switch {
	case len(p.Sizes) == 1:
		return "in one cluster"
	case least == most:
		return fmt.Sprintf("in clusters of %d", least)
	}
	return fmt.Sprintf("in clusters of %d to %d", least, most)
}

// plan is a kernel of class D with what bisection makes of it; FT is halved, as in the papers,
// though no halves pay.
func (b *Bench) plan(ctx context.Context, row string, ranks int) (*clustering.Plan,
	*clustering.Problem, error) {
	line := fmt.Sprintf("%s class=D ranks=%d", strings.ToLower(row), ranks)
	if row == ring {
		line = fmt.Sprintf("nbody ranks=%d", ranks)
	}
	g, err := b.Traffic(ctx, line)
	if err != nil {
		return nil, nil, err
	}
	p := &clustering.Problem{Traffic: g, Weights: clustering.Published}
	if row == "FT" {
		p.Clusters = 2
	}
	if err := p.Open(); err != nil {
		return nil, nil, err
	}
	if plan := b.plans[line]; plan != nil {
		return plan, p, nil
	}
	plan, err := p.Bisection(func() bool { return ctx.Err() != nil })
	if err == nil {
		if b.plans == nil {
			b.plans = map[string]*clustering.Plan{}
		}
		b.plans[line] = plan
	}
	return plan, p, err
}

// cheapest is the cheapest plan that a short search finds, that of bisection among them, and all in
// one cluster.
func cheapest(ctx context.Context, p *clustering.Problem, best *clustering.Plan) (
	*clustering.Plan, error) {
	free := &clustering.Problem{Traffic: p.Traffic, Weights: p.Weights}
	if err := free.Open(); err != nil {
		return nil, err
	}
	stop := func() bool { return ctx.Err() != nil }
	plans := []*clustering.Plan{free.Whole()}
	for seed := range attempts {
		plans = append(plans, free.Attempt(seed, stop))
	}
	for _, plan := range plans {
		if plan != nil && free.Better(plan, best) {
			best = plan
		}
	}
	return best, ctx.Err()
}

// shareOf compares a printed share with the bytes beside it, of which a total may be rounded to
// more than a unit, as its tolerance says.
func shareOf(s sheet, row string) Got {
	part, total, printed := s.at(row, logged), s.at(row, inAll), *s.at(row, share)
	q := quotient(part, total, 100, row, ofBytes)
	if total.Tolerance > 0 {
		n := s.number(row, inAll)
		least := 100 * (s.number(row, logged) - part.unit()/2) / (n + total.Tolerance)
		most := 100 * (s.number(row, logged) + part.unit()/2) / (n - total.Tolerance)
		q.Number, q.Rounding = (least+most)/2, (most-least)/2
	}
	printed.Tolerance = 0 // which is for ours
	g := Got{Row: row, Name: ofBytes, Text: word(printed.meets(&q) == Reproduced),
		Why: fmt.Sprintf("%s of %s is %.3f to %.3f %%, printed %s", part.Printed, total.Printed,
			q.Number-q.Rounding, q.Number+q.Rounding, printed.Printed)}
	if part.Cut || total.Cut {
		x, y := *part, *total
		x.Cut, y.Cut = false, false
		if r := quotient(&x, &y, 100, row, ofBytes); printed.meets(&r) != Reproduced {
			g.Why += fmt.Sprintf(" (of rounded numbers it would be %.3f to %.3f)",
				r.Number-r.Rounding, r.Number+r.Rounding)
		}
	}
	return g
}

// rowsOf are the rows of a table of which something is so.
func rowsOf(values []Value, is func(s sheet, row string) bool) (rows []string) {
	c := Claim{Values: values}
	for _, row := range c.Rows() {
		if is(values, row) {
			rows = append(rows, row)
		}
	}
	return rows
}

// limited reports whether a failure rolls back, and the log holds, less than 15 %.
func limited(s sheet, row string) bool {
	return math.Max(s.number(row, rolledBack), s.number(row, share)) < 15
}

// hydeeTypical is the sentence of the introduction, beside the tables of both papers.
func hydeeTypical() Claim {
	const of = "less than 15 % roll back and are logged"
	values := []Value{{Row: "Table I", Name: of, Printed: "a large variety"},
		{Row: "Tableau 4 of [HydEE-fr]", Name: of, Printed: "a large variety"}}
	return Claim{ID: "15-15", Where: "section I, of another paper", Method: Arithmetic,
		Values: values, Why: "a large variety is taken for more than half of the rows",
		Says: "a failure rolls back less than 15% where less than 15% is logged",
		Make: making(func() ([]Got, error) {
			return []Got{limitedIn(hydeePlans(), &values[0]),
				limitedIn(hydeeFrTable4().Values, &values[1])}, nil
		})}
}

// limitedIn counts the rows of a table that are limited: most of them are what the words of the
// paper say, fewer leave it open.
func limitedIn(values []Value, says *Value) Got {
	rows := rowsOf(values, func(sheet, string) bool { return true })
	met := rowsOf(values, limited)
	g := Got{Row: says.Row, Name: says.Name, Text: says.Printed,
		Why: fmt.Sprintf("%d of %d: %s", len(met), len(rows), strings.Join(met, ", "))}
	if 2*len(met) <= len(rows) {
		g.Text, g.Status = "", Unclear
	}
	return g
}

// hydeeAt1024 is what section V-B says of 1,024 processes. The sentence before it leaves FT out.
func hydeeAt1024() Claim {
	var values []Value
	for _, row := range []string{"BT", "CG", "LU", "MG", "SP"} {
		values = append(values, Value{Row: row, Name: rolledBack, Unit: "%", Printed: "15",
			Sense: AtMost}, Value{Row: row, Name: share, Printed: "the same amount"})
	}
	return Claim{ID: "v-b-1024", Where: "section V-B", Method: Graph, Values: values,
		Says: "on 1,024 processes less than 15% of them roll back, with the same amount logged",
		Why: "FT, of which half rolls back, is the exception of the sentence before; the same " +
			"amount is a share within 2 points of Table I",
		Command: "domino plan bt class=D ranks=1024 --method bisection",
		Make: func(ctx context.Context, b *Bench) (got []Got, err error) {
			table := hydeePlans()
			for _, v := range values {
				plan, p, err := b.plan(ctx, v.Row, 1024)
				if err != nil {
					return nil, err
				}
				g := Got{Row: v.Row, Name: v.Name, Number: 100 * p.Back(plan)}
				if v.Name == share {
					before, now := sheet(table).number(v.Row, share), 100*p.Share(plan)
					g = Got{Row: v.Row, Name: v.Name, Text: v.Printed,
						Why: fmt.Sprintf("%.1f %%, of 256 processes %.1f", now, before)}
					if math.Abs(now-before) > 2 {
						g.Text, g.Status = "", Unclear
					}
				}
				got = append(got, g)
			}
			return got, nil
		}}
}
