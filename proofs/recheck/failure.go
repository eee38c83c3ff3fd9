package recheck

import (
	"slices"

	"github.com/domino-check/domino/proofs/certificate"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// waits reports whether a failure has struck in the state and another one waits for the recovery.
func (s *scene) waits() bool {
	m := &s.Model
	return m.Settled && m.Failures > 1 && !m.OneInstant && s.left.Failures > 0 &&
		int(s.left.Failures) < m.Failures
}

// calm reports whether a recovery is over in the state: nobody is down who will restart, whoever is
// to be told has been told or will find out by a watchdog, whoever is to be stopped is, nothing is
// on its way, and every rank that has restarted has declared so, with nobody ahead of it, or can
// not go on without the others.
func (s *scene) calm() (bool, error) {
	for p := range trace.Proc(s.procs) {
		b := s.at(p)
		if !b.env.Up && b.env.Still == 0 && !s.mayRestart(p) && !s.Model.Staggered {
			continue // for good
		}
		if !b.env.Up || len(b.env.Pending) > 0 || len(b.env.Kills) > 0 || b.waited() >= 0 ||
			len(b.inbox) > 0 || slices.ContainsFunc(b.env.Watches, s.due) {
			return false, nil
		}
	}
	for p := range trace.Proc(s.procs) {
		if s.at(p).env.Incarnation == 0 {
			continue
		}
		over, err := s.recovered(p)
		if !over || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (s *scene) recovered(p trace.Proc) (bool, error) {
	own, err := s.observed(p, s.state[1+p])
	if err != nil || own.History == nil {
		return true, err
	}
	choices, err := s.Choices(p, s.at(p).local.State)
	if err != nil || len(choices) == 0 {
		return true, err
	}
	if own.History.Recovering {
		return false, nil
	}
	for q := range trace.Proc(s.Layout.Ranks) {
		other, err := s.observed(q, s.state[1+q])
		if err != nil {
			return false, err
		}
		if q != p && other.History != nil && slices.ContainsFunc(other.History.Delivered,
			func(d trace.Delivery) bool {
				return d.ID.From.Proc() == p && d.ID.Number > own.History.Sent
			}) {
			return false, nil
		}
	}
	return true, nil
}

// mayRestart reports whether all of the group of a proc have left the life that it has, and, where
// it runs on the node of somebody, whether somebody has adopted it. Who is launched waits for
// nothing but that.
func (s *scene) mayRestart(p trace.Proc) bool {
	if s.launched(p) {
		return len(s.at(p).env.Tickets) > 0
	}
	if _, placed := s.Layout.Hosted[p]; placed && s.host(p) == nobody {
		return false
	}
	life := s.at(p).env.Incarnation
	return !slices.ContainsFunc(s.Groups[p], func(q trace.Proc) bool {
		e := &s.at(q).env
		return e.Up && e.Incarnation < life || e.Still > 0 && e.Incarnation <= life
	})
}

// victim reports whether a proc may crash, victims whether somebody of its group may.
func (e *environment) victim(p trace.Proc) bool {
	return e.Model.Victims == nil || slices.Contains(e.Model.Victims, p)
}

func (e *environment) victims(p trace.Proc) bool {
	return slices.ContainsFunc(e.Groups[p], e.victim)
}

// mayCrash reports whether a crash may begin with a proc: with the first of a group of which
// somebody can be killed, or with any that can where members stop one by one.
func (s *scene) mayCrash(p trace.Proc) bool {
	if s.Model.Staggered {
		return s.victim(p) && s.mortal(p)
	}
	return s.Groups[p][0] == p && s.victims(p) && !s.standing(p) &&
		slices.ContainsFunc(s.Groups[p], s.mortal)
}

// mortal reports whether a crash can take a proc: it is up, or has rolled back.
func (s *scene) mortal(p trace.Proc) bool { return s.at(p).env.Up || s.at(p).env.Back }

// crashes visits the crash of every set of groups, or of procs, that may stop at once.
func (s *scene) crashes(from trace.Proc, chosen []trace.Proc, most int) error {
	for p := from; int(p) < s.procs; p++ {
		if !s.mayCrash(p) {
			continue
		}
		set := append(slices.Clip(chosen), p)
		procs := set
		if !s.Model.Staggered {
			procs = nil
			for _, g := range set {
				procs = append(procs, s.Groups[g]...)
			}
		}
		procs = s.withHosted(s.state, procs)
		if (!s.Model.OneInstant || len(set) == s.Model.Failures) && !s.overlaps(procs) {
			if err := s.crash(procs, len(set)); err != nil {
				return err
			}
		}
		if most > 1 {
			if err := s.crashes(p+1, set, most-1); err != nil {
				return err
			}
		}
	}
	return nil
}

// crash visits every outcome of the crash of procs, which costs so many failures. One that costs
// none is bound to happen.
func (s *scene) crash(procs []trace.Proc, failures int) error {
	return s.outcomes(s.at, procs, true, func(list []outcome, damaged int) error {
		s.begin()
		s.fall(procs, list, true)
		b := s.left
		b.Failures, b.Torn = b.Failures-uint8(failures), b.Torn-uint8(damaged)
		b.Over = false
		s.budget(b)
		return s.done("the crash of "+s.Layout.NamesOf(procs), failures > 0)
	})
}

// stops takes the stops of procs whose group has stopped without them, where members stop one by
// one.
func (s *scene) stops() error {
	for p := range trace.Proc(s.procs) {
		if !s.Model.Staggered || !s.at(p).env.Up || !s.behind(s.state, p) {
			continue
		}
		if err := s.crash(s.withHosted(s.state, []trace.Proc{p}), 0); err != nil {
			return err
		}
	}
	return nil
}

// outcome is what becomes of the changes that are on their way to the store of a proc that stops:
// some of the oldest become stable, and the next one may be torn.
type outcome struct {
	kept int
	torn bool
}

// outcomes visits what may become of the changes of procs that stop, which are in the given bodies,
// and how many are torn. Of a disk that goes with its node, in a crash, nothing is left.
func (s *scene) outcomes(in func(trace.Proc) *body, procs []trace.Proc, crash bool,
	visit func([]outcome, int) error) error {
	list := make([]outcome, len(procs))
	var choose func(i, damaged int) error
	choose = func(i, damaged int) error {
		if i == len(procs) {
			return visit(list, damaged)
		}
		b := in(procs[i])
		if list[i] = (outcome{}); crash && s.bare(&b.env, procs[i], procs) {
			return choose(i+1, damaged)
		}
		for kept := 0; kept <= len(b.env.Writing); kept++ {
			if kept < len(b.env.Writing) && b.env.Writing[kept].Read {
				continue // as behind it
			}
			list[i] = outcome{kept: kept}
			if err := choose(i+1, damaged); err != nil {
				return err
			}
			if int(s.left.Torn) > damaged && b.tears(kept) {
				list[i].torn = true
				if err := choose(i+1, damaged+1); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return choose(0, 0)
}

// bare reports whether the disk of a proc goes with its node, which crashes with the others.
func (s *scene) bare(e *certificate.Env, p trace.Proc, crashed []trace.Proc) bool {
	return s.Model.Disks == fault.GoWithNode && slices.Contains(s.Disks, p) &&
		(e.Host == 0 || slices.Contains(crashed, trace.Proc(e.Host-1)))
}

// nextLife is the life that the group of a proc has after a crash: that of no member was newer.
// Where members stop one by one those that are up are still to stop.
func (s *scene) nextLife(p trace.Proc) (life uint32) {
	for _, q := range s.Groups[p] {
		e := &s.now(q).env
		switch {
		case !e.Up:
			life = max(life, e.Incarnation)
		case q == p || !s.Model.Staggered:
			life = max(life, e.Incarnation+1)
		}
	}
	return life
}

// fall ends the lives of procs in the successor, and gives those that are down the number of the
// next one. In a crash the disks of nodes go with them, and the detector comes to know; it is not
// told of who stops because its node does.
func (s *scene) fall(procs []trace.Proc, list []outcome, crash bool) {
	type last struct {
		life              uint32
		up, bare, noticed bool
	}
	ends := make([]last, len(procs))
	for i, p := range procs {
		e := &s.now(p).env
		ends[i] = last{s.nextLife(p), there(e), crash && s.bare(e, p, procs), crash &&
			!s.Layout.Hosted[p] && (e.Host == 0 || !slices.Contains(procs, trace.Proc(e.Host-1)))}
	}
	for i, p := range procs {
		c := change{kind: renumber, a: ends[i].life}
		if !ends[i].up {
			s.touch(p, c)
			continue
		}
		for _, q := range s.Groups[p] { // who is down already will be of the same life
			if f := &s.now(q).env; !f.Up && f.Incarnation < c.a {
				s.touch(q, c)
			}
		}
		c.kind = crashed
		if list != nil {
			if c.b = uint32(list[i].kept); list[i].torn {
				c.c = torn
			}
		}
		if ends[i].bare {
			c.c |= bare
		}
		s.touch(p, c)
		if s.Launched {
			s.revoke(p)
		}
		for q := range trace.Proc(s.procs) {
			if s.Model.FromDead == fault.Nothing {
				s.touch(q, change{kind: loss, a: uint32(p)})
			}
		}
	}
	for i, p := range procs {
		if ends[i].noticed {
			s.notice(p)
		}
	}
}

// behind reports whether somebody else of the group of a proc that is up has left its life.
func (s *scene) behind(state []uint32, p trace.Proc) bool {
	life := s.body(p, state[1+p]).env.Incarnation
	return slices.ContainsFunc(s.Groups[p], func(q trace.Proc) bool {
		e := &s.body(q, state[1+q]).env
		return !e.Up && e.Incarnation > life
	})
}

// notice lets the detector know, in the successor, of the group of a proc when all of it have
// stopped.
func (s *scene) notice(p trace.Proc) {
	g := s.Groups[p]
	for _, q := range g {
		if e := &s.now(q).env; e.Still > 0 || e.Up && s.behind(s.next, q) {
			return
		}
	}
	c := change{kind: noticed, a: uint32(g[0])}
	if s.Launched {
		c.b = s.now(g[0]).env.Incarnation
	}
	for _, q := range s.Watchers {
		if !slices.Contains(g, q) {
			s.touch(q, c)
		}
	}
}
