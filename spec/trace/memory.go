package trace

import "slices"

// Copy is one message that a proc holds for the recovery of its receiver.
type Copy struct {
	_       struct{} `cbor:",toarray"`
	ID      MsgID    `json:"id"`
	To      Proc     `json:"to"`
	Order   uint32   `json:"order"`   // its place among the deliveries of the receiver, 0 when this copy does not tell
	Covered bool     `json:"covered"` // a line kept here holds its delivery: the copy itself may be gone
}

// KeptLine is the image of a rank that a proc holds in its memory.
type KeptLine struct {
	_        struct{} `cbor:",toarray"`
	Of       Proc     `json:"of"`
	Sent     uint32   `json:"sent"`
	Received uint32   `json:"received"`
}

// Memory is what one incarnation of a proc has declared to hold for the recovery of ranks, by Logged, Pruned and Kept, which
// procs run on its node (Adopted), and whether it has given up. It is lost in a crash. It is plain data; a Memory handed to a property is read-only.
type Memory struct {
	_      struct{}   `cbor:",toarray"`
	Copies []Copy     `json:"copies"` // by message, then receiver
	Lines  []KeptLine `json:"lines"`  // by rank
	Hosts  []Proc     `json:"hosts"`  // adopted, ascending
	Halted bool       `json:"halted"`
}

// Apply folds one event of the proc; an event that a memory does not depend on changes nothing.
func (m *Memory) Apply(e Event) {
	switch e.Kind {
	case Logged:
		m.log(e)
	case Pruned:
		m.Copies = slices.DeleteFunc(slices.Clone(m.Copies), func(c Copy) bool { return c.ID == e.ID && c.To == e.Peer && !c.Covered })
	case Kept:
		m.keep(e)
	case Adopted:
		if i, found := slices.BinarySearch(m.Hosts, e.Peer); !found {
			m.Hosts = slices.Insert(slices.Clone(m.Hosts), i, e.Peer)
		}
	case Halted:
		m.Halted = true
	case Crashed, Restored:
		*m = Memory{}
	}
}

func (m *Memory) log(e Event) {
	m.Copies = slices.Clone(m.Copies)
	i, found := slices.BinarySearchFunc(m.Copies, e, func(c Copy, e Event) int {
		switch {
		case c.ID.From != e.ID.From:
			return int(c.ID.From) - int(e.ID.From)
		case c.ID.Number != e.ID.Number:
			return int(c.ID.Number) - int(e.ID.Number)
		}
		return int(c.To) - int(e.Peer)
	})
	if found {
		m.Copies[i].Order = e.Received
		return
	}
	m.Copies = slices.Insert(m.Copies, i, Copy{ID: e.ID, To: e.Peer, Order: e.Received})
}

func (m *Memory) keep(e Event) {
	m.Copies, m.Lines = slices.Clone(m.Copies), slices.Clone(m.Lines)
	for i := range m.Copies {
		c := &m.Copies[i]
		c.Covered = c.Covered || c.To == e.Peer && c.Order != 0 && c.Order <= e.Received
	}
	line := KeptLine{Of: e.Peer, Sent: e.Sent, Received: e.Received}
	i, found := slices.BinarySearchFunc(m.Lines, e.Peer, func(l KeptLine, p Proc) int { return int(l.Of) - int(p) })
	if found {
		m.Lines[i] = line
		return
	}
	m.Lines = slices.Insert(m.Lines, i, line)
}

// Holds returns the copy of a message for a receiver, if the memory has one.
func (m *Memory) Holds(id MsgID, to Proc) (Copy, bool) {
	if m == nil {
		return Copy{}, false
	}
	i := slices.IndexFunc(m.Copies, func(c Copy) bool { return c.ID == id && c.To == to })
	if i < 0 {
		return Copy{}, false
	}
	return m.Copies[i], true
}

// Keeps returns the line of a rank, if the memory has one.
func (m *Memory) Keeps(rank Proc) (KeptLine, bool) {
	if m == nil {
		return KeptLine{}, false
	}
	i := slices.IndexFunc(m.Lines, func(l KeptLine) bool { return l.Of == rank })
	if i < 0 {
		return KeptLine{}, false
	}
	return m.Lines[i], true
}
