package world

import (
	"sync"

	"github.com/domino-check/domino/impl/core"
)

// masters are machines in recent local states, to be copied: much cheaper than decoding. They are
// never stepped again, so several can copy one at a time.
type masters struct{ parts [1 << partBits]mastersPart }

// mastersPart are those of some local states.
type mastersPart struct {
	mu       sync.Mutex
	machines map[uint32]core.Machine
	_        [64]byte
}

// keepMasters bounds the memory, in each part: the search works in a neighbourhood, older ones are
// decoded again.
const keepMasters = 1 << (13 - partBits)

func (s *masters) keep(number uint32, m core.Machine) {
	p := &s.parts[number&(1<<partBits-1)]
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.machines == nil || len(p.machines) >= keepMasters {
		p.machines = make(map[uint32]core.Machine, keepMasters)
	}
	p.machines[number] = m
}

// copy is a machine in the local state, ready to be stepped, or nil when there is no master.
func (s *masters) copy(w *World, number uint32) core.Machine {
	p := &s.parts[number&(1<<partBits-1)]
	p.mu.Lock()
	master := p.machines[number]
	p.mu.Unlock()
	if master == nil {
		return nil
	}
	m := w.Setup.New(w.locals.at(number).proc)
	core.Clone(master, m)
	return m
}
