package program

import (
	"encoding/binary"
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// Host is a rank: the machine that runs a program over a protocol layer.
type Host struct {
	rank    core.Rank
	program core.Program
	layer   core.Layer
	failing core.Failing  // the layer, nil where no operation ends in an error
	prompts core.Prompted // the layer, nil where it need not know that it holds the program
	queued  core.Queued   // the layer, nil where a receive may take any message that fits
	sourced core.Sourced  // the layer, nil where it can only list all sources
	app     appState
	sources []core.Rank
	kernel  core.Kernel // nil when the program has none
	numbers core.Numbers
	buffers core.Buffers
	brief   bool

	postsWait bool
	sees      bool // the program does something with errors
	errors    errorState
}

// NewHost makes the rank machine; build gets the handle through which the protocol saves and
// restores the program.
func NewHost(rank core.Rank, program core.Program, build func(core.Application) core.Layer) *Host {
	h := &Host{rank: rank, program: program, sees: program.Sees()}
	if len(program) > 0 && program[0].Kind == core.OpBegin {
		h.kernel = program[0].Kernel
	}
	h.layer = build(h)
	h.failing, _ = h.layer.(core.Failing)
	h.prompts, _ = h.layer.(core.Prompted)
	h.queued, _ = h.layer.(core.Queued)
	h.sourced, _ = h.layer.(core.Sourced)
	return h
}

// PostsWait makes posted receives complete only where the program waits: at a receive, a wait, or
// its end. What the program has received when it sends then follows from the order of what it
// receives, which is what a protocol can record. Without it a message may arrive between any two
// steps: 1. y posts a receive from a, 2. a's message completes it, or does not yet, 3. y sends, and
// what it sends is not the same.
func (h *Host) PostsWait() *Host {
	h.postsWait = true
	return h
}

// State is the program's state and the protocol's, and the numbers of a kernel or what the program
// knows of errors.
func (h *Host) State() []any {
	switch {
	case h.kernel != nil:
		return []any{&h.app, h.layer.State(), &h.numbers}
	case h.sees:
		return []any{&h.app, h.layer.State(), &h.errors}
	}
	return []any{&h.app, h.layer.State()}
}

// History is what the program has done along its surviving past; the caller must not change it.
func (h *Host) History() *trace.History { return &h.app.History }

// Layer is what the program runs over.
func (h *Host) Layer() core.Layer { return h.layer }

// Executed is how many sends and deliveries the program has executed along its surviving past.
func (h *Host) Executed() (sent, received uint32) { return h.app.History.Sent, h.app.Received }

// Iteration is the iteration of its main loop that the program is in, see core.Program.Iteration.
func (h *Host) Iteration() int { return h.program.Iteration(h.app.PC, h.app.Loops) }

// Next is the operation that the program is at; ok is false at its end.
func (h *Host) Next() (op core.Op, ok bool) {
	if h.app.PC >= len(h.program) {
		return core.Op{}, false
	}
	return h.program[h.app.PC], true
}

// Image implements core.Application.
func (h *Host) Image() []byte {
	app := h.app
	// of the incarnation, not of the program
	app.History.Memory, app.History.Recovering = nil, false
	image := core.Encode(&app)
	if h.kernel != nil {
		image = append(image, core.Encode(&h.numbers)...)
	}
	if h.sees {
		image = append(image, core.Encode(&h.errors)...)
	}
	return image
}

// Load implements core.Application.
func (h *Host) Load(image []byte) {
	// of the incarnation, not of the program
	memory, recovering := h.app.History.Memory, h.app.History.Recovering
	h.app = appState{}
	rest := h.decode(image, &h.app)
	if h.kernel != nil {
		h.numbers = core.Numbers{}
		rest = h.decode(rest, &h.numbers)
	}
	if h.sees {
		h.errors = errorState{}
		rest = h.decode(rest, &h.errors)
		if len(h.errors.Told) != len(h.app.Posted) {
			panic(fmt.Sprintf("invariant: an image is what Image wrote: rank %d: %d posted "+
				"receives, and something is known of %d", h.rank, len(h.app.Posted),
				len(h.errors.Told)))
		}
	}
	if len(rest) > 0 {
		panic(fmt.Sprintf("invariant: an image is what Image wrote: rank %d: %d bytes more", h.rank,
			len(rest)))
	}
	h.app.History.Memory, h.app.History.Recovering = memory, recovering
}

// decode reads one part of an image.
func (h *Host) decode(image []byte, part any) []byte {
	rest, err := core.DecodeFirst(image, part)
	if err != nil {
		panic(fmt.Sprintf("invariant: an image is what Image wrote: rank %d: %v", h.rank, err))
	}
	return rest
}

// waits reports whether the program can not go on before it receives, or at a wait or its end may
// not.
func (h *Host) waits() bool {
	if h.app.PC >= len(h.program) {
		return true
	}
	switch op := &h.program[h.app.PC]; op.Kind {
	case core.OpRecv, core.OpWait:
		return true
	case core.OpSend:
		_, known := h.destination(op)
		return !known
	}
	return false
}

// Commutes implements core.Commuter: a receive that names its source, and the end of the program,
// touch nothing that another program step or an arrival touches, so they are up to the protocol;
// the layer answers for messages.
func (h *Host) Commutes(in core.Input) (round uint64, ok bool) {
	c, ok := h.layer.(core.Commuter)
	if !ok {
		return 0, false
	}
	if in.Kind == core.Advance && len(h.app.Posted) == 0 && h.app.PC < len(h.program) {
		_, takes := in.Choice.Source()
		if op := h.program[h.app.PC]; op.Kind != core.OpRecv || op.Any || !takes {
			return 0, false
		}
	} else if in.Kind == core.Advance && len(h.app.Posted) > 0 {
		return 0, false
	}
	return c.Commutes(in)
}

// enabled appends the program steps that the program and the protocol allow now.
func (h *Host) enabled(buf []core.Choice) []core.Choice {
	a := &h.app
	if a.History.Done {
		return buf
	}
	posted := a.Posted
	if h.postsWait && !h.waits() {
		posted = nil
	}
	h.look(posted)
	for i, p := range posted {
		for _, src := range h.sources {
			if (p.Any || p.Peer == src) && !h.claimed(src, i) {
				buf = append(buf, core.ReceiveChoice(src, i))
			}
		}
	}
	if len(h.endings()) > 0 {
		return append(buf, 0)
	}
	if a.PC >= len(h.program) {
		if len(a.Posted) == 0 && !h.held(core.OpNone) {
			buf = append(buf, 0) // end of the program
		}
		return buf
	}
	op := &h.program[a.PC]
	switch op.Kind {
	case core.OpFlush:
		if to, _ := h.kernel.Next(op.Part, &h.numbers); h.layer.Ready(to) {
			buf = append(buf, 0)
		}
	case core.OpSend:
		if to, ok := h.destination(op); ok && h.layer.Ready(to) {
			buf = append(buf, 0)
		}
	case core.OpMulticast, core.OpContribute:
		if h.layer.Ready(op.Group.Source()) {
			buf = append(buf, 0)
		}
	case core.OpRecv:
		for _, src := range h.sources {
			if (op.Any || op.Peer == src) && !h.claimed(src, len(a.Posted)) {
				buf = append(buf, core.ReceiveChoice(src, -1))
			}
		}
	case core.OpWait:
		if len(a.Posted) == 0 && !h.held(op.Kind) {
			buf = append(buf, 0)
		}
	case core.OpPick:
		buf = h.picks(op, buf)
	default:
		if !h.held(op.Kind) {
			buf = append(buf, 0)
		}
	}
	return buf
}

// picks appends the values that the environment may choose.
func (h *Host) picks(op *core.Op, buf []core.Choice) []core.Choice {
	for v := 1; v <= op.Count && !h.held(op.Kind); v++ {
		buf = append(buf, core.PickChoice(v))
	}
	return buf
}

// held reports whether the protocol holds the program before an operation.
func (h *Host) held(op core.OpKind) bool {
	holder, ok := h.layer.(core.Holder)
	return ok && holder.Holds(op)
}

// prompt tells the protocol that it holds the program, where it wants to know.
func (h *Host) prompt(out []core.Effect) []core.Effect {
	op := core.OpNone
	if h.app.PC < len(h.program) {
		op = h.program[h.app.PC].Kind
	}
	switch op {
	case core.OpSend, core.OpFlush, core.OpMulticast, core.OpContribute, core.OpRecv:
		return out // Ready and Sources are asked for these
	}
	if h.app.History.Done || !h.prompts.Holds(op) {
		return out
	}
	return h.prompts.Held(op, out)
}

// claimed reports whether a receive posted before the index matches the source: receives match in
// the order of posting.
func (h *Host) claimed(src core.Rank, before int) bool {
	for _, p := range h.app.Posted[:before] {
		if p.Any || p.Peer == src {
			return true
		}
	}
	return false
}

func (h *Host) destination(op *core.Op) (core.Rank, bool) {
	if !op.Any {
		return op.Peer, true
	}
	return h.app.Last, h.app.Received > 0
}

// Step runs a program step or hands the input to the protocol, and notes what the protocol
// declares.
func (h *Host) Step(in core.Input, out []core.Effect) []core.Effect {
	first := len(out)
	if in.Kind == core.Start || in.Kind == core.Restore {
		h.begin()
	}
	if in.Kind == core.Advance {
		out = h.advanceProgram(in.Choice, out)
	} else {
		out = h.layer.Step(in, out)
	}
	if h.prompts != nil {
		out = h.prompt(out)
	}
	if in.Kind == core.Restore {
		h.app.History.Memory, h.app.History.Recovering = nil, true
	}
	for i := first; i < len(out); i++ {
		switch e := &out[i]; e.What {
		case trace.Kept, trace.Forgotten:
			if !h.brief {
				kept, _ := (&core.Evidence{}).Of(e)
				h.app.History.Apply(kept)
			}
		case trace.Recovered:
			h.app.History.Recovering = false
		}
	}
	return out
}

// advanceProgram runs a program step.
func (h *Host) advanceProgram(choice core.Choice, out []core.Effect) []core.Effect {
	a := &h.app
	if src, ok := choice.Source(); ok {
		return h.receive(src, choice.Posted(), out)
	}
	if list := h.endings(); len(list) > 0 {
		return h.fail(list, out)
	}
	h.tried()
	if a.PC >= len(h.program) {
		value := a.Value
		if h.kernel != nil {
			value = core.Mix(value) + fingerprint(&h.numbers)
		}
		a.History.Done, a.History.Digest = true, core.Mix(value^uint64(h.rank))|1
		return append(out, core.Effect{Kind: core.ProgramDone, Digest: a.History.Digest})
	}
	op := &h.program[a.PC]
	switch op.Kind {
	case core.OpSend:
		to, _ := h.destination(op)
		return h.send(core.Input{Kind: core.Send, To: to}, to, op.Size(), out)
	case core.OpFlush:
		to, _ := h.kernel.Next(op.Part, &h.numbers)
		return h.send(core.Input{Kind: core.Send, To: to}, to, op.Size(), out)
	case core.OpMulticast:
		return h.send(core.Input{Kind: core.Multicast, Group: op.Group}, h.rank, core.MinBytes,
			out)
	case core.OpContribute:
		return h.send(core.Input{Kind: core.Contribute, Group: op.Group}, h.rank, core.MinBytes,
			out)
	case core.OpPost:
		h.post(posted{Peer: op.Peer, Any: op.Any, Ordered: op.Ordered, Part: op.Part,
			Free: op.Free})
	case core.OpAcknowledge:
		h.errors.Acked = h.deaths()
	case core.OpCancel:
		a.Posted, h.errors.Told = nil, nil
	case core.OpCheckpoint:
		h.advance()
		return h.layer.Step(core.Input{Kind: core.Checkpoint}, out)
	case core.OpPick:
		value, _ := choice.Picked()
		a.pick(value)
	case core.OpOutput:
		h.advance()
		value := a.Value
		if h.kernel != nil {
			value = core.Mix(value) + fingerprint(&h.numbers)
		}
		return append(out, core.Effect{Kind: core.Output, Digest: core.Mix(value),
			Sent: a.History.Sent, Received: a.Received})
	}
	h.advance()
	return out
}

func (h *Host) advance() {
	h.app.PC, h.app.Loops = h.program.Next(h.app.PC, h.app.Loops)
	if h.kernel != nil {
		h.compute()
	}
	if h.sees {
		h.passOver()
	}
}

// send executes a send. The payload is a function of the program's state and of the position, so a
// wrong, lost or doubled delivery changes every later one; zeros fill it up to its size. What goes
// to a group is declared as sent to the rank itself.
func (h *Host) send(request core.Input, to core.Rank, bytes int, out []core.Effect) []core.Effect {
	a := &h.app
	a.History.Sent += h.errors.Passed + 1
	h.errors.Passed = 0
	id := core.MsgID{From: h.rank, Number: a.History.Sent}
	payload := core.Payload{ID: id}
	op := &h.program[a.PC]
	if h.kernel != nil {
		payload.Data = h.fill(op.Part)
	} else {
		data := binary.BigEndian.AppendUint64(nil,
			core.Mix(a.Value+core.Mix(uint64(h.rank)<<32|uint64(id.Number))))
		payload.Data = append(data, make([]byte, bytes-len(data))...)
	}
	if op.Kind == core.OpFlush {
		h.compute()
	} else {
		h.advance()
	}
	out, e := core.Add(out, core.ProgramSent)
	e.To, e.Payload = to.Proc(), payload
	request.Payload = payload
	return h.layer.Step(request, out)
}

// receive takes the next message of src into the posted receive (or the current operation when
// posted is negative).
func (h *Host) receive(src core.Rank, postedIndex int, out []core.Effect) []core.Effect {
	a := &h.app
	if postedIndex < 0 {
		h.tried()
	}
	first := len(out)
	any := postedIndex < 0 && h.program[a.PC].Any || postedIndex >= 0 && a.Posted[postedIndex].Any
	out = h.layer.Step(core.Input{Kind: core.Receive, From: src.Proc(), Any: any,
		Posted: postedIndex >= 0}, out)
	delivered := first
	for delivered < len(out) && out[delivered].Kind != core.Deliver {
		delivered++
	}
	if delivered == len(out) {
		panic(fmt.Sprintf("invariant: a receive from a ready source delivers: rank %d from %d",
			h.rank, src))
	}
	e := &out[delivered]
	op := posted{}
	if postedIndex >= 0 {
		op = a.Posted[postedIndex]
		h.unpost(postedIndex)
	} else {
		o := &h.program[a.PC]
		op.Ordered, op.Part, op.Free = o.Ordered, o.Part, o.Free
	}
	a.Last = core.Rank(e.From)
	a.Received++
	var content uint64
	if !h.brief || h.kernel == nil { // a program without a kernel is what it has received
		content = e.Payload.Digest()
	}
	if !h.brief {
		a.History.Delivered = append(a.History.Delivered,
			trace.Delivery{ID: e.Payload.ID, Stamp: e.Stamp, Digest: content})
	}
	if h.kernel != nil {
		if !op.Free {
			a.take(src, sample(e.Payload.Data)+uint64(op.Part), op.Ordered)
		}
		h.kernel.Take(op.Part, &h.numbers, core.Rank(e.From), e.Payload.Data)
		if h.buffers != nil {
			h.buffers.Done(e.Payload.Data)
		}
	} else {
		a.take(src, content, op.Ordered)
	}
	if postedIndex < 0 {
		h.advance()
	}
	return out
}

// take mixes a delivery into the state of a program, beside the numbers of a kernel, which may
// forget what was wrong.
func (a *appState) take(src core.Rank, content uint64, ordered bool) {
	content = core.Mix(content + core.Mix(uint64(src)+1))
	if ordered {
		a.Value = core.Mix(a.Value*31 + content)
	} else {
		a.Value += content // commutes: the state does not depend on the order of deliveries
	}
}

// pick mixes a value that the environment has chosen into the state of a program, so that all that
// it sends later, and its end, tell what it was. It commutes with deliveries, as these do among
// each other: a posted receive may complete before or after it.
func (a *appState) pick(value int) {
	a.Value += core.Mix(core.Place(a.PC, a.Loops) + uint64(value))
}
