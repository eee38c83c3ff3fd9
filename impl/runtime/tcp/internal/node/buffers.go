package node

import "fmt"

// Buffers is the memory as a program sees it.
type Buffers memory

// Get returns bytes with any content for one send of this step.
func (b *Buffers) Get(size int) []byte {
	m := (*memory)(b)
	data := m.pool.Get(size)
	m.lent = append(m.lent, data)
	return data
}

// Done says that the program needs the bytes of a payload that it has received no more.
func (b *Buffers) Done(data []byte) {
	if m := (*memory)(b); len(data) > 0 && m.recycler != nil && !m.recycler.Holding() {
		m.wait(data)
	}
}

// Own returns bytes with any content that the program has until the end of its life, and may send
// as often as it likes, but write to only before the first send. For what comes after it, see
// Rewrite.
func (b *Buffers) Own(size int) []byte {
	m := (*memory)(b)
	data := m.pool.Get(max(size, 1))[:size]
	m.owned.list = append(m.owned.list, loan{data: data})
	return data
}

// Rewrite is for a program that wants to write other bytes into a buffer that it owns: it returns
// the same buffer if what was there is neither in a log nor on its way, and another one of any
// content otherwise, which takes its place.
func (b *Buffers) Rewrite(data []byte) []byte {
	m := (*memory)(b)
	l := m.owned.find(data)
	if l == nil {
		panic(fmt.Sprintf("invariant: a program rewrites what it owns: %d bytes", len(data)))
	}
	if l.logged == 0 && m.recycler != nil && !m.borrowed && !m.mesh.Borrowed() {
		return l.data
	}
	m.disown(l)
	l.data, l.logged = m.pool.Get(cap(l.data))[:len(l.data)], 0
	return l.data
}

// disown takes a buffer from the program. It goes back to the pool when the last log has freed it.
func (m *memory) disown(l *loan) {
	switch {
	case m.recycler == nil: // somebody may refer to it
	case l.logged == 0:
		m.wait(l.data)
	case l.logged > 1:
		m.owned.remember(l)
	}
}

// end is the end of a life: its program is no more, and its logs have freed what they had. What
// they have dropped is left to the garbage collector.
func (m *memory) end() {
	for i := range m.owned.list {
		m.disown(&m.owned.list[i])
	}
	m.owned = owned{}
}

// owned are the buffers of a program that it sends more than once, and those that it had, as long
// as they are in logs more than once.
type owned struct {
	list   []loan
	former map[*byte]int // how often they are in logs
}

// loan is a buffer that a program owns.
type loan struct {
	data   []byte
	logged int // how often it is in logs
}

// find is the buffer that begins where the bytes do; nil if the program owns none.
func (o *owned) find(data []byte) *loan {
	for i := range o.list {
		if l := &o.list[i]; cap(data) > 0 && &l.data[:1][0] == &data[:1][0] {
			return l
		}
	}
	return nil
}

// keep counts bytes in a log, if the program owns them.
func (o *owned) keep(data []byte) bool {
	l := o.find(data)
	if l == nil || len(data) == 0 {
		return false
	}
	l.logged++
	return true
}

// free forgets one time that they are in a log; it reports whether somebody else has them still.
func (o *owned) free(data []byte) bool {
	if len(data) == 0 {
		return false
	}
	if l := o.find(data); l != nil {
		if l.logged--; l.logged < 0 {
			panic("invariant: a log frees what it keeps: bytes of a program that are in none")
		}
		return true
	}
	n, shared := o.former[&data[0]]
	switch {
	case !shared:
		return false
	case n == 2:
		delete(o.former, &data[0])
	default:
		o.former[&data[0]] = n - 1
	}
	return true
}

// remember counts on for a buffer that the program has no more.
func (o *owned) remember(l *loan) {
	if o.former == nil {
		o.former = map[*byte]int{}
	}
	o.former[&l.data[:1][0]] = l.logged
}
