package figures

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/protocol"
)

// outside are the ratios that are outside their bands, and said to be.
var outside = []string{"size at which staging takes as long / 26 MB"}

// judge fails for a ratio that is outside its band and not said to be, or the other way round.
func judge(t *testing.T, f *protocol.Findings) {
	t.Helper()
	for _, r := range f.Ratios {
		t.Logf("%s: %.3f, band %.2f to %.2f", r.Name, r.Value, r.Least, r.Most)
		if said := slices.Contains(outside, r.Name); r.Inside() == said {
			t.Errorf("%s is %.3f, band %.2f to %.2f, said to be outside: %t", r.Name, r.Value,
				r.Least, r.Most, said)
		}
		if !r.Inside() && r.Why == "" {
			t.Errorf("%s is outside its band, and nobody says why", r.Name)
		}
	}
}

// find is the experiment with the name.
func find(t *testing.T, name string) *protocol.Experiment {
	t.Helper()
	i := slices.IndexFunc(Experiments, func(e protocol.Experiment) bool { return e.Name == name })
	if i < 0 {
		t.Fatalf("no experiment %s", name)
	}
	return &Experiments[i]
}

// Aim: each experiment ends, its ratios are in their bands but for those that are said not to be,
// and its figures have what they are to show; the second run is the same.
func TestBands(t *testing.T) {
	short := []string{"ring", "light"}
	for _, e := range Experiments {
		t.Run(e.Name, func(t *testing.T) {
			if !slices.Contains(short, e.Name) {
				effort.Seconds(t)
			}
			f, err := e.Run(protocol.ExperimentOptions{})
			if err != nil {
				t.Fatal(err)
			}
			judge(t, f)
			for _, fig := range f.Figures {
				for _, c := range fig.Curves {
					if len(c.At) < 3 {
						t.Errorf("figure %s, curve %s has %d points", fig.Name, c.Name, len(c.At))
					}
				}
				for _, p := range fig.Parts {
					if len(p.Values) != len(fig.Rows) {
						t.Errorf("figure %s, part %s: %d of %d bars", fig.Name, p.Name,
							len(p.Values), len(fig.Rows))
					}
				}
			}
			for _, g := range f.Tables {
				for _, row := range g.Rows {
					if len(row) != len(g.Columns) {
						t.Errorf("%s: a row of %d cells: %q", g.Title, len(row), row)
					}
				}
			}
			if e.Name != "phases" {
				return
			}
			again, err := e.Run(protocol.ExperimentOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(f, again); diff != "" {
				t.Errorf("the second run is another one (-first +second):\n%s", diff)
			}
		})
	}
}

// Aim: the ratios of Table I that have bands, from the two rows that they are about.
func TestTableBands(t *testing.T) {
	rows := table1()
	small, err := rows[noop].measure(protocol.ExperimentOptions{})
	if err != nil {
		t.Fatal(err)
	}
	large, err := rows[hpl].measure(protocol.ExperimentOptions{})
	if err != nil {
		t.Fatal(err)
	}
	judge(t, &protocol.Findings{Ratios: latencyRatios(small, large)})
}

// Aim: what the emulated cluster takes for central storage is what the formula says for its own
// prices, worked by hand: all files but those at the beginning are written in a crowd.
func TestByHand(t *testing.T) {
	l := lab{PerNode: 1, Rate: 100 * MB, File: 100 * milli, Launch: second, Detect: second}
	j := job{lab: l, Ranks: 4, Image: 100 * MB, Options: central, Policies: "autor abort",
		Spares: 1}
	s, err := j.snapshot()
	if err != nil {
		t.Fatal(err)
	}
	// 4 files of 0.1 + 1 s; the record of the number, and that of the snapshot, take 5 ms each
	if want := 4410 * milli; s.Total < want || s.Total > want+milli {
		t.Errorf("a snapshot takes %v, want %v and some messages", s.Total, want)
	}
	r, err := j.recover(kill{Procs: ranks(0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	// detected after 1 s; a rank is told to stop, twice 20 ms, and 5 ms for the ruling; four files
	// are read, 1 s each, and the last rank starts 1 s later
	if want := 6045 * milli; r.total() < want || r.total() > want+milli {
		t.Errorf("a recovery takes %v, want %v and some messages", r.total(), want)
	}
	j.Options = stage
	if s, err = j.snapshot(); err != nil {
		t.Fatal(err)
	}
	// the same, while the ranks stand still for two records and no longer
	if s.Total < 4410*milli || s.Total > 4412*milli || s.Stall > 2*milli {
		t.Errorf("a staged snapshot takes %v, a rank stands still %v", s.Total, s.Stall)
	}
}

// Aim: the fit is that of the source's table: within 17 % of every row where nothing is packed.
func TestFit(t *testing.T) {
	for _, r := range table1() {
		for _, c := range []struct{ printed, fitted float64 }{
			{r.Central, fitCentral.seconds(r.Ranks, r.Raw)},
			{r.Stage, fitStage.seconds(r.Ranks, r.Raw)}} {
			if off := math.Abs(c.fitted/c.printed - 1); off > 0.17 {
				t.Errorf("%s, %d ranks: %.1f printed, %.1f by the formula", r.Program, r.Ranks,
					c.printed, c.fitted)
			}
		}
	}
	if c := crossing(); c < 25 || c > 27 {
		t.Errorf("the formulas cross at %.1f MB, want about 26", c)
	}
}

// Aim: codecs are measured, and give back what was packed; an image has the noise that is asked
// for.
func TestMeasure(t *testing.T) {
	if !effort.Long() {
		t.Skip("measures for some seconds: " + effort.More)
	}
	all, err := measurePackings(protocol.ExperimentOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, list := range all {
		for k, p := range list {
			if old := packings[i][k]; p.Codec != old.Codec || math.Abs(p.Saved-old.Saved) > 0.02 ||
				p.Pack <= 0 || p.Unpack <= 0 {
				t.Errorf("noise %v: %+v, in the table %+v", noises[i], p, old)
			}
		}
	}
}

// Aim: every experiment says what it is, on one line, under a name that can be typed.
func TestNames(t *testing.T) {
	for _, e := range Experiments {
		if e.Doc == "" || strings.ContainsAny(e.Doc, "\n") || strings.ToLower(e.Name) != e.Name ||
			len(e.Name) > 12 {
			t.Errorf("%q: %q", e.Name, e.Doc)
		}
		if find(t, e.Name).Run == nil {
			t.Errorf("%s does nothing", e.Name)
		}
	}
}
