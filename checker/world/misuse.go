package world

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
)

// Misuse is what a machine panics with that is wrapped around another one to watch it: how that one
// breaks the contract of machines.
type Misuse struct {
	Property string // a name of its own, as "deterministic" is one
	Words    string // what it does, e.g. "changes the message that it is given"
}

// misused is the violation that a machine panics on an input with the value.
func (w *World) misused(p core.Proc, in core.Input, value any) spec.Violation {
	if m, ok := value.(Misuse); ok {
		return spec.Violation{Property: m.Property,
			Message: fmt.Sprintf("%s, on %s, %s", w.layout.Name(p), w.describeInput(in), m.Words)}
	}
	return spec.Violation{Property: "no-panic",
		Message: fmt.Sprintf("%s panics on %s: %v", w.layout.Name(p), w.describeInput(in), value)}
}
