package core

// The data path of a real run: optional interfaces by which messages with payloads travel without the codec and without an
// allocation. A protocol that has none of them runs everywhere, only slower.

// Framed is a Message whose kind with a payload has a fixed binary layout beside the codec.
type Framed interface {
	Message
	// AppendHeader appends everything but the payload's bytes, at most a kilobyte. It reports false, and appends nothing, for a
	// message that must go by the codec.
	AppendHeader(buf []byte) ([]byte, bool)
	// ParseHeader sets the whole message from what AppendHeader appended, with a payload of no bytes; from is the sender. Any
	// other bytes are an error.
	ParseHeader(header []byte, from Proc) error
	// Content is the payload of the message.
	Content() *Payload
}

// Memory is where a layer keeps payloads that outlive their send.
type Memory interface {
	// Keep returns a copy of the bytes that belongs to the layer. The copy may be made later, but before the next step, so it must
	// not be read in this one.
	Keep(data []byte) []byte
	// Free gives back what Keep has returned and nobody refers to any more. What is not given back is left to the garbage collector.
	Free(data []byte)
}

// Recycler is a Protocol that says which payloads it holds, so that a driver can use the others' bytes again. Without it, neither bytes
// sent nor bytes received are ever used again.
type Recycler interface {
	// UseMemory is called before the first input. From then on the layer refers to the bytes of a payload that its program has
	// sent until the next Settle at most.
	UseMemory(Memory)
	// Settle comes after the effects of every step are performed and before the next input: so the copy for the log is made
	// while the message is on its way. What stays in the log is kept in the memory.
	Settle()
	// Holding reports whether the layer may still refer to payloads that were received and delivered to the program already.
	Holding() bool
	// Release gives back all that is kept. It is the last call: the layer is not used any more.
	Release()
}
