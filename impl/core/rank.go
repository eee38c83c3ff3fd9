package core

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/domino-check/domino/spec/trace"
)

// Layer is what a protocol puts between the program of one rank and the network. It answers inputs
// like a Machine; two queries tell the host which program steps are enabled, so that a blocked
// program is a state and not a waiting call.
type Layer interface {
	// Step handles an input. A Send must be handled when Ready said true; a Receive from a rank in
	// Sources must append exactly one Deliver effect.
	Step(in Input, out []Effect) []Effect
	// State points to the whole state of the layer, as plain data.
	State() any
	// Ready reports whether a Send to the rank would be accepted now.
	Ready(to Rank) bool
	// Sources appends, in ascending order, the ranks whose next message a Receive would deliver
	// now. Groups follow, by their Source, if the protocol has collectives.
	Sources(buf []Rank) []Rank
}

// Holder is a Layer that can hold its program before steps that are neither sends nor receives: an
// output that must wait until what it depends on is stable, every step of a restarted program that
// has no image yet.
type Holder interface {
	// Holds reports whether the operation must wait now; OpNone is the end of the program.
	Holds(op OpKind) bool
}

// Application is what a protocol may do with the program of its rank: take its image, put an image
// back.
type Application interface {
	// Image is the canonical bytes of the program's state, history included.
	Image() []byte
	// Load replaces the program's state by an image. It panics on bytes that Image did not write.
	Load(image []byte)
	// Ended reports whether the program has come to its end.
	Ended() bool
	// Position is how many sends and deliveries an image holds.
	Position(image []byte) (sent, received uint32)
}

// Choice names one program step: 0 for the next operation, or a receive, with the source in the low
// half (plus one) and the posted receive that it completes in the high half (plus one, zero for the
// operation itself).
type Choice uint32

// Source is the rank that a receive choice takes from, if it is one.
func (c Choice) Source() (Rank, bool) { return Rank(c&0xffff) - 1, c&0xffff != 0 }

func receiveChoice(from Rank, posted int) Choice { return Choice(posted)<<16 | Choice(from) + 1 }

// posted is one receive that was posted and has not completed.
type posted struct {
	_       struct{} `cbor:",toarray"`
	Peer    Rank     `json:"peer"`
	Any     bool     `json:"any"`
	Ordered bool     `json:"ordered"`
	Part    int      `json:"part"`
}

// appState is the state of a program, which is also its image in checkpoints.
type appState struct {
	_       struct{}      `cbor:",toarray"`
	PC      int           `json:"pc"`
	Loops   []loop        `json:"loops"`
	Posted  []posted      `json:"posted"`
	Last    Rank          `json:"last"`  // source of the last receive, for replies
	Value   uint64        `json:"value"` // numeric state: a digest of everything received
	History trace.History `json:"history"`
	// Received counts deliveries; History has the list of them, unless the rank is brief. Reports
	// show that list.
	Received uint32 `cbor:"received" json:"-"`
}

// Host is a rank: the machine that runs a program over a protocol layer.
type Host struct {
	rank    Rank
	program Program
	layer   Layer
	app     appState
	sources []Rank
	kernel  Kernel // nil when the program has none
	numbers Numbers
	buffers Buffers
	brief   bool
}

// NewHost makes the rank machine; build gets the handle through which the protocol saves and
// restores the program.
func NewHost(rank Rank, program Program, build func(Application) Layer) *Host {
	h := &Host{rank: rank, program: program}
	if len(program) > 0 && program[0].Kind == OpBegin {
		h.kernel = program[0].Kernel
	}
	h.layer = build(h)
	return h
}

// State is the program's state and the protocol's, and the numbers of a kernel.
func (h *Host) State() []any {
	if h.kernel != nil {
		return []any{&h.app, h.layer.State(), &h.numbers}
	}
	return []any{&h.app, h.layer.State()}
}

// History is what the program has done along its surviving past; the caller must not change it.
func (h *Host) History() *trace.History { return &h.app.History }

// Layer is what the program runs over.
func (h *Host) Layer() Layer { return h.layer }

// Next is the operation that the program is at; ok is false at its end.
func (h *Host) Next() (op Op, ok bool) {
	if h.app.PC >= len(h.program) {
		return Op{}, false
	}
	return h.program[h.app.PC], true
}

// Image implements Application.
func (h *Host) Image() []byte {
	app := h.app
	// of the incarnation, not of the program
	app.History.Memory, app.History.Recovering = nil, false
	image := Encode(&app)
	if h.kernel != nil {
		image = append(image, Encode(&h.numbers)...)
	}
	return image
}

// Load implements Application.
func (h *Host) Load(image []byte) {
	// of the incarnation, not of the program
	memory, recovering := h.app.History.Memory, h.app.History.Recovering
	h.app = appState{}
	rest := h.decode(image, &h.app)
	if h.kernel != nil {
		h.numbers = Numbers{}
		rest = h.decode(rest, &h.numbers)
	}
	if len(rest) > 0 {
		panic(fmt.Sprintf("invariant: an image is what Image wrote: rank %d: %d bytes more", h.rank,
			len(rest)))
	}
	h.app.History.Memory, h.app.History.Recovering = memory, recovering
}

// decode reads one part of an image.
func (h *Host) decode(image []byte, part any) []byte {
	rest, err := decoding.UnmarshalFirst(image, part)
	if err != nil {
		panic(fmt.Sprintf("invariant: an image is what Image wrote: rank %d: %v", h.rank, err))
	}
	return rest
}

// Ended implements Application.
func (h *Host) Ended() bool { return h.app.History.Done }

// Position implements Application.
func (h *Host) Position(image []byte) (sent, received uint32) {
	var app appState
	h.decode(image, &app)
	return app.History.Sent, app.Received
}

// Commutes implements Commuter: a receive that names its source, and the end of the program, touch
// nothing that another program step or an arrival touches, so they are up to the protocol; the
// protocol layer answers for messages.
func (h *Host) Commutes(in Input) (round uint64, ok bool) {
	c, ok := h.layer.(Commuter)
	if !ok {
		return 0, false
	}
	if in.Kind == Advance && len(h.app.Posted) == 0 && h.app.PC < len(h.program) {
		if op := h.program[h.app.PC]; op.Kind != OpRecv || op.Any {
			return 0, false
		}
	} else if in.Kind == Advance && len(h.app.Posted) > 0 {
		return 0, false
	}
	return c.Commutes(in)
}

// Choices appends the program steps that are enabled now.
func (h *Host) Choices(buf []Choice) []Choice {
	a := &h.app
	if a.History.Done {
		return buf
	}
	h.sources = h.layer.Sources(h.sources[:0])
	validSources(h.rank, h.sources)
	for i, p := range a.Posted {
		for _, src := range h.sources {
			if (p.Any || p.Peer == src) && !h.claimed(src, i) {
				buf = append(buf, receiveChoice(src, i+1))
			}
		}
	}
	if a.PC >= len(h.program) {
		if len(a.Posted) == 0 && !h.held(OpNone) {
			buf = append(buf, 0) // end of the program
		}
		return buf
	}
	op := &h.program[a.PC]
	switch op.Kind {
	case OpFlush:
		if to, _ := h.kernel.Next(op.Part, &h.numbers); h.layer.Ready(to) {
			buf = append(buf, 0)
		}
	case OpSend:
		if to, ok := h.destination(op); ok && h.layer.Ready(to) {
			buf = append(buf, 0)
		}
	case OpMulticast, OpContribute:
		if h.layer.Ready(op.Group.Source()) {
			buf = append(buf, 0)
		}
	case OpRecv:
		for _, src := range h.sources {
			if (op.Any || op.Peer == src) && !h.claimed(src, len(a.Posted)) {
				buf = append(buf, receiveChoice(src, 0))
			}
		}
	case OpWait:
		if len(a.Posted) == 0 && !h.held(op.Kind) {
			buf = append(buf, 0)
		}
	default:
		if !h.held(op.Kind) {
			buf = append(buf, 0)
		}
	}
	return buf
}

// held reports whether the protocol holds the program before an operation.
func (h *Host) held(op OpKind) bool {
	holder, ok := h.layer.(Holder)
	return ok && holder.Holds(op)
}

// claimed reports whether a receive posted before the index matches the source: receives match in
// the order of posting.
func (h *Host) claimed(src Rank, before int) bool {
	for _, p := range h.app.Posted[:before] {
		if p.Any || p.Peer == src {
			return true
		}
	}
	return false
}

func (h *Host) destination(op *Op) (Rank, bool) {
	if !op.Any {
		return op.Peer, true
	}
	return h.app.Last, h.app.Received > 0
}

// Step runs a program step or hands the input to the protocol, and notes what the protocol
// declares.
func (h *Host) Step(in Input, out []Effect) []Effect {
	first := len(out)
	if in.Kind == Start || in.Kind == Restore {
		h.begin()
	}
	if in.Kind == Advance {
		out = h.advanceProgram(in.Choice, out)
	} else {
		out = h.layer.Step(in, out)
	}
	if in.Kind == Restore {
		h.app.History.Memory, h.app.History.Recovering = nil, true
	}
	for i := first; i < len(out); i++ {
		switch e := &out[i]; e.What {
		case trace.Kept, trace.Forgotten:
			if !h.brief {
				h.app.History.Apply(e.declared())
			}
		case trace.Recovered:
			h.app.History.Recovering = false
		}
	}
	return out
}

// advanceProgram runs a program step.
func (h *Host) advanceProgram(choice Choice, out []Effect) []Effect {
	a := &h.app
	if src, ok := choice.Source(); ok {
		return h.receive(src, int(choice>>16)-1, out)
	}
	if a.PC >= len(h.program) {
		value := a.Value
		if h.kernel != nil {
			value = mix(value) + h.numbers.digest()
		}
		a.History.Done, a.History.Digest = true, mix(value^uint64(h.rank))|1
		return append(out, Effect{Kind: ProgramDone, Digest: a.History.Digest})
	}
	op := &h.program[a.PC]
	switch op.Kind {
	case OpSend:
		to, _ := h.destination(op)
		return h.send(Input{Kind: Send, To: to}, to, op.Size(), out)
	case OpFlush:
		to, _ := h.kernel.Next(op.Part, &h.numbers)
		return h.send(Input{Kind: Send, To: to}, to, op.Size(), out)
	case OpMulticast:
		return h.send(Input{Kind: Multicast, Group: op.Group}, h.rank, MinBytes, out)
	case OpContribute:
		return h.send(Input{Kind: Contribute, Group: op.Group}, h.rank, MinBytes, out)
	case OpPost:
		a.Posted = append(a.Posted, posted{Peer: op.Peer, Any: op.Any, Ordered: op.Ordered,
			Part: op.Part})
	case OpCheckpoint:
		h.advance()
		return h.layer.Step(Input{Kind: Checkpoint}, out)
	case OpOutput:
		h.advance()
		value := a.Value
		if h.kernel != nil {
			value = mix(value) + h.numbers.digest()
		}
		return append(out, Effect{Kind: Output, Digest: mix(value)})
	}
	h.advance()
	return out
}

func (h *Host) advance() {
	h.app.PC, h.app.Loops = h.program.next(h.app.PC, h.app.Loops)
	if h.kernel != nil {
		h.compute()
	}
}

// send executes a send. The payload is a function of the program's state and of the position, so a
// wrong, lost or doubled delivery changes every later one; zeros fill it up to its size. What goes
// to a group is declared as sent to the rank itself.
func (h *Host) send(request Input, to Rank, bytes int, out []Effect) []Effect {
	a := &h.app
	a.History.Sent++
	id := MsgID{From: h.rank, Number: a.History.Sent}
	payload := Payload{ID: id}
	op := &h.program[a.PC]
	if h.kernel != nil {
		payload.Data = h.fill(op.Part)
	} else {
		data := binary.BigEndian.AppendUint64(nil,
			mix(a.Value+mix(uint64(h.rank)<<32|uint64(id.Number))))
		payload.Data = append(data, make([]byte, bytes-len(data))...)
	}
	if op.Kind == OpFlush {
		h.compute()
	} else {
		h.advance()
	}
	out, e := Add(out, ProgramSent)
	e.To, e.Payload = to.Proc(), payload
	request.Payload = payload
	return h.layer.Step(request, out)
}

// receive takes the next message of src into the posted receive (or the current operation when
// posted is negative).
func (h *Host) receive(src Rank, postedIndex int, out []Effect) []Effect {
	a := &h.app
	first := len(out)
	any := postedIndex < 0 && h.program[a.PC].Any || postedIndex >= 0 && a.Posted[postedIndex].Any
	out = h.layer.Step(Input{Kind: Receive, From: src.Proc(), Any: any,
		Posted: postedIndex >= 0}, out)
	delivered := first
	for delivered < len(out) && out[delivered].Kind != Deliver {
		delivered++
	}
	if delivered == len(out) {
		panic(fmt.Sprintf("invariant: a receive from a ready source delivers: rank %d from %d",
			h.rank, src))
	}
	e := &out[delivered]
	op := posted{}
	free := false
	if postedIndex >= 0 {
		op = a.Posted[postedIndex]
		a.Posted = slices.Delete(a.Posted, postedIndex, postedIndex+1)
	} else {
		o := &h.program[a.PC]
		op.Ordered, op.Part, free = o.Ordered, o.Part, o.Free
	}
	a.Last = Rank(e.From)
	a.Received++
	var content uint64
	if !h.brief {
		content = e.Payload.Digest()
		a.History.Delivered = append(a.History.Delivered,
			trace.Delivery{ID: e.Payload.ID, Stamp: e.Stamp, Digest: content})
	}
	if h.kernel != nil {
		if !free {
			a.take(src, sample(e.Payload.Data)+uint64(op.Part), op.Ordered)
		}
		h.kernel.Take(op.Part, &h.numbers, Rank(e.From), e.Payload.Data)
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
func (a *appState) take(src Rank, content uint64, ordered bool) {
	content = mix(content + mix(uint64(src)+1))
	if ordered {
		a.Value = mix(a.Value*31 + content)
	} else {
		a.Value += content // commutes: the state does not depend on the order of deliveries
	}
}

// Digest is a short fingerprint of a payload for evidence.
func (p Payload) Digest() uint64 { return digest(p.Data) }

func digest(data []byte) uint64 {
	if len(data) == 8 {
		return binary.BigEndian.Uint64(data)
	}
	h := uint64(14695981039346656037)
	for ; len(data) >= 32; data = data[32:] { // four independent products: payloads may be large
		a := mix(binary.BigEndian.Uint64(data)) +
			bits.RotateLeft64(mix(binary.BigEndian.Uint64(data[8:])), 16)
		b := bits.RotateLeft64(mix(binary.BigEndian.Uint64(data[16:])), 32) +
			bits.RotateLeft64(mix(binary.BigEndian.Uint64(data[24:])), 48)
		h = (h ^ a ^ b*0x9fb21c651e98df25) * 1099511628211
		h = bits.RotateLeft64(h, 31)
	}
	for _, c := range data {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// mix scrambles 64 bits (the finaliser of SplitMix64), a bijection.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
