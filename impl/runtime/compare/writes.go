package compare

import (
	"fmt"
	"time"
)

// sweep is how long a stable write takes.
var sweep = []time.Duration{0, 200 * time.Microsecond, 800 * time.Microsecond}

// Stall is how long programs are blocked by the protocol when a write takes so long.
type Stall struct {
	Write   time.Duration `json:"write"`
	Blocked time.Duration `json:"blocked"` // a message, mean
	Elapsed time.Duration `json:"elapsed"`
}

// stable is what is written to stable storage beside images, in runs that ask for none: none when
// the number of writes does not grow with the run, by one for twenty receptions at least;
// synchronous when sends and receptions wait longer the longer a write takes, by a write at least;
// otherwise asynchronous.
func (l *lab) stable() (c Cell, err error) {
	var writes, receptions, waits int
	var blocked, longer time.Duration
	for _, shape := range l.programs() {
		short, err := l.run(l.base(shape, l.scale.Ranks, lengths[shape]))
		if err != nil {
			return c, err
		}
		long, err := l.run(l.base(shape, l.scale.Ranks, 2*lengths[shape]))
		if err != nil {
			return c, err
		}
		writes += besides(long) - besides(short)
		receptions += long.Receptions - short.Receptions
		stalls := Stalls{Program: shape}
		for _, w := range sweep {
			run := l.base(shape, l.scale.Ranks, lengths[shape])
			run.Write = w
			f, err := l.run(run)
			if err != nil {
				return c, err
			}
			at := (f.AtSends + f.AtReceptions) / time.Duration(max(1, f.Sends))
			stalls.Stalls = append(stalls.Stalls, Stall{w, at, f.Elapsed})
			if w == 0 {
				blocked += f.AtSends + f.AtReceptions
				waits += f.Sends
			} else if w == sweep[len(sweep)-1] {
				more := at - stalls.Stalls[0].Blocked
				if more*time.Duration(f.Sends) >= w && (c.Shows == "" || more > longer) {
					longer, c.Shows = more, run.String()
				}
			}
		}
		l.study.Stalls = append(l.study.Stalls, stalls)
	}
	switch {
	case writes*few <= receptions:
		c.Value = "none"
	case c.Shows != "":
		c.Value = "synchronous"
	default:
		c.Value = "asynchronous"
	}
	if c.Shows == "" {
		c.Shows = l.base(l.programs()[0], l.scale.Ranks, lengths[l.programs()[0]]).String()
	}
	c.Figures = fmt.Sprintf("%.2f writes a reception; a write of %v blocks a message for %v more",
		float64(max(0, writes))/float64(max(1, receptions)), sweep[len(sweep)-1], longer)
	if writes*few <= receptions && longer > 0 {
		c.Why = "programs wait for images that messages force. "
	}
	if d := blocked / time.Duration(max(1, waits)); d > 0 {
		c.Why += fmt.Sprintf("with writes that take no time a message is blocked for %v: it waits "+
			"for others", d)
	}
	return c, nil
}

// besides is how many writes a run has that belong to no image. Nobody asks for images there, but
// messages may force them, and then one record an image says that it counts.
func besides(f *Facts) int { return max(0, len(f.Writes)-len(f.Images)) }

// Stalls is how long one program is blocked, by what a write takes.
type Stalls struct {
	Program string  `json:"program"`
	Stalls  []Stall `json:"stalls"`
}
