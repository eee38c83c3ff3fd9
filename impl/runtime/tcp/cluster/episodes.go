package cluster

import (
	"slices"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// Step is a part of the answer of a runtime to a failure.
type Step int

// The steps, in their order.
const (
	Detect    Step = iota // from the kill until the episode is opened
	Stabilise             // until the runtime is repaired
	Select                // until the snapshot is known that all restart from
	Fence                 // until nothing of the lives before runs
	Restore               // until the last rank has its image
	Connect               // until every rank may go on
	Steps                 // how many there are
)

// StepNames are those of the steps.
var StepNames = [Steps]string{"detect", "stabilise", "select", "fence", "restore", "connect"}

// Episode is the answer of a runtime to a failure (trace.Ruled, trace.Snapped), as the evidence
// shows it. Steps that a policy does not have take no time; they add up to the whole.
type Episode struct {
	Number   uint64
	Failed   []core.Proc          // that it is about
	Owner    string               // the policy that has claimed it last
	At       time.Duration        // of the failure; of one without any, when it was opened
	Steps    [Steps]time.Duration // how long each took
	Resumed  bool                 // every rank may go on
	Restored int                  // ranks that got an image
}

// Took is how long it took in all.
func (e *Episode) Took() (sum time.Duration) {
	for _, d := range e.Steps {
		sum += d
	}
	return sum
}

// Episodes lists the answers of a runtime to failures, by number.
func (r *Result) Episodes() []Episode {
	type moments struct {
		Episode
		ends [Steps]time.Duration
	}
	var list []*moments
	of := func(number uint64) *moments {
		i, found := slices.BinarySearchFunc(list, number, func(m *moments, n uint64) int {
			return int(int64(m.Number) - int64(n))
		})
		if !found {
			list = slices.Insert(list, i, &moments{Episode: Episode{Number: number}})
		}
		return list[i]
	}
	for i, e := range r.Trace.Events {
		at := time.Duration(r.Walls[i])
		if e.Kind != trace.Ruled && e.Kind != trace.Snapped {
			continue
		}
		word, about := trace.RuleOf(e.Text)
		switch {
		case e.Kind == trace.Snapped && word == trace.SnapSelected:
			of(e.Stamp.Round).ends[Select] = at
		case e.Kind == trace.Snapped && word == trace.SnapRestored:
			m := of(e.Stamp.Round)
			m.ends[Restore] = at
			m.Restored++
		case e.Kind == trace.Snapped:
		case word == trace.RuleOpened:
			m := of(e.Stamp.Round)
			if m.Failed = append(m.Failed, e.Peer); m.ends[Detect] == 0 {
				m.ends[Detect] = at
			}
		case word == trace.RuleStabilised:
			of(e.Stamp.Round).ends[Stabilise] = at
		case word == trace.RuleFenced:
			of(e.Stamp.Round).ends[Fence] = at
		case word == trace.RuleClaimed:
			of(e.Stamp.Round).Owner = about
		case word == trace.RuleResumed || word == trace.RuleAborted:
			m := of(e.Stamp.Round)
			m.ends[Connect], m.Resumed = at, word == trace.RuleResumed
		}
	}
	var episodes []Episode
	for _, m := range list {
		if m.ends[Detect] == 0 {
			continue // a migration, or it has only been selected for
		}
		m.At = r.failedAt(m.Failed, m.ends[Detect])
		before := m.At
		for s, end := range m.ends {
			if end > before {
				m.Steps[s], before = end-before, end
			}
		}
		episodes = append(episodes, m.Episode)
	}
	return episodes
}

// failedAt is when the last failure of some procs was, before a time; that time if none was.
func (r *Result) failedAt(procs []core.Proc, before time.Duration) time.Duration {
	for _, c := range slices.Backward(r.Crashes) {
		if !c.Ordered && !c.Exit && c.At <= before &&
			slices.ContainsFunc(c.Procs, func(p core.Proc) bool {
				return slices.Contains(procs, p)
			}) {
			return c.At
		}
	}
	return before
}
