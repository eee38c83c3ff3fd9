package simulate

import (
	"fmt"
	"math"
	"time"
)

// Measurement is what real processes of one computer took, without a protocol and with it.
type Measurement struct {
	Base     float64 // seconds without a protocol, median
	Overhead float64 // of the protocol, a share of Base
	Spread   float64 // of Overhead: what counts as no difference
	// what processors have worked for all processes, in seconds, without the protocol and with it
	WorkedBase, Worked float64
	Stored             float64 // bytes on stable storage
}

// Comparison is a measured overhead beside the simulated one.
type Comparison struct {
	Work       time.Duration // of an iteration, fitted to what none takes
	Base       float64       // what none takes then, in seconds
	Overhead   float64       // simulated, a share of Base
	Difference float64       // of Overhead to what was measured
	Within     bool          // it is at most Tolerance, or the spread
	// parts of the overhead, as shares of Base
	Waiting, Bytes, CPU float64
	Explains            string // what a difference that is not within is to be put down to
}

// Tolerance is the difference of overheads that counts as agreement: of the time without protocol.
const Tolerance = 0.15

// Together is the machine with all ranks on one node, as cluster perf runs them.
func (m *Machine) Together() *Machine {
	return m.With(Parameter{Name: "ranks", Value: 1 << 20, Unit: "1",
		Source: "all processes share the computer"})
}

// fits of the work of an iteration end after so many runs, or when none takes so nearly what was
// measured.
const (
	mostFits = 6
	near     = 0.002
)

// Fit is how long a rank computes in an iteration if a job without a protocol takes so many seconds
// as it does for real. Numbers are computed and take no time, so that is what remains when messages
// and steps have taken theirs; it is nothing where they take longer. An error is a program in which
// no iteration begins.
func Fit(base *Job, seconds float64) (work time.Duration, err error) {
	takes := func(work time.Duration) (float64, error) {
		j := *base
		j.Work = work
		out, err := j.Run()
		if err != nil {
			return 0, err
		}
		return float64(out.Completion) / 1e12, nil
	}
	least, err := takes(0)
	if err != nil || least >= seconds {
		return 0, err
	}
	low, at := least, time.Duration(0)
	next := time.Duration(math.Max(1, seconds*1e9/100))
	for range mostFits {
		now, err := takes(next)
		if err != nil {
			return 0, err
		}
		slope := (now - low) / float64(next-at)
		if !(slope > 0) {
			return 0, fmt.Errorf("simulate: no iteration begins in which ranks compute, and "+
				"messages take %.3g s of %.3g s", least, seconds)
		}
		at, low = next, now
		if math.Abs(now/seconds-1) < near {
			break
		}
		next = max(0, at+time.Duration((seconds-now)/slope))
		if next == at {
			break
		}
	}
	return at, nil
}

// Compare simulates what was measured: all processes on one node of the machine, the work of an
// iteration such that none takes what it took.
func (s *Study) Compare(m *Measurement) (*Comparison, error) {
	a, err := s.Run()
	if err != nil {
		return nil, err
	}
	base := float64(a.Base.Completion)
	if base <= 0 {
		return nil, fmt.Errorf("simulate: without a protocol programs take no time")
	}
	c := &Comparison{Work: s.Work, Base: base / 1e12,
		Overhead: float64(a.Calm.Completion)/base - 1, Waiting: float64(a.Waiting) / base,
		Bytes: float64(a.Bytes) / base, CPU: float64(a.CPU) / base}
	c.Difference = c.Overhead - m.Overhead
	if c.Within = math.Abs(c.Difference) <= max(Tolerance, m.Spread); !c.Within {
		busy := float64(a.Calm.Busy-a.Base.Busy) / base
		c.Explains = c.explain(m, busy, s)
	}
	return c, nil
}

// explain names the resource that a difference is to be put down to: processors, if what they have
// worked more for real than modelled, or less, is half of it, as procs that wait for each other
// work one at a time; otherwise the largest part of what is modelled too dear, or of what is not
// modelled.
func (c *Comparison) explain(m *Measurement, busy float64, s *Study) string {
	procs, cores := len(s.Setup.Layout.Names), int(s.Machine.of("cores"))
	worked := (m.Worked - m.WorkedBase) / m.Base
	if more := busy - worked; more*c.Difference > 0 &&
		math.Abs(more) >= math.Abs(c.Difference)/2 {
		return fmt.Sprintf("processors: measured they work %+.0f %% of the time of a core, "+
			"modelled %+.0f %%", 100*worked, 100*busy)
	}
	switch {
	case c.Difference > 0 && c.Waiting >= max(c.Bytes, c.CPU):
		return fmt.Sprintf("waiting: modelled %+.0f %%", 100*c.Waiting)
	case c.Difference > 0 && c.Bytes >= c.CPU:
		return fmt.Sprintf("bytes of the protocol: modelled %+.0f %%", 100*c.Bytes)
	case c.Difference > 0:
		return fmt.Sprintf("steps and copies: modelled %+.0f %%", 100*c.CPU)
	case procs > cores && cores > 0:
		how := "and the machine has no price for that (wake)"
		if price := s.Machine.lasting("wake"); price > 0 {
			how = fmt.Sprintf("modelled at %v each", price)
		}
		return fmt.Sprintf("turns: %d processes on %d cores wait to be woken, %s", procs, cores,
			how)
	case m.Stored > 0 && len(s.Setup.Initiators) > 0:
		return "stable storage: others use the disk, too"
	}
	return "waiting for messages: noise is not modelled"
}
