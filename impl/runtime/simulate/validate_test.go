package simulate_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/impl/runtime/simulate"
)

// Aim: the work of an iteration is what is left of a measured time: of 20 iterations in a second 50
// ms each, where every rank has a core, and half of that where four share two cores; none at all
// where messages alone take longer; and a program without iterations is an error.
func TestFit(t *testing.T) {
	k := "heat ranks=4 n=16 iterations=20"
	m := scaled(t, 1)
	two := m.With(simulate.Parameter{Name: "cores", Value: 2, Unit: "1"}).Together()
	for _, tt := range []struct {
		m       *simulate.Machine
		seconds float64
		want    time.Duration
	}{{m, 1, 50 * time.Millisecond}, {two, 1, 25 * time.Millisecond}, {m, 1e-9, 0}} {
		j := simulate.Job{Machine: tt.m, Setup: setup(t, "none", k, 0)}
		work, err := simulate.Fit(&j, tt.seconds)
		if err != nil || math.Abs(float64(work-tt.want)) > .02*float64(tt.want) {
			t.Errorf("%v s: work %v, %v; want about %v", tt.seconds, work, err, tt.want)
		}
		j.Work = work
		if out := play(t, j); tt.want > 0 &&
			math.Abs(float64(out.Completion)/1e12/tt.seconds-1) > .005 {
			t.Errorf("with it none takes %v s, want %v", float64(out.Completion)/1e12, tt.seconds)
		}
	}
	j := simulate.Job{Machine: m, Setup: setup(t, "none", "matmul ranks=4", 0)}
	if work, err := simulate.Fit(&j, 10); err == nil {
		t.Errorf("work %v of a program that has no iterations", work)
	}
}

// Aim: the overhead of HydEE on a ring is that of the formula of TestParts; what was measured
// agrees up to 15 % of time or its spread, not beyond, and a miss is put down to what is off.
func TestCompare(t *testing.T) {
	k := "ring ranks=3 size=500 iterations=2"
	m := scaled(t, 1)
	m.Parameters = append(m.Parameters, simulate.Parameter{Name: "step.hydee", Value: 5000,
		Unit: "ns"})
	s := &simulate.Study{Job: simulate.Job{Machine: m, Setup: setup(t, "hydee", k, 3)},
		Base: setup(t, "none", k, 0)}
	none := play(t, simulate.Job{Machine: m, Setup: s.Base})
	base := float64(none.Completion) / 1e12
	// in each lap 28 bytes at 1 GB/s, a step that takes 4,800 ns more, 500 bytes copied at 4 GB/s
	over := 2 * (28e-9 + 4800e-9 + 125e-9) / base
	if over < .3 {
		t.Fatalf("overhead %v is not large enough for this test", over)
	}
	measured := func(off float64) *simulate.Measurement {
		return &simulate.Measurement{Base: base, Overhead: over - off, Spread: .01,
			WorkedBase: base, Worked: base}
	}
	for _, tt := range []struct {
		off, spread float64
		busy        float64 // what processors have worked more, of base
		within      bool
		explains    string
	}{{0, 0, 0, true, ""}, {.149, 0, 0, true, ""}, {-.149, 0, 0, true, ""},
		{.151, 0, 3 * over, false, "steps and copies"}, {.2, .21, 0, true, ""},
		{-.3, 0, 3 * over, false, "noise"}, {.3, 0, 0, false, "processors"}} {
		w := measured(tt.off)
		w.Spread = tt.spread
		w.Worked += tt.busy * base
		c, err := s.Compare(w)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(c.Overhead-over) > 1e-9 || math.Abs(c.Difference-tt.off) > 1e-9 ||
			c.Within != tt.within || (c.Explains != "") == tt.within ||
			!strings.Contains(c.Explains, tt.explains) {
			t.Errorf("%+v: %+v, want an overhead of %v", tt, c, over)
		}
	}
}
