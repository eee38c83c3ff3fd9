package perf

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/performability"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
)

// Trial is one way to run a kernel. The zero value but for the protocol is a run without
// checkpoints and failures.
type Trial struct {
	Protocol   string
	Checkpoint int           // after so many iterations; 0: none
	MTBF       time.Duration // 0: nobody fails
}

// Rates is what to measure of one kernel: each protocol with each distance of checkpoints and each
// rate of failures, and what they are compared with.
type Rates struct {
	Protocols   []string
	Checkpoints []int
	MTBFs       []time.Duration
	Rounds      int
	Seed        uint64
	// how many checkpoints the program takes with each distance, and how many iterations it has
	Taken      map[int]int
	Iterations int
	Repeats    bool // all runs end in the same states, whatever arrives first
}

// trials are those of one round: none, each protocol without checkpoints, with them, and with
// failures.
func (r *Rates) trials() []Trial {
	list := []Trial{{Protocol: Baseline}}
	for _, p := range r.Protocols {
		list = append(list, Trial{Protocol: p})
		for _, k := range r.Checkpoints {
			list = append(list, Trial{Protocol: p, Checkpoint: k})
			for _, m := range r.MTBFs {
				list = append(list, Trial{p, k, m})
			}
		}
	}
	return list
}

// Runs is how many runs they are.
func (r *Rates) Runs() int { return r.Rounds * len(r.trials()) }

// Trying is what one run has shown.
type Trying struct {
	Trial
	Round    int
	Time     time.Duration
	Failures int           // that struck
	Restart  time.Duration // from the kills to the images, of all failures
	Bound    string        // what cut the run short; "": nothing
	Digests  []uint64
}

// Tried is one line of the answer: medians over the rounds.
type Tried struct {
	Protocol   string  `json:"protocol"`
	Checkpoint int     `json:"checkpoint"` // after so many iterations
	Interval   float64 `json:"interval"`   // s between two, of a run without failures
	MTBF       float64 `json:"mtbf"`       // s; 0: nobody fails
	Rounds     int     `json:"rounds"`     // that ended
	Seconds    float64 `json:"seconds"`
	Failures   float64 `json:"failures"` // in a run, mean
	// Efficiency is the time of none in the same round by that of this run; Low and High are the
	// quartiles, Expected what the model says.
	Efficiency float64 `json:"efficiency"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	Expected   float64 `json:"expected"`
	Unfinished string  `json:"unfinished,omitempty"` // what cut a run short; it is left out
	Wrong      string  `json:"wrong,omitempty"`      // a run that does not end as none does

	Efficiencies []float64 `json:"-"`
}

// Advice is what is best for a protocol at a rate of failures.
type Advice struct {
	Protocol string  `json:"protocol"`
	MTBF     float64 `json:"mtbf"`     // s
	Cost     float64 `json:"cost"`     // s of a checkpoint, measured
	Restart  float64 `json:"restart"`  // s from a failure to the image, measured
	Slowdown float64 `json:"slowdown"` // by the protocol, without checkpoints
	Young    float64 `json:"young"`    // s between checkpoints
	Daly     float64 `json:"daly"`     // s, higher order
	Best     float64 `json:"best"`     // s, of those tried
}

// Try makes the runs in rounds, those of each in an order of its own, and calls each for every one.
// It returns those so far when the context ends, or with an error.
func Try(ctx context.Context, r *Rates, run func(context.Context, Trial, int) (*cluster.Result,
	error), each func(Trying)) (list []Trying, err error) {
	if r.Rounds < 1 || r.Rounds > maxRounds {
		return nil, fmt.Errorf("%d rounds, want [1, %d]", r.Rounds, maxRounds)
	}
	random := rand.New(rand.NewPCG(r.Seed, 2))
	for round := range r.Rounds {
		trials := r.trials()
		random.Shuffle(len(trials), func(i, j int) { trials[i], trials[j] = trials[j], trials[i] })
		for _, t := range trials {
			result, err := run(ctx, t, round)
			switch {
			case ctx.Err() != nil:
				return list, nil // it was cut short
			case err != nil:
				return list, fmt.Errorf("protocol %s: %w", t.Protocol, err)
			}
			one := newTrying(t, round, result)
			list = append(list, one)
			if each != nil {
				each(one)
			}
		}
	}
	return list, nil
}

func newTrying(t Trial, round int, r *cluster.Result) Trying {
	s := newSample(turn{round: round, kind: Failed}, r)
	one := Trying{Trial: t, Round: round, Time: s.Time, Failures: r.Failures, Bound: s.Bound,
		Digests: r.Digests}
	for i, stage := range s.Stages {
		if i >= detection && i <= restore {
			one.Restart += stage.Time
		}
	}
	return one
}

// Efficiencies makes a line of each way that has checkpoints, and advice for each protocol and
// rate.
func Efficiencies(r *Rates, list []Trying) (rows []Tried, advice []Advice) {
	bases := map[int]float64{}
	var digests []uint64
	for _, t := range list {
		if t.Protocol == Baseline && t.Bound == "" {
			bases[t.Round] = t.Time.Seconds()
			if r.Repeats {
				digests = t.Digests
			}
		}
	}
	for _, p := range r.Protocols {
		job := jobOf(r, list, bases, p)
		calm := Median(seconds(list, Trial{Protocol: p}))
		from := len(rows)
		for _, k := range r.Checkpoints {
			for _, m := range append([]time.Duration{0}, r.MTBFs...) {
				row := tried(list, Trial{p, k, m}, bases, digests)
				row.Interval = calm * float64(k) / float64(r.Iterations)
				row.Expected = expected(job, row.Interval, r.Taken[k], m)
				rows = append(rows, row)
			}
		}
		for _, m := range r.MTBFs {
			job.MTBF = m.Seconds()
			a := Advice{Protocol: p, MTBF: job.MTBF, Cost: job.Checkpoint, Restart: job.Restart,
				Slowdown: job.Slowdown, Young: job.Young(), Daly: job.DalyHigher()}
			best := 0.0
			for _, row := range rows[from:] {
				if row.MTBF == job.MTBF && row.Efficiency > best {
					best, a.Best = row.Efficiency, row.Interval
				}
			}
			advice = append(advice, a)
		}
	}
	return rows, advice
}

// seconds are the times of the runs of one way that have ended.
func seconds(list []Trying, of Trial) (times []float64) {
	for _, t := range list {
		if t.Trial == of && t.Bound == "" {
			times = append(times, t.Time.Seconds())
		}
	}
	return times
}

// tried sums up one way.
func tried(list []Trying, of Trial, bases map[int]float64, digests []uint64) Tried {
	row := Tried{Protocol: of.Protocol, Checkpoint: of.Checkpoint, MTBF: of.MTBF.Seconds()}
	var times []float64
	for _, t := range list {
		if t.Trial != of {
			continue
		}
		if t.Bound != "" {
			row.Unfinished = t.Bound
			continue
		}
		if digests != nil && !slices.Equal(digests, t.Digests) {
			row.Wrong = fmt.Sprintf("round %d ends in other states than none", t.Round+1)
		}
		times = append(times, t.Time.Seconds())
		row.Failures += float64(t.Failures)
		if base, ok := bases[t.Round]; ok {
			row.Efficiencies = append(row.Efficiencies, base/t.Time.Seconds())
		}
	}
	row.Rounds, row.Seconds = len(times), Median(times)
	row.Failures /= float64(max(row.Rounds, 1))
	row.Efficiency, row.Low, row.High = Median(row.Efficiencies),
		quantile(row.Efficiencies, 0.25), quantile(row.Efficiencies, 0.75)
	return row
}

// jobOf is the model of a protocol, of what was measured: the slow-down by runs without
// checkpoints, the cost of a checkpoint by how the time grows with their number (the slope of least
// squares through none), the restart by the recoveries.
func jobOf(r *Rates, list []Trying, bases map[int]float64, protocol string) performability.Job {
	var all []float64
	for _, s := range bases {
		all = append(all, s)
	}
	base, calm := Median(all), Median(seconds(list, Trial{Protocol: protocol}))
	job := performability.Job{Work: base, Slowdown: 1}
	if base > 0 {
		job.Slowdown = max(1, calm/base)
	}
	product, square := 0.0, 0.0
	for _, k := range r.Checkpoints {
		if times := seconds(list, Trial{Protocol: protocol, Checkpoint: k}); len(times) > 0 {
			n := float64(r.Taken[k])
			product, square = product+n*(Median(times)-calm), square+n*n
		}
	}
	if square > 0 {
		job.Checkpoint = max(0, product/square)
	}
	failures := 0
	for _, t := range list {
		if t.Protocol == protocol && t.Bound == "" && t.Failures > 0 {
			job.Restart += t.Restart.Seconds()
			failures += t.Failures
		}
	}
	job.Restart /= float64(max(failures, 1))
	return job
}

// expected is the efficiency by the model, 0 where it has none.
func expected(job performability.Job, interval float64, taken int, mtbf time.Duration) float64 {
	if mtbf == 0 {
		return job.Work / (job.Work*job.Slowdown + float64(taken)*job.Checkpoint)
	}
	job.MTBF = mtbf.Seconds()
	e, err := job.Expect(interval)
	if err != nil {
		return 0
	}
	return job.Work / e.Total
}

// Offers counts what a program does in a run: iterations of its main loop, and checkpoints that it
// offers; ok is false if that is not known before.
func Offers(p core.Program) (iterations, checkpoints int, ok bool) {
	times := []int{1}
	for _, op := range p {
		now := times[len(times)-1]
		if op.Iteration {
			iterations += now
		}
		switch op.Kind {
		case core.OpLoop:
			times = append(times, now*op.Count)
		case core.OpEnd:
			times = times[:len(times)-1]
		case core.OpAgain:
			return 0, 0, false
		case core.OpCheckpoint:
			checkpoints += now
		}
	}
	return iterations, checkpoints, true
}

// sortRows puts lines that a reader compares below each other: of a protocol by the rate, then by
// the interval.
func sortRows(rows []Tried) []Tried {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b Tried) int {
		if a.Protocol != b.Protocol {
			return 0
		}
		return cmp.Or(cmp.Compare(a.MTBF, b.MTBF), cmp.Compare(a.Interval, b.Interval))
	})
	return rows
}
