package world

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// Retrace repeats in the world the run that another driver has recorded, step by step, to its end
// or to the first violation. Names of events lack the numbers that tell two with one name apart: of
// those one is taken whose evidence is the recorded one, and another one if the run does not go on,
// or ends with a machine in another state than in the finals; nil finals are not compared. An event
// that is not possible, shows something else, or leads to other finals is ErrStale; the run up to
// there is returned. The schedule of the run is complete with numbers.
func (w *World) Retrace(schedule []string, recorded *trace.Trace, finals [][]byte) (*Run, error) {
	r := w.begin()
	if diff := w.unlike(r.Trace.Events, eventsAt(recorded, 0)); diff != "" {
		return r, fmt.Errorf("the start: %s: %w", diff, ErrStale)
	}
	var forks []fork
	var first error
	for tries := 0; r.Violation == nil; {
		k := len(r.Schedule)
		if k == len(schedule) && w.otherEnd(r, finals) == "" {
			break
		}
		texts, x := w.Enabled(r.last())
		fits, why := []int(nil), ""
		if k < len(schedule) {
			fits, why = w.fitting(r.last(), texts, x, schedule[k], eventsAt(recorded, k+1))
		}
		if len(fits) > 1 {
			forks = append(forks, fork{steps: k, others: fits[1:]})
		}
		if len(fits) == 0 {
			if first == nil && k < len(schedule) {
				first = fmt.Errorf("step %d: %q %s: %w", k+1, schedule[k], why, ErrStale)
			} else if first == nil {
				first = fmt.Errorf("the run ends with %s: %w", w.otherEnd(r, finals), ErrStale)
			}
			if tries++; len(forks) == 0 || tries > mostForks {
				return r, first
			}
			f := &forks[len(forks)-1]
			w.rewind(r, f.steps)
			texts, x = w.Enabled(r.last())
			if fits, f.others = f.others[:1], f.others[1:]; len(f.others) == 0 {
				forks = forks[:len(forks)-1]
			}
		}
		j := fits[0]
		w.take(r, texts[j], x.Steps[j].Code, x.Steps[j].Violation, x.State(j, nil))
	}
	w.end(r)
	return r, w.Err()
}

// otherEnd names who ends in another state, "" for nobody.
func (w *World) otherEnd(r *Run, finals [][]byte) string {
	for p := range finals {
		if !bytes.Equal(w.Content(r.last(), core.Proc(p)), finals[p]) {
			return w.layout.Name(core.Proc(p)) + " in another state"
		}
	}
	return ""
}

// fork is a step of a run at which more than one event has the name and the evidence.
type fork struct {
	steps  int
	others []int // enabled events that have not been tried
}

// mostForks bounds how often another one of several events is tried.
const mostForks = 1000

// fitting lists the enabled events with the name that show the evidence, or says why there are
// none.
func (w *World) fitting(state []uint32, texts []string, x *checker.Expansion, name string,
	want []trace.Event) (fits []int, why string) {
	why = "is not enabled"
	for j, t := range texts {
		if rest, number, ok := strings.Cut(t, " #"); t != name &&
			!(ok && rest == name && strings.Trim(number, "0123456789") == "") {
			continue
		}
		if diff := w.unlike(w.evidence(state, x.State(j, nil),
			eventCode(x.Steps[j].Code)), want); diff != "" {
			why = "shows something else: " + diff
		} else {
			fits = append(fits, j)
		}
	}
	return fits, why
}

// rewind takes the last steps of a run back.
func (w *World) rewind(r *Run, steps int) {
	r.Schedule, r.codes, r.States = r.Schedule[:steps], r.codes[:steps], r.States[:steps+1]
	r.Trace.Events = slices.DeleteFunc(r.Trace.Events, func(e trace.Event) bool {
		return e.Step > steps
	})
}

// eventsAt are the events of a step.
func eventsAt(t *trace.Trace, step int) []trace.Event {
	first, _ := slices.BinarySearchFunc(t.Events, step, func(e trace.Event, step int) int {
		return e.Step - step
	})
	last, _ := slices.BinarySearchFunc(t.Events, step+1, func(e trace.Event, step int) int {
		return e.Step - step
	})
	return t.Events[first:last]
}

// inOrder is the evidence of one step in an order that does not depend on the driver: what one
// cut loses of a network without order is in none.
func (w *World) inOrder(events []trace.Event) []trace.Event {
	if !w.Model.Unordered || slices.ContainsFunc(events, func(e trace.Event) bool {
		return e.Kind != trace.Lost
	}) {
		return events
	}
	return slices.SortedFunc(slices.Values(events), func(a, b trace.Event) int {
		a.Step, b.Step = 0, 0
		return strings.Compare(fmt.Sprintf("%+v", a), fmt.Sprintf("%+v", b))
	})
}

// unlike says how the evidence of one step differs, but for the number of the step.
func (w *World) unlike(got, want []trace.Event) string {
	got, want = w.inOrder(got), w.inOrder(want)
	for i := range max(len(got), len(want)) {
		var words [2]string
		same := i < len(got) && i < len(want)
		for k, list := range [2][]trace.Event{got, want} {
			if words[k] = "no more"; i < len(list) {
				words[k] = fmt.Sprintf("%s: %s", w.layout.Name(list[i].Proc),
					w.layout.Describe(list[i]))
			}
		}
		if same {
			a, b := got[i], want[i]
			if a.Step, b.Step = 0, 0; a == b {
				continue
			}
			if words[0] == words[1] { // in what a reader is not told
				words = [2]string{fmt.Sprintf("%+v", a), fmt.Sprintf("%+v", b)}
			}
		}
		return fmt.Sprintf("the driver recorded %s, the world shows %s", words[1], words[0])
	}
	return ""
}

// Content is the canonical state of a machine, nil for a proc that is down.
func (w *World) Content(state []uint32, p core.Proc) []byte {
	if w.localOf(state, p) == deadLocal {
		return nil
	}
	return w.locals.at(w.localOf(state, p)).content
}
