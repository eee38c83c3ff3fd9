package papers

import (
	"context"
	"strings"
	"testing"
)

// made are the cells of a claim, by row and name.
func made(t *testing.T, c Claim) map[string]Cell {
	t.Helper()
	r, err := (&Bench{}).Make(t.Context(), &c)
	if err != nil || r.Err != nil {
		t.Fatal(err, r.Err)
	}
	cells := map[string]Cell{}
	for _, cell := range r.Cells {
		cells[strings.TrimSpace(cell.Row+" "+cell.Name)] = cell
	}
	return cells
}

// TestShares: by hand, 44 of 337 is at most 13.22 where 13.26 is printed, 289 of 1,446 at most
// 20.03 where 20.04 is; 18.09 is what 143 of 791 may be. Another digit turns the answer round.
func TestShares(t *testing.T) {
	values := hydeePlans()
	for row, want := range map[string]string{"BT": yes, "CG": yes, "FT": yes, "LU": no, "MG": yes,
		"SP": no} {
		if g := shareOf(values, row); g.Text != want {
			t.Errorf("%s: %+v, want %s", row, g, want)
		}
	}
	find(values, "LU", share).Printed = "13.06"
	find(values, "BT", share).Printed = "18.19"
	if lu, bt := shareOf(values, "LU"), shareOf(values, "BT"); lu.Text != yes || bt.Text != no {
		t.Errorf("with other digits: %+v, %+v", lu, bt)
	}
	fr := hydeeFrTable4().Values
	for row, want := range map[string]string{"LU": yes, "PARATEC": no, "LAMMPS": yes} {
		if g := shareOf(fr, row); g.Text != want {
			t.Errorf("%s: %+v, want %s", row, g, want)
		}
	}
}

// TestHydEETable: what bisection gives as printed is reproduced, all totals are, no printed plan
// costs less than ours, and the text goes beyond its table in MG and SP.
func TestHydEETable(t *testing.T) {
	contradicted := ""
	c := hydeeTable1()
	cells := made(t, c)
	for _, v := range c.Values {
		cell := cells[strings.TrimSpace(v.Row+" "+v.Name)]
		if v.Name == inAll && cell.Status != Reproduced || v.Name == costs && cell.Got.Text != yes {
			t.Errorf("%s %s: %+v", v.Row, v.Name, cell)
		}
		if cell.Status == Contradicted {
			contradicted += v.Row + " " + v.Name + ";"
		}
	}
	want := "LU " + ofBytes + ";SP " + ofBytes +
		";all but FT around 20 % roll back, less than 20 % is logged;"
	if contradicted != want {
		t.Errorf("contradicted %q, want %q", contradicted, want)
	}
}

// TestSentences: of hand-counted rows 8 of 12 keep within both bounds on 1,024 ranks, 1 of 6 on
// 256; FT is the only one of which half rolls back; beta is 12.395 %.
func TestSentences(t *testing.T) {
	for _, c := range []struct {
		claim     Claim
		cell, why string
		status    Status
	}{
		{hydeeFrMost(), "less than 15 % roll back and are logged", "8 of 12: BT, LU, SP, GTC, " +
			"LAMMPS, Nbody, PARATEC, SPECFEM3D", Reproduced},
		{hydeeTypical(), "own Table I of six programs", "1 of 6", Unclear},
		{hydeeAt1024(), "less than 15 % roll back", "but FT", Reproduced},
		{hydeeFrBeta(), "lost to a failure", "12.395 % at 266.98 minutes", Reproduced},
	} {
		cell := made(t, c.claim)[c.cell]
		if cell.Value == nil || cell.Status != c.status || !strings.Contains(cell.Why, c.why) {
			t.Errorf("%s: %v %q, want %v %q", c.claim.ID, cell.Status, cell.Why, c.status, c.why)
		}
	}
}

// TestProved: an erratum that a search confirms contradicts the proof, one that it does not leaves
// it, and a reading or a silence decides nothing.
func TestProved(t *testing.T) {
	c := hydeeProved("thm-1", "Theorem 1", "nothing overtakes", "H10")
	for _, try := range []struct {
		shown Shown
		want  Status
	}{
		{Shown{ID: "H10", Class: "printed", Confirmed: true}, Contradicted},
		{Shown{ID: "H10", Class: "printed"}, Reproduced},
		{Shown{ID: "H10", Class: "reading", Confirmed: true}, Unclear},
		{Shown{ID: "H10", Class: "printed", OtherReading: true, Confirmed: true}, Unclear},
	} {
		b := &Bench{Errata: func(context.Context, string, ...string) ([]Shown, error) {
			return []Shown{try.shown}, nil
		}}
		if r, err := b.Make(t.Context(), &c); err != nil || r.Status != try.want {
			t.Errorf("%+v: %v, want %v", try.shown, r.Status, try.want)
		}
	}
}
