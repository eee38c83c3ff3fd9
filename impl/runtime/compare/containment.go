package compare

import (
	"fmt"
	"slices"
	"time"

	"github.com/domino-check/domino/impl/core"
)

// parts are the instants of failures, in percent of a run without.
var parts = []int{17, 34, 51, 68, 85}

// Spread is what failures of one program have cost.
type Spread struct {
	Program string      `json:"program"`
	Failed  []core.Rank `json:"failed"`
	Lost    []int       `json:"lost"` // by rank
	Back    []core.Rank `json:"back"` // who was restarted, in the order of ranks
	Redone  int         `json:"redone"`
	Rounds  int         `json:"rounds"`
}

// losers is how many ranks have lost something.
func (s *Spread) losers() (n int) {
	for _, lost := range s.Lost {
		n += min(1, lost)
	}
	return n
}

// containment is who goes back when one rank fails: yes when nobody outside its group ever does; no
// when in the ring mostly everybody does (in the first program where there is no ring); otherwise
// it depends on who fails and when.
func (l *lab) containment() (c Cell, err error) {
	var outside, runs, most int
	var ring, lost []int
	for i, shape := range l.programs() {
		plans, err := l.failures(shape)
		if err != nil {
			return c, err
		}
		for j, plan := range plans {
			s, run, err := l.spread(shape, plan, uint64(j%3))
			if err != nil {
				return c, err
			}
			runs++
			n := len(s.Back)
			if shape == "ring" || i == 0 && !slices.Contains(l.programs(), "ring") {
				ring, lost = append(ring, n), append(lost, s.losers())
			}
			beyond := l.beyond(s)
			if beyond {
				outside++
			}
			if worse := n > most && (beyond || outside == 0); worse || c.Shows == "" {
				most, c.Shows = n, run
			}
			l.study.Spreads = append(l.study.Spreads, *s)
		}
	}
	slices.Sort(ring)
	slices.Sort(lost)
	switch {
	case outside == 0:
		c.Value = "yes"
	case ring[len(ring)/2] == l.scale.Ranks:
		c.Value = "no"
	default:
		c.Value = "partly"
	}
	c.Figures = fmt.Sprintf("%d of %d failures reach ranks outside; in the ring %d to %d of %d go "+
		"back, median %d, and %d to %d lose something", outside, runs, ring[0], ring[len(ring)-1],
		l.scale.Ranks, ring[len(ring)/2], lost[0], lost[len(lost)-1])
	return c, nil
}

// failures are those that are tried on a program: what was asked for, or every rank at each of some
// instants.
func (l *lab) failures(shape string) (plans [][]Failure, err error) {
	if l.scale.Failures != nil {
		return [][]Failure{l.scale.Failures}, nil
	}
	took, err := l.length(l.base(shape, l.scale.Ranks, lengths[shape]))
	for r := range l.scale.Ranks {
		for _, part := range parts {
			at := (took * time.Duration(part) / 100).Round(10 * time.Microsecond)
			plans = append(plans, []Failure{{at, []core.Rank{core.Rank(r)}}})
		}
	}
	return plans, err
}

// beyond reports whether anybody goes back who is in no group of one that has failed.
func (l *lab) beyond(s *Spread) bool {
	var within []core.Rank
	for _, r := range s.Failed {
		within = append(within, l.unit(r, l.scale.Ranks)...)
	}
	return slices.ContainsFunc(s.Back, func(q core.Rank) bool { return !on(within, q) })
}

// spread is a run with images and failures.
func (l *lab) spread(shape string, plan []Failure, seed uint64) (*Spread, string, error) {
	run := l.base(shape, l.scale.Ranks, lengths[shape])
	if err := l.images(run, 3); err != nil {
		return nil, "", err
	}
	if l.gathers && shape == "master-worker" {
		run.Images = Plan{}
	}
	run.Write, run.Seed, run.Failures = 50*time.Microsecond, seed, plan
	f, err := l.run(run)
	if err != nil {
		return nil, "", err
	}
	s := &Spread{Program: shape, Lost: make([]int, l.scale.Ranks)}
	for i := range f.Losses {
		loss := &f.Losses[i]
		s.Failed = append(s.Failed, loss.Failed...)
		for _, r := range loss.Back {
			if !on(s.Back, r) {
				s.Back = append(s.Back, r)
			}
		}
		s.Redone, s.Rounds = s.Redone+loss.Redone, max(s.Rounds, loss.Rounds)
		for r, n := range loss.Lost {
			s.Lost[r] += n
		}
	}
	slices.Sort(s.Back)
	return s, run.String(), l.result(run, f)
}

// result compares the results of programs with those of the run without failures, where the program
// has one result only.
func (l *lab) result(run *Case, f *Facts) error {
	if run.Shape == "master-worker" || !f.Ended {
		return nil
	}
	plain := *run
	plain.Failures = nil
	key := plain.String()
	if _, ok := l.finals[key]; !ok {
		g, err := l.run(&plain)
		if err != nil {
			return err
		}
		l.finals[key] = g.Finals
	}
	if !slices.Equal(l.finals[key], f.Finals) {
		l.study.Wrong = append(l.study.Wrong, run.String())
	}
	return nil
}
