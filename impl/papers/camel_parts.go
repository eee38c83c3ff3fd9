package papers

import (
	"context"
	"errors"
	"fmt"

	"github.com/domino-check/domino/impl/program/script"
)

// camelLeanParts are shares of the log of SCMEL: those of the text to Figure 5.
func camelLeanParts() []Value {
	const why = "counted on 5x5x5 cells of reach 2 on 64 ranks with 3 children a node: a shape " +
		"of ours, for the paper gives none"
	return table([]Value{{Name: "SCMEL", Unit: "%", Tolerance: 1, Why: why},
		{Name: "CAMEL", Unit: "%", Tolerance: 1, Why: why}},
		"multicast 50 1", "reduction 50 3")
}

// camelSaved is what CAMEL saves of the log of LeanMD.
func camelSaved(row, name string) Value {
	return Value{Row: row, Name: name, Unit: "%", Printed: "95", Sense: AtLeast}
}

// leanVolume is what a step of LeanMD costs over SCMEL and over CAMEL.
func (b *Bench) leanVolume(side, ranks int) (plain, aware script.Volume, err error) {
	at := [2]int{side, ranks}
	if v, ok := b.volumes[at]; ok {
		return v[0], v[1], nil
	}
	w, err := script.LeanMD([3]int{side, side, side}, 2, ranks, 3)
	if err != nil {
		return plain, aware, err
	}
	if b.volumes == nil {
		b.volumes = map[[2]int][2]script.Volume{}
	}
	plain, aware = w.Plain(false), w.Aware()
	b.volumes[at] = [2]script.Volume{plain, aware}
	return plain, aware, nil
}

// camelFigure5a is the log of LeanMD by its parts.
func camelFigure5a() Claim {
	values := camelLeanParts()
	saved, parts := camelSaved("all", "saved"), camelSaved("all", "saved by the printed parts")
	parts.Method = Arithmetic
	seeds := camelSaved("all", "saved by a CAMEL that survives C11")
	seeds.Method = Explored
	runs := camelSavedInRuns()
	values = append(append(values, saved, parts, seeds), runs...)
	return Claim{ID: "fig-5a", Where: "Fig. 5(a), section 5.2", Method: Graph, Values: values,
		Says: "the log of LeanMD is at least 95% smaller than under SCMEL, small problem",
		Why: "the saving is of the protocol as published: it loses a round of a reduction after " +
			"two failures, one after the other (C11)",
		Command: "domino tables volume",
		Make: func(ctx context.Context, b *Bench) ([]Got, error) {
			plain, aware, err := b.leanVolume(5, 64)
			if err != nil {
				return nil, err
			}
			whole := plain.LoggedSize / 100
			got := []Got{
				{Row: "multicast", Name: "SCMEL", Number: plain.Multicasts / whole},
				{Row: "multicast", Name: "CAMEL", Number: aware.Multicasts / whole},
				{Row: "reduction", Name: "SCMEL", Number: plain.Reductions / whole},
				{Row: "reduction", Name: "CAMEL", Number: aware.Reductions / whole},
				{Row: "all", Name: saved.Name, Number: 100 - aware.LoggedSize/whole},
			}
			m, r := find(values, "multicast", "CAMEL"), find(values, "reduction", "CAMEL")
			const direct = .5 // of 100, give or take as much: less than one
			left := 100 - direct - number(m) - number(r)
			got = append(got, Got{Row: "all", Name: parts.Name, Number: left, Rounding: direct,
				Why: "what the parts that CAMEL keeps leave, and less than 1 % point-to-point"})
			g, err := withSeeds(ctx, b, &seeds, left-number(r), direct)
			if err != nil {
				return nil, err
			}
			ran, err := inRuns(ctx, b, runs, true, savedInRuns)
			return append(append(got, g), ran...), err
		}}
}

// withSeeds is what is saved where the root of a reduction keeps what its children have sent, once
// more: what erratum C11 asks for, if that stands.
func withSeeds(ctx context.Context, b *Bench, v *Value, left, rounding float64) (Got, error) {
	g := Got{Row: v.Row, Name: v.Name, Number: left, Rounding: rounding}
	if b.Errata == nil {
		g.Status, g.Why = NotHere, ErrAbsent.Error()
		return g, nil
	}
	list, err := b.Errata(ctx, "camel", "C11")
	switch {
	case errors.Is(err, ErrAbsent):
		g.Status, g.Why = NotHere, err.Error()
	case err != nil:
		return g, err
	case len(list) == 1 && list[0].Confirmed:
		g.Why = fmt.Sprintf("the published protocol breaks %s in %d steps; who keeps at the root "+
			"what its children sent logs a reduction's part twice",
			list[0].Broken.Property, list[0].Broken.Steps)
	default:
		g.Status, g.Why = Unclear, "erratum C11 is not confirmed, so nothing more must be kept"
	}
	return g, nil
}

// camelFigure5b is the saving at both ends of the scale.
func camelFigure5b() Claim {
	shapes := []struct {
		row         string
		side, ranks int
	}{{"1K", 8, 1024}, {"16K", 10, 16384}}
	var values []Value
	for _, s := range shapes {
		v := camelSaved(s.row, "saved")
		v.Why = fmt.Sprintf("counted on %[1]dx%[1]dx%[1]d cells of reach 2 on %[2]d ranks with 3 "+
			"children a node: a shape of ours", s.side, s.ranks)
		values = append(values, v)
	}
	return Claim{ID: "fig-5b", Where: "Fig. 5(b), section 5.2", Method: Graph, Values: values,
		Says:    "the same for a moderate problem, from 1K cores to 16K",
		Why:     "with reach 1 the groups are of 28 processes, and save less than 95 %",
		Command: "domino tables volume",
		Make: func(_ context.Context, b *Bench) (got []Got, err error) {
			for _, s := range shapes {
				plain, aware, err := b.leanVolume(s.side, s.ranks)
				if err != nil {
					return nil, err
				}
				got = append(got, Got{Row: s.row, Name: "saved",
					Number: 100 * (1 - aware.LoggedSize/plain.LoggedSize)})
			}
			return got, nil
		}}
}

// camelAtomParts are shares of the log of SCMEL: those of the text to Figure 6. Shares of messages
// from process to process are what our program is given, and no values to meet.
func camelAtomParts() (values []Value) {
	const given = "given to our program"
	direct := Value{Unit: "%", Shown: true, Why: given, Name: "point-to-point of SCMEL"}
	part := Value{Unit: "%", Tolerance: 2, Row: "4K",
		Why: "counted on 32 rows of 7 with 2 children a node: a shape of ours"}
	add := func(v Value, row, name, printed string) {
		v.Row, v.Name, v.Printed = row, name, printed
		values = append(values, v)
	}
	add(direct, "256", direct.Name, "55")
	add(direct, "4K", direct.Name, "32")
	add(part, "4K", "multicast of SCMEL", "38")
	add(part, "4K", "multicast of CAMEL", "6")
	add(part, "4K", "reduction of SCMEL", "30")
	add(part, "4K", "reduction of CAMEL", "10")
	return values
}

// atomVolume is what a step of OpenAtom costs over SCMEL and over CAMEL: 32 rows of so many ranks,
// with a share of bytes from rank to rank.
func atomVolume(m int, direct float64) (plain, aware script.Volume, err error) {
	w, err := script.OpenAtom(32, m, 2, direct)
	if err != nil {
		return plain, aware, err
	}
	return w.Plain(false), w.Aware(), nil
}

// camelFigure6a is the log of OpenAtom for a small problem.
func camelFigure6a() Claim {
	values := camelAtomParts()
	saved := Value{Name: "saved", Unit: "%", Tolerance: 2,
		Why: "counted; the sizes of the rows are ours"}
	for _, s := range [][2]string{{"256", "24"}, {"4K", "52"}} {
		saved.Row, saved.Printed = s[0], s[1]
		values = append(values, saved)
	}
	parts := values[len(values)-1]
	parts.Name, parts.Method, parts.Tolerance, parts.Why = "saved by the printed parts", Arithmetic,
		0, ""
	values = append(values, parts)
	return Claim{ID: "fig-6a", Where: "Fig. 6(a), section 5.2", Method: Graph, Values: values,
		Says:    "the log of OpenAtom shrinks by 24% to 52% from 256 cores to 4K, small problem",
		Command: "domino tables volume",
		Make: func(context.Context, *Bench) (got []Got, err error) {
			for _, row := range []string{"256", "4K"} {
				direct := number(find(values, row, "point-to-point of SCMEL")) / 100
				plain, aware, err := atomVolume(map[string]int{"256": 4, "4K": 7}[row], direct)
				if err != nil {
					return nil, err
				}
				whole := plain.LoggedSize / 100
				add := func(name string, part float64) {
					got = append(got, Got{Row: row, Name: name, Number: part})
				}
				add("point-to-point of SCMEL", plain.Direct/whole)
				add("saved", 100-aware.LoggedSize/whole)
				if row == "4K" {
					add("multicast of SCMEL", plain.Multicasts/whole)
					add("multicast of CAMEL", aware.Multicasts/whole)
					add("reduction of SCMEL", plain.Reductions/whole)
					add("reduction of CAMEL", aware.Reductions/whole)
				}
			}
			left := Got{Row: "4K", Name: parts.Name, Number: 100}
			for _, name := range []string{"point-to-point of SCMEL", "multicast of CAMEL",
				"reduction of CAMEL"} {
				v := find(values, "4K", name)
				left.Number -= number(v)
				left.Rounding += v.unit() / 2
			}
			return append(got, left), nil
		}}
}

// camelFigure6b is the log of OpenAtom for a moderate problem.
func camelFigure6b() Claim {
	const why = "counted; the share from process to process is ours, for it is not printed"
	values := table([]Value{{Name: "saved", Unit: "%", Tolerance: 2, Why: why}}, "1K 24", "16K 65")
	return Claim{ID: "fig-6b", Where: "Fig. 6(b), section 5.2", Method: Graph, Values: values,
		Says:    "the same for a moderate problem, from 1K cores to 16K",
		Command: "domino tables volume",
		Make: func(context.Context, *Bench) (got []Got, err error) {
			for _, s := range []struct {
				row    string
				m      int
				direct float64
			}{{"1K", 4, .55}, {"16K", 13, .25}} {
				plain, aware, err := atomVolume(s.m, s.direct)
				if err != nil {
					return nil, err
				}
				got = append(got, Got{Row: s.row, Name: "saved",
					Number: 100 * (1 - aware.LoggedSize/plain.LoggedSize)})
			}
			return got, nil
		}}
}
