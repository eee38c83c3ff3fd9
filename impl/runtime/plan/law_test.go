package plan_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/runtime/plan"
)

// TestLaw draws many gaps and compares their mean and their variance with those of the Weibull
// distribution as textbooks have them: of shape 1 the exponential one, whose deviation is its mean,
// of shape 0.5 one whose variance is 5 times the square of its mean, of shape 2 4/π - 1 times.
func TestLaw(t *testing.T) {
	for shape, want := range map[float64]float64{0: 1, 1: 1, 0.5: 5, 2: 4/math.Pi - 1} {
		l := plan.Law{MTBF: time.Second, Shape: shape}
		if err := l.Check(); err != nil {
			t.Fatal(err)
		}
		const n = 200_000
		events := l.Draw(rand.New(rand.NewPCG(1, 2)), 4, math.MaxInt64, n)
		sum, squares, before := 0.0, 0.0, time.Duration(0)
		ranks := make([]int, 4)
		for _, e := range events {
			gap := (e.At - before).Seconds()
			sum, squares, before = sum+gap, squares+gap*gap, e.At
			ranks[e.Rank]++
		}
		mean := sum / n
		variance := squares/n - mean*mean
		if len(events) != n || math.Abs(mean-1) > 0.02 || math.Abs(variance-want) > want*0.06 {
			t.Errorf("shape %g: %d gaps, mean %.3f, variance %.3f, want 1 and %.3f", shape,
				len(events), mean, variance, want)
		}
		for r, k := range ranks {
			if math.Abs(float64(k)/n-0.25) > 0.01 {
				t.Errorf("shape %g: rank %d fails %d times of %d", shape, r, k, n)
			}
		}
	}
}

// TestTrace reads a trace by hand: scaled to another mean, it goes round, and its nodes are ranks.
func TestTrace(t *testing.T) {
	events, err := plan.ReadTrace(strings.NewReader(
		"# of a machine\nsystem,node,time,cause\n2,n7,100,cpu\n2,n3,160.5,disk\n2,n7,400,?\n"), "f")
	want := []plan.Event{{At: 100 * time.Second}, {At: 160500 * time.Millisecond, Rank: 1},
		{At: 400 * time.Second}}
	if diff := cmp.Diff(want, events); err != nil || diff != "" {
		t.Fatalf("%v, -want +got:\n%s", err, diff)
	}
	l := plan.Law{Trace: events, MTBF: 15 * time.Second} // a tenth
	if err := l.Check(); err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(20) {
		got := l.Draw(rand.New(rand.NewPCG(seed, 0)), 2, time.Hour, 7)
		if len(got) != 7 {
			t.Fatalf("%d failures", len(got))
		}
		// the gaps are 6.05, 23.95 and 15 s between the last and the first, in turn, by who fails
		for i := 1; i < len(got); i++ {
			gap := (got[i].At - got[i-1].At).Round(time.Millisecond)
			switch {
			case got[i].Rank == 1 && gap == 6050*time.Millisecond,
				got[i-1].Rank == 1 && gap == 23950*time.Millisecond,
				got[i].Rank == 0 && got[i-1].Rank == 0 && gap == 15*time.Second:
			default:
				t.Errorf("seed %d: rank %d %v behind rank %d", seed, got[i].Rank, gap,
					got[i-1].Rank)
			}
		}
		if first := got[0].At; first <= 0 || first > 23950*time.Millisecond {
			t.Errorf("seed %d: the first at %v", seed, first)
		}
	}
	plain, err := plan.ReadTrace(strings.NewReader("1\n2\n4\n"), "f")
	if err != nil || len(plain) != 3 || plain[2] != (plan.Event{At: 4 * time.Second, Rank: -1}) {
		t.Errorf("%v, %v", plain, err)
	}
	short := plan.Law{Trace: plain}
	if got := short.Draw(rand.New(rand.NewPCG(1, 0)), 3, 0, 5); len(got) > 0 {
		t.Errorf("%v up to 0", got)
	}
}

// TestBadLaws: what makes no sense is refused with its place.
func TestBadLaws(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", "f: 0 failures, want two or more"}, {"5\n", "f: 1 failures"},
		{"2\n1\n", "f:2: it comes before the one above"}, {"1\nx\n", `f:2: time "x"`},
		{"1\n-3\n", `f:2: time "-3"`}, {"1\nNaN\n", `f:2: time "NaN"`},
		{"1\n1e300\n", `f:2: time "1e300"`}, {"node,time\na\n", "f:2: 1 columns, want the time"},
		{"1\n\"2\n", "f: "}, {"node,host\n1,2\n", `f:1: time "node"`},
	} {
		if _, err := plan.ReadTrace(strings.NewReader(tt.text), "f"); err == nil ||
			!strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %s", tt.text, err, tt.want)
		}
	}
	second := plan.Event{At: time.Second}
	for _, l := range []plan.Law{{}, {MTBF: -1}, {MTBF: 1, Shape: 11}, {MTBF: 1, Shape: math.NaN()},
		{MTBF: 1, Shape: -1}, {Trace: []plan.Event{second}},
		{Trace: []plan.Event{second, second}},
		{Shape: 1, Trace: []plan.Event{{}, second}}} {
		if l.Check() == nil {
			t.Errorf("%+v is valid", l)
		}
	}
}
