package papers_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/papers"
	"github.com/domino-check/domino/impl/performability"
)

// paper is one by its name.
func paper(t *testing.T, name string) *papers.Paper {
	t.Helper()
	for _, p := range papers.All() {
		if p.Name == name {
			return &p
		}
	}
	t.Fatalf("no paper %s", name)
	return nil
}

// claim is one of a paper, made anew.
func claim(t *testing.T, name, id string) *papers.Claim {
	t.Helper()
	found, missing := paper(t, name).Match([]string{id})
	if len(missing) > 0 {
		t.Fatalf("%s has no %s", name, id)
	}
	return found[0]
}

// made is a claim with what is made of it, where every scenario holds but those of a printed form.
func made(t *testing.T, c *papers.Claim) *papers.Result {
	t.Helper()
	b := &papers.Bench{Check: func(_ context.Context, scenario, _ string) (*papers.Answer, error) {
		if strings.Contains(scenario, "published") {
			return &papers.Answer{Verdict: "violated", Property: "terminates", Steps: 4}, nil
		}
		return &papers.Answer{Verdict: "holds"}, nil
	}}
	r, err := b.Make(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// expand writes out a range such as "fig-2.1..10".
func expand(t *testing.T, ids string) (list []string) {
	t.Helper()
	for _, id := range strings.Fields(ids) {
		first, last, isRange := strings.Cut(id, "..")
		if !isRange {
			list = append(list, id)
			continue
		}
		dot := strings.LastIndex(first, ".") + 1
		var from, to int
		if _, err := fmt.Sscan(first[dot:]+" "+last, &from, &to); err != nil {
			t.Fatal(err)
		}
		for n := from; n <= to; n++ {
			list = append(list, fmt.Sprint(first[:dot], n))
		}
	}
	return list
}

// TestThesis: every figure, table and equation of the thesis has its claim, with the status that
// follows by hand from what it prints.
func TestThesis(t *testing.T) {
	want := map[string]papers.Status{}
	for status, ids := range map[papers.Status]string{
		papers.NoClaim: "40-80 fig-2.1..3 fig-2.7 table-2.1 fig-2.9..10 fig-5.1..7 fig-5.9..10 " +
			"eq-5.1..5 eq-5.7 eq-5.9..10 fig-5.12..14 fig-5.18..20 fig-6.7",
		papers.Reproduced: "fig-1.1..2 fig-1.4 eq-2.1 fig-2.4..6 fig-2.8 fig-4.1..4 fig-4.6 " +
			"fig-4.7 fig-5.11 eq-5.11 eq-5.13..14 fig-5.17 fig-6.1 fig-6.4 fig-6.13 table-6.1",
		papers.Unclear: "fig-4.8 fig-6.12",
		papers.NotHere: "fig-1.3 fig-5.8a fig-5.15..16 fig-6.11 fig-6.2a fig-6.2b fig-6.2c " +
			"fig-6.3a fig-6.3b fig-6.3c fig-6.5..6 fig-6.8..10 10%-core",
		papers.Contradicted: "table-3.1 fig-4.5 fig-5.8b eq-5.6 eq-5.8 " +
			"eq-5.12 table-5.1 table-6.2 fig-6.14",
	} {
		for _, id := range expand(t, ids) {
			want[id] = status
		}
	}
	p := paper(t, "radic")
	for i := range p.Claims {
		r := made(t, &p.Claims[i])
		if status, ok := want[r.ID]; !ok || r.Status != status || r.Err != nil {
			t.Errorf("%s is %v, want %v (%v)", r.ID, r.Status, status, r.Err)
		}
		delete(want, r.ID)
	}
	for id := range want {
		t.Errorf("no %s", id)
	}
}

// TestThesisNumbers compares numbers with those computed by hand, and statuses of cells.
func TestThesisNumbers(t *testing.T) {
	good, bad := papers.Reproduced, papers.Contradicted
	for _, want := range []struct {
		id, row, name string
		number, by    float64
		status        papers.Status
	}{
		{"fig-4.7", "HMPL", "bandwidth used", 83.33, .005, good},
		{"fig-4.7", "RBML", "bandwidth used", 50, 1e-9, good},
		{"10%-core", "", "of the cores of a node, saved", 12.5, 1e-9, papers.NoClaim},
		{"fig-5.8b", "own against affinity, at best", "less overhead", 20.93, .005, bad},
		{"eq-5.6", "heat", "Ncores", 1.7697e10, 1e6, bad},
		{"table-6.2", "heat", "lambda", 172.2727, 5e-5, good},
		{"table-6.2", "heat with FT", "lambda", 263.8376, 5e-5, good},
		{"table-6.2", "Laplace", "lambda", 220.3488, 5e-5, good},
		{"table-6.2", "Laplace with FT", "lambda", 325, 5e-5, good},
		{"table-6.2", "heat", "ST", 133.0374, 5e-5, good},
		{"table-6.2", "heat with FT", "ST", 201.9502, 5e-5, good},
		{"table-6.2", "Laplace", "ST", 191.0811, 5e-5, good},
		{"table-6.2", "Laplace with FT", "ST", 280.3632, 5e-5, good},
		{"table-6.2", "heat", "Ncores", 56, 0, good},
		{"table-6.2", "heat with FT", "Ncores", 24, 0, good},
		{"table-6.2", "Laplace", "Ncores", 53, 0, bad},
		{"table-6.2", "Laplace with FT", "Ncores", 24, 0, good},
		{"table-6.2", "heat with FT", "Cpt_int", 2.72e-8, 0, bad},
		{"table-5.1", "heat with FT", "Cpt_int", 2.72e-8, 0, bad},
		{"fig-5.17", "two nodes, in sequence", "communications over the slow link", 16, 0, good},
		{"fig-5.17", "32 nodes, in blocks", "communications over the slow link", 320, 0, good},
		{"fig-6.2a", "basic protection", "lost if cores are shared", 50, 0, papers.NoClaim},
		{"fig-6.4", "LU.B", "less overhead", 20.4, 1e-9, good},
		{"fig-6.4", "LU.C", "less overhead", 9.2, 1e-9, good},
		{"fig-6.4", "CG.B", "less overhead", 14.03, 1e-9, good},
		{"fig-6.4", "CG.C", "less overhead", 6.9, 1e-9, good},
		{"fig-6.5", "total", "LU.B RBML", 141.25, 1e-9, good},
		{"fig-6.5", "total", "CG.C HMPL", 661.09, 1e-9, good},
		{"fig-6.5", "total overhead", "CG.B HMPL", 184.2757, 5e-5, good},
		{"fig-6.12", "heat with FT", "efficiency on 56 cores", 50.2, .05, good},
		{"fig-6.13", "heat with FT", "K on 24 cores", 204.1241, 5e-5, good},
		{"fig-6.13", "Laplace with FT", "K on 24 cores", 285.7738, 5e-5, good},
		// 4 x 6 cores of 250 x 166.7 tiles, of which 250 go to a neighbour, by hand
		{"table-6.2", "heat with FT", "obtained effic", 62.6, .05, papers.Unclear},
		{"fig-6.14", "heat with FT", "overhead of logging", 61.0, .05, bad},
		{"fig-6.14", "Laplace with FT", "overhead of logging", 47.7, .05, good},
	} {
		at := want.id + " " + want.row + " " + want.name
		r := made(t, claim(t, "radic", want.id))
		i := slices.IndexFunc(r.Cells, func(c papers.Cell) bool {
			return c.Row == want.row && c.Name == want.name
		})
		if i < 0 || r.Cells[i].Got == nil {
			t.Errorf("no %s", at)
		} else if c := r.Cells[i]; math.Abs(c.Got.Number-want.number) > want.by ||
			c.Status != want.status {
			t.Errorf("%s is %g, %v; want %g, %v", at, c.Got.Number, c.Status, want.number,
				want.status)
		}
	}
}

// TestBreakdown: whichever digit of a column of Fig 6.5 is another, the figure contradicts itself;
// only hundredths of a second may be those of rounding.
func TestBreakdown(t *testing.T) {
	effort.Seconds(t)
	const column = "LU.B HMPL"
	whole := claim(t, "radic", "fig-6.5")
	digits := 0
	for i, v := range whole.Values {
		if v.Name != column {
			continue
		}
		for at, old := range v.Printed {
			for digit := '0'; digit <= '9' && old != ','; digit++ {
				if digit == old {
					continue
				}
				digits++
				c := claim(t, "radic", "fig-6.5")
				changed := &c.Values[i]
				before, _ := changed.Number()
				changed.Printed = v.Printed[:at] + string(digit) + v.Printed[at+1:]
				after, _ := changed.Number()
				rounding := v.Unit == "s" && math.Abs(after-before) < .0101 && v.Row != "without FT"
				if status := made(t, c).Status; status != papers.Contradicted && !rounding {
					t.Errorf("%s %s for %s: %v", v.Row, changed.Printed, v.Printed, status)
				}
			}
		}
	}
	if digits < 9*50 {
		t.Errorf("%d digits were tried", digits)
	}
}

// TestSelfContradictions: what else contradicts itself does so by computing, so other print agrees.
func TestSelfContradictions(t *testing.T) {
	for _, try := range []struct {
		id, row, name, printed string
	}{
		{id: "fig-5.8b", row: "own against affinity, at best", name: "less overhead",
			printed: "20.9"},
		{id: "fig-6.14", row: "heat with FT", name: "overhead of logging", printed: "60"},
		{id: "table-6.2", row: "Laplace", name: "Ncores", printed: "53"},
		{id: "table-6.2", row: "heat with FT", name: "Cpt_int", printed: "2.72E-8"},
	} {
		c := claim(t, "radic", try.id)
		for i := range c.Values {
			if v := &c.Values[i]; v.Row == try.row && v.Name == try.name {
				v.Printed = try.printed
			}
		}
		for _, cell := range made(t, c).Cells {
			if cell.Row == try.row && cell.Name == try.name && cell.Status != papers.Reproduced {
				t.Errorf("%s %s with %s: %v", try.id, try.name, try.printed, cell.Status)
			}
		}
	}
}

// TestSupertiles holds the model of the thesis against values computed by hand, with exact
// arithmetic, for the rows of Table 6.2: by the lambda that it prints, and by that of the times of
// Fig 6.11, of which the efficiencies are.
func TestSupertiles(t *testing.T) {
	for i, want := range []struct{ exact, ratio, k, own, serial float64 }{
		{56.5005, 171.4932, 132.5897, .7589, .7560},
		{24.5195, 263.0611, 201.2759, .7568, .6135},
		{53.6810, 220.3488, 191.2756, .8528, .8459},
		{24.9353, 325.1478, 280.3614, .8527, .6625},
	} {
		row := papers.Supertiles()[i]
		plan, err := performability.Solve(row.Program, row.Efficiency, performability.Machine{})
		if err != nil || math.Abs(plan.Exact-want.exact) > 5e-5 {
			t.Errorf("%s: %g cores, %v", row.Name, plan.Exact, err)
		}
		run, err := row.Program.Keeping(plan.Ideal, plan.Cores)
		if err != nil || math.Abs(run.Efficiency-want.own) > 6e-5 ||
			math.Abs(run.Serial-want.serial) > 6e-5 {
			t.Errorf("%s: efficiency %.5f and %.5f, %v", row.Name, run.Efficiency, run.Serial, err)
		}
		row.Program.Ratio = 0
		plan, err = performability.Solve(row.Program, row.Efficiency, performability.Machine{})
		if err != nil || math.Abs(plan.Lambda-want.ratio) > 5e-5 ||
			math.Abs(plan.Ideal-want.k) > 5e-5 {
			t.Errorf("%s: by its times lambda is %.4f and K %.4f, %v", row.Name, plan.Lambda,
				plan.Ideal, err)
		}
	}
}
