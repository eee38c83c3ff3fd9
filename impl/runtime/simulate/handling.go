package simulate

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// handling counts what protocols add to messages.
type handling struct{ header []byte }

// of is how many bytes a protocol has added to the message that has led to a step and to those that
// leave with it: all but payloads, and what each has without a protocol.
func (h *handling) of(in *core.Input, effects []core.Effect) (bytes int64) {
	if in.Kind == core.Received {
		bytes = h.added(in.Message)
	}
	for i := range effects {
		if effects[i].Kind == core.SendMessage {
			bytes += h.added(effects[i].Message)
		}
	}
	return bytes
}

// added is how many bytes of a message a protocol has added to it.
func (h *handling) added(m core.Message) int64 {
	f, framed := m.(core.Framed)
	if framed {
		var fixed bool
		if h.header, fixed = f.AppendHeader(h.header[:0]); fixed {
			return max(0, int64(len(h.header))-baseline)
		}
	}
	bytes := int64(len(core.Encode(m)))
	if framed {
		bytes -= int64(len(f.Content().Data))
	}
	return max(0, bytes-baseline)
}

// headerPrice is the parameter that says what a step takes longer for bytes that a protocol has
// added to its messages.
func headerPrice(protocol string) string { return "step." + protocol + ".header" }

// Lacks says what a machine does not know of a protocol, "" if it knows all: one that was
// calibrated before there was a price of what a protocol adds to the messages of its steps has
// none, and it counts as zero.
func (m *Machine) Lacks(protocol string) string {
	has := func(name string) bool {
		return slices.ContainsFunc(m.Parameters, func(p Parameter) bool { return p.Name == name })
	}
	if name := headerPrice(protocol); has("step."+protocol) && !has(name) {
		return fmt.Sprintf("machine %s has no %s: handling what %s adds to messages takes no "+
			"time; calibrate it again", m.Name, name, protocol)
	}
	return ""
}
