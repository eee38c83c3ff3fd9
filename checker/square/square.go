package square

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// Case is a step and an input that may come before it, at the state that inputs have led to.
type Case struct {
	Name   string
	New    func() core.Machine
	Before []core.Input
	Step   core.Input
	Other  core.Input
	Claims bool // the machine says that the step commutes
}

// Wrong says what is wrong with a claim, or with none where both orders are the same: then the
// case shows no reason for it. "" is nothing.
func (c *Case) Wrong() string {
	m, _, problem := c.run()
	if problem != "" {
		return problem
	}
	commuter, ok := m.(core.Commuter)
	if ok {
		_, ok = commuter.Commutes(c.Step)
	}
	if ok != c.Claims {
		return fmt.Sprintf("claims %t, want %t", ok, c.Claims)
	}
	difference := c.difference()
	if (difference == "") != c.Claims {
		return fmt.Sprintf("claims %t, and of both orders: %q", ok, difference)
	}
	return ""
}

// difference says how one order differs from the other, "" if it does not.
func (c *Case) difference() string {
	first, shown, problem := c.run(c.Step, c.Other)
	if problem != "" {
		return problem
	}
	second, turned, problem := c.run(c.Other, c.Step)
	slices.Reverse(turned)
	switch {
	case problem != "":
		return problem
	case shown[0] != turned[0]:
		return "the step shows " + shown[0] + ", or " + turned[0]
	case shown[1] != turned[1]:
		return "the other one shows " + shown[1] + ", or " + turned[1]
	case string(core.EncodeState(first)) != string(core.EncodeState(second)):
		return "the state"
	}
	return ""
}

// run gives a machine the inputs of before, then these, and returns what each of them shows.
func (c *Case) run(inputs ...core.Input) (m core.Machine, shown []string, problem string) {
	m = c.New()
	for i, in := range slices.Concat(c.Before, inputs) {
		if in.Kind == core.Advance && !slices.Contains(m.Choices(nil), in.Choice) {
			return m, nil, fmt.Sprintf("step %d of the program is not possible as input %d",
				in.Choice, i)
		}
		text := ""
		for _, e := range m.Step(in, nil) {
			text += c.words(m, &e)
		}
		if i >= len(c.Before) {
			shown = append(shown, text)
		}
	}
	return m, shown, ""
}

// words are what others can see of an effect: of the end of a recovery, also what has been received
// by then.
func (c *Case) words(m core.Machine, e *core.Effect) string {
	content := *e
	content.Message = nil
	text := fmt.Sprintf("[%v %x", e.Kind, core.Encode(&content))
	if e.Message != nil {
		text += fmt.Sprintf(" %s %x", e.Message.Describe().Kind, core.Encode(e.Message))
	}
	if h := core.HistoryOf(m); h != nil && e.What == trace.Recovered {
		text += fmt.Sprintf(" after %d", len(h.Delivered))
	}
	return text + "]"
}
