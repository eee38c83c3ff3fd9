package world

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// describeInput names an input for a reader.
func (w *World) describeInput(in core.Input) string { return in.Name(w.layout) }

func (w *World) describeMessage(m core.Message) string { return w.layout.Message(m.Describe()) }

func (w *World) names(procs []core.Proc) string { return w.layout.NamesOf(procs) }

// describe names an event of a state. The text does not depend on how the state was reached, so it
// identifies the event in a schedule; two events of one state with the same text are told apart by
// a number that Enabled appends.
func (w *World) describe(state []uint32, c eventCode) string {
	k, p, a := c.kind(), c.proc(), c.arg()
	name := w.layout.Name(p)
	e := w.env(state, p)
	text := ""
	switch k {
	case deliver, lose, duplicate:
		verb := map[kind]string{deliver: "deliver", lose: "lose", duplicate: "duplicate"}[k]
		box := w.inbox(state, p)
		h := box.head(a)
		text = verb + " " + w.describeChannel(&box.channels[h.channel], p) + " " +
			w.describeMessage(w.inputs.at(h.input).Message)
	case advance:
		text = "step " + name + " " + w.describeStep(state, p, a)
	case persisted:
		verb := "persisted "
		if e.Writing[e.puts()].Read {
			verb = "loaded "
		}
		text = verb + name + " " + e.Writing[e.puts()].Key
	case erase:
		text = fault.ChangeName(e.Writing[0].Gone) + " " + name + " " + e.Writing[0].Key
	case told:
		text = "told " + name + " down " + w.names(
			w.notice(w.envOf(state, p), w.pendingIndex(state, p, a)))
	case tick:
		text = "tick " + name + " " + e.Timers[a]
	case checkpoint:
		text = "checkpoint " + name
	case crash, stop:
		return w.describeCrash(state, k, p, a)
	case restart:
		text = fmt.Sprintf("restart %s incarnation %d", name, e.Inc)
		if w.launched(p) {
			text += " on " + w.layout.Name(core.Proc(a))
		}
	case kill:
		q, outcome := splitKill(a)
		text = w.layout.CrashName("killed "+name, [][]core.Proc{{q}}, outcome)
	case refuse:
		text = "refused " + name + " " + e.Writing[e.puts()].Key
	case vanish:
		text = "lost record of " + name + " " + e.Store[a].Key
	case spoil:
		place, way := splitSpoil(a)
		text = "corrupted record of " + name + " " + e.Store[place].Key + ", " +
			fault.DamageName(way)
	case cut:
		text = "cut " + w.describeChannel(w.inbox(state, p).channel(a), p)
	case expire:
		text = "expire " + name + " hears nothing of " + w.layout.Name(core.Proc(a))
	case suspect:
		text = "suspect " + name + " thinks down " + w.names(w.group(core.Proc(a)))
	}
	if n := c.cut(); n != 0 {
		text += trace.CutShort(n)
	}
	return text
}

func (w *World) describeChannel(c *channel, to core.Proc) string {
	return w.layout.Channel(c.from, c.inc, to)
}

// describeStep says what a program step does, from its evidence.
func (w *World) describeStep(state []uint32, p core.Proc, a int) string {
	number := w.localOf(state, p)
	choice := w.locals.at(number).choices[a]
	return w.layout.StepName(p, w.transitions.at(w.transition(number, choice)).events,
		uint64(w.inputs.at(choice).Choice))
}

func (w *World) describeCrash(state []uint32, k kind, p core.Proc, a int) string {
	others, outcome := splitCrash(a)
	chosen := append(others, p)
	var groups [][]core.Proc
	for _, q := range chosen {
		if !w.Model.Staggered {
			groups = append(groups, w.group(q))
		} else {
			groups = append(groups, []core.Proc{q})
		}
	}
	return w.layout.CrashName(map[kind]string{crash: "crash", stop: "stop"}[k], groups, outcome)
}

// Enabled lists the events of a state with their successors, for replay and reports. Texts are
// unique in the state.
func (w *World) Enabled(state []uint32) (texts []string, x *checker.Expansion) {
	x = checker.NewExpansion(w.Words())
	w.Expand(state, checker.Unreduced, x)
	count := map[string]int{}
	for _, s := range x.Steps {
		text := w.describe(state, eventCode(s.Code))
		if count[text]++; count[text] > 1 {
			text = fmt.Sprintf("%s #%d", text, count[text])
		}
		texts = append(texts, text)
	}
	return texts, x
}

// Damaged are the keys of the stable records of a proc that a failure has torn, for reports:
// evidence has no event for a write that nobody completes.
func (w *World) Damaged(state []uint32, p core.Proc) (keys []string) {
	for _, r := range w.env(state, p).Store {
		if r.Torn {
			keys = append(keys, r.Key)
		}
	}
	return keys
}

// LocalJSON is the state of a proc as a JSON document for reports: of a rank its program and its
// protocol layer, null for a proc that is down. Messages have the names that the program gives
// them, payloads the digits of their digests, images and records what they hold.
func (w *World) LocalJSON(state []uint32, p core.Proc) []byte {
	number := w.localOf(state, p)
	if number == deadLocal {
		return []byte("null")
	}
	l := w.locals.at(number)
	m := w.Setup.New(p)
	if err := core.DecodeState(l.content, m); err != nil {
		return []byte("null")
	}
	parts := m.State()
	var shown any = parts[0]
	if len(parts) > 1 {
		whole := map[string]any{"program": parts[0], "protocol": parts[1]}
		rest := parts[2:]
		if len(rest) > 0 && isNumbers(rest[0]) {
			whole["numbers"], rest = rest[0], rest[1:]
		}
		if len(rest) > 0 {
			whole["control"] = rest
		}
		shown = whole
	}
	b, err := json.Marshal(document(reflect.ValueOf(shown)))
	if err != nil {
		return []byte("null")
	}
	return labelled(b, w.layout)
}

// isNumbers reports whether a part of a state is that of a kernel.
func isNumbers(part any) bool {
	_, ok := part.(*core.Numbers)
	return ok
}
