package lift

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/disk"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// Lifter lifts the runs of one setup. It keeps worlds, so runs of one model share what was met.
type Lifter struct {
	setup  *core.Setup
	model  fault.Model
	facts  *spec.Facts
	worlds []pair
}

// pair are the worlds of one model.
type pair struct {
	model          fault.Model
	search, judged *world.World
}

// New makes a lifter of runs of the setup under the model. The world judges by the facts, which may
// be nil.
func New(setup *core.Setup, model fault.Model, facts *spec.Facts) *Lifter {
	return &Lifter{setup: setup, model: model, facts: facts}
}

// Outcome is what has become of a run.
type Outcome struct {
	Verdict  Verdict
	Reason   string        // why it is unknown, or what is to be said of what was found
	Model    fault.Model   // under which the run replays
	Schedule []string      // of the run, or of the longest beginning of it
	Lifted   *world.Lifted // nil if the run is not covered
	// of the world, judged; nil if the run is not covered
	Run *world.Run
}

// Verdict says whether a run was found.
type Verdict string

// The verdicts.
const (
	Found       Verdict = "lifted"
	Unexplained Verdict = "not explained"
	Unknown     Verdict = "unknown"
)

// Lift looks for a run, at at most so many places (world.MostLifted) at a time.
func (l *Lifter) Lift(log *cluster.Log, places int) (*Outcome, error) {
	out := &Outcome{Verdict: Unknown, Model: l.model}
	recording, reason := Recording(log)
	if reason == "" {
		reason = within(&out.Model, log, l.setup)
	}
	if out.Reason = reason; reason != "" {
		return out, nil
	}
	return l.find(out.Model, recording, places)
}

// find looks for a run under a model. In the world, who is stopped by an order, or as its node
// exits, is between two steps; inside of one it stands still by a failure of its own. So what is
// not there with as many failures as have struck may be there with some more: one at most for each
// that was stopped so.
func (l *Lifter) find(m fault.Model, r *world.Recording, places int) (*Outcome, error) {
	first, err := l.try(m, r, places)
	if err != nil || first.Verdict == Found || first.Lifted == nil || first.Lifted.Unknown {
		return first, err
	}
	struck := m.Failures
	for more := 1; more <= ordered(r) && m.Failures < fault.Max; more++ {
		m.Failures++
		out, err := l.try(m, r, places)
		if err != nil {
			return nil, err
		}
		if out.Verdict == Found {
			out.Reason = fmt.Sprintf("failures in the world: %d instead of %d, as who is stopped "+
				"inside a step by an order, or by the exit of its node or of a mate, stands "+
				"still there by one", m.Failures, struck)
			return out, nil
		}
	}
	return first, nil
}

// ordered is how many procs are stopped and do not fail.
func ordered(r *world.Recording) (n int) {
	for _, s := range r.Stopped {
		if s.Ordered {
			n += len(s.Procs)
		}
	}
	return n
}

// try looks for a run under one model.
func (l *Lifter) try(m fault.Model, r *world.Recording, places int) (*Outcome, error) {
	out := &Outcome{Verdict: Unknown, Model: m}
	w, err := l.world(m)
	if err != nil {
		out.Reason = err.Error()
		return out, nil
	}
	if out.Lifted, err = w.search.Lift(r, places); err != nil {
		return nil, err
	}
	out.Schedule = out.Lifted.Run.Schedule
	if out.Run, err = w.judged.Replay(out.Schedule); err != nil {
		return nil, fmt.Errorf("what was found does not replay: %w", err)
	}
	switch {
	case out.Lifted.Found:
		out.Verdict = Found
	case out.Lifted.Unknown:
		out.Reason = fmt.Sprintf("the search was ended after %d places", places)
	case out.Lifted.Beyond != "":
		out.Reason = "the world has no such run: " + out.Lifted.Beyond
	default:
		out.Verdict = Unexplained
	}
	return out, nil
}

// world is that of a model. The search needs no properties.
func (l *Lifter) world(m fault.Model) (*pair, error) {
	i := slices.IndexFunc(l.worlds, func(p pair) bool {
		a, b := p.model, m
		return a.Failures == b.Failures && a.Checkpoints == b.Checkpoints
	})
	if i >= 0 {
		return &l.worlds[i], nil
	}
	p := pair{model: m}
	var err error
	if p.search, err = world.New(world.Config{Setup: l.setup, Model: m, Cuts: true}); err != nil {
		return nil, err
	}
	if p.judged, err = world.New(world.Config{Setup: l.setup, Model: m, Cuts: true,
		Facts: l.facts}); err != nil {
		return nil, err
	}
	l.worlds = append(l.worlds, p)
	return &l.worlds[len(l.worlds)-1], nil
}

// within makes room in the model for what has happened; the reason says what there is no room for.
func within(m *fault.Model, log *cluster.Log, setup *core.Setup) (reason string) {
	m.Overlap, m.Settled, m.OneInstant, m.AtOnce, m.Victims = 0, false, false, 1, nil
	failures, checkpoints := 0, 0
	for _, d := range log.Ended() {
		var groups []core.Proc
		for _, p := range d.Procs {
			if g := setup.Group(p)[0]; !slices.Contains(groups, g) {
				groups = append(groups, g)
			}
		}
		if !d.Exit && !d.Ordered {
			failures += len(groups)
		}
	}
	for p := range log.Steps {
		for i, s := range log.Steps[p] {
			if s.Cause.Kind == core.Checkpoint && (s.Effects > 0 || s.Cause.State == 0 ||
				i > 0 && s.Cause.State != log.Steps[p][i-1].Cause.State) {
				checkpoints++
			}
		}
	}
	if failures > fault.Max || checkpoints > fault.Max {
		return fmt.Sprintf("%d failures and %d requests for checkpoints: the world counts to %d",
			failures, checkpoints, fault.Max)
	}
	m.Failures, m.Checkpoints = max(failures, m.Failures), checkpoints
	return ""
}

// harms are what the environment does to records, in the words of the world.
var harms = map[disk.Damage]world.Harm{disk.Lost: world.RecordLost,
	disk.Changed: world.RecordChanged, disk.Halved: world.RecordHalved}

// Recording is the evidence of a run for the world; the reason says why there is none.
func Recording(log *cluster.Log) (r *world.Recording, reason string) {
	r = &world.Recording{Steps: make([][]world.Recorded, len(log.Steps)),
		Complete: log.Complete(), Held: log.Steered()}
	for p := range log.Steps {
		for i := range log.Steps[p] {
			s := &log.Steps[p][i]
			c := &s.Cause
			recorded := world.Recorded{Clock: s.Clock, Epoch: c.Epoch, Proc: s.Proc, Kind: c.Kind,
				From: c.From, Procs: c.Procs, False: c.False, Name: c.Name, Choice: c.Choice,
				Events: events(s.Events), State: c.State, Effects: s.Effects, Last: s.Last}
			if s.Spoilt != nil {
				if recorded.Harm = harms[*s.Spoilt]; recorded.Harm == world.NoHarm {
					return nil, "the sums of a disk find out that a record is damaged, which the " +
						"world has of interrupted writes only"
				}
				if i > 0 {
					recorded.Epoch = r.Steps[p][i-1].Epoch
				}
			}
			r.Steps[p] = append(r.Steps[p], recorded)
		}
	}
	for _, d := range log.Ended() {
		r.Stopped = append(r.Stopped, world.Stopped{Clock: d.Clock, Epoch: d.Epoch, Procs: d.Procs,
			Lives: d.Lives, Ordered: d.Ordered || d.Exit})
	}
	return r, ""
}

// events are those of a step with no step number.
func events(list []trace.Event) []trace.Event {
	list = slices.Clone(list)
	for i := range list {
		list[i].Step = 0
	}
	return list
}
