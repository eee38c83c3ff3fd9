package compare

import (
	"errors"
	"fmt"
	"time"

	"github.com/domino-check/domino/impl/core"
)

// Growth are the lengths of the runs in which the line is looked at, in those of the program.
var Growth = []int{1, 2, 4}

// Age is how far behind the recovery line is at the end of runs that get longer: what is lost at
// most by a rank, whoever fails.
type Age struct {
	Program string `json:"program"`
	Ages    []int  `json:"ages"` // by Growth
}

// line is whether the recovery line progresses: it does when its age does not grow with the run. It
// is looked for by failures shortly before the end, of single ranks and, where the protocol
// survives that, of all.
func (l *lab) line() (c Cell, err error) {
	c.Value = "yes"
	for _, shape := range []string{"domino", "ring", "all-to-all"} {
		a := Age{Program: shape}
		var shows string
		for _, times := range Growth {
			age, run, err := l.age(shape, times)
			if errors.Is(err, ErrRefused) {
				c.Why = fmt.Sprintf("not %s: %v", shape, errors.Unwrap(err))
				break
			}
			if err != nil {
				return c, err
			}
			a.Ages, shows = append(a.Ages, age), run
		}
		if len(a.Ages) < len(Growth) {
			continue
		}
		l.study.Ages = append(l.study.Ages, a)
		begin, middle, end := a.Ages[0], a.Ages[1], a.Ages[2]
		grows := end >= 2*max(begin, 1) && middle > begin
		if grows || c.Shows == "" {
			c.Shows = shows
		}
		if grows {
			c.Value = "no"
		}
		c.Figures += fmt.Sprintf(", %s %d, %d, %d", shape, begin, middle, end)
		if grows {
			break // the run that shows it
		}
	}
	if c.Figures == "" {
		return Cell{Why: c.Why}, nil
	}
	c.Figures = "age in runs of length 1, 2, 4: " + c.Figures[2:]
	err = l.dominoes(&c)
	return c, err
}

// unitsOf is how many fail when all ranks of a run do.
func (l *lab) unitsOf(run *Case) int {
	if run.Groups == nil {
		return run.Ranks
	}
	return len(run.Groups)
}

// age is the most that a rank loses by failures shortly before the end, and the run that shows it.
func (l *lab) age(shape string, times int) (age int, shows string, err error) {
	ranks := l.scale.Ranks
	if shape == "domino" {
		ranks = 4
	}
	run := l.base(shape, ranks, times*lengths[shape])
	switch {
	case shape == "domino":
		run.Groups = l.apart(ranks)
	case l.gathers:
		run.Images = Plan{Iterations: max(1, lengths[shape]/4)}
	default:
		short := l.base(shape, ranks, lengths[shape])
		if err := l.images(short, 4); err != nil {
			return 0, "", err
		}
		run.Images = short.Images
	}
	took, err := l.length(run)
	if err != nil {
		return 0, "", err
	}
	victims := [][]core.Rank{{0}, {1}, {core.Rank(ranks - 1)}}
	if l.survives(l.unitsOf(run)) {
		victims = append(victims, everybody(ranks))
	}
	for _, v := range victims {
		for _, part := range []int{80, 88, 96} {
			one := *run
			at := (took * time.Duration(part) / 100).Round(10 * time.Microsecond)
			one.Failures = []Failure{{at, v}}
			f, err := l.run(&one)
			if err != nil {
				return 0, "", err
			}
			for _, loss := range f.Losses {
				for _, lost := range loss.Lost {
					if lost > age || shows == "" {
						age, shows = lost, one.String()
					}
				}
			}
		}
	}
	return age, shows, nil
}
