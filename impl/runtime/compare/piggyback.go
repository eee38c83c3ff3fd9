package compare

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/domino-check/domino/spec/trace"
)

// Sizes are the numbers of ranks among which the slope of the piggyback is measured.
var Sizes = []int{4, 8, 16}

// Load is what messages of one run carry beside payload and what every protocol has: integers and
// bytes of a message.
type Load struct {
	Mean      float64 `json:"mean"`
	Max       float64 `json:"max"`
	MeanBytes float64 `json:"mean_bytes"`
	MaxBytes  float64 `json:"max_bytes"`
}

// plainHeader is how many bytes the header of a message has without a protocol.
const plainHeader = 4

// Carried is the load of the messages of a run. A number that is the same in all messages carries
// nothing, and one that is the place of the message in its channel every protocol has. What is in a
// list always counts.
func Carried(f *Facts) (l Load) {
	places := map[string]*place{}
	ordinal := map[[2]trace.Proc]uint64{}
	for _, m := range f.Messages {
		way := [2]trace.Proc{m.From, m.To}
		ordinal[way]++
		for _, n := range m.Numbers {
			p := places[n.Place]
			if p == nil {
				p = &place{first: n.Value, channel: true, same: true}
				places[n.Place] = p
			}
			p.same = p.same && p.first == n.Value
			p.channel = p.channel && n.Value == ordinal[way]
		}
	}
	for _, m := range f.Messages {
		count := 0.0
		for _, n := range m.Numbers {
			if p := places[n.Place]; n.Listed || !p.same && !p.channel {
				count++
			}
		}
		bytes := float64(max(0, m.Bytes-plainHeader))
		l.Mean, l.Max = l.Mean+count, max(l.Max, count)
		l.MeanBytes, l.MaxBytes = l.MeanBytes+bytes, max(l.MaxBytes, bytes)
	}
	if n := float64(len(f.Messages)); n > 0 {
		l.Mean, l.MeanBytes = l.Mean/n, l.MeanBytes/n
	}
	return l
}

// place is what is known of one number of all messages of a run.
type place struct {
	first         uint64
	same, channel bool
}

// piggyback is what messages carry, and how that grows with the number of ranks. It is none when no
// message carries anything; integers when the most that a message carries is the same for every
// number of ranks; a vector when in every program it grows by the same number a rank; otherwise it
// depends on what has happened before: determinants.
func (l *lab) piggyback() (c Cell, err error) {
	var words []string
	most, grows := 0.0, false
	steps := map[float64]bool{}
	var mean, slope float64
	for _, shape := range l.programs() {
		var loads []Load
		var last string
		for _, n := range Sizes {
			run := l.base(shape, n, min(lengths[shape], 6))
			if err := l.images(run, 3); err != nil {
				return c, err
			}
			if l.gathers && shape == "master-worker" {
				run.Images = Plan{}
			}
			run.Write = 200 * time.Microsecond
			f, err := l.run(run)
			if err != nil {
				return c, err
			}
			loads, last = append(loads, Carried(f)), run.String()
		}
		first, end := loads[0], loads[len(loads)-1]
		by := (end.Max - first.Max) / float64(Sizes[len(Sizes)-1]-Sizes[0])
		low := (loads[1].Max - first.Max) / float64(Sizes[1]-Sizes[0])
		grows = grows || first.Max != end.Max
		steps[math.Round(by*100)/100], steps[math.Round(low*100)/100] = true, true
		if end.Max > most || c.Shows == "" {
			most, c.Shows, mean, slope = end.Max, last, end.Mean, by
		}
		words = append(words, fmt.Sprintf("%s %.1f/%.0f", shape, end.Mean, end.Max))
		l.study.Loads = append(l.study.Loads, Loads{shape, loads})
	}
	switch {
	case most == 0:
		c.Value = "none"
	case !grows:
		c.Value = "integers"
	case len(steps) == 1:
		c.Value = "vector"
	default:
		c.Value = "determinants"
	}
	c.Figures = fmt.Sprintf("mean %.1f, at most %.0f integers a message, %+.2f a rank", mean, most,
		slope)
	c.Why = "mean/most with 16 ranks: " + strings.Join(words, ", ")
	return c, nil
}

// Loads is the piggyback of one program for each of the numbers of ranks.
type Loads struct {
	Program string `json:"program"`
	Loads   []Load `json:"loads"`
}
