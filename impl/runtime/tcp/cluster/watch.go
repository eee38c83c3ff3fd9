package cluster

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// watchdog is one that runs, as the supervisor knows it.
type watchdog struct {
	serial uint64           // of all that its owner has started
	began  uint64           // clock of the step that started it
	life   core.Incarnation // of the process that it is about
	due    bool             // that life is over, and all agree
}

// watch starts or stops the watchdog of p about somebody: about the present life or, of who is
// down, the one that has ended.
func (s *supervisor) watch(p *proc, a answer) {
	if a.Serial == 0 {
		delete(p.watches, a.Proc)
		return
	}
	if int(a.Proc) >= len(s.procs) {
		s.stop("", fmt.Errorf("cluster: %s watches proc %d, which does not exist",
			s.setup.Layout.Name(p.id), a.Proc))
		return
	}
	q := s.procs[a.Proc]
	w := &watchdog{serial: a.Serial, began: a.Began, life: q.life}
	p.watches[q.id] = w
	if s.steering != nil {
		return
	}
	in := func(b *burial) bool { return slices.Contains(b.procs, q.id) }
	if q.process == nil && !slices.ContainsFunc(s.dying, in) { // q.life is the next one
		w.life--
		if !slices.ContainsFunc(s.burying, in) {
			s.expire(p, q)
		}
	} else if q.asleep != nil {
		s.mistake(p, q)
	}
	s.ask() // perhaps somebody is to err
}

// expire lets the watchdog of p about a life that is over expire after a while. All have agreed, so
// what the dead has sent has arrived.
func (s *supervisor) expire(p, q *proc) {
	w := p.watches[q.id]
	w.due = true
	if s.steering != nil {
		return // that is a move
	}
	s.later(s.delay(), func() {
		if p.watches[q.id] != w || p.process == nil || p.dying || s.over || s.ending {
			return
		}
		delete(p.watches, q.id)
		s.tell(p, order{Kind: sayExpired, Procs: []core.Proc{q.id}, Serial: w.serial})
		if c := s.crashOf(q.id); c != nil {
			c.Told = append(c.Told, s.since())
		}
	})
}

// silent lets the watchdogs about lives that have ended expire.
func (s *supervisor) silent(q *proc) {
	for _, p := range s.procs {
		if w := p.watches[q.id]; w != nil && !w.due && w.life < q.life {
			s.expire(p, q)
		}
	}
}

// begun decides what the watchdogs are about that were started while a new life of q was beginning:
// the clocks tell, as they do in the trace.
func (s *supervisor) begun(q *proc) {
	if s.look(q, false); len(q.reader.pieces) == 0 {
		return
	}
	for _, p := range s.procs {
		if w := p.watches[q.id]; w != nil && !w.due && w.life == q.life &&
			w.began < q.reader.pieces[0].Began {
			w.life--
			s.expire(p, q)
		}
	}
}

// watched reports whether some watchdog has yet to expire.
func (p *proc) watched() bool {
	for _, w := range p.watches {
		if w.due {
			return true
		}
	}
	return false
}

// mistaken lets one watchdog of p expire although its proc lives, on a request of the plan; it
// reports false if none may.
func (s *supervisor) mistaken(p *proc) bool {
	var about []*proc
	for q := range s.procs {
		if s.mayMistake(p, s.procs[q]) {
			about = append(about, s.procs[q])
		}
	}
	if len(about) == 0 {
		return false
	}
	s.expireFalsely(p, about[s.rng.IntN(len(about))])
	return true
}

// mayMistake reports whether the model lets the watchdog of p about q expire although q lives.
func (s *supervisor) mayMistake(p, q *proc) bool {
	w, m := p.watches[q.id], &s.c.Model
	return w != nil && !w.due && w.life == q.life && q.process != nil && q.up && !q.dying &&
		s.left.suspicions > 0 &&
		(m.Victims == nil || slices.Contains(m.Victims, q.id))
}

func (s *supervisor) expireFalsely(p, q *proc) {
	w := p.watches[q.id]
	delete(p.watches, q.id)
	s.left.suspicions--
	s.out.Suspicions++
	s.tell(p, order{Kind: sayExpired, Procs: []core.Proc{q.id}, Serial: w.serial})
}

// nextLife notes that an incarnation is over and its process goes on. What would follow from that
// for others is not kept: the protocols need none of it.
func (s *supervisor) nextLife(p *proc, renewed bool) {
	name, what := s.setup.Layout.Name(p.id), ""
	_, placed := s.setup.Layout.Hosted[p.id]
	switch {
	case slices.ContainsFunc(s.procs, func(q *proc) bool { return q.watches[p.id] != nil }):
		what = "another proc watches it"
	case !renewed && placed:
		what = "it runs where others say"
	case !renewed && len(s.setup.Group(p.id)) > 1:
		what = "it restarts with its group"
	}
	if what != "" {
		s.stop("", fmt.Errorf("cluster: %w: %s begins a new life by itself, and %s", ErrModel, name,
			what))
		return
	}
	p.watches = map[core.Proc]*watchdog{}
}

// exit stops a proc of its own accord, with its group and what runs on its node. It is no failure
// of the model.
func (s *supervisor) exit(p *proc) {
	n := len(s.out.Crashes)
	if s.crash([]*proc{p}, false); len(s.out.Crashes) > n {
		s.out.Crashes[n].Exit = true
		s.out.Failures--
	}
}

// crashOf is the newest failure of a proc, nil if there is none.
func (s *supervisor) crashOf(q core.Proc) *Crash {
	for i := len(s.out.Crashes) - 1; i >= 0; i-- {
		if c := &s.out.Crashes[i]; slices.Contains(c.Procs, q) {
			return c
		}
	}
	return nil
}
