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
	effort.Seconds(t)
	const each = 8. // seconds between the failures of one of two nodes
	k := "heat ranks=2 n=4 iterations=1500"
	factors, seeds := []float64{1}, 40
	if effort.Long() {
		k = "heat ranks=2 n=4 iterations=2000"
		factors, seeds = []float64{1. / 2, 1 / math.Sqrt2, 1, 2, 4}, 40
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

// Aim: where failures strike during recoveries, too, and a restart takes a good part of the time
// between them, the mean completion under coordinated checkpoints is that of Daly's complete model,
// M exp(R/M) (exp(L/M) - 1) C/L, within three standard errors and the 3 % by which checkpoints by
// the clock differ from those of a fixed stretch of work. Other protocols with checkpoints, of
// which not everybody goes back, are between the time without failures and that of the model.
func TestDalyComplete(t *testing.T) {
	const k, each = "heat ranks=2 n=4 iterations=800", 1.2 // s between the failures of one of two
	seeds, names := effort.Of(8, 25), []string{"coordinated"}
	if effort.Long() {
		names = append(names, "hydee", "sbml", "rbml")
	}
	m := scaled(t, 1).With(simulate.Parameter{Name: "store.rate", Value: 1, Unit: "GB/s"}).
		With(simulate.Parameter{Name: "restart", Value: 200, Unit: "ms"})
	for _, name := range names {
		var sum, squares, calm, period float64
		for seed := range seeds {
			s := simulate.Study{Job: simulate.Job{Machine: m, Setup: setup(t, name, k, 2),
				Work: time.Millisecond, Image: 10_000_000, Anytime: true},
				Base: setup(t, "none", k, 0), MTBF: each, Seed: uint64(seed + 1), Rule: "daly"}
			a, err := s.Run()
			if err != nil {
				t.Fatal(name, err)
			}
			x := float64(a.Struck.Completion) / 1e12
			calm, period = float64(a.Calm.Completion)/1e12, a.Interval.Seconds()
			sum, squares = sum+x, squares+x*x
		}
		n := float64(seeds)
		got, deviation := sum/n, math.Sqrt((squares/n-sum*sum/n/n)/(n-1))
		// 2 ms to detect, 200 ms to start, 30 us and 10 ms to read an image
		const mtbf, restart = each / 2, .21203
		whole := mtbf * math.Exp(restart/mtbf) * math.Expm1(period/mtbf) * calm / period
		switch slack := 3*deviation + .03*whole; {
		case name == "coordinated" && math.Abs(got-whole) > slack,
			got < calm+restart || got > whole+slack:
			t.Errorf("%s: %.3f s without failures, mean %.3f s, Daly's %.3f s, standard error "+
				"%.3f s", name, calm, got, whole, deviation)
		}
	}
}
