package compare

import (
	"fmt"
	"time"

	"github.com/domino-check/domino/impl/core"
)

// RadicColumns are what Table 3.1 of [RADIC] is about, in its order.
var RadicColumns = []string{"logging", "decentralised", "checkpoint", "storage", "transparency",
	"recovery", "spares"}

// radicWhy is why columns of that table are not measured.
var radicWhy = map[string]string{
	"decentralised": "whether something is central shows when it is lost for good, and here " +
		"everybody restarts",
	"spares": "ranks restart where they were; the control plane that moves them is no row here, " +
		"as its nodes fail and not ranks: see domino simulate --protocol radic-rbml, and the " +
		"scenarios of radic",
}

// radic measures the columns of Table 3.1.
func (l *lab) radic() (cells []Cell, err error) {
	sum, err := l.radicRuns()
	if err != nil {
		return nil, err
	}
	for _, name := range RadicColumns {
		c := Cell{Column: name, Runs: l.runs, Why: radicWhy[name], Shows: sum.shows}
		switch name {
		case "logging":
			c.Value, c.Shows = sum.logging(), sum.keeps
			c.Figures = fmt.Sprintf("at the end %d messages are kept by senders, %d by others; "+
				"programs are blocked for %v by a write of %v or none", sum.senders, sum.others,
				sum.blocked, sweep[len(sweep)-1])
		case "checkpoint":
			s, err := l.scheduling()
			if err != nil {
				return nil, err
			}
			c.Runs, c.Shows, c.Figures = l.runs, s.Shows, s.Figures
			switch {
			case s.Value != "possible":
				c.Value = "all together"
			case l.row.Grouped:
				c.Value = "groups together"
			default:
				c.Value = "each alone"
			}
		case "storage":
			c.Value, c.Figures, c.Why = sum.storage()
		case "transparency":
			c.Value, c.Shows = "yes", sum.keeps
			if l.gathers {
				c.Value = "no"
			}
			c.Figures = "the programs are those of all other protocols"
		case "recovery":
			c.Value = "yes"
			if sum.stuck > 0 {
				c.Value = "no"
			}
			c.Figures = fmt.Sprintf("%d of %d runs with a failure end with nobody's help",
				sum.failed-sum.stuck, sum.failed)
		}
		cells = append(cells, c)
	}
	return cells, nil
}

// radicSum is what those runs come to.
type radicSum struct {
	senders, others int
	blocked         time.Duration
	keepers         map[core.Proc]bool // of images of others
	images          int
	failed, stuck   int
	shows, keeps    string
}

// radicRuns are runs without images, with slow writes, and runs in which each rank fails.
func (l *lab) radicRuns() (*radicSum, error) {
	sum := &radicSum{keepers: map[core.Proc]bool{}}
	for _, shape := range l.programs() {
		for _, w := range sweep {
			run := l.base(shape, l.scale.Ranks, lengths[shape])
			run.Write = w
			f, err := l.run(run)
			if err != nil {
				return nil, err
			}
			sum.keeps = run.String()
			sum.senders, sum.others = sum.senders+f.Log.AtSenders, sum.others+f.Log.Elsewhere
			sum.blocked = max(sum.blocked, f.AtSends+f.AtReceptions)
		}
		for r := range l.scale.Ranks {
			run := l.base(shape, l.scale.Ranks, lengths[shape])
			if err := l.images(run, 3); err != nil {
				return nil, err
			}
			took, err := l.length(run)
			if err != nil {
				return nil, err
			}
			run.Failures = []Failure{{(took / 2).Round(10 * time.Microsecond),
				[]core.Rank{core.Rank(r)}}}
			f, err := l.run(run)
			if err != nil {
				return nil, err
			}
			sum.shows = run.String()
			if sum.failed++; !f.Ended {
				sum.stuck++
			}
			for _, image := range f.Images {
				if sum.images++; image.To != image.Rank.Proc() {
					sum.keepers[image.To] = true
				}
			}
		}
	}
	return sum, nil
}

// logging is who keeps messages, and whether programs wait for that. What only waits for its
// acknowledgement when the run ends is no log: who keeps less than a fifth does not count.
func (s *radicSum) logging() string {
	how := "programs do not wait for a"
	if s.blocked > 0 {
		how = "programs wait for a"
	}
	switch {
	case s.senders+s.others == 0:
		return "no"
	case s.others*4 < s.senders:
		return how + " sender"
	case s.senders*4 < s.others:
		return how + " receiver"
	}
	return how + " hybrid"
}

// storage is where images are.
func (s *radicSum) storage() (value, figures, why string) {
	figures = fmt.Sprintf("%d images, at %d other procs", s.images, len(s.keepers))
	switch len(s.keepers) {
	case 0:
		return "", figures, "images are records of their rank, and where its store is is not " +
			"modelled"
	case 1:
		return "central", figures, ""
	}
	return "distributed", figures, ""
}
