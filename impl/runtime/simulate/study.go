package simulate

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/performability"
)

// Study is one protocol at one number of ranks: the same program without it and with it, without
// failures and with them.
type Study struct {
	Job              // under the protocol; its failures, if it has none, come from here
	Base *core.Setup // the program without a protocol
	// Rule is that of the interval: "young" and "daly" are computed, "sweep" tries some around
	// Daly's and takes the one with which the run under failures ends first; "" is Job.Interval.
	Rule  string
	Count int     // failures, at even distances of the run without any; 0 = none
	MTBF  float64 // seconds between the failures of one node; 0 = none are drawn
	Seed  uint64  // of what is drawn
	// Known is called with what is known before the run with failures; nil: nobody asks.
	Known func(*Answer)
}

// Answer is what a study has found.
type Answer struct {
	Interval time.Duration // that was used; 0 = none
	// without the protocol; with it, without failures; with failures, nil if none were asked for
	Base, Calm, Struck *Outcome
	// parts of the overhead of Calm over Base, in picoseconds, which add up to it
	Waiting, Bytes, CPU int64
	// intervals by Young and Daly, in seconds, for the failures that are drawn; 0 without any
	Young, Daly float64
	Swept       []Swept // what was tried
	// Again counts the runs that were made a second time (Outcome.Again), of those without failures
	// and checkpoints.
	Again int
}

// Swept is an interval that was tried under failures.
type Swept struct {
	Interval   time.Duration
	Completion int64 // in picoseconds; 0: no progress, programs do not end
}

// swept are the intervals that are tried, by Daly's.
var swept = []float64{1. / 8, 1. / 4, 1. / 2, math.Sqrt2 / 2, 1, math.Sqrt2, 2, 4, 8}

// mostFailures ends a run under drawn failures that makes no progress.
const mostFailures = 1000

// MostCount is how many failures at even distances can be asked for.
const MostCount = 100_000

// ErrDigests is a run that has ended otherwise than it does without a protocol.
var ErrDigests = errors.New("programs end in other digests than without a protocol")

// MostWork is the longest that a rank can be said to compute in an iteration: emulated time ends
// after some weeks.
const MostWork = 1e6 * time.Second

// Run carries the study out: four runs without failures, and one with them.
func (s *Study) Run() (*Answer, error) {
	if s.Work < 0 || s.Work > MostWork {
		return nil, fmt.Errorf("simulate: an iteration computes for %v, want [0, %v]", s.Work,
			MostWork)
	}
	if s.Count < 0 || s.Count > MostCount {
		return nil, fmt.Errorf("simulate: %d failures, want [0, %d]", s.Count, MostCount)
	}
	a := new(Answer)
	var err error
	base := s.Job
	base.Setup, base.Interval, base.Failures = s.Base, 0, nil
	if err = s.validate(); err != nil {
		return nil, err
	}
	if a.Base, err = base.Run(); err != nil {
		return nil, err
	}
	a.count(a.Base)
	if err := s.settle(a); err != nil {
		return nil, err
	}
	a.Interval = s.Interval
	var parts [3]int64
	for i, free := range []struct{ bytes, steps bool }{{true, true}, {false, true}, {}} {
		j := s.Job
		j.Failures, j.FreeBytes, j.FreeSteps = nil, free.bytes, free.steps
		if a.Calm, err = s.ends(&j, a.Base); err != nil {
			return nil, err
		}
		a.count(a.Calm)
		parts[i] = a.Calm.Completion
	}
	a.Waiting, a.Bytes, a.CPU = parts[0]-a.Base.Completion, parts[1]-parts[0], parts[2]-parts[1]
	if s.Known != nil {
		s.Known(a)
	}
	if s.Count == 0 && s.MTBF == 0 && len(s.Failures) == 0 {
		return a, nil
	}
	j := s.Job
	j.Failures = s.failures(time.Duration(a.Calm.Completion / 1000))
	if a.Struck, err = s.ends(&j, a.Base); err != nil {
		return nil, err
	}
	if s.MTBF > 0 && len(s.Failures) == 0 && len(a.Struck.Recoveries) == mostFailures {
		return nil, fmt.Errorf("simulate: no progress: %d failures have struck, and programs have "+
			"not ended", mostFailures)
	}
	return a, nil
}

// count counts a run that was made a second time.
func (a *Answer) count(out *Outcome) {
	if out.Again {
		a.Again++
	}
}

// ends runs a job that must end as the base does.
func (s *Study) ends(j *Job, base *Outcome) (*Outcome, error) {
	out, err := j.Run()
	if err == nil && s.repeats() && !slices.Equal(out.Finals, base.Finals) {
		err = j.beyond(out, fmt.Errorf("simulate: protocol %s: %w", s.Setup.Protocol, ErrDigests))
	}
	return out, err
}

// repeats reports whether the programs end in the same digests whatever the order of events.
func (s *Study) repeats() bool {
	return !slices.ContainsFunc(s.Base.Programs, func(p core.Program) bool {
		return slices.ContainsFunc(p, func(o core.Op) bool {
			return o.Ordered && (o.Any || o.Kind == core.OpPost)
		})
	})
}

// nodes is how many nodes the ranks are on.
func (s *Study) nodes() int {
	each := max(int(s.Machine.of("ranks")), 1)
	return (s.Setup.Layout.Ranks + each - 1) / each
}

// sweep tries intervals and takes the best, of equal ones the longest.
func (s *Study) sweep(a *Answer) error {
	var best Swept
	for _, factor := range swept {
		j := s.Job
		j.Interval = time.Duration(math.Round(a.Daly * factor * 1e9))
		j.Failures = s.failures(0)
		one := Swept{Interval: j.Interval}
		out, err := s.ends(&j, a.Base)
		switch {
		case errors.Is(err, ErrStuck) || err == nil && len(out.Recoveries) == mostFailures:
		case err != nil:
			return err
		default:
			one.Completion = out.Completion
		}
		a.Swept = append(a.Swept, one)
		if one.Completion > 0 && (best.Completion == 0 || one.Completion <= best.Completion) {
			best = one
		}
	}
	if best.Completion == 0 {
		return fmt.Errorf("simulate: no progress with any of %d intervals around Daly's, %.3g s",
			len(swept), a.Daly)
	}
	s.Interval = best.Interval
	return nil
}

// settle finds the interval, and reports one that makes no sense.
func (s *Study) settle(a *Answer) error {
	if s.Rule == "" && s.Interval == 0 {
		return nil
	}
	one, rounds := s.imagePrice()
	job := performability.Job{Checkpoint: one * rounds, MTBF: s.MTBF / float64(s.nodes()),
		Restart: (s.Machine.lasting("detect") + s.Machine.lasting("restart")).Seconds() + one}
	switch {
	case s.Interval > 0 && s.Interval.Seconds() <= job.Checkpoint:
		return fmt.Errorf("simulate: no progress: a checkpoint every %v, and it takes %.3g s "+
			"until there is an image of every rank", s.Interval, job.Checkpoint)
	case s.MTBF > 0 && job.MTBF <= job.Checkpoint:
		return fmt.Errorf("simulate: no progress: of %d nodes one fails every %.3g s, and it "+
			"takes %.3g s until there is an image of every rank", s.nodes(), job.MTBF,
			job.Checkpoint)
	}
	if s.MTBF > 0 {
		a.Young, a.Daly = job.Young(), job.Daly()
	}
	interval := a.Daly
	switch s.Rule {
	case "young":
		interval = a.Young
	case "":
		return nil
	}
	if !(interval >= 1e-9 && interval < 1e6) {
		return fmt.Errorf("simulate: the interval of %s is %.3g s", s.Rule, interval)
	}
	if s.Rule == "sweep" {
		return s.sweep(a)
	}
	s.Interval = time.Duration(math.Round(interval * 1e9))
	return nil
}

// imagePrice is how long an image of a rank takes until it is stored, in seconds, and how many of
// them are stored one after the other: at the stable store those of all ranks on each of its
// servers, in messages those of the ranks of a node, by its card or where the next one keeps them.
func (s *Study) imagePrice() (one, rounds float64) {
	image := float64(s.image())
	rate := func(name string) float64 { return float64(s.Machine.of(name)) }
	if !s.Setup.Fetches {
		return s.Machine.lasting("store.file").Seconds() + image/rate("store.rate"),
			math.Ceil(float64(s.Setup.Layout.Ranks) / rate("store.servers"))
	}
	keep := s.Machine.Costs("none").Keep
	slower := min(rate("between.rate"), float64(keep.Write))
	return keep.File.Seconds() + image/slower + image/rate("memory.rate"), s.together()
}

// together is how many ranks share a node, at most.
func (s *Study) together() float64 {
	most, on := min(max(int(s.Machine.of("ranks")), 1), s.Setup.Layout.Ranks), map[core.Proc]int{}
	for r := range min(s.Setup.Layout.Ranks, len(s.Setup.Layout.Nodes)) {
		node := s.Setup.Layout.Nodes[r]
		on[node]++
		most = max(most, on[node])
	}
	return float64(most)
}

// image is how many bytes an image of a rank has: as it is said, or at its beginning.
func (s *Study) image() int64 {
	if s.Image > 0 {
		return s.Image
	}
	m := s.Base.New(0)
	m.Step(core.Input{Kind: core.Start}, nil)
	if host := hostOf(m); host != nil {
		return int64(len(host.Image()))
	}
	return 0
}

// The purposes of drawn numbers: each has a stream of its own, so that what one is used for does
// not move another one.
const (
	moments uint64 = iota + 1
	victims
)

// drawn is a number of a stream, uniform in all of its bits.
func (s *Study) drawn(purpose uint64, i int) uint64 {
	return core.Mix(core.Mix(core.Mix(s.Seed)+purpose) + uint64(i))
}

// failures are those of the run: at even distances, or drawn.
func (s *Study) failures(calm time.Duration) (list []Failure) {
	if len(s.Failures) > 0 {
		return s.Failures
	}
	n := s.Count
	if s.MTBF > 0 {
		n = mostFailures
	}
	at := 0.0
	for i := range n {
		f := Failure{Rank: core.Rank(s.drawn(victims, i) % uint64(s.Setup.Layout.Ranks)),
			At: calm / time.Duration(2*n) * time.Duration(2*i+1)}
		if s.MTBF > 0 {
			uniform := (float64(s.drawn(moments, i)>>11) + 0.5) / (1 << 53)
			at -= math.Log(uniform) * s.MTBF / float64(s.nodes())
			if at > 4e6 { // beyond all that is simulated
				break
			}
			f.At = time.Duration(at * 1e9)
		}
		list = append(list, f)
	}
	return list
}
