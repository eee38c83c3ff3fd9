package papers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/program/script"
	"time"
)

// camel is [CAMEL].
func camel() Paper {
	return Paper{Name: "camel", Key: "CAMEL", Claims: []Claim{
		{ID: "intro-20", Where: "section 1", Method: Data,
			Says:   "more than 20% of a large machine is lost to failures, by a report it cites",
			Why:    "cited, and without the parameters that a model would need",
			Values: []Value{{Name: "lost", Unit: "%", Printed: "20", Sense: AtLeast}}},
		camelFigure1a(), camelFigure1b(),
		{ID: "table-1", Where: "Table 1", Method: Data, Says: "the data structures of SCMEL"},
		{ID: "table-2", Where: "Table 2", Method: Data, Says: "the data structures of CAMEL"},
		{ID: "fig-2", Where: "Fig. 2", Method: Data,
			Says: "the layers of software, and the header of a message"},
		{ID: "fig-4", Where: "Fig. 4", Method: Data,
			Says: "processing elements, objects and their managers in Charm++"},
		camelFigure3(),
		camelWithstands("alg-1", "Algorithm 1", "causal", "tolerate single-process failures",
			"S1", "S3", "S4", "S5", "S6", "S8"),
		camelWithstands("alg-2", "Algorithms 2 and 3, Lemma 1, section 6", "camel",
			"All required messages are available", "C1", "C3", "C6", "C10", "C11", "C12"),
		camelWithstands("thm-1", "Theorem 1", "causal", "no orphan process", "S2", "S9"),
		camelWithstands("thm-2", "Theorem 2", "camel", "no orphan process", "C2", "C19"),
		camelFigure5a(), camelFigure5b(), camelFigure6a(), camelFigure6b(),
		camelMessages(), camelLog(), camelDeterminants(), camelPiggybacked(),
		camelSame(),
	}}
}

// camelSame is that CAMEL costs no time.
func camelSame() Claim {
	v := Value{Name: "difference of performance", Printed: "not significant"}
	return Claim{ID: "perf-same", Where: "section 5.2", Method: Measured, Values: []Value{v},
		Says:    "CAMEL runs LeanMD on Stampede as fast as SCMEL does",
		Why:     "not significant: within 5 % with its spread, on four processes of this machine",
		Command: "domino cluster perf --kernels leanmd --protocols causal,camel",
		Takes:   20 * time.Second,
		Long: func(ctx context.Context, b *Bench) ([]Got, error) {
			t, err := b.perf(ctx, PerfPlan{Kernels: []string{"leanmd"}, Ranks: 4, Rounds: 7,
				Cases: []PerfCase{{"causal", "causal", 0}, {"camel", "camel", 0}}})
			if err != nil {
				return nil, err
			}
			ratios, err := t.ratios("leanmd", "camel")
			if err != nil {
				return nil, err
			}
			return []Got{t.equivalent(&v, ratios)}, nil
		}}
}

// camelFigure1a is what is left for messages from process to process by the parts of Figure 5.
func camelFigure1a() Claim {
	values := []Value{{Name: "point-to-point", Unit: "%", Printed: "1", Sense: AtMost}}
	return Claim{ID: "fig-1a", Where: "Fig. 1(a), section 5.2", Method: Arithmetic, Values: values,
		Says: "LeanMD sends almost all of its bytes by multicasts and reductions",
		Why:  "the bars have no numbers; ours is what the parts of Figure 5 leave",
		Make: func(context.Context, *Bench) ([]Got, error) {
			parts := camelLeanParts()
			m, r := find(parts, "multicast", "SCMEL"), find(parts, "reduction", "SCMEL")
			return []Got{{Name: "point-to-point", Number: 100 - number(m) - number(r),
				Rounding: (m.unit() + r.unit()) / 2}}, nil
		}}
}

// aboutThird is how far from a third, in points, a part may be that is approximately one.
const aboutThird = 5

// camelFigure1b compares a sentence with the parts of Figure 6.
func camelFigure1b() Claim {
	third := Value{Row: "4K", Printed: "a third", Why: fmt.Sprintf(
		"approximately: within %d points, by the parts of Figure 6(a)", aboutThird)}
	var values []Value
	for _, name := range []string{"multicast", "reduction", "point-to-point"} {
		third.Name = name
		values = append(values, third)
	}
	third.Row, third.Name = "256", "point-to-point"
	values = append(values, third)
	return Claim{ID: "fig-1b", Where: "Fig. 1(b), section 1", Method: Arithmetic, Values: values,
		Says: "OpenAtom sends about a third of its bytes by each of three kinds of operations",
		Make: func(context.Context, *Bench) (got []Got, err error) {
			parts := camelAtomParts()
			for _, v := range values {
				part := find(parts, v.Row, v.Name+" of SCMEL")
				g := Got{Row: v.Row, Name: v.Name, Text: v.Printed}
				if x := number(part); x < 100./3-aboutThird || x > 100./3+aboutThird {
					g.Text = part.Printed + " %"
					if v.Row == "256" {
						g.Status, g.Why = Unclear, "the text does not say on how many cores; on "+
							"256 it is "+g.Text+", which is no third"
					}
				}
				got = append(got, g)
			}
			return got, nil
		}}
}

// camelTree is the tree of Figure 3(b).
const camelTree = "R: multicast g m\n" +
	"S: recv g\nT: recv g\nU: recv g\nV: recv g\nW: recv g\nX: recv g\nY: recv g\nZ: recv g\n" +
	"group g: R > S T; S > U V; T > W X; X > Y Z\n"

// camelFigure3 counts what is stored along the tree of the figure, and explores a smaller one.
func camelFigure3() Claim {
	values := []Value{
		{Row: "multicast", Name: "SCMEL", Unit: "copies", Printed: "4",
			Why: "one an inner node; the shares of Figure 5 fit one an edge (tables volume)"},
		{Row: "multicast", Name: "CAMEL", Printed: "only once", Method: Explored},
		{Row: "reduction", Name: "SCMEL", Unit: "messages", Printed: "8"},
		{Row: "reduction", Name: "CAMEL", Unit: "messages", Printed: "2"},
		{Row: "multicast", Name: "when one process fails", Printed: "atomic", Method: Explored},
		{Row: "reduction", Name: "what is sent again", Printed: "easily be discarded",
			Method: Explored},
	}
	return Claim{ID: "fig-3", Where: "Fig. 3, section 3.1", Method: Graph, Values: values,
		Says: "what SCMEL and CAMEL store of one multicast and one reduction on a tree of nine",
		Why: "the repaired protocol is explored, on a tree of four; what the sentences of the " +
			"section do as printed is in alg-2 and thm-2",
		Command: "domino check camel-multicast camel-reduce",
		Make: func(ctx context.Context, b *Bench) ([]Got, error) {
			suite, err := script.Read(camelTree, 1)
			if err != nil {
				return nil, err
			}
			t := suite.Trees[0]
			children := map[int]int{}
			for i, p := range t.Parents {
				if t.Members[i] != t.Root() {
					children[int(p)]++
				}
			}
			got := []Got{
				{Row: "multicast", Name: "SCMEL", Number: float64(len(children))},
				{Row: "reduction", Name: "SCMEL", Number: float64(len(t.Members) - 1)},
				{Row: "reduction", Name: "CAMEL", Number: float64(children[int(t.Root())])},
			}
			once, err := storedOnce(ctx, b, &values[1])
			if err != nil {
				return nil, err
			}
			got = append(got, once)
			for i, scenario := range []string{"camel-multicast", "camel-reduce"} {
				v := &values[4+i]
				g, err := explored(ctx, b, v, scenario)
				if err != nil {
					return nil, err
				}
				got = append(got, g)
			}
			return got, nil
		}}
}

// storedOnce counts the copies that a run of CAMEL keeps of the multicast.
func storedOnce(ctx context.Context, b *Bench, v *Value) (Got, error) {
	g := Got{Row: v.Row, Name: v.Name, Text: v.Printed}
	if b.Run == nil {
		g.Text, g.Status, g.Why = "", NotHere, ErrAbsent.Error()
		return g, nil
	}
	n, err := b.Run(ctx, "camel", camelTree, true)
	switch {
	case errors.Is(err, ErrAbsent):
		g.Text, g.Status, g.Why = "", NotHere, err.Error()
	case err != nil:
		return g, err
	case n.Copies != 1:
		g.Text = fmt.Sprintf("%d copies", n.Copies)
	}
	return g, nil
}

// explored is a word that is true where a scenario holds.
func explored(ctx context.Context, b *Bench, v *Value, scenario string) (Got, error) {
	g := Got{Row: v.Row, Name: v.Name}
	a, err := b.check(ctx, scenario, "")
	switch {
	case errors.Is(err, ErrAbsent):
		g.Status, g.Why = NotHere, err.Error()
	case err != nil:
		return g, err
	case a.Verdict == "holds":
		g.Text, g.Why = v.Printed, scenario+" holds within "+a.Bounds
	case a.Verdict == "violated":
		g.Text, g.Why = "violated", fmt.Sprintf("%s: %s after %d steps", scenario, a.Property,
			a.Steps)
	default:
		g.Status, g.Why = Unclear, scenario+": "+a.Verdict+" within "+a.Bounds
	}
	return g, nil
}

// check is Check, of a bench that may not have it.
func (b *Bench) check(ctx context.Context, scenario, variant string) (*Answer, error) {
	if b.Check == nil {
		return nil, fmt.Errorf("scenario %s: %w", scenario, ErrAbsent)
	}
	return b.Check(ctx, scenario, variant)
}

// camelWithstands is what an algorithm or a theorem promises, in words of the paper, against errata
// of the protocol in the order of the paper. An erratum in what is printed contradicts it. One
// where the text is silent, or has another reading, does not: it says what the promise hangs on.
func camelWithstands(id, where, protocol, promise string, errata ...string) Claim {
	v := Value{Name: "after one failure at a time", Printed: promise}
	return Claim{ID: id, Where: where, Method: Explored, Values: []Value{v},
		Says:    "a recovery from one failure at a time is right",
		Command: "domino errata " + protocol + " " + strings.Join(errata, " "),
		Make: func(ctx context.Context, b *Bench) ([]Got, error) {
			if b.Errata == nil {
				return nil, fmt.Errorf("errata of %s: %w", protocol, ErrAbsent)
			}
			list, err := b.Errata(ctx, protocol, errata...)
			if err != nil {
				return nil, err
			}
			return []Got{withstands(&v, list)}, nil
		}}
}

// withstands is the answer of errata to a promise.
func withstands(v *Value, list []Shown) Got {
	g := Got{Row: v.Row, Name: v.Name, Text: v.Printed}
	var printed, open, notes []string
	for _, e := range list {
		if !e.Confirmed {
			continue
		}
		if e.Class == "printed" && !e.OtherReading {
			printed = append(printed, e.ID)
		} else {
			open = append(open, e.ID)
		}
		notes = append(notes, fmt.Sprintf("%s breaks %s in %d steps", e.ID, e.Broken.Property,
			e.Broken.Steps))
	}
	switch {
	case printed != nil:
		g.Text = "broken by " + strings.Join(printed, ", ")
	case open != nil:
		g.Status = Unclear
		notes = slices.Insert(notes, 0, "where the text is silent, or has another reading: "+
			strings.Join(open, ", "))
	}
	g.Why = strings.Join(notes, "; ")
	return g
}

// number is a printed value that is a number.
func number(v *Value) float64 {
	x, ok := v.Number()
	if !ok {
		panic(fmt.Sprintf("%q is no number", v.Printed))
	}
	return x
}

// saving is the share, in percent, by which a printed value is less than another.
func saving(from, to *Value, row, name string) Got {
	g := quotient(to, from, 100, row, name)
	g.Number = 100 - g.Number
	return g
}

// median is that of an odd number of values.
func median(list []float64) float64 {
	list = slices.Clone(list)
	slices.SortFunc(list, cmp.Compare[float64])
	return list[len(list)/2]
}
