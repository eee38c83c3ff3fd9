package world

import (
	"fmt"
	"sync/atomic"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
)

// Misuse is what a machine panics with that is wrapped around another one to watch it: how that one
// breaks the contract of machines.
type Misuse struct {
	Property string // a name of its own, as "deterministic" is one
	Words    string // what it does, e.g. "changes the message that it is given"
}

// Contract is the name of the property that a machine asks for what a driver can do.
const Contract = "contract"

// misused is the violation that a machine panics on an input with the value.
func (w *World) misused(p core.Proc, in core.Input, value any) spec.Violation {
	m, ok := value.(Misuse)
	switch {
	case ok && m.Property == Contract:
		return spec.Violation{Property: Contract, Message: fmt.Sprintf(
			"%s of protocol %s, on %s, %s", w.layout.Name(p), w.Setup.Protocol, w.describeInput(in),
			m.Words)}
	case ok:
		return spec.Violation{Property: m.Property,
			Message: fmt.Sprintf("%s, on %s, %s", w.layout.Name(p), w.describeInput(in), m.Words)}
	}
	return spec.Violation{Property: "no-panic",
		Message: fmt.Sprintf("%s panics on %s: %v", w.layout.Name(p), w.describeInput(in), value)}
}

// stopped is the transition of a step that panics with the value, or does not return.
func (w *World) stopped(p core.Proc, from, input uint32, value any) transition {
	t := transition{from: from, input: input, next: from, asks: new(atomic.Uint64),
		run: new(atomic.Uint32)}
	in := *w.inputs.at(input)
	how, left := value.(lost)
	switch {
	case !left:
		t.violation = w.violation(w.misused(p, in, value))
	case how.given:
		t.violation = w.leave(spec.Violation{Property: Returns, Message: fmt.Sprintf(
			"%s of protocol %s does not return from %s within %v: a step must end by itself, "+
				"whatever it is told", w.layout.Name(p), w.Setup.Protocol, w.describeInput(in),
			how.limit)})
	default:
		w.leave(spec.Violation{})
	}
	return t
}
