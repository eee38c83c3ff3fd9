package sendlog

import "github.com/domino-check/domino/impl/core"

// Keeper keeps the payloads of the logs of one layer. It is embedded in the layer and no part of
// its state; the zero value leaves bytes where they are. Together with Holding and Release of the
// protocol it is a core.Recycler.
type Keeper struct {
	memory core.Memory
	lent   *core.Payload // of the last message that was appended: its bytes are the program's
}

// UseMemory implements core.Recycler.
func (k *Keeper) UseMemory(m core.Memory) { k.memory = m }

// Copies reports whether the log has bytes of its own, because others use theirs again.
func (k *Keeper) Copies() bool { return k.memory != nil }

// Copy is a copy of bytes of the program for later steps, which may be written to; only where the
// log copies.
func (k *Keeper) Copy(data []byte) []byte { return k.memory.Copy(data) }

// Settle implements core.Recycler: the log gets bytes of its own, or those that the program lends
// until it writes to them. Either way it never writes to them. A step appends at most one message
// of the program, and does not change the log after that.
func (k *Keeper) Settle() {
	if k.lent != nil {
		k.lent.Data = k.memory.Keep(k.lent.Data)
		k.lent = nil
	}
}

// Free gives back the bytes of a payload, if there is a memory to give them to.
func (k *Keeper) Free(p *core.Payload) {
	if k != nil && k.memory != nil {
		k.memory.Free(p.Data)
	}
}
