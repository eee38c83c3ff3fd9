package fuzz

import (
	"fmt"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/spec"
)

// calm is how many of the last steps of a run that was cut off must be free of faults before the
// run counts as endless.
const calm = mostSteps * 4 / 5

// endless says what a run shows that was cut off: nothing, when a fault struck late; else that the
// protocol never comes to rest. With a part that can repeat for ever, and in which nothing that
// stays possible is put off, that is proved; without one, because something grows, it is what so
// many steps say.
func endless(w *world.World, codes []uint64, lastFault int) (v *spec.Violation, schedule []string) {
	if len(codes)-lastFault < calm {
		return nil, nil
	}
	from := codes[:min(len(codes), lastFault+400)]
	run, err := w.Follow(from)
	if err != nil {
		return nil, nil
	}
	seen := map[string]int{}
	for i, state := range run.States {
		key := fmt.Sprint(state)
		if j, again := seen[key]; again {
			if loop, err := w.FollowFound(checker.Found{Path: from[:i], Loop: i - j}); err == nil &&
				loop.Violation != nil {
				return loop.Violation, loop.Lines()
			}
		} else {
			seen[key] = i
		}
	}
	return &spec.Violation{Property: spec.Terminates.Name,
		Message: fmt.Sprintf(
			"still running after %d steps, %d of them since the last fault; the run begins "+
				"as shown",
			len(codes), len(codes)-lastFault)}, run.Schedule
}
