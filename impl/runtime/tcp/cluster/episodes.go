package cluster

import (
	"cmp"
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
	Select                // until the snapshot is written down that all restart from
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

// ends are an episode and when its steps ended.
type ends struct {
	Episode
	at   [Steps]time.Duration
	by   core.Proc            // who has selected
	said map[saying]core.Proc // by whom first: replicas of a head say the same, one after the other
}

// saying is what an event says.
type saying struct {
	kind trace.Kind
	text string
	peer core.Proc
	snap trace.Snap
}

// Episodes lists the answers of a runtime to failures, by number.
func (r *Result) Episodes() []Episode {
	var list []*ends
	var selected *ends // the ruling that is being written down
	for i, e := range r.Trace.Events {
		if selected != nil && e.Kind == trace.Stored && e.Proc == selected.by {
			selected.at[Select], selected = time.Duration(r.Trace.At[i]), nil
		}
		if e.Kind != trace.Ruled && e.Kind != trace.Snapped {
			continue
		}
		at, found := slices.BinarySearchFunc(list, e.Stamp.Round, func(m *ends, n uint64) int {
			return cmp.Compare(m.Number, n)
		})
		if !found {
			list = slices.Insert(list, at, &ends{Episode: Episode{Number: e.Stamp.Round},
				said: map[saying]core.Proc{}})
		}
		m, say := list[at], saying{kind: e.Kind, text: e.Text, peer: e.Peer, snap: e.Snap()}
		if who, known := m.said[say]; known && who != e.Proc {
			continue
		}
		m.said[say] = e.Proc
		m.note(e, time.Duration(r.Trace.At[i]))
		if e.Kind == trace.Snapped && e.Text == trace.SnapSelected {
			m.by, selected = e.Proc, m
		}
	}
	var episodes []Episode
	for _, m := range list {
		if m.at[Detect] == 0 {
			continue // no failure was answered in it
		}
		m.At = r.failedAt(m.Failed, m.at[Detect])
		before := m.At
		for s, end := range m.at {
			if end > before {
				m.Steps[s], before = end-before, end
			}
		}
		episodes = append(episodes, m.Episode)
	}
	return episodes
}

// note takes an event into account.
func (m *ends) note(e trace.Event, at time.Duration) {
	word, about := trace.RuleOf(e.Text)
	if e.Kind == trace.Snapped {
		switch word {
		case trace.SnapSelected:
			m.at[Select] = at
		case trace.SnapRestored:
			m.at[Restore] = at
			m.Restored++
		}
		return
	}
	switch word {
	case trace.RuleOpened:
		if m.Failed = append(m.Failed, e.Peer); m.at[Detect] == 0 {
			m.at[Detect] = at
		}
	case trace.RuleStabilised:
		m.at[Stabilise] = at
	case trace.RuleFenced:
		m.at[Fence] = at
	case trace.RuleClaimed:
		m.Owner = about
	case trace.RuleResumed, trace.RuleAborted:
		m.at[Connect], m.Resumed = at, word == trace.RuleResumed
	}
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
