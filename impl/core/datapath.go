package core

// The data path of a real run: optional interfaces by which messages with payloads travel without
// the codec and without an allocation. A protocol that has none of them runs everywhere, only
// slower.

// MaxHeader is how many bytes a header may have. A driver puts its own behind it.
const MaxHeader = 960

// Framed is a Message whose kinds that come with every message of a program have a fixed binary
// layout beside the codec.
type Framed interface {
	Message
	// AppendHeader appends everything but the payload's bytes, at most MaxHeader. It reports false,
	// and appends nothing, for a message that must go by the codec.
	AppendHeader(buf []byte) ([]byte, bool)
	// ParseHeader sets the whole message from what AppendHeader appended, with a payload of no
	// bytes; from is the sender. Any other bytes are an error.
	ParseHeader(header []byte, from Proc) error
	// Content is the payload of the message, with a zero ID and no bytes if it has none.
	Content() *Payload
}

// Lazy is a Message that leaves some of its fields open until the codec needs them.
type Lazy interface {
	Message
	// Complete sets all fields.
	Complete()
}

// Background is a Framed message that may say that nobody waits for it while the program of its
// sender can go on, so that it may leave behind what the program sends next to others.
type Background interface {
	Framed
	Background() bool
}

// Relayed is a Framed message that may say that its payload is not for a program to receive from
// its sender, so that a program which receives nothing from there does not hold the channel up.
type Relayed interface {
	Framed
	// Relayed reports that the layer takes the payload at once, for others or to make something of
	// it.
	Relayed() bool
}

// Memory is where a layer keeps payloads that outlive their send.
type Memory interface {
	// Keep returns the bytes as they are now, for the layer to read until it frees them: a copy, or
	// the bytes themselves where nobody will write to them before that. A copy may be made later,
	// but before the next step, so it must not be read in this one. The same bytes may be kept
	// again, and are then freed as often.
	Keep(data []byte) []byte
	// Copy is Keep of bytes that the layer may write to.
	Copy(data []byte) []byte
	// Free gives back what Keep or Copy has returned, or the bytes of a payload that has arrived
	// and is not for a program, when the layer refers to them no more. What is not given back is
	// left to the garbage collector.
	Free(data []byte)
}

// Recycler is a Layer, or the machine of a service, that says which payloads it holds, so that a
// driver can use the others' bytes again. Without it, neither bytes sent nor bytes received are
// ever used again.
type Recycler interface {
	// UseMemory is called before the first input. From then on the layer refers to the bytes of a
	// payload that its program has sent until the next Settle at most.
	UseMemory(Memory)
	// Settle comes after the effects of every step are performed and before the next input: so the
	// copy for the log is made while the message is on its way. What stays in the log is kept in
	// the memory.
	Settle()
	// Holding reports whether the layer may still refer to payloads that were received and
	// delivered to the program already.
	Holding() bool
	// Release gives back all that is kept. It is the last call: the layer is not used any more.
	Release()
}

// Scratch is messages that a machine uses again in every step, because they are valid until its
// next one only.
type Scratch[M any] struct {
	list []*M
	used int
}

// Below is a machine that wraps another one, whose payloads it passes on.
type Below interface {
	// Below is the machine; nil if nobody can say what payloads are held.
	Below() Machine
}

// RecyclerOf is the part of a machine that says which payloads it holds; nil if there is none.
func RecyclerOf(m Machine) Recycler {
	switch m := m.(type) {
	case Recycler:
		return m
	case interface{ Layer() Layer }:
		r, _ := m.Layer().(Recycler)
		return r
	case Below:
		return RecyclerOf(m.Below())
	}
	return nil
}

// maxScratch bounds what is kept of a step that sends many messages.
const maxScratch = 64

// Begin comes at the beginning of a step: all messages may be used again.
func (s *Scratch[M]) Begin() { s.used = 0 }

// New is a message with the content that nobody else uses in this step.
func (s *Scratch[M]) New(content M) *M {
	if s.used == maxScratch { // a replay, say
		m := new(M) // not the parameter, which would leave the stack every time
		*m = content
		return m
	}
	if s.used == len(s.list) {
		s.list = append(s.list, new(M))
	}
	m := s.list[s.used]
	s.used++
	*m = content
	return m
}

// Pop takes the first element of a queue. A short queue keeps its place in memory, so that a
// channel that empties again and again allocates nothing; a long one is not moved.
func Pop[E any](queue *[]E) E {
	q := *queue
	first := q[0]
	var zero E
	if n := len(q); n <= 16 {
		copy(q, q[1:])
		q[n-1] = zero
		*queue = q[:n-1]
	} else {
		q[0] = zero
		*queue = q[1:]
	}
	return first
}
