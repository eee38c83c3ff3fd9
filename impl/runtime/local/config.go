package local

import (
	"cmp"
	"errors"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// Config says how to run. The zero value is a fault-free run over reliable FIFO links, in virtual
// time.
type Config struct {
	Model fault.Model // what the environment may do; the plan is obeyed within it
	// of delays, of what of several possible things a proc does first, and of what the plan leaves
	// open
	Seed uint64
	Plan plan.Plan // which faults strike when

	// wake every proc that has something to do at an instant, not one at a time: a seed is no run
	// any more
	Parallel bool
	Real     bool // use package time; implies Parallel
	// things take up to so long, some channels and procs many times that; 0 = DefaultSpread,
	// negative = no time at all
	Spread time.Duration

	// Schedule is enforced, an event a line as the world names it: one proc at a time is let go, to
	// do just that. Plan, Seed and time have no meaning then. Of several events with one name the
	// number at its end ("#2") takes that in the order of sending here, of meeting there, so
	// messages on an unordered channel that differ in what their names do not say may be taken for
	// each other.
	Schedule []string

	MaxSteps int           // 0 = DefaultSteps
	MaxTime  time.Duration // of package time, 0 = no limit
	// of package time, of one step of one machine: a longer one is ErrHangs; 0 = no limit
	MaxStep     time.Duration
	MaxInFlight int // messages on their way, 0 = DefaultInFlight
}

// The bounds of the zero value.
const (
	DefaultSpread   = time.Microsecond
	DefaultSteps    = 20_000
	DefaultInFlight = 10_000
)

// Result is what a run shows.
type Result struct {
	Trace trace.Trace
	// the names of the events, in order, without the numbers that tell two with one name apart
	Schedule []string
	Complete bool   // nothing but faults could happen at the end
	Bound    string // what ended a run that is not complete and has no panic
	Panic    string // of a machine, or a message that does not survive the codec

	Waits []string // of a complete run: who has not ended, and what it waits for
	// canonical state of each machine at the end, nil for a proc that is down, or that the end of a
	// run has interrupted
	Finals    [][]byte
	Performed []int         // effects of each proc, in all lives
	Failures  int           // of the budget that were spent
	Undone    int           // steps that were in progress when a crash made them impossible
	Elapsed   time.Duration // virtual, or real
}

// ErrStale is returned, with the run up to there, when an event of Config.Schedule is not possible
// when its turn comes.
var ErrStale = errors.New("stale schedule")

// ErrHangs is returned, without a run, when a step of a machine takes longer than Config.MaxStep.
// Nobody can end such a step, so its goroutine, and the one that waits for it, stay until it
// returns, if ever: the caller is expected to end the program.
var ErrHangs = errors.New("a step does not end")

// Validate reports what makes no sense for the setup.
func (c *Config) Validate(s *core.Setup) error {
	if err := cmp.Or(s.AtMost(core.MaxSearched), s.ValidateCode()); err != nil {
		return err
	}
	n := len(s.Layout.Names)
	if err := c.Model.Validate(n); err != nil {
		return err
	}
	if c.MaxSteps < 0 || c.MaxInFlight < 0 || c.MaxTime < 0 || c.MaxStep < 0 {
		return errors.New("local: limits must not be negative")
	}
	return c.Plan.Validate(s, &c.Model)
}
