package node

import (
	"bytes"
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// keeper is for models in which a message that its receiver ignores stays on its way
// (fault.Model.Selective and Set): it comes again when the machine has changed. A message is
// ignored when nothing comes of it; then it is no step. In a set all messages stay.
type keeper struct {
	on, set bool
	before  []byte          // state of the machine
	message []byte          // that is being received
	ignored []kept          // by their receiver, or of a set: what is still on its way
	changed bool            // since they were ignored
	sent    map[string]bool // of a set: what is on its way already, for whom
}

// kept is one message that was ignored.
type kept struct {
	from    core.Proc
	message []byte
}

// begin comes before a step.
func (k *keeper) begin(m core.Machine, in *core.Input) {
	if in.Kind != core.Received {
		k.changed = true
		return
	}
	k.before, k.message = core.EncodeState(m), core.Encode(in.Message)
}

// ends reports whether nothing has come of a step. Its message is kept then, and in a set in any
// case: it may arrive again.
func (k *keeper) ends(m core.Machine, in *core.Input, effects []core.Effect) bool {
	if in.Kind != core.Received {
		return false
	}
	idle := bytes.Equal(k.before, core.EncodeState(m))
	for i := range effects {
		e := &effects[i]
		idle = idle && (e.What == trace.Dropped || k.again(e))
	}
	k.changed = k.changed || !idle
	if idle || k.set {
		k.ignored = append(k.ignored, kept{in.From, k.message})
	}
	return idle
}

// again reports whether an effect sends what is on its way already, which changes nothing in a set.
func (k *keeper) again(e *core.Effect) bool {
	return k.set && e.Kind == core.SendMessage && k.sent[key(e)]
}

// send notes what is put on its way; it reports whether it was there before.
func (k *keeper) send(e *core.Effect) bool {
	if !k.set {
		return false
	}
	name := key(e)
	if k.sent[name] {
		return true
	}
	if k.sent == nil {
		k.sent = map[string]bool{}
	}
	k.sent[name] = true
	return false
}

func key(e *core.Effect) string { return fmt.Sprint(e.To, " ") + string(core.Encode(e.Message)) }

// offer gives the machine again what it has ignored.
func (n *Node) offer() error {
	list := n.keep.ignored
	n.keep.ignored, n.keep.changed = nil, false
	for i, k := range list {
		m := n.c.NewMessage()
		err := core.Decode(k.message, m)
		if err == nil {
			err = n.step(&core.Input{Kind: core.Received, From: k.from, Message: m})
		}
		if err != nil {
			n.keep.ignored = append(n.keep.ignored, list[i+1:]...)
			return err
		}
	}
	return nil
}
