package simulate_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/simulate"
)

// Aim: of a ring in which one message follows the other, the parts of an overhead are what the
// formula of LogGP says: 28 bytes more a message, and the copies and the steps of the protocol.
func TestParts(t *testing.T) {
	const ranks, size = 3, 500
	k := "ring ranks=3 size=500 iterations=2"
	m := scaled(t, 1)
	m.Parameters = append(m.Parameters, simulate.Parameter{Name: "step.hydee", Value: 500,
		Unit: "ns"})
	s := simulate.Study{Job: simulate.Job{Machine: m, Setup: setup(t, "hydee", k, 3)},
		Base: setup(t, "none", k, 0)}
	a, err := s.Run()
	if err != nil {
		t.Fatal(err)
	}
	// In each lap every rank sends one and receives one. On a card of 1 GB/s 28 bytes take 28 ns;
	// the step that receives takes 300 ns more; a copy of 500 bytes at 4 GB/s takes 125 ns.
	per := a.Calm.Sends / ranks
	want := []int64{0, int64(per) * 28_000, int64(per) * (300_000 + size*250)}
	got := []int64{a.Waiting, a.Bytes, a.CPU}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("parts %v ps, want %v", got, want)
			break
		}
	}
	if sum := a.Waiting + a.Bytes + a.CPU; sum != a.Calm.Completion-a.Base.Completion {
		t.Errorf("parts add up to %d of %d", sum, a.Calm.Completion-a.Base.Completion)
	}
}

// Aim: intervals are those of Young and Daly for the price of an image of every rank; what can make
// no progress is refused.
func TestInterval(t *testing.T) {
	k := "heat ranks=8 iterations=4"
	study := func() *simulate.Study {
		return &simulate.Study{Base: setup(t, "none", k, 0), MTBF: 8 * 3600, Seed: 1,
			Job: simulate.Job{Machine: scaled(t, 1), Setup: setup(t, "hydee", k, 2),
				Image: 100_000_000}}
	}
	// 8 images of 1 s and 30 us by two servers: 4.00012 s; an hour between failures of any node;
	// restart after 6 ms and 1.00003 s
	const d, m, r = 4.00012, 3600, 1.00603
	for rule, want := range map[string]float64{"young": math.Sqrt(2 * d * m),
		"daly": math.Sqrt(2*d*(m+r)) - d} {
		s := study()
		s.Rule = rule
		a, err := s.Run()
		if err != nil || math.Abs(a.Interval.Seconds()-want) > 1e-8 {
			t.Errorf("%s: %v, %v, want %v s", rule, err, a.Interval, want)
		}
	}
	often, brief := study(), study()
	often.Rule, often.MTBF = "young", 30
	brief.Interval = 4 * time.Second
	for _, s := range []*simulate.Study{often, brief} {
		if _, err := s.Run(); err == nil || !strings.Contains(err.Error(), "no progress") {
			t.Errorf("error %v, want no progress", err)
		}
	}
}

// Aim: a thousand failures that strike before the end are no progress only where more would be
// drawn; as many as were asked for are all.
func TestThousandFailures(t *testing.T) {
	k := "heat ranks=2 n=4 iterations=120"
	s := &simulate.Study{Base: setup(t, "none", k, 0), Count: 1000, Job: simulate.Job{
		Machine: scaled(t, 1), Setup: setup(t, "causal", k, 0), Work: 100 * time.Millisecond,
		Anytime: true}}
	a, err := s.Run()
	if err != nil || len(a.Struck.Recoveries) != s.Count || a.Struck.Completion == 0 {
		t.Errorf("%v, %d failures", err, len(a.Struck.Recoveries))
	}
	for _, n := range []int{-1, simulate.MostCount + 1} {
		if s.Count = n; !strings.Contains(errorOf(s.Run()), "failures, want [0, 100000]") {
			t.Errorf("%d failures are accepted", n)
		}
	}
}

// errorOf are the words of an error.
func errorOf(_ any, err error) string { return fmt.Sprint(err) }

// wrong is a machine that ends in another digest.
type wrong struct{ core.Machine }

func (w *wrong) Step(in core.Input, out []core.Effect) []core.Effect {
	first := len(out)
	out = w.Machine.Step(in, out)
	for i := range out[first:] {
		if e := &out[first+i]; e.Kind == core.ProgramDone {
			e.Digest ^= 1
		}
	}
	return out
}

func (w *wrong) Below() core.Machine { return w.Machine }

// deaf is a machine that never takes a message.
type deaf struct{ core.Machine }

func (d *deaf) Step(in core.Input, out []core.Effect) []core.Effect {
	if in.Kind == core.Received {
		return out
	}
	return d.Machine.Step(in, out)
}

func (d *deaf) Below() core.Machine { return d.Machine }

// Aim: programs that end otherwise than without a protocol, or never, are errors.
func TestWrongEnds(t *testing.T) {
	k := "ring ranks=4"
	for want, make := range map[error]func(core.Machine) core.Machine{
		simulate.ErrDigests: func(m core.Machine) core.Machine { return &wrong{m} },
		simulate.ErrStuck:   func(m core.Machine) core.Machine { return &deaf{m} },
	} {
		s, own := setup(t, "hydee", k, 2), core.Setup{}
		own = *s
		own.New = func(p core.Proc) core.Machine { return make(s.New(p)) }
		study := simulate.Study{Job: simulate.Job{Machine: machine(t, "myrinet"), Setup: &own},
			Base: setup(t, "none", k, 0)}
		if _, err := study.Run(); !errors.Is(err, want) {
			t.Errorf("error %v, want %v", err, want)
		}
	}
}
