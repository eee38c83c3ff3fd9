package fuzz

import (
	"fmt"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/world"
)

// endless is the run that shows that one which was cut off never comes to rest, nil when it may: a
// strategy may put off for as long as it likes what would end a run. Either a part can repeat for
// ever in which nothing that stays possible is put off; or the run does not end when it goes on
// without faults in fair order, from its last fault or from where it was cut off.
func endless(w *world.World, r *record) *world.Run {
	if loop := repeating(w, r); loop != nil {
		return loop
	}
	for _, from := range []int{r.lastFault, len(r.codes)} {
		run, err := w.Follow(r.codes[:from])
		if err != nil {
			return nil
		}
		if w.GoOn(run); run.Violation != nil {
			return run
		}
	}
	return nil
}

// mostRepeating is how many steps after the last fault a part that repeats itself is looked for.
const mostRepeating = 400

// repeating is the run up to the end of a part that can repeat for ever, nil when there is none.
func repeating(w *world.World, r *record) *world.Run {
	from := r.codes[:min(len(r.codes), r.lastFault+mostRepeating)]
	run, err := w.Follow(from)
	if err != nil {
		return nil
	}
	seen := map[string]int{}
	for i, state := range run.States {
		key := fmt.Sprint(state)
		if j, again := seen[key]; again {
			if loop, err := w.FollowFound(checker.Found{Path: from[:i], Loop: i - j}); err == nil &&
				loop.Violation != nil {
				return loop
			}
		} else {
			seen[key] = i
		}
	}
	return nil
}
