package cluster

import (
	"slices"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// tickEvery is how often the supervisor looks whether the run is complete.
const tickEvery = 20 * time.Millisecond

// round is one question to all: what are you doing?
type round struct {
	number  int
	answers map[core.Proc]answer
	before  map[core.Proc]uint64 // steps at the last round, if all was at rest in it
	quiet   bool                 // nothing can happen any more
	asked   bool
	of      int // lives that were asked
	skipped int // times that nobody was asked, as the programs of a bare run go on
}

// tick looks at the run now and then.
func (s *supervisor) tick() {
	if s.over || s.ending || s.expired || s.steering != nil {
		return
	}
	s.later(tickEvery*time.Duration(1+len(s.procs)/8), s.tick)
	if s.setup.Layout.Hosted != nil {
		for _, p := range s.procs {
			if p.process != nil {
				s.look(p, false)
			}
		}
		s.restart()
	}
	s.askAll()
}

// askAll asks all what they are doing, unless that can not say that the run is complete.
func (s *supervisor) askAll() {
	if s.over || s.ending || s.expired || s.steering != nil || s.round.asked || !s.still() ||
		s.disturbs() {
		return
	}
	s.round.number++
	s.round.asked, s.round.of, s.round.answers = true, 0, map[core.Proc]answer{}
	for _, p := range s.procs {
		if p.process != nil {
			s.round.of++
			s.tell(p, order{Kind: sayStatus, Round: s.round.number,
				Measure: s.round.before != nil})
		}
	}
}

// seldom is how many looks at a bare run are skipped.
const seldom = 25

// disturbs reports whether a question would only cost time: a bare run whose programs go on is at
// most stuck, which may be seen later.
func (s *supervisor) disturbs() bool {
	if !s.c.Bare || s.done() {
		return false
	}
	s.round.skipped++
	return s.round.skipped%seldom != 0
}

// done reports whether the programs of all ranks that run have ended.
func (s *supervisor) done() bool {
	return !slices.ContainsFunc(s.procs[:s.setup.Layout.Ranks], func(p *proc) bool {
		return p.process != nil && !p.done
	})
}

// still reports whether the supervisor itself has nothing to do for anybody.
func (s *supervisor) still() bool {
	if !s.live || len(s.dying) > 0 || len(s.burying) > 0 ||
		slices.ContainsFunc(s.hosts, func(g *ground) bool { return g.fencing }) {
		return false // who is down because of a host that is given up starts again behind that
	}
	return !slices.ContainsFunc(s.procs, func(p *proc) bool {
		return p.process != nil && (!p.up || len(p.pending) > 0 || p.watched() ||
			p.asleep != nil) || p.starting || s.mayRestart(p)
	})
}

// status takes the answer of one; when all have answered, it compares.
func (s *supervisor) status(p *proc, a answer) {
	if p.unseen { // it was asked behind that, and lives
		s.stop("", s.unseen(p))
		return
	}
	if a.Round != s.round.number || !s.round.asked {
		return
	}
	s.round.answers[p.id] = a
	if len(s.round.answers) < s.round.of { // whoever stops or begins meanwhile ends the round
		return
	}
	s.round.asked = false
	s.stepped()
	if s.steering != nil {
		return
	}
	before := s.round.before
	s.round.before = nil
	if s.expired || !s.still() || !s.atRest() {
		return
	}
	s.round.before = map[core.Proc]uint64{}
	same := before != nil
	for q, a := range s.round.answers {
		s.round.before[q] = a.Steps
		same = same && before[q] == a.Steps
	}
	if !same {
		if before == nil { // most likely nothing has happened since, and with that it is complete
			s.askAll()
		}
		return
	}
	s.round.quiet = true
	if s.strike() {
		return
	}
	s.out.Complete = true
	s.finish()
}

// atRest reports whether nobody has anything to do and nothing is on its way. Two who have never
// had a connection have nothing on its way between them.
func (s *supervisor) atRest() bool {
	for _, a := range s.round.answers {
		if !a.Idle || a.Epoch != s.instructions.Epoch {
			return false
		}
	}
	return s.arrived()
}

// arrived reports whether nothing is on its way between those who have answered.
func (s *supervisor) arrived() bool {
	for p, a := range s.round.answers {
		for _, to := range a.Peers {
			b, up := s.round.answers[to.Proc]
			if !up {
				continue // what is sent to who is down for good stays where it is
			}
			from := b.with(p)
			if to.Held > 0 || to.Lost || to.Life != int(s.procs[to.Proc].life) ||
				from.Life >= 0 && from.Life != int(s.procs[p].life) || to.Sent != from.Received {
				return false
			}
		}
	}
	return true
}

// with is what a life has said of its connection with a proc.
func (a *answer) with(p core.Proc) peer {
	i, ok := slices.BinarySearchFunc(a.Peers, p, func(k peer, p core.Proc) int {
		return int(k.Proc) - int(p)
	})
	if !ok {
		return peer{Proc: p, Life: -1}
	}
	return a.Peers[i]
}

// result is what the run has shown.
func (s *supervisor) result() (*Result, error) {
	out := &s.out
	out.Unstruck, out.Unstopped = len(s.armed), s.unstopped()
	if s.steering != nil {
		s.steering.result()
	}
	var steps []step
	for _, p := range s.procs {
		for life, r := range p.readers {
			if _, err := r.read(true); err != nil {
				return nil, err
			}
			steps = append(steps, stepsOf(p.id, core.Incarnation(life), r.pieces)...)
			if n := len(r.pieces); n > 0 {
				p.performed = r.pieces[n-1].Performed
			}
		}
		out.Performed = append(out.Performed, p.performed)
		a := s.ended[p.id]
		out.Counts = append(out.Counts, a.Counts)
		out.Strangers += a.Strangers
		if int(p.id) < s.setup.Layout.Ranks {
			out.Digests, out.Done = append(out.Digests, a.Digest), append(out.Done, a.Done)
			var ended time.Duration
			if a.Ended > 0 {
				ended = max(1, time.Duration(a.Ended-s.began.UnixNano()))
			}
			out.Ended = append(out.Ended, ended)
		}
	}
	out.Processes = s.processes()
	out.Traffic = s.traffic()
	steps = append(steps, s.crashes...)
	out.Trace = trace.Trace{Layout: s.setup.Layout}
	out.Trace.Events, out.Trace.At = merge(steps)
	for i := range out.Trace.At {
		out.Trace.At[i] -= s.began.UnixNano()
	}
	return out, nil
}
