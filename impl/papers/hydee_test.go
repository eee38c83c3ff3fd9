package papers

import (
	"context"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/effort"
)

// shared is the bench of tests that need no machines: it keeps the traffic and plans of kernels.
var shared Bench

// made are the cells of a claim, by row and name.
func made(t *testing.T, c Claim) map[string]Cell {
	t.Helper()
	r, err := shared.Make(t.Context(), &c)
	if err != nil || r.Err != nil {
		t.Fatal(err, r.Err)
	}
	cells := map[string]Cell{}
	for _, cell := range r.Cells {
		cells[strings.TrimSpace(cell.Row+" "+cell.Name)] = cell
	}
	return cells
}

// TestShares: by hand, 44 to 45 of 337 to 338 is 13.02 to 13.35 where 13.26 is printed, 289 to 290
// of 1,446 to 1,447 is 19.97 to 20.06 where 20.04 is; neither holds of rounded numbers. 2,262 of
// 23,914 is 9.46, printed 9.4. Another digit turns the answer round.
func TestShares(t *testing.T) {
	values := hydeePlans()
	for row, rounded := range map[string]bool{"BT": true, "CG": true, "FT": true, "LU": false,
		"MG": true, "SP": false} {
		if g := shareOf(values, row); g.Text != yes ||
			strings.Contains(g.Why, "of rounded numbers") == rounded {
			t.Errorf("%s: %+v", row, g)
		}
	}
	find(values, "LU", share).Printed = "13.56"
	find(values, "BT", share).Printed = "18.29"
	if lu, bt := shareOf(values, "LU"), shareOf(values, "BT"); lu.Text != no || bt.Text != no {
		t.Errorf("with other digits: %+v, %+v", lu, bt)
	}
	fr := hydeeFrTable4().Values
	for row, want := range map[string]string{"LU": yes, "PARATEC": no, "LAMMPS": yes} {
		if g := shareOf(fr, row); g.Text != want {
			t.Errorf("%s: %+v, want %s", row, g, want)
		}
	}
}

// TestSizes: by hand, sixteen clusters of 32 of 512 roll back 6.25 %; of 1,024 in 13 clusters of 64
// to 128, 8.59 % at most, of which 8.5 is a part.
func TestSizes(t *testing.T) {
	values := hydeeFrTable4().Values
	for _, row := range []string{"GTC", "LAMMPS", "MAESTRO", ring, "PARATEC", "SPECFEM3D"} {
		if g := sizesOf(values, row); g.Text != yes {
			t.Errorf("%s: %+v", row, g)
		}
	}
	find(values, "GTC", rolledBack).Printed = "6.35"
	if g := sizesOf(values, "GTC"); g.Text != no || !strings.Contains(g.Why, "6.25 to 6.25 %") {
		t.Errorf("with another digit: %+v", g)
	}
}

// TestHydEETable: what bisection gives as printed is reproduced, all totals are, no printed plan
// costs less than ours, and the text goes beyond its table in MG, of which 25 % roll back. The
// short form leaves out [HydEE-fr] Tableau 4, of up to 1,215 processes.
func TestHydEETable(t *testing.T) {
	contradicted, want := "", "all but FT rolled back;"
	list := []Claim{hydeeTable1()}
	if effort.Long() {
		list, want = append(list, hydeeFrTable4()), want+"PARATEC "+ofBytes+";"
	}
	for _, c := range list {
		cells := made(t, c)
		for _, v := range c.Values {
			cell := cells[strings.TrimSpace(v.Row+" "+v.Name)]
			if v.Name == inAll && kernel(v.Row) && cell.Status != Reproduced ||
				v.Name == costs && cell.Got.Text != yes {
				t.Errorf("%s %s: %+v", v.Row, v.Name, cell)
			}
			if cell.Status == Contradicted {
				contradicted += v.Row + " " + v.Name + ";"
			}
		}
	}
	if contradicted != want {
		t.Errorf("contradicted %q, want %q", contradicted, want)
	}
}

// TestSentences: of hand-counted rows 8 of 12 keep within both bounds on 1,024 ranks, 1 of 6 on
// 256; beta is 12.395 %; on 1,024 processes less is logged of BT and SP than on 256.
func TestSentences(t *testing.T) {
	effort.Seconds(t)
	const of = "less than 15 % roll back and are logged"
	for _, c := range []struct {
		claim     Claim
		cell, why string
		status    Status
	}{
		{hydeeFrMost(), of, "8 of 12: BT, LU, SP, GTC, LAMMPS, Nbody, PARATEC, SPECFEM3D",
			Reproduced},
		{hydeeTypical(), "Table I " + of, "1 of 6: LU", Unclear},
		{hydeeTypical(), "Tableau 4 of [HydEE-fr] " + of, "8 of 12", Reproduced},
		{hydeeAt1024(), "BT " + rolledBack, "", Reproduced},
		{hydeeAt1024(), "MG " + share, "18.4 %, of 256 processes 19.6", Reproduced},
		{hydeeAt1024(), "SP " + share, "12.2 %, of 256 processes 20.0", Unclear},
		{hydeeFrBeta(), "lost to a failure", "12.395 % at 266.98 minutes", Reproduced},
	} {
		cell := made(t, c.claim)[c.cell]
		if cell.Value == nil || cell.Status != c.status || !strings.Contains(cell.Why, c.why) {
			t.Errorf("%s: %v %q, want %v %q", c.claim.ID, cell.Status, cell.Why, c.status, c.why)
		}
	}
}

// TestPhases: phases are compared in all ends of an execution, and one that is not the same in all
// of them is unclear.
func TestPhases(t *testing.T) {
	end := func(m7 uint64) End {
		return End{Messages: map[string]uint64{"m1": 1, "m2": 2, "m3": 2, "m4": 3, "m7": m7},
			Procs: map[string]uint64{"p6": 3}}
	}
	for _, try := range []struct {
		ends []End
		want Status
	}{
		{[]End{end(3), end(3)}, Reproduced},
		{[]End{end(2), end(2)}, Contradicted},
		{[]End{end(3), end(2)}, Unclear},
	} {
		b := &Bench{Ends: func(context.Context, string) ([]End, error) { return try.ends, nil },
			Check: func(context.Context, string, string) (*Answer, error) {
				return &Answer{Verdict: "holds"}, nil
			}}
		first, second := hydeeFigure4(), hydeeFrFigure2()
		for _, c := range []*Claim{&first, &second} {
			r, err := b.Make(t.Context(), c)
			if err != nil || r.Err != nil {
				t.Fatal(err, r.Err)
			}
			for _, cell := range r.Cells {
				want := Reproduced
				switch {
				case cell.Row == "m7" || cell.Row == "p7":
					want = try.want
				case cell.Name == "by Algorithm 1": // which begins with phase 0
					want = Contradicted
				}
				if cell.Status != want {
					t.Errorf("%s %s: %v, want %v", c.ID, cell.Row, cell.Status, want)
				}
			}
		}
	}
	none := &Bench{Ends: func(context.Context, string) ([]End, error) { return nil, nil }}
	c := hydeeFrFigure2()
	if r, err := none.Make(t.Context(), &c); err != nil || r.Status != Failed {
		t.Errorf("no ends: %v, %v", r.Status, err)
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
