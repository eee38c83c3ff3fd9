package world

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/spec"
)

// Fairly is the last line of a schedule that does not end: behind it the run goes on in fair order,
// and it is judged by whether it comes to rest then (GoOn).
const Fairly = "then without faults, oldest first:"

// FairSteps is how many steps in fair order a run gets to come to rest: several times what the
// longest run that is drawn can have left behind.
const FairSteps = 10_000

// mostLooks bounds how often a part that leads back is looked at whether it is fair; in fair order
// one is as soon as all that is possible has had its turn.
const mostLooks = 200

// GoOn goes on from the end of a run without faults, each time with what is possible, without a
// break and untaken, for the longest time: no message is overtaken for ever, no timer goes off
// again and again before a message that would stop it. A run that some schedule keeps from its end
// for as long as it likes ends now.
//
// The steps are added to the run up to its rest or the first violation. A part that repeats itself
// in which nothing is put off is a loop, as a search finds it. A run that still goes on after
// FairSteps breaks spec.Terminates: its steps in fair order are not added, Lines has the line
// Fairly in their stead. That is no proof that it never ends, since something grows, but not for
// want of fairness.
func (w *World) GoOn(r *Run) { w.goOn(r, func(checker.Step) bool { return true }) }

func (w *World) goOn(r *Run, allowed func(checker.Step) bool) {
	first := len(r.Schedule)
	since := map[uint64]int{}          // when each event became possible, or was taken last
	seen, looks := map[string]int{}, 0 // step at which each state was met first
	for i := range FairSteps + 1 {     // one more look than steps
		if r.Violation != nil {
			return
		}
		key := fmt.Sprint(r.last())
		if at, again := seen[key]; !again {
			seen[key] = len(r.Schedule)
		} else if looks++; looks < mostLooks {
			if w.judgeLoop(r, at); r.Loop > 0 {
				return
			}
		}
		texts, x := w.Enabled(r.last())
		j := w.oldest(r.last(), texts, x, allowed, since, i)
		if j < 0 {
			w.end(r)
			return
		}
		w.take(r, texts[j], x.Steps[j].Code, x.Steps[j].Violation, x.State(j, nil))
	}
	w.rewind(r, first)
	r.Fairly = true
	r.Violation = &spec.Violation{Property: spec.Terminates.Name, Step: first, Message: fmt.Sprintf(
		"still running after %d steps without faults, in which nothing that stays possible was "+
			"put off", FairSteps)}
}

// oldest is the index of the step to take next, -1 when there is none: of two of one age the first
// by name, which is the same in every world of a scenario.
func (w *World) oldest(state []uint32, texts []string, x *checker.Expansion,
	allowed func(checker.Step) bool, since map[uint64]int, now int) int {
	best, bestName, bestAge := -1, uint64(0), 0
	here := map[uint64]bool{}
	for j, s := range x.Steps {
		if s.Fault || !allowed(s) {
			continue
		}
		name, owed := w.Event(state, s.Code)
		here[name] = true
		if _, known := since[name]; !known {
			since[name] = now
		}
		age := since[name]
		if !owed {
			age = now + 1 // nobody waits for a loss
		}
		if best < 0 || age < bestAge || age == bestAge && texts[j] < texts[best] {
			best, bestName, bestAge = j, name, age
		}
	}
	for name := range since { // each alone: the order does not matter
		if !here[name] {
			delete(since, name)
		}
	}
	if best >= 0 {
		delete(since, bestName)
	}
	return best
}

// unending splits a schedule that does not end: the steps before what is repeated for ever or goes
// on in fair order, and whether there is such a line.
func unending(schedule []string) (steps []string, found bool) {
	i := slices.IndexFunc(schedule, func(l string) bool { return l == ForEver || l == Fairly })
	if i < 0 {
		return schedule, false
	}
	return schedule[:i], true
}
