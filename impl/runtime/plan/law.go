package plan

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// Law says how failures come by the clock: at gaps of a Weibull distribution, of which the
// exponential one is that of shape 1, or as somebody has recorded them.
type Law struct {
	MTBF  time.Duration // mean time between failures of any part of the job; it scales a Trace
	Shape float64       // below 1 failures come in bunches, as on real machines; 0: 1
	Trace []Event       // of which a stretch that begins anywhere is repeated; nil: gaps are drawn
}

// Event is a failure of one rank.
type Event struct {
	At   time.Duration
	Rank int // who; -1: any, drawn
}

// The bounds of a shape: beyond them gaps are all zero or all alike.
const leastShape, mostShape = 0.1, 10.0

// Check reports what makes no sense.
func (l *Law) Check() error {
	switch {
	case l.MTBF < 0 || l.MTBF == 0 && len(l.Trace) == 0:
		return fmt.Errorf("%v between failures, want more than 0", l.MTBF)
	case l.Shape != 0 && !(l.Shape >= leastShape && l.Shape <= mostShape):
		return fmt.Errorf("shape %g, want [%g, %g]", l.Shape, leastShape, mostShape)
	case l.Shape != 0 && len(l.Trace) > 0:
		return errors.New("a shape is of failures that are drawn, and these are of a trace")
	case len(l.Trace) == 1:
		return errors.New("one failure has no time between failures: want a trace of two or more")
	case len(l.Trace) > 0 && l.span() == 0:
		return errors.New("all failures of the trace come at the same time")
	}
	return nil
}

// span is the time from the first to the last failure of the trace.
func (l *Law) span() time.Duration { return l.Trace[len(l.Trace)-1].At - l.Trace[0].At }

// Draw draws the failures of a run of so many ranks up to a time, the first few of them if there
// are more. The law must be valid.
func (l *Law) Draw(rng *rand.Rand, ranks int, until time.Duration, most int) (list []Event) {
	next := l.drawn(rng)
	if len(l.Trace) > 0 {
		next = l.recorded(rng)
	}
	at := 0.0
	for len(list) < most {
		gap, rank := next()
		if at += gap; !(at <= float64(until)) {
			break
		}
		if rank < 0 {
			rank = rng.IntN(ranks)
		}
		list = append(list, Event{time.Duration(at), rank % ranks})
	}
	return list
}

// drawn are gaps in nanoseconds of a Weibull distribution, whose mean is scale Γ(1 + 1/shape).
func (l *Law) drawn(rng *rand.Rand) func() (gap float64, rank int) {
	shape := l.Shape
	if shape == 0 {
		shape = 1
	}
	scale := float64(l.MTBF) / math.Gamma(1+1/shape)
	return func() (float64, int) {
		return scale * math.Pow(rng.ExpFloat64(), 1/shape), -1
	}
}

// recorded are those of the trace from anywhere on, and behind its end from its beginning.
func (l *Law) recorded(rng *rand.Rand) func() (gap float64, rank int) {
	mean := float64(l.span()) / float64(len(l.Trace)-1)
	scale := 1.0
	if l.MTBF > 0 {
		scale = float64(l.MTBF) / mean
	}
	i := rng.IntN(len(l.Trace))
	// the run begins anywhere between two failures
	into := rng.Float64()
	return func() (float64, int) {
		gap := mean // from the last to the first, which nobody has recorded
		if i > 0 {
			gap = float64(l.Trace[i].At - l.Trace[i-1].At)
		}
		gap, into = gap*(1-into), 0
		e := l.Trace[i]
		i = (i + 1) % len(l.Trace)
		return gap * scale, e.Rank
	}
}

// ReadTrace reads failures, a line each: SECONDS, or SECONDS,NODE, in the order of time. Whoever
// has other columns names these two in a first line, time and node; lines that begin with # are
// skipped. Nodes are numbered in the order in which they first fail, and are ranks, those beyond
// the last from the first again.
func ReadTrace(r io.Reader, name string) (list []Event, err error) {
	in := csv.NewReader(r)
	in.Comment, in.TrimLeadingSpace, in.FieldsPerRecord, in.ReuseRecord = '#', true, -1, true
	at, node := 0, 1
	nodes := map[string]int{}
	for first := true; ; first = false {
		fields, err := in.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		line, _ := in.FieldPos(0)
		if first {
			if t, n, ok := titles(fields); ok {
				at, node = t, n
				continue
			}
		}
		e, err := event(fields, at, node, nodes)
		if err == nil && len(list) > 0 && e.At < list[len(list)-1].At {
			err = errors.New("it comes before the one above: want the order of time")
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		list = append(list, e)
	}
	if len(list) < 2 {
		return nil, fmt.Errorf("%s: %d failures, want two or more", name, len(list))
	}
	return list, nil
}

// titles finds the columns in a first line that names them; node is -1 if there is none.
func titles(fields []string) (time, node int, ok bool) {
	time, node = -1, -1
	for i, f := range fields {
		switch strings.ToLower(strings.TrimSpace(f)) {
		case "time":
			time = i
		case "node":
			node = i
		}
	}
	return time, node, time >= 0
}

// longestTrace bounds the times of a trace: a hundred years.
const longestTrace = 100 * 366 * 24 * time.Hour

// event reads one line.
func event(fields []string, at, node int, nodes map[string]int) (e Event, err error) {
	if at >= len(fields) {
		return e, fmt.Errorf("%d columns, want the time in column %d", len(fields), at+1)
	}
	text := strings.TrimSpace(fields[at])
	s, err := strconv.ParseFloat(text, 64)
	if err != nil || !(s >= 0 && s <= longestTrace.Seconds()) {
		return e, fmt.Errorf("time %q: want seconds from 0 to %.0f", text, longestTrace.Seconds())
	}
	e = Event{time.Duration(s * float64(time.Second)), -1}
	if node >= 0 && node < len(fields) {
		text := strings.TrimSpace(fields[node])
		if _, ok := nodes[text]; !ok {
			nodes[text] = len(nodes)
		}
		e.Rank = nodes[text]
	}
	return e, nil
}
