package compare

import (
	"cmp"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/runtime/emulate"
	"github.com/domino-check/domino/spec/trace"
)

// entry is a message in a log, for a receiver.
type entry struct {
	id core.MsgID
	to core.Proc
}

// memory is what procs keep of payloads.
type memory struct {
	kept []map[entry]bool // by proc, declared
	ever map[core.MsgID]bool
	// found in the state of a machine after it was received, in so many looks in a row that it is
	// none of an image that is being taken
	found map[core.MsgID]bool
	seen  []map[core.MsgID]int // by proc: in how many looks in a row
	peak  int64
}

func (m *memory) init(procs int) {
	m.kept, m.seen = make([]map[entry]bool, procs), make([]map[core.MsgID]int, procs)
	m.ever, m.found = map[core.MsgID]bool{}, map[core.MsgID]bool{}
	for p := range m.kept {
		m.kept[p] = map[entry]bool{}
	}
}

// declare follows what a machine says of its log.
func (m *memory) declare(p core.Proc, e *core.Effect) {
	copied := e.Key == trace.Copy || e.Key == trace.Part
	switch what := (entry{e.ID, e.To}); {
	case e.What == trace.Logged || e.What == trace.Kept && copied:
		m.kept[p][what], m.ever[e.ID] = true, true
	case e.What == trace.Pruned || e.What == trace.Forgotten && copied:
		delete(m.kept[p], what)
	}
}

// crash empties the memory of a proc.
func (m *memory) crash(p core.Proc) { clear(m.kept[p]) }

// looks is in how many looks in a row a payload is found that is kept: those of an image go sooner.
const looks = 4

// few is the share of messages, one in so many, of which nothing is said: those in states that are
// not declared to be kept, which an image that takes longer still has, and writes of so few
// receptions.
const few = 20

// look is a look into all machines that run: what they keep now, declared or not. A payload that
// its receiver has not got yet is on its way, and no log.
func (p *probe) look() {
	var now int64
	for q, t := range p.taps {
		if t == nil || !p.run.Up(core.Proc(q)) {
			continue
		}
		for what := range p.memory.kept[q] {
			now += p.size[what.id]
		}
		seen := map[core.MsgID]int{}
		for _, id := range core.Payloads(core.EncodeState(t.Machine)) {
			if !p.received[id] {
				continue
			}
			if seen[id] = p.memory.seen[q][id] + 1; seen[id] == looks {
				p.memory.found[id] = true
			}
		}
		p.memory.seen[q] = seen
	}
	p.memory.peak = max(p.memory.peak, now)
}

// sum is what the log comes to.
func (m *memory) sum(l *Log, p *probe) {
	l.Peak = m.peak
	for q := range m.kept {
		for what := range m.kept[q] {
			if what.id.From.Proc() == core.Proc(q) {
				l.AtSenders++
			} else {
				l.Elsewhere++
			}
		}
	}
	for id := range m.found {
		if !m.ever[id] {
			l.Undeclared++
		}
	}
	for id, bytes := range p.size {
		intra := p.together(id.From, p.to[id])
		kept := m.ever[id] || m.found[id] && l.Undeclared*few > len(p.size)
		switch {
		case intra:
			l.SentIntra += bytes
			if kept {
				l.Intra += bytes
			}
		default:
			l.SentInter += bytes
			if kept {
				l.Inter += bytes
			}
		}
	}
}

// together reports whether two ranks are in one group.
func (p *probe) together(a, b core.Rank) bool {
	for _, g := range p.facts.Case.Groups {
		if on(g, a) {
			return on(g, b)
		}
	}
	return a == b
}

// images are the images that ranks have handed over, to the store or to somebody else.
type images struct{ stored, sent []Image }

// written are images in a record of a rank.
func (i *images) written(t *tap, list []program.Position, run *emulate.Run) {
	i.stored = add(i.stored, t, t.proc, list, run)
}

// shipped are images in a message of a rank to somebody.
func (i *images) shipped(t *tap, to core.Proc, list []program.Position, run *emulate.Run) {
	if run.Now() > 0 {
		i.sent = add(i.sent, t, to, list, run)
	}
}

// add adds images of a rank. One that stands where the one before does is the same, written again.
func add(to []Image, t *tap, keeper core.Proc, list []program.Position,
	run *emulate.Run) []Image {
	for _, at := range list {
		image := Image{core.Rank(t.proc), keeper, run.Now(), at.Sent, at.Received}
		same := slices.IndexFunc(to, func(j Image) bool {
			return j.Rank == image.Rank && j.Sent == image.Sent && j.Received == image.Received
		})
		if same < 0 {
			to = append(to, image)
		}
	}
	return to
}

// list are those in the store, or where there are none those that were sent.
func (i *images) list() []Image {
	list := i.stored
	if len(list) == 0 {
		list = i.sent
	}
	slices.SortStableFunc(list, func(a, b Image) int { return cmp.Compare(a.At, b.At) })
	return list
}
