package performability

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

const day = 86400.0

// TestBeta makes the constant of [HydEE-fr] again: with failures once a day, and half an hour each
// for a checkpoint and a restart, 12.4 % of a day are lost at Daly's interval.
func TestBeta(t *testing.T) {
	j := Job{Work: 100 * day, Checkpoint: 1800, Restart: 1800, MTBF: day}
	if min := j.Daly() / 60; !near(min, 266.98, 5e-3) {
		t.Errorf("an interval of %.3f minutes", min)
	}
	if lost := j.Lost(j.Daly()); !near(lost/60, 178.49, 5e-3) || !near(lost/day, .12395, 5e-6) {
		t.Errorf("%.3f minutes are lost, %.4f %%", lost/60, 100*lost/day)
	}
	// by the same loss, as the dossier has computed them with other means
	if a, b := j.Lost(j.DalyHigher())/day, j.Lost(j.Young())/day; !near(a, .1265, 5e-5) ||
		!near(b, .1333, 5e-5) {
		t.Errorf("higher order %.4f, Young %.4f", a, b)
	}
}

// TestDalyHigher: by hand, for example sqrt(3) (1 + sqrt(.75)/3 + .75/9) - 1.5 for a checkpoint of
// one and a half times between failures; from two on it is that time.
func TestDalyHigher(t *testing.T) {
	for d, want := range map[float64]float64{1.5: .876388, 2: 1, 3: 1, .02: .186889} {
		if got := (Job{Checkpoint: d, MTBF: 1}).DalyHigher(); !near(got, want, 2e-5) {
			t.Errorf("%g: %g, want %g", d, got, want)
		}
	}
}

// TestSureness: the standard error that is told is that of the mean. A segment of s seconds that
// begins anew at each failure takes M^2 (exp(2x) - 2x exp(x) - 1) of variance, x = s/M: for x = 1
// .95249 of M squared, so that 4,000 runs know their mean up to .015431 M, and 16 times as many up
// to a quarter of that.
func TestSureness(t *testing.T) {
	j := Job{Work: 100, MTBF: 100}
	few, err := j.Sample(100, 4000, 1)
	many, again := j.Sample(100, 64_000, 2)
	if err != nil || again != nil || !near(few.Error, 1.5431, .1) ||
		!near(many.Error, .38578, .01) {
		t.Errorf("%g and %g, %v, %v", few.Error, many.Error, err, again)
	}
}

// TestOutages: one node without a spare fails and is repaired in turn, so that half of the events
// are outages; with one spare less than half.
func TestOutages(t *testing.T) {
	one, err := Pool{Nodes: 1, MTTF: 10, MTTR: 1}.Sample(6400, 1)
	two, wrong := Pool{Nodes: 1, Spares: 1, MTTF: 10, MTTR: 1}.Sample(6400, 1)
	if err != nil || wrong != nil || one.Outages != 3200 || two.Outages < 200 ||
		two.Outages > 500 { // rates .1 and 1: one repair of 11 is too late
		t.Errorf("%d and %d outages, %v, %v", one.Outages, two.Outages, err, wrong)
	}
}

// TestBest: no interval on a fine grid wastes less in the long run, and Daly's higher order is
// nearly as good while checkpoints are short against failures.
func TestBest(t *testing.T) {
	for _, d := range []float64{1, 60, 1800, 20000} {
		j := Job{Work: 1, Checkpoint: d, Restart: 600, MTBF: day}
		cost := func(t float64) float64 { return math.Expm1((t+d)/j.MTBF) / t }
		best := j.Best()
		for i := 1; i < 10000; i++ {
			if at := float64(i) * j.MTBF / 10000; cost(at) < cost(best)*(1-1e-12) {
				t.Fatalf("checkpoints of %g s: %g s is better than %g s", d, at, best)
			}
		}
		if by := cost(j.DalyHigher()) / cost(best); d < 2000 && by > 1.0001 {
			t.Errorf("checkpoints of %g s: Daly %g s wastes %g times what %g s does", d,
				j.DalyHigher(), by, best)
		}
	}
}

// TestSample holds what was drawn against the closed form: within four standard errors, which a
// wrong term would leave by far, over rates from no failure in most runs to several in a segment.
func TestSample(t *testing.T) {
	for _, j := range []Job{
		{Work: 10 * day, Checkpoint: 600, Restart: 900, MTBF: day},
		{Work: 3 * day, Checkpoint: 1800, Restart: 3600, MTBF: day / 4, RolledBack: .15},
		{Work: 3600, Checkpoint: 60, Restart: 600, MTBF: 300, Slowdown: 1.02},
		{Work: day, Checkpoint: 0, Restart: 0, MTBF: 5 * day},
	} {
		for _, interval := range []float64{j.MTBF / 10, j.MTBF, 2.5 * j.MTBF, 2 * j.Work} {
			if interval > 6*j.MTBF {
				continue
			}
			want, err := j.Expect(interval)
			if err != nil {
				t.Fatal(err)
			}
			got, err := j.Sample(interval, 2000, 1)
			if err != nil {
				t.Fatal(err)
			}
			if !near(got.Total, want.Total, 4*got.Error) {
				t.Errorf("%+v every %g s: %.1f +- %.1f s, the closed form says %.1f", j, interval,
					got.Total, got.Error, want.Total)
			}
			// of the parts no error is kept: a tenth
			if !near(got.Failures, want.Failures, .1*want.Failures+.01) ||
				!near(got.Restarts, want.Restarts, .1*want.Restarts+1) ||
				!near(got.Lost, want.Lost, .1*want.Lost+1) ||
				!near(got.Checkpoints, want.Checkpoints, 1e-6*want.Checkpoints) ||
				!near(got.Wasted, want.Wasted, .1*want.Wasted+1) {
				t.Errorf("%+v every %g s (-want +got):\n-%+v\n+%+v", j, interval, want,
					got.Expected)
			}
			again, _ := j.Sample(interval, 2000, 1)
			other, _ := j.Sample(interval, 2000, 2)
			if again != got || other == got && want.Failures > 0.1 {
				t.Errorf("%+v every %g s: the seed does not decide", j, interval)
			}
		}
	}
}

// TestUnits: a job with all times doubled takes twice as long.
func TestUnits(t *testing.T) {
	j := Job{Work: day, Checkpoint: 60, Restart: 90, MTBF: 7200}
	k := Job{Work: 2 * day, Checkpoint: 120, Restart: 180, MTBF: 14400}
	a, _ := j.Sample(600, 100, 3)
	b, _ := k.Sample(1200, 100, 3)
	if !near(2*a.Total, b.Total, 1e-6*b.Total) || !near(2*j.Best(), k.Best(), 1e-6*k.Best()) {
		t.Errorf("%g and %g s", a.Total, b.Total)
	}
}

// TestWrongJobs: what means nothing is refused, and what never ends is infinite.
func TestWrongJobs(t *testing.T) {
	good := Job{Work: day, Checkpoint: 60, Restart: 60, MTBF: 7200}
	for want, change := range map[string]func(*Job){
		"0 s of work":            func(j *Job) { j.Work = 0 },
		"slow-down of 0.5":       func(j *Job) { j.Slowdown = .5 },
		"checkpoint of -1":       func(j *Job) { j.Checkpoint = -1 },
		"restart of NaN":         func(j *Job) { j.Restart = math.NaN() },
		"0 s between failures":   func(j *Job) { j.MTBF = 0 },
		"2 of the ranks":         func(j *Job) { j.RolledBack = 2 },
		"+Inf s of work":         func(j *Job) { j.Work = math.Inf(1) },
		"NaN s between":          func(j *Job) { j.MTBF = math.NaN() },
		"-0.1 of the ranks roll": func(j *Job) { j.RolledBack = -.1 },
	} {
		j := good
		change(&j)
		if _, err := j.Expect(600); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := good.Expect(0); err == nil {
		t.Error("an interval of 0")
	}
	if _, err := good.Sample(600, 1, 1); err == nil {
		t.Error("one run")
	}
	never := Job{Work: 1e9, Checkpoint: 1, Restart: 1, MTBF: 1}
	if e, err := never.Expect(1e9); err != nil || !math.IsInf(e.Total, 1) {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := never.Sample(1e9, 10, 1); err == nil ||
		!strings.Contains(err.Error(), "too many") {
		t.Errorf("drawn for ever: %v", err)
	}
	if free := (Job{Work: day, MTBF: 60}).Best(); free != 0 {
		t.Errorf("checkpoints that cost nothing every %g s", free)
	}
	calm := Job{Work: day, Checkpoint: 60, MTBF: math.Inf(1)}
	if e, err := calm.Expect(day / 4); err != nil || e.Total != day+180 || e.Failures != 0 {
		t.Errorf("%+v, %v", e, err)
	}
}

// TestPool: one node without a spare is Eq 2.1; two of which one is needed, with one repair at a
// time, is the birth and death process of textbooks; and drawn histories agree.
func TestPool(t *testing.T) {
	one, err := Pool{Nodes: 1, MTTF: 90, MTTR: 10}.Serve()
	if err != nil || !near(one.Available, .9, 1e-12) || !near(one.Down, .1, 1e-12) {
		t.Errorf("one node: %+v, %v", one, err)
	}
	// rates 1 and 10: shares 1, 2/10, 2/100 of 1.22
	two, err := Pool{Nodes: 1, Spares: 1, MTTF: 1, MTTR: .1, Crews: 1}.Serve()
	if err != nil || !near(two.Available, 1.2/1.22, 1e-12) {
		t.Errorf("a spare: %+v, %v", two, err)
	}
	// four nodes, independent: all up .9^4; with one or two down two processes share a node,
	// with three down four do
	four, err := Pool{Nodes: 4, MTTF: 90, MTTR: 10}.Serve()
	p := func(up int) float64 {
		return []float64{1e-4, 4 * .9 * 1e-3, 6 * .81 * .01, 4 * .729 * .1, .6561}[up]
	}
	if want := p(4) + p(3)/2 + p(2)/2 + p(1)/4; err != nil || !near(four.Doubled, want, 1e-12) {
		t.Errorf("four nodes: %+v, want %g, %v", four, want, err)
	}
	for _, pool := range []Pool{{Nodes: 1, MTTF: 90, MTTR: 10}, {Nodes: 32, Spares: 2, MTTF: 1000,
		MTTR: 30, Crews: 1}, {Nodes: 8, Spares: 3, MTTF: 100, MTTR: 50}} {
		want, err := pool.Serve()
		if err != nil {
			t.Fatal(err)
		}
		got, err := pool.Sample(400_000, 1)
		if err != nil || !near(got.Available, want.Available, 4*got.Error) || got.Error > .01 ||
			!near(got.Down, want.Down, .05*want.Down) || !near(got.Doubled, want.Doubled, .01) {
			t.Errorf("%+v: %+v, want %+v, %v", pool, got, want, err)
		}
	}
	before := -1.0
	for spares := range 6 {
		s, _ := Pool{Nodes: 32, Spares: spares, MTTF: 1000, MTTR: 30}.Serve()
		if s.Available <= before {
			t.Errorf("%d spares: %g after %g", spares, s.Available, before)
		}
		before = s.Available
	}
	large, err := Pool{Nodes: largest, Spares: 8000, MTTF: 5 * 365 * day, MTTR: day}.Serve()
	if err != nil || !near(large.Available, 1, 1e-6) {
		t.Errorf("a million nodes: %+v, %v", large, err)
	}
	for _, wrong := range []Pool{{}, {Nodes: 1, Spares: -1, MTTF: 1}, {Nodes: 1},
		{Nodes: 1, MTTF: 1, MTTR: math.NaN()}, {Nodes: 1, MTTF: 1, Crews: -1},
		{Nodes: largest + 1, MTTF: 1}} {
		if _, err := wrong.Serve(); err == nil {
			t.Errorf("%+v is served", wrong)
		}
	}
	instant, err := Pool{Nodes: 3, MTTF: 1}.Serve()
	if err != nil || instant != (Service{Available: 1, Doubled: 1}) {
		t.Errorf("repairs that take no time: %+v, %v", instant, err)
	}
}

// TestWithoutEnd: a job whose interval is as long as its work, or has no end, as the best one of a
// job that never fails, writes no checkpoint; one of half of its work writes one, not two.
func TestWithoutEnd(t *testing.T) {
	j := Job{Work: 100, Checkpoint: 1, MTBF: math.Inf(1)}
	for interval, want := range map[float64]float64{j.Best(): 100, 1e300: 100, 100: 100, 99.9: 101,
		50: 101, 49.9: 102} {
		if e, err := j.Expect(interval); err != nil || e.Total != want ||
			e.Checkpoints != want-100 {
			t.Errorf("every %g: %+v, %v, want %g", interval, e, err, want)
		}
	}
}

// TestErrorOfFew: the mean of two runs is as uncertain as half of what they are apart.
func TestErrorOfFew(t *testing.T) {
	j := Job{Work: 10 * day, Checkpoint: 600, Restart: 900, MTBF: day}
	got, err := j.Sample(3600, 2, 7)
	if err != nil {
		t.Fatal(err)
	}
	var total [2]float64
	for i := range total {
		rng := rand.New(rand.NewPCG(7, uint64(i)))
		total[i] = j.normal().run(3600, func() float64 { return rng.ExpFloat64() * day }).Total
	}
	apart := math.Abs(total[0] - total[1])
	if apart == 0 || !near(got.Error, apart/2, 1e-9*apart) {
		t.Errorf("an error of %g s, %v are %g s apart", got.Error, total, apart)
	}
}
