package protocol

// Option is what one word KEY=VALUE of the options of a protocol says, for help. What a protocol
// accepts is for its Options to say.
type Option struct {
	Name   string
	Values string // e.g. "apart|next", "N", the first of words is the default
	Doc    string // one line
}
