package emulate

import "github.com/domino-check/domino/impl/core"

// item is what an event is about: of most, a message.
type item struct {
	kind    core.InputKind // of what the addressee is told
	reached bool           // the last byte is there
	from    core.Proc
	// of the sender, and of who gets it, when it was sent; a timer, a read and a write are of a
	// life, too
	fromLife, toLife int32
	// when the first byte may leave; on a card, when the last byte is out of the node of the sender
	left    moment
	bytes   int64
	written int64  // bytes that the node of who gets it writes before it is handed over
	slow    moment // what its carriage takes at least, from its first byte on
	latency moment
	message core.Message
	via     *channel // nil where nothing that is sent to the same proc comes before it
	rest    *rest    // nil of a message
}

// rest is what no message has.
type rest struct {
	input  core.Input
	set    int // times that the timer had been set, or that the proc had begun to start again
	record record
	call   func()
}

// channel keeps the order of what one life of a proc sends to another proc.
type channel struct {
	under  []int32 // way, oldest first
	broken bool    // something is lost, and nothing comes any more
}

// told is an item that puts an input before a life of a proc.
func told(from core.Proc, life int32, in core.Input) item {
	return item{kind: in.Kind, from: from, toLife: life, rest: &rest{input: in}}
}

// input is what the addressee is told.
func (i *item) input() core.Input {
	if i.rest != nil {
		return i.rest.input
	}
	return core.Input{Kind: i.kind, From: i.from, Message: i.message}
}

// schedule adds an event of a proc, and says what its item is.
func (r *Run) schedule(p *proc, kind eventKind, at moment, what item) (i int32) {
	i = r.hold(what)
	r.put(p, kind, at, i)
	return i
}

// hold puts an item into the pool.
func (r *Run) hold(what item) (i int32) {
	if n := len(r.unused); n > 0 {
		i, r.unused = r.unused[n-1], r.unused[:n-1]
		r.items[i] = what
	} else {
		i = int32(len(r.items))
		r.items = append(r.items, what)
	}
	return i
}

// release takes an item out of the pool.
func (r *Run) release(i int32) {
	r.items[i] = item{}
	r.unused = append(r.unused, i)
}

// take is an item that was in the pool until now.
func (r *Run) take(i int32) item {
	what := r.items[i]
	r.release(i)
	return what
}
