package simulate_test

import (
	"math"
	"testing"
	"time"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/runtime/simulate"
)

// Aim: under exponential failures and blocking coordinated checkpoints the mean completion over
// many seeds is what the model of first order says, C (1 + (R + L/2)/M), where C is the time
// without failures, L the period of checkpoints, M the time between failures and R what it takes
// to run again, as no failure strikes during a recovery: within three standard errors, at five
// intervals around Daly's. His complete model, M exp(R/M) (exp(L/M) - 1) C/L, agrees as well where
// a second failure in a period is rare; and no other interval is better. Intervals are not shorter
// than a few restarts: checkpoints are asked for by the clock, and one that comes during a
// recovery is left out, which makes the next period longer.
func TestDaly(t *testing.T) {
	const each = 8. // seconds between the failures of one of two nodes
	k := "heat ranks=2 n=4 iterations=1500"
	factors, seeds := []float64{1}, 40
	if effort.Long() {
		k = "heat ranks=2 n=4 iterations=4000"
		factors, seeds = []float64{1. / 2, 1 / math.Sqrt2, 1, 2, 4}, 50
	}
	m := scaled(t, 1).With(simulate.Parameter{Name: "store.rate", Value: 1, Unit: "GB/s"})
	study := func() *simulate.Study {
		return &simulate.Study{Job: simulate.Job{Machine: m, Setup: setup(t, "coordinated", k, 0),
			Work: time.Millisecond, Image: 10_000_000}, Base: setup(t, "none", k, 0),
			MTBF: each, Seed: 1, Rule: "daly"}
	}
	first, err := study().Run()
	if err != nil {
		t.Fatal(err)
	}
	var means, errors []float64
	for _, f := range factors {
		var sum, squares, calm float64
		every := time.Duration(float64(first.Interval) * f)
		for seed := range seeds {
			s := study()
			s.Rule, s.Interval, s.Seed = "", every, uint64(seed+1)
			a, err := s.Run()
			if err != nil {
				t.Fatal(err)
			}
			x := float64(a.Struck.Completion) / 1e12
			calm, sum, squares = float64(a.Calm.Completion)/1e12, sum+x, squares+x*x
		}
		n := float64(seeds)
		mean := sum / n
		deviation := math.Sqrt((squares/n - mean*mean) / (n - 1))
		// 2 ms to detect, 4 ms to start, 30 us and 10 ms to read an image
		const mtbf, restart = each / 2, .01603
		period := every.Seconds()
		simple := calm * (1 + (restart+period/2)/mtbf)
		whole := mtbf * math.Exp(restart/mtbf) * math.Expm1(period/mtbf) * calm / period
		if math.Abs(mean-simple) > 3*deviation ||
			f <= 1 && math.Abs(mean-whole) > 3*deviation {
			t.Errorf("every %v: %.4f s without failures, mean %.4f s, of first order %.4f s, "+
				"Daly's %.4f s, standard error %.4f s", every, calm, mean, simple, whole, deviation)
		}
		means, errors = append(means, mean), append(errors, deviation)
	}
	for i := range means {
		if best := means[len(means)/2]; means[i] < best-3*errors[i] {
			t.Errorf("factor %v of Daly's interval: mean %v s, with his %v s", factors[i], means[i],
				best)
		}
	}
}
