package world

import (
	"bytes"
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// ran is a machine after a step, with what came of it.
type ran struct {
	machine core.Machine
	effects []core.Effect
	choices []core.Choice
}

// execute runs the step on the machine, or on one decoded for it, and asks what the machine can do
// next; with Twice it does so again, on another machine. It panics as the machine does, or with
// lost. Both runs are one piece of foreign code, as each piece costs two changes of goroutines.
func (w *World) execute(l local, in core.Input, ready core.Machine) (first, again ran) {
	step := func(m core.Machine) ran {
		if m == nil {
			m = w.Setup.New(l.proc)
			if err := core.DecodeState(l.content, m); err != nil {
				panic(fmt.Sprintf("its state does not survive the codec: %v", err))
			}
		}
		effects := m.Step(in, nil)
		return ran{m, effects, m.Choices(nil)}
	}
	if w.unjudged.Load() {
		panic(lost{})
	}
	w.foreign.run(w.maxStep(), w.Until, func() {
		if first = step(ready); w.Twice {
			again = step(nil)
		}
	})
	return first, again
}

// difference says in what the second run of a step differs.
func (w *World) difference(l local, in core.Input, next uint32, effects []core.Effect,
	again ran) string {
	what := ""
	switch {
	case !bytes.Equal(core.Encode(effects), core.Encode(again.effects)):
		what = "its effects differ"
	case !bytes.Equal(w.locals.at(next).content, core.EncodeState(again.machine)):
		what = "its state afterwards differs"
	default:
		return ""
	}
	return fmt.Sprintf("%s is not deterministic: run twice on %s from the same state, %s",
		w.layout.Name(l.proc), w.describeInput(in), what)
}

// grown reports whether a program has sent, received or ended between two of its histories.
func grown(before, after *trace.History) bool {
	return before != nil && (after.Sent > before.Sent ||
		len(after.Delivered) > len(before.Delivered) || after.Done && !before.Done)
}
