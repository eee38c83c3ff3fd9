// Package plan says which faults strike when in one run of a driver that makes them: the failure
// model (spec/fault) says what may happen, a plan what will.
package plan

import (
	"errors"
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// Plan says which faults strike when in one run of a driver that makes them. What can not happen
// within the model when its time has come waits until it can, or never happens.
type Plan struct {
	Failures []Failure
	Requests []Request
	Spoils   []Spoil
	Lost     int // one message in so many is lost, while the budget lasts; 0 = none
	Doubled  int // one message in so many arrives twice, while the budget lasts; 0 = none
}

// Failure is one crash.
type Failure struct {
	// who stops, each with its group; in ascending order, of different groups
	Victims []core.Proc
	By      core.Proc // whose effects are counted, mostly those of a victim
	// it strikes when the proc has performed so many effects (core.Effect.Acts), in all its lives
	After int
	// what arrives of what the victims had in flight, as far as the model leaves it open; a prefix
	// is drawn
	Survive fault.Survival
}

// Request is a fault of one proc that stops nobody: a spontaneous checkpoint, a false suspicion, or
// a watchdog that expires too early.
type Request struct {
	Proc       core.Proc
	After      int       // effects that it has performed, as in Failure
	Foreign    bool      // not its own effects are counted but those of By (in a cluster)
	By         core.Proc // whose
	Suspicious bool      // it thinks that Suspect is down; otherwise it is asked for a checkpoint
	Suspect    core.Proc // the first proc of its group
	// one of its watchdogs expires although the watched proc lives; which one is drawn when the
	// time has come
	Expires bool
}

// Counted is whose effects are counted.
func (q *Request) Counted() core.Proc {
	if q.Foreign {
		return q.By
	}
	return q.Proc
}

// Validate reports what makes no sense for the setup.
func (p *Plan) Validate(s *core.Setup, m *fault.Model) error {
	n := len(s.Layout.Names)
	if p.Lost < 0 || p.Doubled < 0 {
		return errors.New("plan: rates must not be negative")
	}
	for i, f := range p.Failures {
		if len(f.Victims) == 0 {
			return fmt.Errorf("plan: failure %d has no victim", i+1)
		}
		switch {
		case f.After < 0:
			return fmt.Errorf("plan: failure %d: after %d effects, want 0 or more", i+1, f.After)
		case f.Survive > fault.Nothing:
			return fmt.Errorf("plan: failure %d: what survives is %d, want %d to %d", i+1,
				f.Survive, fault.Prefix, fault.Nothing)
		case int(f.By) >= n:
			return fmt.Errorf("plan: failure %d: proc %d does not exist, there are %d procs", i+1,
				f.By, n)
		}
		for j, v := range f.Victims {
			switch {
			case int(v) >= n:
				return fmt.Errorf("plan: failure %d: victim %d does not exist, there are %d procs",
					i+1, v, n)
			case j > 0 && !m.Staggered && s.Group(v)[0] <= s.Group(f.Victims[j-1])[0] || j > 0 &&
				v <= f.Victims[j-1]:
				return fmt.Errorf(
					"plan: failure %d: victims are not in ascending order and of different groups",
					i+1)
			}
		}
	}
	for i, q := range p.Requests {
		if int(q.Proc) >= n || int(q.Suspect) >= n || int(q.By) >= n {
			return fmt.Errorf("plan: request %d: there are %d procs", i+1, n)
		}
		if q.After < 0 {
			return fmt.Errorf("plan: request %d: after %d effects, want 0 or more", i+1, q.After)
		}
		if q.Expires && !s.Watchdogs {
			return fmt.Errorf("plan: request %d: protocol %s has no watchdogs", i+1, s.Protocol)
		}
	}
	return p.validateSpoils(n, m)
}
