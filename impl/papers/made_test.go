package papers_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/papers"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/errmgr/figures"
	"github.com/domino-check/domino/impl/runtime/census"
)

// stubbed is a bench on which each scenario holds and each erratum is one of the authors, and which
// has the experiments that are not too long.
func stubbed() *papers.Bench {
	return &papers.Bench{
		Check: func(context.Context, string, string) (*papers.Answer, error) {
			return &papers.Answer{Verdict: "holds", Bounds: "1 failure"}, nil
		},
		Errata: func(_ context.Context, _ string, ids ...string) (list []papers.Shown, _ error) {
			for _, id := range ids {
				list = append(list, papers.Shown{ID: id, Class: "printed", Confirmed: true,
					Broken: papers.Answer{Property: "it", Steps: 7}})
			}
			return list, nil
		},
		Run: func(_ context.Context, name, _ string, late bool) (*census.Counts, error) {
			if name == "causal" {
				return &census.Counts{Determinants: 6000, Piggybacked: 100, Copies: 6000}, nil
			}
			c := census.Counts{Determinants: 3180, Piggybacked: 100, Copies: 60, Parts: 180,
				Seeds: 180}
			if late {
				c.Piggybacked = 60
			}
			return &c, nil
		},
		Experiment: func(_ context.Context, name string) (*protocol.Findings, error) {
			for _, e := range figures.Experiments {
				if e.Name == name && (effort.Long() || name == "ring" || name == "migration") {
					return e.Run(protocol.ExperimentOptions{})
				}
			}
			return nil, papers.ErrAbsent
		}}
}

// claimOf is one that is made anew.
func claimOf(t *testing.T, paper, id string) *papers.Claim {
	t.Helper()
	for _, p := range papers.All() {
		if p.Name == paper {
			if list, missing := p.Match([]string{id}); missing == nil {
				return list[0]
			}
		}
	}
	t.Fatalf("%s has no claim %s", paper, id)
	return nil
}

// cellOf is a cell of a claim that is made.
func cellOf(t *testing.T, r *papers.Result, row, name string) *papers.Cell {
	t.Helper()
	for i, c := range r.Cells {
		if c.Row == row && c.Name == name {
			return &r.Cells[i]
		}
	}
	t.Fatalf("%s has no value %q %q", r.ID, row, name)
	return nil
}

// madeOn makes a claim.
func madeOn(t *testing.T, b *papers.Bench, c *papers.Claim) *papers.Result {
	t.Helper()
	r, err := b.Make(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestMade makes claims on one bench, which keeps what it makes.
func TestMade(t *testing.T) {
	b := stubbed()
	t.Run("by hand", func(t *testing.T) { byHand(t, b) })
	t.Run("found", func(t *testing.T) { selfContradictions(t, b) })
	t.Run("wrong digits", func(t *testing.T) {
		if !effort.Long() {
			t.Log("of a quarter of the cells: " + effort.More)
		}
		wrongDigits(t, b)
	})
}

// Aim: what makers compute is what comes out by hand. Method: each number worked from what the
// papers print, or from the shape of the trees.
func byHand(t *testing.T, b *papers.Bench) {
	t.Helper()
	for _, c := range []struct {
		paper, id, row, name string
		want                 float64
	}{
		{"camel", "fig-1a", "", "point-to-point", 0},                           // 100 - 50 - 50
		{"camel", "fig-3", "multicast", "SCMEL", 4},                            // at R, S, T and X
		{"camel", "fig-3", "reduction", "SCMEL", 8},                            // edges
		{"camel", "fig-3", "reduction", "CAMEL", 2},                            // from S and T
		{"camel", "fig-5a", "multicast", "CAMEL", 50. * 125 / 7785},            // groups, edges
		{"camel", "fig-5a", "reduction", "CAMEL", 50. * 375 / 7785},            // 3 a group
		{"camel", "fig-5a", "all", "saved by the printed parts", 95.5},         // 100 - 1 - 3 - .5
		{"camel", "fig-5a", "all", "saved by a CAMEL that survives C11", 92.5}, // and 3 again
		{"camel", "fig-5a", "in runs", "saved", 96},                            // 1 - 240/6000
		{"camel", "fig-5a", "in runs", "saved, with what C11 adds", 93},        // and 180 more
		{"camel", "table-3-determinants", "1,024", "CAMEL/SCMEL in runs", 53},
		{"camel", "table-3-piggybacked", "1,024", "CAMEL/SCMEL in runs", 80}, // 60 to 100
		// rows of 4 with 2 children have 3 edges, one copy, two contributions at the root, of .79
		{"camel", "fig-6a", "256", "saved", 45 - 45/1.79/3 - 45*.79/1.79*2/3},
		{"camel", "fig-6a", "4K", "saved by the printed parts", 52}, // 100 - 32 - 6 - 10
		{"camel", "fig-6b", "16K", "saved", 75 - 75/1.79/12 - 75*.79/1.79*2/12},
		{"camel", "table-3-log", "1,024", "saved", 95.26142},       // 1 - 12.77/269.49
		{"camel", "table-3-log", "2,048", "saved", 95.11084},       // 1 - 12.77/261.19
		{"camel", "table-3-log", "16,384", "SCMEL", 370.82},        // the median a message
		{"camel", "table-3-determinants", "1,024", "SCMEL", 54.67}, // 24.32 + 30.35
		{"camel", "table-3-determinants", "16,384", "CAMEL", 63.44 * .53},
		{"camel", "table-3-determinants", "16,384", "CAMEL/SCMEL", 52.71122}, // 33.44/63.44
		{"camel", "table-3-piggybacked", "4,096", "CAMEL/SCMEL", 49.52871},   // 136.62/275.84
		{"errmgr", "fig-2", "stage", "checkpoint, by its parts", 8.2},        // .8 + 7.4
		{"errmgr", "fig-2", "zip", "checkpoint, by its parts", 3.4},          // .7 + 2.7
		{"errmgr", "table-1a", "64", "stage less", 26.21359},                 // 1 - 7.6/10.3
		{"errmgr", "table-1b", "64", "stage less", -11.86686},                // 1 - 77.3/69.1
		{"errmgr", "table-1d", "192", "run zip less", 39.54741},              // 1 - 617.1/1020.8
		{"errmgr", "text-limits", "LAMMPS", "latency, up to", 66.57330},      // 1 - 35.8/107.1
		{"errmgr", "text-limits", "POP", "latency, up to", 75.92068},         // 1 - 8.5/35.3
		{"errmgr", "text-limits", "LAMMPS", "size, from", 5.3},               // 5427.2/1024
	} {
		cell := cellOf(t, madeOn(t, b, claimOf(t, c.paper, c.id)), c.row, c.name)
		if cell.Got == nil || math.Abs(cell.Got.Number-c.want) > .005 {
			t.Errorf("%s %s %s %s: %+v, want %v", c.paper, c.id, c.row, c.name, cell.Got, c.want)
		}
	}
}

// Aim: what the papers contradict themselves in, and what they are silent about, is found by
// computing. Method: the statuses of the cells that were found by hand.
func selfContradictions(t *testing.T, b *papers.Bench) {
	t.Helper()
	for _, c := range []struct {
		paper, id, row, name string
		want                 papers.Status
		ours                 string // in the words of it
	}{
		{"camel", "table-3-messages", "all", "with the system size", papers.Contradicted,
			"falls at 2,048 and 8,192"},
		{"camel", "table-3-log", "SCMEL", "with the system size", papers.Contradicted,
			"falls at 2,048 and 8,192"},
		{"camel", "table-3-log", "CAMEL", "with the system size", papers.Reproduced, "same"},
		{"camel", "table-3-determinants", "2,048", "SCMEL by Algorithm 1", papers.Unclear,
			"30.34 M more"},
		{"camel", "table-3-determinants", "all", "created", papers.Reproduced, "half"},
		{"camel", "table-3-piggybacked", "all", "piggybacked", papers.Unclear,
			"4 of 5 columns; 60.15 %"},
		{"camel", "fig-1b", "256", "point-to-point", papers.Unclear, "55 %"},
		{"camel", "fig-1b", "4K", "point-to-point", papers.Reproduced, "a third"},
		{"camel", "fig-5a", "all", "saved by a CAMEL that survives C11", papers.Contradicted, ""},
		{"camel", "thm-2", "", "after one failure at a time", papers.Contradicted, "C2, C19"},
		{"camel", "fig-5a", "in runs", "saved", papers.Reproduced, ""},
		{"camel", "fig-5a", "in runs", "saved, with what C11 adds", papers.Contradicted, ""},
		{"camel", "table-3-piggybacked", "1,024", "CAMEL/SCMEL in runs", papers.Unclear,
			"60 % with the latest acknowledgements, 100 %"},
		{"errmgr", "fig-2", "stage", "checkpoint, by its parts", papers.Reproduced, ""},
		{"errmgr", "fig-2", "zip", "checkpoint, by its parts", papers.Unclear, "0.7 s more"},
		{"errmgr", "table-1a", "64", "stage less", papers.Reproduced, ""},
		{"errmgr", "fig-6a", "zip", "with more movers, to central", papers.Reproduced, ""},
	} {
		cell := cellOf(t, madeOn(t, b, claimOf(t, c.paper, c.id)), c.row, c.name)
		text := cell.Why
		if cell.Got != nil {
			text += " " + cell.Got.Text
		}
		if cell.Status != c.want || !strings.Contains(text, c.ours) {
			t.Errorf("%s %s %s %s: %v %s, want %v %s", c.paper, c.id, c.row, c.name, cell.Status,
				text, c.want, c.ours)
		}
	}
}

// Aim: an erratum contradicts the authors only by what they print: a silence or a second reading
// leaves it open, and without any the promise stands.
func TestErrata(t *testing.T) {
	for _, c := range []struct {
		shown papers.Shown
		want  papers.Status
	}{
		{papers.Shown{Class: "printed", Confirmed: true}, papers.Contradicted},
		{papers.Shown{Class: "printed", Confirmed: true, OtherReading: true}, papers.Unclear},
		{papers.Shown{Class: "silence", Confirmed: true}, papers.Unclear},
		{papers.Shown{Class: "printed"}, papers.Reproduced},
	} {
		b := &papers.Bench{Errata: func(context.Context, string, ...string) ([]papers.Shown,
			error) {
			return []papers.Shown{c.shown}, nil
		}}
		if r := madeOn(t, b, claimOf(t, "camel", "thm-2")); r.Status != c.want {
			t.Errorf("%+v: %v, want %v", c.shown, r.Status, c.want)
		}
	}
	if r := madeOn(t, &papers.Bench{}, claimOf(t, "camel", "thm-2")); r.Status != papers.NotHere {
		t.Errorf("a command without errata: %v", r.Status)
	}
}

// Aim: a wrong digit does not pass. Method: the first digit of each number that is reproduced is
// changed, so that a bound is not met either, and the claim made again; a model only doubts.
func wrongDigits(t *testing.T, b *papers.Bench) {
	t.Helper()
	for _, p := range papers.All() {
		if p.Name != "camel" && p.Name != "errmgr" {
			continue
		}
		for i := range p.Claims {
			for n, cell := range madeOn(t, b, &p.Claims[i]).Cells {
				if _, ok := cell.Number(); !ok || cell.Status != papers.Reproduced {
					continue
				}
				if (i+n)%4 > 0 && !effort.Long() {
					continue
				}
				c := claimOf(t, p.Name, p.Claims[i].ID)
				v := &c.Values[n]
				v.Printed = changed(v)
				r := madeOn(t, b, c)
				want := papers.Contradicted
				if cell.Method == papers.Modelled {
					want = papers.Unclear
				}
				if r.Cells[n].Status != want {
					t.Errorf("%s %s %s %s: %s for %s is %v, want %v", p.Name, c.ID, v.Row, v.Name,
						v.Printed, cell.Printed, r.Cells[n].Status, want)
				}
			}
		}
	}
}

// changed is a printed number with another first digit, or one more where that is within what the
// value tolerates.
func changed(v *papers.Value) string {
	at := strings.IndexAny(v.Printed, "123456789")
	digit := byte('9')
	if v.Sense == papers.AtMost {
		return "-9" + v.Printed
	}
	if v.Printed[at] > '4' && v.Sense == papers.Equal {
		digit = '1'
	} else if v.Sense == papers.AtLeast {
		return "1" + v.Printed
	}
	other := *v
	other.Printed = v.Printed[:at] + string(digit) + v.Printed[at+1:]
	was, _ := v.Number()
	if is, _ := other.Number(); math.Abs(is-was) <= 2*v.Tolerance {
		unsigned := strings.TrimPrefix(v.Printed, "-")
		return strings.TrimSuffix(v.Printed, unsigned) + "9" + unsigned
	}
	return other.Printed
}

// TestStoredOnce: that CAMEL stores a multicast once is counted in a run.
func TestStoredOnce(t *testing.T) {
	for copies, want := range map[int]papers.Status{0: papers.Contradicted, 1: papers.Reproduced,
		4: papers.Contradicted} {
		b := stubbed()
		b.Run = func(_ context.Context, name, _ string, _ bool) (*census.Counts, error) {
			if name != "camel" {
				t.Errorf("%s was run", name)
			}
			return &census.Counts{Copies: copies}, nil
		}
		r := madeOn(t, b, claimOf(t, "camel", "fig-3"))
		if cell := cellOf(t, r, "multicast", "CAMEL"); cell.Status != want {
			t.Errorf("%d copies: %v, want %v", copies, cell.Status, want)
		}
	}
}

// TestNothingMakes: where nothing makes what is not quick, whatever is asked for, it is not
// reproducible here, with a reason; where a flag does, it is said how long that takes.
func TestNothingMakes(t *testing.T) {
	for _, p := range papers.All() {
		for i := range p.Claims {
			c := &p.Claims[i]
			r := papers.Judge(c, nil, nil)
			for _, cell := range r.Cells {
				switch {
				case !c.Lasting(cell.Value):
				case c.Long != nil && (cell.Status != papers.NotMade || c.Takes <= 0):
					t.Errorf("%s %s %s: %v, takes %v", p.Name, c.ID, cell.Label(), cell.Status,
						c.Takes)
				case c.Long == nil && (cell.Status != papers.NotHere || cell.Why+c.Why == ""):
					t.Errorf("%s %s %s: %v, %q", p.Name, c.ID, cell.Label(), cell.Status, cell.Why)
				}
			}
		}
	}
}
