package level

import "github.com/domino-check/domino/checker"

// memory are some of the fingerprints that an expander has asked about last: each has one slot,
// which the last one takes. What it says is certain only if a committed level has the state, or a
// block of the open level that this expander has written: to have asked is not enough, for the
// state may belong to a block that was not written yet, and that is explored anew by somebody who
// leaves it out for the same reason.
type memory struct {
	slots []remembered // a power of two
	noted int          // since there are so many
	now   uint32       // of the attempt at hand
}

type remembered struct {
	print checker.Digest
	when  uint32 // it is certain if this is less than now; 0 in an empty slot
}

// How many slots there are, in the beginning and at most.
const (
	firstSlots = 1 << 10
	mostSlots  = 1 << 16
)

func newMemory() memory { return memory{slots: make([]remembered, firstSlots), now: 2} }

// slot is that of a fingerprint.
func (m *memory) slot(d checker.Digest) *remembered {
	return &m.slots[d.Lo&uint64(len(m.slots)-1)]
}

// certain reports whether it is certain that a state is known.
func (m *memory) certain(d checker.Digest, strict bool) bool {
	s := m.slot(d)
	return s.print == d && s.when > 0 && (s.when < m.now || !strict)
}

// note remembers that a keeper knows a fingerprint in the attempt at hand.
func (m *memory) note(d checker.Digest) { m.put(d, m.now) }

// settle remembers that a state is written in the attempt at hand.
func (m *memory) settle(d checker.Digest) { m.put(d, 1) }

func (m *memory) put(d checker.Digest, when uint32) {
	if m.noted++; m.noted > 2*len(m.slots) && len(m.slots) < mostSlots {
		old := m.slots
		m.slots, m.noted = make([]remembered, 4*len(old)), 0
		for _, s := range old {
			*m.slot(s.print) = s
		}
	}
	*m.slot(d) = remembered{d, when}
}

// keep makes everything certain: the attempt was committed.
func (m *memory) keep() { m.now++ }

// forget ends an attempt that was not committed.
func (m *memory) forget() {
	clear(m.slots)
	m.now++
}
