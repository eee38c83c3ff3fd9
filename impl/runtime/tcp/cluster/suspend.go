package cluster

import (
	"slices"
	"time"

	"github.com/domino-check/domino/impl/core"
)

// Stop is a false suspicion: a proc, with all that would stop with it, is stopped (SIGSTOP), so
// that it says nothing, though it lives, and goes on later where it was.
type Stop struct {
	Proc  core.Proc
	Timed bool
	At    time.Duration // if timed: after all have begun
	By    core.Proc     // otherwise: whose effects are counted
	After int           // and how many they are
	For   time.Duration // it goes on so long after it was last suspected; 0 means 100 ms
}

// Suspension is one stop, or what looked like one; times are since all have begun.
type Suspension struct {
	Procs     []core.Proc
	Outside   bool            // somebody else has stopped it, or it was busy
	At        time.Duration   // it was to stop; from outside: its silence was noticed
	Stopped   time.Duration   // all of it had
	Suspected []time.Duration // when somebody was told that it is down
	WentOn    time.Duration   // 0: never
}

// defaultStop is how long a proc is stopped.
const defaultStop = 100 * time.Millisecond

// pollEvery is how often the supervisor looks whether what it stops has stopped.
const pollEvery = 500 * time.Microsecond

// armedStop is a stop that has not come.
type armedStop struct {
	Stop
	index int
	begun bool
}

// sleep is a suspension under way.
type sleep struct {
	procs  []*proc
	length time.Duration
	until  time.Time
	coming int // suspicions that were begun and have not come
	out    int // in Result.Stops
}

// suspend stops a proc with all that would stop with it, and goes on with then when it is so.
func (s *supervisor) suspend(st Stop, then func()) {
	z := &sleep{length: st.For, out: len(s.out.Stops)}
	if z.length == 0 {
		z.length = defaultStop
	}
	record := Suspension{At: s.since()}
	for _, p := range s.victims([]*proc{s.procs[st.Proc]}) {
		if p.process != nil && p.up && !p.dying && p.asleep == nil {
			p.process.Stop()
			p.asleep = z
			z.procs, record.Procs = append(z.procs, p), append(record.Procs, p.id)
		}
	}
	if len(z.procs) == 0 {
		s.note("%s was to stop, and is not there", s.setup.Layout.Name(st.Proc))
		then()
		return
	}
	s.out.Stops = append(s.out.Stops, record)
	s.settleDown(z, then)
}

// settleDown waits until all have stopped that are to.
func (s *supervisor) settleDown(z *sleep, then func()) {
	if s.over {
		return
	}
	if slices.ContainsFunc(z.procs, func(p *proc) bool {
		return p.asleep == z && p.process != nil && !p.dying && !p.process.Stopped()
	}) {
		s.later(pollEvery, func() { s.settleDown(z, then) })
		return
	}
	s.out.Stops[z.out].Stopped = s.since()
	then()
	s.suspect(z)
	z.until = time.Now().Add(z.length)
	s.later(z.length, func() { s.wake(z) })
}

// suspect has the failure detector think that those who sleep are down: it tells the watchers, and
// the watchdogs about them expire.
func (s *supervisor) suspect(z *sleep) {
	var groups []core.Proc
	for _, q := range z.procs {
		if g := s.setup.Group(q.id)[0]; !slices.Contains(groups, g) &&
			!s.setup.Layout.Hosted[q.id] {
			groups = append(groups, g)
		}
		for _, p := range s.procs {
			if p.watches[q.id] != nil {
				s.mistake(p, q)
			}
		}
	}
	for _, w := range s.setup.Watchers {
		for _, g := range groups {
			if !slices.Contains(s.setup.Group(g), w) {
				z.coming++
				s.later(s.delay(), func() { s.alarm(z, s.procs[w], g) })
			}
		}
	}
}

// alarm tells a watcher that a group is down which sleeps.
func (s *supervisor) alarm(z *sleep, p *proc, group core.Proc) {
	z.coming--
	if s.procs[group].asleep == z && p.process != nil && p.up && !p.dying &&
		s.left.suspicions > 0 && !s.over && !s.ending {
		s.left.suspicions--
		s.out.Suspicions++
		s.tell(p, order{Kind: saySuspect, Procs: s.setup.Group(group), Life: s.procs[group].inc})
		s.suspected(z)
	}
}

// mistake lets the watchdog of p about somebody who sleeps expire after a while, if the model
// allows and he still sleeps.
func (s *supervisor) mistake(p, q *proc) {
	z, w := q.asleep, p.watches[q.id]
	z.coming++
	s.later(s.delay(), func() {
		z.coming--
		if q.asleep == z && p.watches[q.id] == w && p.process != nil && !p.dying &&
			s.mayMistake(p, q) && !s.over && !s.ending {
			s.expireFalsely(p, q)
			s.suspected(z)
		}
	})
}

func (s *supervisor) suspected(z *sleep) {
	z.until = time.Now().Add(z.length)
	s.out.Stops[z.out].Suspected = append(s.out.Stops[z.out].Suspected, s.since())
}

// wake lets those who sleep go on, a while after the last suspicion.
func (s *supervisor) wake(z *sleep) {
	if rest := time.Until(z.until); (rest > 0 || z.coming > 0) && !s.over {
		s.later(max(rest, pollEvery), func() { s.wake(z) })
		return
	}
	for _, p := range z.procs {
		if p.asleep == z && p.process != nil {
			p.process.Continue()
		}
	}
	s.awake(z)
}

// awake notes that those who slept go on.
func (s *supervisor) awake(z *sleep) {
	for _, p := range z.procs {
		if p.asleep == z {
			p.asleep, p.heard = nil, time.Now()
		}
	}
	s.out.Stops[z.out].WentOn = s.since()
}

// listen looks now and then for processes that give no sign of life.
func (s *supervisor) listen() {
	if s.over || s.ending {
		return
	}
	s.later(s.c.Silence/4, s.listen)
	late := time.Since(s.listened) > s.c.Silence/2
	if s.listened = time.Now(); late {
		return // it was the supervisor that did nothing: what the others have said waits
	}
	for _, p := range s.procs {
		if p.process == nil || !p.up || p.dying || p.asleep != nil ||
			time.Since(p.heard) <= s.c.Silence {
			continue
		}
		z := &sleep{procs: []*proc{p}, out: len(s.out.Stops)}
		p.asleep, p.silent = z, true
		s.out.Stops = append(s.out.Stops, Suspension{Procs: []core.Proc{p.id}, Outside: true,
			At: s.since(), Stopped: s.since()})
		s.note("%s has been silent for %v", s.setup.Layout.Name(p.id), s.c.Silence)
		s.suspect(z)
	}
}

// heard notes a sign of life.
func (s *supervisor) heard(p *proc) {
	if p.heard = time.Now(); p.silent {
		p.silent = false
		s.note("%s is heard of again", s.setup.Layout.Name(p.id))
		if p.asleep != nil {
			s.awake(p.asleep)
		}
	}
}

// armStops arms the stops by the clock, and begins to listen.
func (s *supervisor) armStops() {
	for _, st := range s.stops {
		if st.Timed {
			s.later(st.At, func() {
				if !s.over && !s.ending {
					st.begun = true
					s.suspend(st.Stop, func() {})
				}
			})
		}
	}
	if s.c.Silence > 0 {
		s.listened = time.Now()
		s.later(s.c.Silence/4, s.listen)
	}
}

// unstopped counts the stops that have not come.
func (s *supervisor) unstopped() (n int) {
	for _, st := range s.stops {
		if !st.begun {
			n++
		}
	}
	return n
}
