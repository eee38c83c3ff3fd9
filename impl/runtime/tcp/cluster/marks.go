package cluster

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/processes"
	"github.com/domino-check/domino/spec/trace"
)

// marks are what a life has to write down of its connections, of failures and of its disk, with the
// next piece of its evidence. Where there is no evidence there are none.
type marks struct {
	list []processes.Mark
	off  bool
}

func (m *marks) add(k processes.Mark) {
	if m != nil && !m.off {
		m.list = append(m.list, k)
	}
}

// take hands them over.
func (m *marks) take() []processes.Mark {
	list := m.list
	m.list = nil
	return list
}

// persisting notes a write or a deletion before it is done.
func (m *marks) persisting(e *core.Effect) {
	switch {
	case e.Kind != core.Persist:
	case e.Value == nil:
		m.add(processes.Mark{What: processes.Erasing, Key: e.Key})
	default:
		m.add(processes.Mark{What: processes.Writing, Key: e.Key, Digest: core.Digest(e.Value)})
	}
}

// handed notes what the disk has handed out.
func (m *marks) handed(records []core.Record) {
	k := processes.Mark{What: processes.Handed}
	for _, r := range records {
		k.Records = append(k.Records,
			processes.Record{Key: r.Key, Digest: core.Digest(r.Value), Torn: r.Torn})
	}
	m.add(k)
}

// born is what a life was told at its beginning.
type born struct {
	clock, epoch uint64
	gone         []int
}

// processes is the evidence of what the runtime itself has done.
func (s *supervisor) processes() *processes.Run {
	r := &processes.Run{Layout: &s.setup.Layout, Complete: s.out.Complete,
		Nothing: s.instructions.Nothing, Failures: s.failures,
		Untrusted: make([]bool, len(s.procs))}
	for _, p := range s.procs {
		// where daemons start others, records are handed over by them, and disks go with nodes
		r.Untrusted[p.id] = s.setup.Launched || s.spoils(p.id) ||
			slices.Contains(s.setup.Local, p.id)
		for n, d := range p.readers {
			b := p.born[n]
			l := processes.Life{Proc: p.id, Number: trace.Incarnation(n), Clock: b.clock,
				Epoch: b.epoch, Gone: b.gone, InOrder: d.whole}
			for i := range d.pieces {
				for _, k := range d.pieces[i].Marks {
					k.Step = d.pieces[i].Began
					l.Marks = append(l.Marks, k)
				}
			}
			r.Lives = append(r.Lives, l)
		}
	}
	return r
}

// failed notes what all are to agree on now.
func (s *supervisor) failed(b *burial) {
	f := processes.Failure{Procs: slices.Clone(b.procs)}
	for _, q := range b.procs {
		f.Lives = append(f.Lives, s.procs[q].life-1) // the next one has not begun
	}
	s.failures = append(s.failures, f)
}
