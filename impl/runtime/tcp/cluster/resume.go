package cluster

import (
	"errors"
	"os"
	"slices"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// A run whose supervisor has ended with all its processes, by SIGKILL or at the end of an
// allocation, goes on in its folder: what has become of it is what the supervisor and the lives
// have written down (Past), and whoever was up has failed, all at once.

// resume takes up the run where it was ended, and has all fail who were up.
func (s *supervisor) resume() {
	k := s.past
	s.instructions.Epoch, s.instructions.Gone = k.epoch, slices.Clone(k.gone)
	s.failures, s.out.Failures = k.failures, k.Failures
	s.live, s.began = true, k.began
	s.left.suspicions = max(0, s.left.suspicions-k.erred)
	for i := range s.spoilt { // or it will not be
		s.spoilt[i] = true
	}
	for i := range k.procs {
		s.recall(s.procs[i], &k.procs[i])
	}
	s.out.Crashes = k.history()
	s.clock.hear(k.clock)
	for i := range k.ended {
		s.crashes = append(s.crashes, k.end(&k.ended[i]))
	}
	s.did(Deed{What: DidResume, Procs: k.Up})
	all := &burial{procs: slices.Clone(k.Up), crash: len(s.out.Crashes)}
	if len(k.Up) > 0 {
		s.out.Crashes = append(s.out.Crashes, Crash{Procs: k.Up, Resumed: true,
			At: k.last.Sub(s.began)})
		s.out.Failures += len(groupsOf(s.setup, k.Up))
	}
	if len(k.said.Procs) > 0 { // nobody is left who has to agree
		s.burying = append(s.burying, &burial{procs: k.said.Procs, epoch: k.said.Epoch,
			crash: s.crashNumber(k.said.Procs[0])})
	}
	for _, d := range k.unsaid {
		s.burying = append(s.burying, &burial{procs: d.Procs, ordered: d.Ordered,
			crash: s.crashNumber(d.Procs[0])})
	}
	for _, b := range s.burying {
		for _, q := range b.procs {
			s.owe(b, s.procs[q])
		}
	}
	s.dueNotices()
	s.environment()
	if len(k.Up) > 0 {
		s.bury(all)
	} else {
		s.proceed()
		s.restart()
	}
}

// recall takes over what is known of a proc.
func (s *supervisor) recall(p *proc, f *formerly) {
	p.life, p.inc, p.readers, p.born, p.met = f.life, f.inc, f.readers, f.born, true
	p.spawned = int(f.life) + 1
	p.reader = f.readers[len(f.readers)-1]
	for _, r := range f.readers {
		for i := range r.pieces {
			n := &r.pieces[i]
			p.performed, p.recovering, p.clock = n.Performed, n.Recovering, n.Began
			s.clock.hear(n.Began)
			s.placed(p, n.Events)
		}
	}
	if f.up {
		return
	}
	p.crashed = false // it is down
	// what a life has left that had not begun
	if err := os.Remove(evidenceFile(s.c.Dir, p.id, p.life)); err != nil &&
		!errors.Is(err, os.ErrNotExist) {
		s.stop("", err)
	}
}

// history are the failures before, with their times since the run had begun.
func (k *Past) history() []Crash {
	lives := make([]int, len(k.procs))
	since := func(wall int64) time.Duration {
		return max(1, time.Duration(wall-k.began.UnixNano()))
	}
	for i := range k.crashes {
		c := &k.crashes[i]
		c.At, c.Reaped = since(int64(c.At)), since(int64(c.Reaped))
		if c.Agreed != 0 {
			c.Agreed = since(int64(c.Agreed))
		}
		for j := range c.Told {
			c.Told[j] = since(int64(c.Told[j]))
		}
		var last int64
		for _, p := range c.Procs {
			readers := k.procs[p].readers
			pieces := readers[lives[p]].pieces
			last = max(last, pieces[len(pieces)-1].Wall)
			if lives[p]++; lives[p] < len(readers) {
				c.Restarts = append(c.Restarts, since(readers[lives[p]].pieces[0].Wall))
			}
		}
		if slices.Sort(c.Restarts); c.Resumed { // nobody had seen it
			c.At = since(last)
		}
	}
	return k.crashes
}

// crashNumber is the newest failure of a proc among Result.Crashes.
func (s *supervisor) crashNumber(p core.Proc) int {
	for i := len(s.out.Crashes) - 1; i > 0; i-- {
		if slices.Contains(s.out.Crashes[i].Procs, p) {
			return i
		}
	}
	return 0
}

// end is the end of machines as a step, unless it is in the evidence of their lives.
func (k *Past) end(d *Deed) step {
	at := step{began: d.Clock, proc: d.Procs[0], wall: int64(d.Clock)}
	for i, q := range d.Procs {
		if !k.stoppedThere(q, d.Clock) {
			at.events = append(at.events, trace.Event{Kind: trace.Crashed, Proc: q,
				Incarnation: d.Lives[i]})
		}
	}
	return at
}

// dueNotices finds what watchers have not heard of those who are down: they were not told, or have
// not taken it.
func (s *supervisor) dueNotices() {
	for _, w := range s.setup.Watchers {
		q := s.procs[w]
		for _, d := range s.past.ended {
			for _, g := range groupsOf(s.setup, d.Procs) {
				n := notice{group: g}
				if d.Ordered || s.past.procs[g].up || slices.Contains(s.setup.Group(g), w) ||
					slices.Contains(q.pending, n) || s.heardOf(q, g, d.Clock) {
					continue
				}
				q.pending = append(q.pending, n)
			}
		}
		slices.SortFunc(q.pending, notice.compare)
	}
}

// heardOf reports whether a watcher has taken a notice of a group that it was told since a time.
func (s *supervisor) heardOf(w *proc, group core.Proc, since uint64) bool {
	for life, r := range w.readers {
		taken := 0
		for i := range r.pieces {
			for _, e := range r.pieces[i].Events {
				if e.Kind == trace.Told {
					taken++
				}
			}
		}
		until := ^uint64(0)
		if life+1 < len(w.born) {
			until = w.born[life+1].clock
		}
		for _, d := range s.past.tells {
			if *d.To != w.id || d.Clock < w.born[life].clock || d.Clock >= until {
				continue
			}
			if taken--; taken >= 0 && d.Clock > since && slices.Contains(d.Procs, group) {
				return true
			}
		}
	}
	return false
}
