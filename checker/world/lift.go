package world

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// Recorded is one step of one proc as it was recorded where procs are processes of their own: what
// has led to it and what it left. Which message of a channel it took follows from the evidence.
type Recorded struct {
	Clock  uint64 // larger than that of every step on which it depends
	Epoch  uint64 // of failures that the proc knew to be agreed on
	Proc   core.Proc
	Kind   core.InputKind
	From   core.Proc   // sender, host, who is watched, or was to be stopped
	Procs  []core.Proc // that were reported, and
	False  bool        // are up
	Name   string      // of a timer or a record
	Choice core.Choice
	Events []trace.Event
	State  uint64 // core.StateDigest of the state behind it; 0: not known
	// effects that act which were performed, if it is the last step of its life
	Effects int
	Last    bool
	// no step: the environment has damaged a record of the proc
	Harm Harm
}

// Harm is what the environment does to a record.
type Harm uint8

// The harms; of a change the ways of fault.Damaged.
const (
	NoHarm Harm = iota
	RecordLost
	RecordChanged
	RecordHalved
)

// Stopped is a failure, or the end of procs that was ordered: a consistent cut. What was recorded
// with a smaller epoch is before it, all else behind it.
type Stopped struct {
	Clock, Epoch uint64 // an epoch of 0: nobody has come to know
	Procs        []core.Proc
	Lives        []core.Incarnation // that have ended, by place in Procs
	Ordered      bool               // by whoever runs the node, who hears of it
}

// Recording is all that is known of a run.
type Recording struct {
	Steps    [][]Recorded // by proc
	Stopped  []Stopped    // by clock
	Complete bool         // nothing but faults could happen at the end
	// what arrives and what is written waited for its turn: what the dead had sent may be taken
	// when all know of their end, and a delete takes its time
	Held bool
}

// Lifted is what has become of a recording.
type Lifted struct {
	Run       *Run // of the world: all, or the longest beginning that is one
	Explained int  // steps and failures of the recording that are in it
	Of        int
	Nodes     int  // places of the search
	Found     bool // all is in it
	Unknown   bool // the search was ended by its bound
	// why the world can not have the step that fits nowhere, though a cluster may: a crash inside
	// of it is divided; "": it could
	Beyond string
	// of what is not found: what fits nowhere behind the longest beginning, why, and what the world
	// offers there, of the same proc first
	Stuck  string
	Why    string
	Offers []string
}

// MostLifted is a bound of places for Lift.
const MostLifted = 1_000_000

// Lift finds a recorded run again in the world, step by step: depth first in the order of the
// clocks. All of the recording must be used, and every step must show the evidence that was
// recorded and lead to the recorded state. What a recording leaves open is searched: which writes
// in progress a crash has left, and how steps that do not depend on each other were ordered. What
// the environment does without a trace is done when it must have happened: what is left of a
// channel from the dead is cut off when all agree on the failure, a delete is stable before the
// next step, and that of the last step of a life at any time. After Cirstea, Kuppe, Loillier, Merz:
// Validating Traces of Distributed Programs Against TLA+ Specifications, SEFM 2024.
//
// Steps that only concern their proc are never put off: whatever else happens before them, they
// stay possible. The search ends at limit places.
func (w *World) Lift(r *Recording, limit int) (*Lifted, error) {
	run := w.begin()
	l := &lifter{World: w, recording: r, limit: limit, at: make([]int, w.procs),
		done: make([]bool, len(r.Stopped)), failed: map[string]struct{}{},
		best: progress{used: -1}}
	l.out.Of = len(r.Stopped)
	for p := range r.Steps {
		l.out.Of += len(r.Steps[p])
	}
	l.state = run.last()
	if why := l.start(run); why != "" {
		l.out.Run, l.out.Stuck, l.out.Why = run, "the start", why
		return &l.out, nil
	}
	l.orders()
	l.out.Found = l.search()
	codes := l.codes
	if !l.out.Found {
		codes = l.best.codes
		l.explain()
	}
	l.out.Explained = l.best.used
	var err error
	l.out.Run, err = w.Follow(codes)
	return &l.out, err
}

// lifter is the state of Lift.
type lifter struct {
	*World
	recording *Recording
	limit     int
	answers   [][]answered // by proc
	unheard   []int        // orders of which nobody heard what had come of them
	out       Lifted

	// the place of the search
	state []uint32
	at    []int  // steps used, by proc
	done  []bool // failures used
	codes []uint64

	failed map[string]struct{} // places from which there is no way
	best   progress
}

// answered is an order to stop somebody that a proc hears of: where in its steps, and which failure
// it was.
type answered struct{ step, failure int }

// progress is the best place so far.
type progress struct {
	used  int
	codes []uint64
	state []uint32
	at    []int
	done  []bool
	final bool // all is used, and the run of the world goes on
}

// start compares the first steps, which the world takes all at once.
func (l *lifter) start(run *Run) (why string) {
	for p := range l.recording.Steps {
		steps := l.recording.Steps[p]
		if len(steps) == 0 || steps[0].Kind != core.Start {
			return l.layout.Name(core.Proc(p)) + " has not started"
		}
		var shown []trace.Event
		for _, e := range run.Trace.Events {
			if int(e.Proc) == p {
				shown = append(shown, e)
			}
		}
		if why := l.unlike(shown, steps[0].Events); why != "" {
			return why
		}
		if !l.reached(l.state, &steps[0]) {
			return l.layout.Name(core.Proc(p)) + " starts in another state"
		}
		l.at[p] = 1
	}
	return ""
}

// orders finds where those who had ordered somebody to be stopped hear of it: nothing else may come
// between, as it is one event of the world. It is the first who hears of it behind the failure.
func (l *lifter) orders() {
	l.answers = make([][]answered, l.procs)
	for i, f := range l.recording.Stopped {
		var first *Recorded
		at := 0
		for p := range l.recording.Steps {
			for k := range l.recording.Steps[p] {
				if s := &l.recording.Steps[p][k]; f.Ordered && s.Kind == core.Killed &&
					s.Epoch >= f.Epoch && slices.Contains(f.Procs, s.From) &&
					(first == nil || s.Clock < first.Clock) {
					first, at = s, k
				}
			}
		}
		if first != nil {
			l.answers[first.Proc] = append(l.answers[first.Proc], answered{at, i})
		} else if f.Ordered {
			l.unheard = append(l.unheard, i)
		}
	}
}

// search looks for a way from the present place to the end.
func (l *lifter) search() bool {
	if l.out.Nodes++; l.out.Nodes > l.limit {
		l.out.Unknown = true
		return false
	}
	place := l.place()
	if _, known := l.failed[place]; known {
		return false
	}
	heads := l.heads()
	x := l.expand()
	if len(heads) == 0 && l.ends(x) {
		l.reach(false)
		return true
	}
	l.reach(len(heads) == 0)
	for _, h := range heads {
		ways := l.ways(h, x)
		for _, y := range ways {
			if l.take(h, y) {
				return true
			}
			if l.out.Unknown {
				return false
			}
		}
		if len(ways) > 0 && h.failure < 0 && l.alone(h.step) {
			break
		}
	}
	if l.later(x) || l.out.Unknown {
		return !l.out.Unknown
	}
	l.failed[place] = struct{}{}
	return false
}

// later tries what leaves no trace where that may wait: a step that needs it comes behind it.
func (l *lifter) later(x *checker.Expansion) bool {
	for j, e := range x.Steps {
		if !l.mayWait(eventCode(e.Code)) {
			continue
		}
		state, codes := l.state, len(l.codes)
		l.codes, l.state = append(l.codes, e.Code), x.State(j, nil)
		if l.search() {
			return true
		}
		if l.state, l.codes = state, l.codes[:codes]; l.out.Unknown {
			return false
		}
	}
	return false
}

// mayWait reports whether an event that leaves no trace may come at any time. Elsewhere a delete is
// stable before the next step of its proc, but of the last step of a life nobody knows: whoever
// stops may have lived on behind it, and others may have read what is left.
func (l *lifter) mayWait(c eventCode) bool {
	switch c.kind() {
	case cut:
		return l.recording.Held
	case erase:
		p := c.proc()
		return l.recording.Held || l.at[p] > 0 && l.recording.Steps[p][l.at[p]-1].Last
	}
	return false
}

// head is what a log offers next: a step or a failure.
type nextHead struct {
	proc    int // of a step
	step    *Recorded
	failure int // -1: a step
	clock   uint64
}

// heads are what may be used now, by clock; before all else what has to follow at once.
func (l *lifter) heads() (list []nextHead) {
	for p := range l.at {
		steps := l.recording.Steps[p]
		if l.at[p] == len(steps) {
			continue
		}
		if s := &steps[l.at[p]]; l.behind(s.Epoch) {
			clock := s.Clock
			for _, a := range l.answers[p] {
				if l.at[p] <= a.step && l.done[a.failure] {
					clock = 0
				}
			}
			list = append(list, nextHead{proc: p, step: s, failure: -1, clock: clock})
		}
	}
	for i := range l.done {
		if f := &l.recording.Stopped[i]; !l.done[i] && l.ready(f) {
			list = append(list, nextHead{failure: i, clock: f.Clock})
		}
	}
	slices.SortStableFunc(list, func(a, b nextHead) int { return cmp.Compare(a.clock, b.clock) })
	return list
}

// alone reports whether a step concerns its proc alone, and those to whom it sends: to take it now
// or later makes no difference to anybody else.
func (l *lifter) alone(s *Recorded) bool {
	switch s.Kind {
	case core.Received, core.Advance:
		return !s.Last
	case core.Persisted, core.Loaded, core.Tick:
		return !s.Last && s.Name != core.Silence && l.Setup.Reads == nil
	}
	return false
}

// place names the place of the search.
func (l *lifter) place() string {
	var b []byte
	for _, word := range l.state {
		b = binary.LittleEndian.AppendUint32(b, word)
	}
	for _, n := range l.at {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for _, d := range l.done {
		if d {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
	}
	return string(b)
}

// used counts what is used of the recording.
func (l *lifter) used() (n int) {
	for _, at := range l.at {
		n += at
	}
	for _, d := range l.done {
		if d {
			n++
		}
	}
	return n
}

// reach notes the place if it is the best so far.
func (l *lifter) reach(final bool) {
	if n := l.used(); n > l.best.used {
		l.best = progress{n, slices.Clone(l.codes), slices.Clone(l.state), slices.Clone(l.at),
			slices.Clone(l.done), final}
	}
}

// explain says what fits nowhere behind the best place.
func (l *lifter) explain() {
	l.state, l.at, l.done = l.best.state, l.best.at, l.best.done
	texts, x := l.Enabled(l.state)
	own := core.Proc(0)
	heads := l.heads()
	for _, h := range heads {
		l.out.Beyond = cmp.Or(l.out.Beyond, l.beyond(h, x))
	}
	if len(heads) > 0 {
		h := heads[0]
		if h.failure >= 0 {
			f := l.recording.Stopped[h.failure]
			own, l.out.Stuck = f.Procs[0], "the end of "+l.names(f.Procs)
			l.out.Why = "nobody may stop so now"
		} else {
			own, l.out.Stuck = h.step.Proc, l.words(h.step)
			l.out.Why = l.misfit(h, texts, x)
		}
	} else if l.best.final {
		l.out.Stuck = "the end of the run"
		l.out.Why = "nothing more has happened, and in the world something must"
	} else {
		l.out.Stuck, l.out.Why = "the rest of the run", "its failures wait for steps before them"
	}
	for pass := range 2 {
		for j, s := range x.Steps {
			if mine := eventCode(s.Code).proc() == own; mine == (pass == 0) && !s.Fault {
				l.out.Offers = append(l.out.Offers, texts[j])
			}
		}
	}
}

// words names a recorded step.
func (l *lifter) words(s *Recorded) string {
	if s.Harm != NoHarm {
		return "damage to a record of " + l.layout.Name(s.Proc)
	}
	in := core.Input{Kind: s.Kind, From: s.From, Procs: s.Procs, Key: s.Name, Timer: s.Name,
		Choice: s.Choice}
	if s.Kind == core.Restore && len(s.Events) > 0 {
		in.Incarnation = s.Events[0].Incarnation
	}
	text := fmt.Sprintf("step %d of %s: %s", l.at[s.Proc], l.layout.Name(s.Proc),
		in.Name(l.layout))
	for _, e := range s.Events {
		if e.Proc == s.Proc {
			return text + ": " + l.layout.Describe(e)
		}
	}
	return text
}
