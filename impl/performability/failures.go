package performability

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Job is work that fails now and then and goes on from its last checkpoint. All of it waits for
// those who roll back, as a tightly coupled program does: containment saves work, not time.
type Job struct {
	Work       float64 // s without failures and checkpoints
	Slowdown   float64 // what the protocol makes of 1 s, at least 1; 0: 1
	Checkpoint float64 // s, in which nothing else is done
	Restart    float64 // s from a failure to the state of the last checkpoint
	MTBF       float64 // s between failures of any part of it
	RolledBack float64 // share of the ranks that a failure takes back; 0: all
}

// normal is the job with its defaults.
func (j Job) normal() Job {
	if j.Slowdown == 0 {
		j.Slowdown = 1
	}
	if j.RolledBack == 0 {
		j.RolledBack = 1
	}
	return j
}

// Check refuses a job that means nothing, or whose times no number holds.
func (j Job) Check() error {
	j = j.normal()
	finite := func(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }
	switch {
	case !(j.Work > 0) || !finite(j.Work):
		return fmt.Errorf("%g s of work: want more than 0", j.Work)
	case !(j.Slowdown >= 1) || !finite(j.Slowdown):
		return fmt.Errorf("a slow-down of %g: want at least 1", j.Slowdown)
	case !(j.Checkpoint >= 0) || !finite(j.Checkpoint):
		return fmt.Errorf("a checkpoint of %g s: want at least 0", j.Checkpoint)
	case !(j.Restart >= 0) || !finite(j.Restart):
		return fmt.Errorf("a restart of %g s: want at least 0", j.Restart)
	case !(j.MTBF > 0):
		return fmt.Errorf("%g s between failures: want more than 0", j.MTBF)
	case !(j.RolledBack > 0 && j.RolledBack <= 1):
		return fmt.Errorf("%g of the ranks roll back: want more than 0 and at most 1", j.RolledBack)
	}
	return nil
}

// Young is his interval between checkpoints: sqrt(2 d M).
func (j Job) Young() float64 { return math.Sqrt(2 * j.Checkpoint * j.MTBF) }

// Daly is his first order, as [HydEE-fr] uses it for its beta: sqrt(2 d (M+R)) - d.
func (j Job) Daly() float64 {
	return math.Sqrt(2*j.Checkpoint*(j.MTBF+j.Restart)) - j.Checkpoint
}

// DalyHigher is his higher order, M for checkpoints that take twice as long as M.
func (j Job) DalyHigher() float64 {
	d, m := j.Checkpoint, j.MTBF
	if d >= 2*m {
		return m
	}
	return math.Sqrt(2*d*m)*(1+math.Sqrt(d/(2*m))/3+d/(2*m)/9) - d
}

// Best is the interval that wastes least of a job without end, for which there is no closed form:
// the root of exp(-(t+d)/M) = 1 - t/M. It is 0 for checkpoints that cost nothing.
func (j Job) Best() float64 {
	d, m := j.Checkpoint, j.MTBF
	switch {
	case d == 0:
		return 0
	case math.IsInf(m, 1):
		return m
	}
	low, high := 0.0, m
	for range 200 {
		t := (low + high) / 2
		// expm1 keeps what is left of 1 - x for small x
		if -math.Expm1(-(t+d)/m) > t/m {
			low = t
		} else {
			high = t
		}
	}
	return (low + high) / 2
}

// Lost is what a failure costs at an interval, [HydEE-fr] V: half of it and its checkpoint, and the
// restart; by the time between failures it is the share beta.
func (j Job) Lost(interval float64) float64 {
	return (interval+j.Checkpoint)/2 + j.Restart
}

// Expected is where the time of a job goes, s; for one that was drawn, a mean.
type Expected struct {
	Interval    float64
	Total       float64 // until it is done
	Failures    float64
	Checkpoints float64 // time in those that counted
	Restarts    float64
	Lost        float64 // time done again, or cut by a failure
	// Wasted is the part of Restarts and Lost that falls to ranks that roll back, the others wait:
	// with the share of them what a protocol that contains failures saves.
	Wasted float64
}

// segments are how many checkpoints a job writes at an interval, and the work behind the last.
func (j Job) segments(interval float64) (count, last float64) {
	work := j.Work * j.Slowdown
	if interval >= work { // also one without end, as Best without failures
		return 0, work
	}
	count = math.Ceil(work/interval) - 1
	return count, work - count*interval
}

// Expect is the time that a job takes with a checkpoint at every interval, but none at its end.
// A segment of s seconds takes M exp(R/M) (exp(s/M) - 1), for a failure during a restart begins it
// anew. It is infinite, or beyond all numbers, where failures come faster than segments end.
func (j Job) Expect(interval float64) (Expected, error) {
	if err := j.Check(); err != nil {
		return Expected{}, err
	}
	j = j.normal()
	if !(interval > 0) {
		return Expected{}, fmt.Errorf("an interval of %g s: want more than 0", interval)
	}
	count, last := j.segments(interval)
	work := j.Work * j.Slowdown
	e := Expected{Interval: interval, Checkpoints: count * j.Checkpoint}
	if math.IsInf(j.MTBF, 1) {
		e.Total = work + e.Checkpoints
		return e, nil
	}
	m := j.MTBF
	segment := func(s float64) float64 { return m * math.Exp(j.Restart/m) * math.Expm1(s/m) }
	if count > 0 { // 0 times infinity is no number
		e.Total = count * segment(interval+j.Checkpoint)
	}
	e.Total += segment(last)
	e.Failures = e.Total / m // of a Poisson process as long as that
	e.Restarts = e.Failures * -m * math.Expm1(-j.Restart/m)
	e.Lost = e.Total - work - e.Checkpoints - e.Restarts
	if math.IsInf(e.Total, 1) {
		e.Lost = e.Total
	}
	e.Lost = max(e.Lost, 0)
	e.Wasted = j.RolledBack * (e.Lost + e.Restarts)
	return e, nil
}

// Drawn is the mean of runs that were drawn, and how sure it is.
type Drawn struct {
	Expected
	Runs  int
	Error float64 // standard error of Total
}

// Sample draws runs of a job. Equal seeds draw equal failures.
func (j Job) Sample(interval float64, runs int, seed uint64) (Drawn, error) {
	closed, err := j.Expect(interval)
	if err != nil {
		return Drawn{}, err
	}
	if runs < 2 {
		return Drawn{}, fmt.Errorf("%d runs: want at least 2, to know how far they are apart", runs)
	}
	if perRun := closed.Failures + closed.Total/interval; !(perRun*float64(runs) < 1e10) {
		return Drawn{}, fmt.Errorf("a run has %.3g failures and segments: too many to draw %d",
			perRun, runs)
	}
	j = j.normal()
	d := Drawn{Runs: runs, Expected: Expected{Interval: interval}}
	var squares float64
	for i := range runs {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		one := j.run(interval, func() float64 { return rng.ExpFloat64() * j.MTBF })
		d.Failures += one.Failures
		d.Checkpoints += one.Checkpoints
		d.Restarts += one.Restarts
		d.Lost += one.Lost
		// Welford: means of large numbers that differ little
		before := one.Total - d.Total
		d.Total += before / float64(i+1)
		squares += before * (one.Total - d.Total)
	}
	n := float64(runs)
	d.Failures, d.Checkpoints, d.Restarts, d.Lost =
		d.Failures/n, d.Checkpoints/n, d.Restarts/n, d.Lost/n
	d.Wasted = j.RolledBack * (d.Lost + d.Restarts)
	d.Error = math.Sqrt(squares / (n - 1) / n)
	return d, nil
}

// run is one run, failure by failure.
func (j Job) run(interval float64, next func() float64) (e Expected) {
	count, last := j.segments(interval)
	left := next() // until the next failure
	for segment := 0.0; segment <= count; segment++ {
		work, checkpoint := interval, j.Checkpoint
		if segment == count {
			work, checkpoint = last, 0
		}
		for left < work+checkpoint {
			e.Total, e.Lost = e.Total+left, e.Lost+left
			e.Failures++
			for left = next(); left < j.Restart; left = next() {
				e.Total, e.Restarts = e.Total+left, e.Restarts+left
				e.Failures++
			}
			e.Total, e.Restarts = e.Total+j.Restart, e.Restarts+j.Restart
			left -= j.Restart
		}
		e.Total += work + checkpoint
		e.Checkpoints += checkpoint
		left -= work + checkpoint
	}
	return e
}
