package node

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
)

// maxWaiting bounds the buffers that wait until nothing on its way to the network refers to them;
// more go to the garbage collector.
const maxWaiting = 1 << 12

// soon is how many buffers may wait while the program goes on: to give them back is not on the way
// from a message to the answer.
const soon = 16

// memory is what a node lends to its protocol and its program.
type memory struct {
	pool     *buffer.Pool
	mesh     Transport
	recycler core.Recycler
	lent     [][]byte // to the program, for what it sends in this step
	owned    owned
	waiting  [][]byte
	direct   bool // nothing is on its way and nothing more will be sent
	borrowed bool // by messages that leave later
	kept     uint64
	copies   []pending
}

// pending is a copy that Keep has promised. Nobody reads or changes either side before the next
// step.
type pending struct{ to, from []byte }

// slice is how much is copied between two looks at the network.
const slice = 8 << 10

// work goes on with the copies for about so many bytes; it reports whether there was anything to
// do.
func (m *memory) work(bytes int) bool {
	if len(m.copies) == 0 {
		return false
	}
	for bytes > 0 && len(m.copies) > 0 {
		c := &m.copies[len(m.copies)-1]
		n := copy(c.to[:min(bytes, len(c.to))], c.from)
		c.to, c.from = c.to[n:], c.from[n:]
		if bytes -= n; len(c.to) == 0 {
			*c = pending{}
			m.copies = m.copies[:len(m.copies)-1]
		}
	}
	if len(m.copies) == 0 {
		m.reclaim()
	}
	return true
}

// finish completes all copies, writing on meanwhile.
func (m *memory) finish() {
	for m.work(8 * slice) {
		m.mesh.Flush()
	}
}

// Keep implements core.Memory. What the program owns is in the log as it is, and what was lent to
// it for this step belongs to the log from now on: neither needs a copy.
func (m *memory) Keep(data []byte) []byte {
	if m.owned.keep(data) {
		m.kept += uint64(len(data))
		return data
	}
	for i, lent := range m.lent {
		if len(data) > 0 && len(lent) == len(data) && &lent[0] == &data[0] {
			m.kept += uint64(len(data))
			last := len(m.lent) - 1
			m.lent[i], m.lent[last] = m.lent[last], nil
			m.lent = m.lent[:last]
			return data
		}
	}
	return m.Copy(data)
}

// Copy implements core.Memory. It never takes bytes over, which may be on their way. A large copy
// is made while the node would wait, or before the next step.
func (m *memory) Copy(data []byte) []byte {
	m.kept += uint64(len(data))
	if len(data) <= slice/8 {
		return m.pool.Copy(data)
	}
	to := m.pool.Get(len(data))
	m.copies = append(m.copies, pending{to, data})
	return to
}

// Free implements core.Memory.
func (m *memory) Free(data []byte) {
	if !m.owned.free(data) {
		m.wait(data)
	}
}

// wait gives bytes to the pool as soon as no link has to write them.
func (m *memory) wait(data []byte) {
	switch {
	case !buffer.Fits(data):
	case m.direct:
		m.pool.Put(data)
	case len(m.waiting) < maxWaiting:
		m.waiting = append(m.waiting, data)
	}
}

// reclaim comes at the end of a step, or later if nothing was lent: the protocol has copied what it
// keeps of what the program has sent.
func (m *memory) reclaim() {
	if len(m.lent) > 0 {
		if m.recycler != nil {
			m.waiting = append(m.waiting, m.lent...)
		}
		clear(m.lent)
		m.lent = m.lent[:0]
	}
	if len(m.waiting) == 0 || len(m.copies) > 0 || m.borrowed || m.mesh.Borrowed() {
		return
	}
	for i, b := range m.waiting {
		m.pool.Put(b)
		m.waiting[i] = nil
	}
	m.waiting = m.waiting[:0]
}
