package local

import (
	"errors"
	"fmt"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/fault"
	"github.com/domino-check/domino/spec/trace"
)

// Config says how to run. The zero value is a fault-free run over reliable FIFO links, in virtual time.
type Config struct {
	Model fault.Model // what the environment may do; the plan is obeyed within it
	Seed  uint64      // of delays, of what of several possible things a proc does first, and of what the plan leaves open
	Plan  Plan

	Parallel bool          // wake every proc that has something to do at an instant, not one at a time: a seed is no run any more
	Real     bool          // use package time; implies Parallel
	Spread   time.Duration // things take up to so long, some channels and procs many times that; 0 = DefaultSpread, negative = no time at all

	// Schedule is enforced, an event a line: one proc at a time is let go, to do just that. Plan, Seed and time have no meaning then.
	Schedule []string

	MaxSteps    int           // 0 = DefaultSteps
	MaxTime     time.Duration // of package time, 0 = no limit
	MaxInFlight int           // messages on their way, 0 = DefaultInFlight
}

// The bounds of the zero value.
const (
	DefaultSpread   = time.Microsecond
	DefaultSteps    = 20_000
	DefaultInFlight = 10_000
)

// Plan says which faults strike when. What can not happen within the model when its time has come waits until it can, or never happens.
type Plan struct {
	Failures []Failure
	Requests []Request
	Lost     int // one message in so many is lost, while the budget lasts; 0 = none
	Doubled  int // one message in so many arrives twice, while the budget lasts; 0 = none
}

// Failure is one crash.
type Failure struct {
	Victims []core.Proc // who stops, each with its group; in ascending order, of different groups
	By      core.Proc   // whose effects are counted, mostly those of a victim
	After   int         // it strikes when the proc has performed so many effects (core.Effect.Acts), in all its lives
	Survive Survive
}

// Survive says what arrives of what the victims had in flight, within what the model allows.
type Survive uint8

// The answers.
const (
	Drawn Survive = iota // a prefix of each channel, by the seed
	All
	None
)

// Request is a fault of one proc that stops nobody: a spontaneous checkpoint, or a false suspicion.
type Request struct {
	Proc       core.Proc
	After      int       // as in Failure
	Suspicious bool      // it thinks that Suspect is down; otherwise it is asked for a checkpoint
	Suspect    core.Proc // the first proc of its group

	ignored useless // when nothing came of it
}

// Result is what a run shows.
type Result struct {
	Trace    trace.Trace
	Schedule []string // the names of the events, in order, without the numbers that tell two with one name apart
	Complete bool     // nothing but faults could happen at the end
	Bound    string   // what ended a run that is not complete and has no panic
	Panic    string   // of a machine, or a message that does not survive the codec

	Waits     []string      // of a complete run: who has not ended, and what it waits for
	Finals    [][]byte      // canonical state of each machine at the end, nil for a proc that is down, or that the end of a run has interrupted
	Performed []int         // effects of each proc, in all lives
	Failures  int           // of the budget that were spent
	Undone    int           // steps that were in progress when a crash made them impossible
	Elapsed   time.Duration // virtual, or real
}

// ErrStale is returned, with the run up to there, when an event of Config.Schedule is not possible when its turn comes.
var ErrStale = errors.New("stale schedule")

// Validate reports what makes no sense for the setup.
func (c *Config) Validate(s *core.Setup) error {
	if err := s.Validate(); err != nil {
		return err
	}
	n := len(s.Layout.Names)
	if err := c.Model.Validate(n); err != nil {
		return err
	}
	if c.MaxSteps < 0 || c.MaxInFlight < 0 || c.MaxTime < 0 || c.Plan.Lost < 0 || c.Plan.Doubled < 0 {
		return errors.New("local: limits and rates must not be negative")
	}
	for i, f := range c.Plan.Failures {
		if len(f.Victims) == 0 {
			return fmt.Errorf("local: failure %d of the plan has no victim", i+1)
		}
		if int(f.By) >= n {
			return fmt.Errorf("local: failure %d of the plan: proc %d does not exist, there are %d procs", i+1, f.By, n)
		}
		for j, v := range f.Victims {
			switch {
			case int(v) >= n:
				return fmt.Errorf("local: failure %d of the plan: victim %d does not exist, there are %d procs", i+1, v, n)
			case j > 0 && !c.Model.Staggered && s.Group(v)[0] <= s.Group(f.Victims[j-1])[0] || j > 0 && v <= f.Victims[j-1]:
				return fmt.Errorf("local: failure %d of the plan: victims are not in ascending order and of different groups", i+1)
			}
		}
	}
	for i, q := range c.Plan.Requests {
		if int(q.Proc) >= n || int(q.Suspect) >= n {
			return fmt.Errorf("local: request %d of the plan: there are %d procs", i+1, n)
		}
	}
	return nil
}
