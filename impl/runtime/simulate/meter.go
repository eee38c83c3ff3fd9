package simulate

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/runtime/emulate"
	"github.com/domino-check/domino/spec/trace"
)

// meter sees what crosses between the machines and the emulator, and adds up.
type meter struct {
	job    *Job
	run    *emulate.Run
	ranks  []rankMeter // by proc; services have logs, too
	own    core.MsgID  // what the program has sent in this step
	log    int64       // bytes in all logs now
	out    *Outcome
	ended  int      // ranks whose programs have ended
	struck []strike // failures, oldest first
	next   int      // of the failures of the job
	halted string   // who gives up first, and why
	last   int64    // when the last program has ended, if all have
	// of a step, nanoseconds for 1,024 bytes that a protocol adds to messages, and who counts them
	price   int64
	handled handling
	copies  int64 // bytes a second that a rank copies; 0 = no limit
	vain    int   // checkpoints that were asked for since a program last went on
	// procs come one after the other, each with its events of a latency; moves are what that does
	// to logs, and blocks are the meters of other blocks of procs
	apart  bool
	moves  []move
	blocks []*meter
}

// block is the meter of one more block of procs.
func (m *meter) block() *meter {
	b := &meter{job: m.job, ranks: m.ranks, apart: true, out: &Outcome{Finals: m.out.Finals}}
	m.blocks = append(m.blocks, b)
	return b
}

// gather adds what the meters of other blocks have seen.
func (m *meter) gather() {
	m.together(m.run)
	for _, b := range m.blocks {
		m.out.Sends += b.out.Sends
		m.out.Control += b.out.Control
		m.out.Writes += b.out.Writes
		m.out.Stored += b.out.Stored
		m.out.Logs += b.out.Logs
		m.out.Logged += b.out.Logged
		m.ended += b.ended
		m.halted = max(m.halted, b.halted)
		m.last = max(m.last, b.last)
	}
}

// move is bytes that are put into a log, or taken out.
type move struct {
	at    int64
	proc  core.Proc
	bytes int64
}

// rankMeter is where one proc stands.
type rankMeter struct {
	log   map[core.MsgID]int64 // what it has logged, with its bytes
	bytes int64                // of all that
	ended bool
	setback
	guarding
	// of its main loop, in which it is
	iteration int
	due       time.Duration // that it is still to compute
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

// position is how far a program has come.
func position(h *program.Host) uint32 {
	sent, received := h.Executed()
	return sent + received
}

// stepped is one step of a machine: how many bytes it copies into a log, what it takes to handle
// what the protocol has added to its messages, and how long its program computes if it has come to
// another iteration.
func (m *meter) stepped(r *emulate.Run, p core.Proc, in *core.Input,
	effects []core.Effect) (more emulate.Beside) {
	m.run = r // of this block
	content := core.Payload{}
	if in.Kind == core.Received {
		if f, ok := in.Message.(core.Framed); ok {
			content = *f.Content()
		}
	}
	if m.price > 0 {
		more.Takes = time.Duration(m.handled.of(in, effects) * m.price >> 10)
	}
	loaded := int64(0)
	if m.job.carries() {
		loaded = m.loaded(p, in, effects)
		more.Copied += loaded
	}
	if in.Kind == core.Advance && int(p) < m.job.Setup.Layout.Ranks {
		m.vain = 0
	}
	m.own = core.MsgID{}
	sent := 0
	for i := range effects {
		switch e := &effects[i]; e.Kind {
		case core.ProgramSent:
			m.own, sent = e.Payload.ID, len(e.Payload.Data)
		case core.SendMessage:
			m.sent(e.Message)
		case core.Commit:
			m.guard(p, e)
		case core.ProgramDone:
			m.out.Finals[p] = e.Digest
			m.end(p, true)
		case core.Declare:
			more.Copied += m.declared(p, e, &content, sent)
		}
	}
	m.follow(p, in)
	if in.Kind == core.Tick && in.Timer != core.Silence && m.job.Setup.Watchdogs &&
		m.ended == m.job.Setup.Layout.Ranks {
		m.run.End() // heartbeats that are messages go on for ever
	}
	more.Computes = m.computes(p, loaded)
	return more
}

// declared is one declaration of a step in which something may have come and so many bytes of a
// program left: how many bytes of either are copied into a log.
func (m *meter) declared(p core.Proc, e *core.Effect, content *core.Payload,
	sent int) (copied int64) {
	m.guard(p, e)
	m.way(p, e)
	size := int64(len(e.Payload.Data))
	if e.What == trace.Logged || e.What == trace.Kept && size > 0 {
		m.out.Logs++
	}
	switch {
	case e.What == trace.Halted && m.halted == "":
		m.halted = fmt.Sprintf("; %s gives up: %s", m.job.Setup.Layout.Name(p), e.Key)
	case e.What == trace.Kept && size > 0: // of a group, see core.KeptPayload
		return m.keep(p, e.ID, size)
	case e.What == trace.Forgotten && (e.Key == trace.Copy || e.Key == trace.Part):
		m.prune(p, e.ID)
	case e.What == trace.Logged && e.ID == m.own:
		return m.keep(p, e.ID, int64(sent))
	case e.What == trace.Logged && e.ID == content.ID:
		return m.keep(p, e.ID, int64(len(content.Data)))
	case e.What == trace.Pruned:
		m.prune(p, e.ID)
	}
	return 0
}

// computes is what a rank computes in a step that has copied so many bytes of images. An image
// leaves when it is made, and not behind what its rank computes next; nor does a rank compute
// before its program goes on.
func (m *meter) computes(p core.Proc, images int64) (takes time.Duration) {
	r := &m.ranks[p]
	if r.due += m.work(p); images == 0 && !r.waits {
		takes, r.due = r.due, 0
	}
	return takes
}

// work is what a rank computes when it has come to another iteration of its main loop. It happens
// together with the step before (core.Kernel).
func (m *meter) work(p core.Proc) time.Duration {
	host := hostOf(m.run.Machine(p))
	if m.job.Work == 0 || host == nil {
		return 0
	}
	r := &m.ranks[p]
	before := r.iteration
	if r.iteration = host.Iteration(); r.iteration > before {
		return m.job.Work
	}
	return 0
}

// sent counts a message that is not a program's own.
func (m *meter) sent(message core.Message) {
	if idOf(message) == m.own && !m.own.IsZero() {
		m.out.Sends++
		return
	}
	m.out.Control++
}

// idOf is the payload that a message carries, if any.
func idOf(m core.Message) core.MsgID {
	if f, ok := m.(core.Framed); ok {
		return f.Content().ID
	}
	return m.Describe().ID
}

// keep adds a payload to the log of a proc, unless it is there.
func (m *meter) keep(p core.Proc, id core.MsgID, bytes int64) int64 {
	log := m.ranks[p].log
	if log == nil {
		log = map[core.MsgID]int64{}
		m.ranks[p].log = log
	}
	if _, there := log[id]; there {
		return 0
	}
	log[id] = bytes
	m.ranks[p].bytes += bytes
	m.moved(p, bytes)
	m.out.Logged += bytes
	return bytes
}

// prune takes a payload out of the log of a proc.
func (m *meter) prune(p core.Proc, id core.MsgID) {
	r := &m.ranks[p]
	bytes := r.log[id]
	r.bytes -= bytes
	m.moved(p, -bytes)
	delete(r.log, id)
}

// moved is bytes more in all logs together, or less.
func (m *meter) moved(p core.Proc, bytes int64) {
	if m.apart {
		m.moves = append(m.moves, move{m.run.Picoseconds(), p, bytes})
		return
	}
	m.log += bytes
	m.out.LogPeak = max(m.out.LogPeak, m.log)
}

// together puts what procs have done one after the other into the order of events.
func (m *meter) together(*emulate.Run) {
	for _, b := range m.blocks {
		m.moves = append(m.moves, b.moves...)
		b.moves = b.moves[:0]
	}
	slices.SortStableFunc(m.moves, func(a, b move) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.proc, b.proc))
	})
	for _, one := range m.moves {
		m.log += one.bytes
		m.out.LogPeak = max(m.out.LogPeak, m.log)
	}
	m.moves = m.moves[:0]
}

// end notes that the program of a rank has ended or, by a crash, has not: with the last one, the
// job is done.
func (m *meter) end(p core.Proc, ended bool) {
	if r := &m.ranks[p]; ended == r.ended {
		return
	} else if r.ended = ended; !ended {
		m.ended--
		return
	}
	m.last = max(m.last, m.run.Picoseconds())
	if m.ended++; m.ended == m.job.Setup.Layout.Ranks {
		if m.job.Interval > 0 || m.next < len(m.job.Failures) {
			m.run.End()
		}
	}
}
