package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"
)

// Baseline is what trials show of the original: what they cost, and which sites they reach.
type Baseline struct {
	Digest string           `json:"digest"` // of everything that it depends on
	Within int              `json:"within"` // states
	Trials map[string]*Said `json:"trials"` // that have an answer, as expected
	Wrong  []string         `json:"wrong"`  // that are not as expected, and why: of no use
	Slow   []string         `json:"slow"`   // that have more states than allowed
}

// Loaded reads a baseline, if it is of the same source and limit.
func loaded(file, digest string, within int) (*Baseline, bool) {
	b := new(Baseline)
	data, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(data, b) != nil || b.Digest != digest || b.Within != within {
		return nil, false
	}
	return b, true
}

// baseline asks the original all scenarios of the protocols, unless that is known.
func (c *Campaign) baseline(ctx context.Context, digest string, protocols []string) (*Baseline,
	error) {
	file := c.Out + ".baseline"
	b, ok := loaded(file, digest, c.Within)
	if !ok {
		b = &Baseline{Digest: digest, Within: c.Within, Trials: map[string]*Said{}}
	}
	var jobs []*Job
	for _, p := range protocols {
		known := slices.ContainsFunc(values(b.Trials), func(s *Said) bool {
			return s.Protocol == p
		})
		if !known {
			jobs = append(jobs, &Job{Record: c.last(), Trials: []Trial{{All: p,
				States: c.Within, Seconds: time.Hour.Seconds()}}})
		}
	}
	if err := c.originals(ctx, b, jobs); err != nil {
		return nil, err
	}
	data, err := json.Marshal(b)
	if err == nil && c.Out != "" {
		err = os.WriteFile(file, data, 0o600)
	}
	return b, err
}

// originals runs jobs of the original, some at a time.
func (c *Campaign) originals(ctx context.Context, b *Baseline, jobs []*Job) error {
	var mu sync.Mutex
	var all []error
	parallel(c.Workers, len(jobs), func(i int) {
		err := judge(ctx, c.Program, jobs[i], 24*time.Hour, func(s *Said) {
			mu.Lock()
			defer mu.Unlock()
			c.tell(fmt.Sprintf("the original: %s, %.1f s", s.Trial, s.Seconds))
			switch {
			case s.Killed:
				b.Wrong = append(b.Wrong, s.Trial+": "+s.Why)
			case s.Open:
				b.Slow = append(b.Slow, s.Trial)
			default:
				b.Trials[s.Trial] = s
			}
		})
		mu.Lock()
		all = append(all, err)
		mu.Unlock()
	})
	slices.Sort(b.Wrong)
	slices.Sort(b.Slow)
	return errors.Join(all...)
}

// parallel runs numbered jobs on a number of workers.
func parallel(workers, jobs int, work func(i int)) {
	var group sync.WaitGroup
	next := make(chan int)
	for range min(max(1, workers), max(1, jobs)) {
		group.Go(func() {
			for i := range next {
				work(i)
			}
		})
	}
	for i := range jobs {
		next <- i
	}
	close(next)
	group.Wait()
}

func values(m map[string]*Said) []*Said {
	var list []*Said
	for _, s := range m {
		list = append(list, s)
	}
	return list
}

// missing reports whether a file is not there, which is no mistake.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
