package world

import "github.com/domino-check/domino/impl/core"

// masters are machines in recent local states, to be copied: much cheaper than decoding. They are
// never stepped again.
type masters struct{ machines map[uint32]core.Machine }

// keepMasters bounds the memory: the search works in a neighbourhood, older ones are decoded again.
const keepMasters = 1 << 13

func (s *masters) keep(number uint32, m core.Machine) {
	if s.machines == nil || len(s.machines) >= keepMasters {
		s.machines = make(map[uint32]core.Machine, keepMasters)
	}
	s.machines[number] = m
}

// copy is a machine in the local state, ready to be stepped, or nil when there is no master.
func (s *masters) copy(w *World, number uint32) core.Machine {
	master := s.machines[number]
	if master == nil {
		return nil
	}
	m := w.Setup.New(w.locals.at(number).proc)
	core.Clone(master, m)
	return m
}
