package compare

import (
	"slices"
	"time"
)

// Costs is what the tables leave out.
type Costs struct {
	// share of their time that programs are blocked while nothing fails, with images and without
	Blocked        float64 `json:"blocked"`
	BlockedWithout float64 `json:"blocked_without"`
	// of a failure: message delays from its report to the first step of the last program that was
	// restarted, and what share of all that was done is done again
	Rounds     int     `json:"rounds"` // median
	MostRounds int     `json:"most_rounds"`
	Redone     float64 `json:"redone"`
	// messages that are not the program's own, for each of those, while nothing fails
	Control float64 `json:"control"`
	// how much longer programs take than without a protocol, with images; 0 = nobody knows
	Longer float64 `json:"longer"`
	Runs   int     `json:"runs"`
}

// costs measures what the tables leave out, in the runs of the other columns and some more.
func (l *lab) costs() error {
	c := &l.study.Costs
	l.runs = 0
	var busy, blocked, blockedWithout, busyWithout, own, plain, events, redone float64
	for _, shape := range l.programs() {
		run := l.base(shape, l.scale.Ranks, lengths[shape])
		without, err := l.run(run)
		if err != nil {
			return err
		}
		busyWithout += float64(without.Elapsed) * float64(run.Ranks)
		blockedWithout += float64(without.AtSends + without.AtReceptions + without.Elsewhere)
		if err := l.images(run, 3); err != nil {
			return err
		}
		if l.gathers && shape == "master-worker" {
			run.Images = Plan{}
		}
		run.Write = 50 * time.Microsecond
		f, err := l.run(run)
		if err != nil {
			return err
		}
		busy += float64(f.Elapsed) * float64(run.Ranks)
		blocked += float64(f.AtSends + f.AtReceptions + f.Elsewhere)
		c.Control += float64(f.Control)
		own += float64(f.Sends)
		plain += float64(f.Elapsed)
		for _, s := range l.study.Spreads {
			if s.Program == shape {
				redone += float64(s.Redone)
				events += float64(f.Sends + f.Receptions)
			}
		}
	}
	c.Blocked, c.BlockedWithout = blocked/busy, blockedWithout/busyWithout
	c.Control /= max(1, own)
	c.Redone = redone / max(1, events)
	var rounds []int
	for _, s := range l.study.Spreads {
		rounds = append(rounds, s.Rounds)
	}
	slices.Sort(rounds)
	if n := len(rounds); n > 0 {
		c.Rounds, c.MostRounds = rounds[n/2], rounds[n-1]
	}
	if bare := l.bare(); bare > 0 {
		c.Longer = plain / bare
	}
	c.Runs = l.runs + len(rounds)
	return nil
}

// bare is how long the programs take without a protocol, 0 where that is not among those known.
func (l *lab) bare() (sum float64) {
	none, err := l.known.Find("none")
	if err != nil {
		return 0
	}
	for _, shape := range l.programs() {
		f, err := Run(&Case{Protocol: none, Shape: shape, Ranks: l.scale.Ranks,
			Iterations: lengths[shape]})
		if err != nil {
			return 0
		}
		sum += float64(f.Elapsed)
	}
	return sum
}
