package compare

import (
	"slices"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/runtime/emulate"
	"github.com/domino-check/domino/spec/trace"
)

// probe stands between the machines of a run and the emulator.
type probe struct {
	setup   *core.Setup
	run     *emulate.Run
	ranks   int
	facts   *Facts
	taps    []*tap // by proc, of the present life
	state   []rankState
	done    []bool // by rank: its program has ended
	pending int    // failures that are to come
	looks   bool
	chains  chains
	memory  memory
	images  images
	// sizes of payloads, and which were received, by name
	size     map[core.MsgID]int64
	received map[core.MsgID]bool
	to       map[core.MsgID]core.Rank
}

// rankState is where one rank stands.
type rankState struct {
	at, high int  // sends and receptions: now, and at most
	back     bool // it was restarted, and has not gone on
	before   int  // where it stood then
	blocked  blockage
	since    time.Duration
	arrived  []int // by source: messages of the program that are here and not received
}

// blockage says where a program is blocked.
type blockage uint8

const (
	free blockage = iota
	atSend
	atReception
	elsewhere // at its end, an output or a checkpoint
)

// tap is a machine that is watched.
type tap struct {
	core.Machine
	proc core.Proc
	host *program.Host // nil for a service
	*probe
}

// Step implements core.Machine.
func (t *tap) Step(in core.Input, out []core.Effect) []core.Effect {
	first := len(out)
	out = t.Machine.Step(in, out)
	t.see(t, &in, out[first:])
	return out
}

// History is for the evidence of the driver.
func (t *tap) History() *trace.History { return core.HistoryOf(t.Machine) }

// newProbe puts taps around the machines of a setup.
func newProbe(c *Case, setup *core.Setup) *probe {
	n := setup.Layout.Ranks
	own := *setup
	p := &probe{setup: &own, ranks: n, taps: make([]*tap, len(setup.Layout.Names)),
		facts: &Facts{Case: c, Finals: make([]uint64, n)}, done: make([]bool, n),
		state: make([]rankState, n), size: map[core.MsgID]int64{},
		received: map[core.MsgID]bool{}, to: map[core.MsgID]core.Rank{}}
	p.memory.init(len(p.taps))
	p.chains.init(len(p.taps))
	own.New = func(q core.Proc) core.Machine {
		m := setup.New(q)
		p.taps[q] = &tap{Machine: m, proc: q, host: hostOf(m), probe: p}
		return p.taps[q]
	}
	for r := range p.state {
		p.state[r].arrived = make([]int, n)
	}
	return p
}

// hostOf is the rank below a machine, nil if there is none.
func hostOf(m core.Machine) *program.Host {
	switch m := m.(type) {
	case *program.Host:
		return m
	case core.Below:
		if below := m.Below(); below != nil {
			return hostOf(below)
		}
	}
	return nil
}

// see is one step of a machine.
func (p *probe) see(t *tap, in *core.Input, out []core.Effect) {
	if in.Kind == core.Received {
		p.chains.receive(in.From, t.proc)
		if wire := in.Message.Describe(); !wire.ID.IsZero() && t.host != nil &&
			int(in.From) < p.ranks && !p.received[wire.ID] {
			p.state[t.proc].arrived[in.From]++
		}
	}
	sent := core.MsgID{}
	for i := range out {
		switch e := &out[i]; e.Kind {
		case core.ProgramSent:
			sent = e.Payload.ID
			p.program(t, e)
		case core.Deliver:
			p.deliver(t, e)
		case core.SendMessage:
			p.send(t, e, sent)
		case core.Persist:
			p.write(t, e)
		case core.Declare:
			p.memory.declare(t.proc, e)
		}
	}
	if t.host != nil {
		p.moved(t, in)
	}
}

// program is a send of a program.
func (p *probe) program(_ *tap, e *core.Effect) {
	id := e.Payload.ID
	if _, again := p.size[id]; !again {
		p.facts.Sends++
	}
	p.size[id] = int64(len(e.Payload.Data))
	p.to[id] = core.Rank(e.To)
}

// deliver is a reception of a program.
func (p *probe) deliver(t *tap, e *core.Effect) {
	if id := e.Payload.ID; !p.received[id] {
		p.received[id] = true
		p.facts.Receptions++
	}
	if n := &p.state[t.proc].arrived[e.From]; *n > 0 {
		*n--
	}
}

// send is a message on its way: the program's own for the first time, or another one.
func (p *probe) send(t *tap, e *core.Effect, sent core.MsgID) {
	wire := e.Message.Describe()
	own := !wire.ID.IsZero() && wire.ID == sent
	p.chains.send(t.proc, e.To, !own)
	if !own {
		p.facts.Control++
		if t.host != nil && wire.ID.IsZero() {
			p.images.shipped(t, e.To, program.Images(core.Encode(e.Message)), p.run)
		}
		return
	}
	p.facts.Messages = append(p.facts.Messages, p.carried(t.proc, e))
}

// write is a record on its way to the store.
func (p *probe) write(t *tap, e *core.Effect) {
	if e.Value == nil {
		return
	}
	list := program.Images(e.Value)
	switch {
	case p.run.Now() == 0:
		p.facts.First += min(1, len(list))
	case len(list) == 0:
		p.facts.Writes = append(p.facts.Writes, Write{t.proc, e.Key, p.run.Now()})
	case t.host != nil:
		p.images.written(t, list, p.run)
	}
}

// moved follows where a rank stands and what blocks it.
func (p *probe) moved(t *tap, in *core.Input) {
	s := &p.state[t.proc]
	sent, received := t.host.Executed()
	at := int(sent + received)
	if in.Kind == core.Advance && at != s.at {
		p.goesOn(t.proc)
	}
	if n := len(p.facts.Losses); n > 0 && at > s.at && !s.back {
		p.facts.Losses[n-1].Redone += max(0, min(at, s.high)-s.at)
	}
	s.at, s.high = at, max(s.high, at)
	now, blocked := p.run.Now(), p.blockage(t)
	if blocked != s.blocked {
		p.unblock(s, now)
		s.blocked, s.since = blocked, now
	}
	if t.host.Ended() && !p.done[t.proc] {
		p.finished(t)
	}
}

// unblock adds up how long a rank was blocked.
func (p *probe) unblock(s *rankState, now time.Duration) {
	switch took := now - s.since; s.blocked {
	case atSend:
		p.facts.AtSends += took
	case atReception:
		p.facts.AtReceptions += took
	case elsewhere:
		p.facts.Elsewhere += took
	}
}

// blockage is where the protocol blocks a program now.
func (p *probe) blockage(t *tap) blockage {
	if t.host.Ended() || len(t.Choices(nil)) > 0 {
		return free
	}
	op, ok := t.host.Next()
	switch {
	case !ok:
		return elsewhere
	case op.Kind == core.OpSend:
		return atSend
	case op.Kind != core.OpRecv:
		return elsewhere
	}
	for q, n := range p.state[t.proc].arrived {
		if n > 0 && (op.Any || int(op.Peer) == q) {
			return atReception
		}
	}
	return free
}

// crashed is a rank that stops, because it has failed or goes back.
func (p *probe) crashed(q core.Proc) {
	s := &p.state[q]
	p.goesOn(q)
	p.unblock(s, p.run.Now())
	s.blocked, s.before, s.back = free, s.at, true
	clear(s.arrived)
	p.done[q] = false
	p.memory.crash(q)
	p.chains.crash(q)
	if n := len(p.facts.Losses); n > 0 {
		l := &p.facts.Losses[n-1]
		if !on(l.Back, core.Rank(q)) {
			l.Back = append(l.Back, core.Rank(q))
		}
	}
}

// goesOn is the first send or reception of a program after a restart, or the end of the run.
func (p *probe) goesOn(q core.Proc) {
	s := &p.state[q]
	if n := len(p.facts.Losses); s.back && n > 0 {
		l := &p.facts.Losses[n-1]
		l.Lost[q] += max(0, s.before-s.at)
		l.Rounds = max(l.Rounds, p.chains.of(q))
	}
	s.back = false
}

// on reports whether a rank is one of a list.
func on(list []core.Rank, r core.Rank) bool { return slices.Contains(list, r) }
