package cluster

import (
	"cmp"
	"fmt"
	"os"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/disk"
	"github.com/domino-check/domino/spec/trace"
)

// Recorded is one step of a life as its evidence has it.
type Recorded struct {
	Clock       uint64 // at its beginning
	Proc        core.Proc
	Incarnation core.Incarnation // of the machine behind it
	Cause       Cause
	Events      []trace.Event
	// effects that act which were performed; if the life has ended in it, perhaps not all
	Effects int
	Last    bool         // of its life
	Spoilt  *disk.Damage // no step, see piece
}

// Log is the evidence of a run.
type Log struct {
	Steps [][]Recorded // by proc, in the order of its lives
	Deeds []Deed       // of the supervisor
}

// ReadLog reads the evidence of a run of so many procs from its folder.
func ReadLog(dir string, procs int) (*Log, error) {
	l := &Log{Steps: make([][]Recorded, procs)}
	var err error
	if l.Deeds, err = readDeeds(dir); err != nil {
		return nil, err
	}
	for p := range core.Proc(procs) {
		lives, err := livesOf(dir, p)
		if err != nil {
			return nil, err
		}
		performed, left := 0, leftOf(l.Deeds, p)
		for _, life := range lives {
			r := reader{name: evidenceFile(dir, p, life)}
			if int(life) < len(left) { // a tail of it that is missing is no write that was cut
				r.said = left[life]
			}
			pieces, err := r.read(true)
			if err != nil {
				return nil, err
			}
			steps, err := lifeOf(p, pieces, &performed)
			if err != nil {
				return nil, fmt.Errorf("cluster: evidence: %s: %w", r.name, err)
			}
			l.Steps[p] = append(l.Steps[p], steps...)
		}
	}
	return l, nil
}

// leftOf is how much evidence the lives of a proc have left that were ended, in order.
func leftOf(deeds []Deed, p core.Proc) (list []int64) {
	for _, d := range deeds {
		i := slices.Index(d.Procs, p)
		if d.What == DidFail && i >= 0 && i < len(d.Evidence) {
			list = append(list, d.Evidence[i])
		}
	}
	return list
}

// livesOf are the lives of a proc that have begun to write, in order.
func livesOf(dir string, p core.Proc) (list []core.Incarnation, err error) {
	entries, err := os.ReadDir(procDir(dir, p))
	if err != nil {
		return nil, fmt.Errorf("cluster: evidence: %w", err)
	}
	for _, e := range entries {
		var life core.Incarnation
		if n, err := fmt.Sscanf(e.Name(), evidenceName, &life); n == 1 && err == nil {
			list = append(list, life)
		}
	}
	slices.Sort(list)
	return list, nil
}

// lifeOf puts the pieces of one life together; performed are the effects of the lives before.
func lifeOf(p core.Proc, pieces []piece, performed *int) (list []Recorded, err error) {
	number := uint64(0) // of the step before
	for i := range pieces {
		k := &pieces[i]
		effects := k.Performed - *performed
		*performed = k.Performed
		switch {
		case k.Spoilt != nil:
			list = append(list, Recorded{Clock: k.Began, Proc: p, Incarnation: k.Incarnation,
				Spoilt: k.Spoilt})
		case k.Number == number && len(list) > 0:
			s := &list[len(list)-1]
			s.Events = append(s.Events, k.Events...)
			s.Effects += effects
		case k.Cause == nil && len(k.Events) == 0: // about connections, before the first step
		case k.Cause == nil:
			return nil, fmt.Errorf("step %d does not say what has led to it", k.Number)
		default:
			number = k.Number
			list = append(list, Recorded{Clock: k.Began, Proc: p, Incarnation: k.Incarnation,
				Cause: *k.Cause, Events: slices.Clone(k.Events), Effects: effects})
		}
	}
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Last = true; list[i].Spoilt == nil {
			break
		}
	}
	return list, nil
}

// Complete reports whether the run has come to its end.
func (l *Log) Complete() bool {
	return slices.ContainsFunc(l.Deeds, func(d Deed) bool { return d.What == DidEnd })
}

// Steered reports whether the run was made to take a course (Config.Course).
func (l *Log) Steered() bool {
	return slices.ContainsFunc(l.Deeds, func(d Deed) bool { return d.What == DidSteer })
}

// Resumed reports whether all of the run had ended, and it was gone on with (Config.Past).
func (l *Log) Resumed() bool {
	return slices.ContainsFunc(l.Deeds, func(d Deed) bool { return d.What == DidResume })
}

// Ended says when the machines of procs had stopped, in order: what a failure was, and at which
// epoch all had agreed on it.
func (l *Log) Ended() (list []Deed) {
	for i := range l.Deeds {
		d := l.Deeds[i]
		if d.What != DidFail || len(d.Procs) == 0 {
			continue
		}
		for _, later := range l.Deeds[i:] {
			if later.What == DidBury && slices.Contains(later.Procs, d.Procs[0]) {
				d.Epoch = later.Epoch
				break
			}
		}
		list = append(list, d)
	}
	slices.SortStableFunc(list, func(a, b Deed) int { return cmp.Compare(a.Clock, b.Clock) })
	return list
}
