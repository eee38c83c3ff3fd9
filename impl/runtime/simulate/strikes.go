package simulate

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/runtime/emulate"
	"github.com/domino-check/domino/spec/trace"
)

// strike is a failure and who is not yet where he was.
type strike struct {
	at      int64
	units   []core.Proc // that it has stopped: the first of those that stop together
	atOnce  int         // of them and of failures before that were not over (meter.over)
	back    int         // ranks taken back
	waiting int         // of them, who is not where it was
	lost    int64
	up      int64 // when the last of them ran again
	placed  int64 // when a node was found for the last of them
	fetched int64 // when the last of them had its image
	goes    int64 // when the program of the last of them went on
	bare    int   // ranks that are not protected
	safe    int64 // when none was any more
	image   Checkpoint
	ended   int64 // when nobody was any more
	planned bool  // the next failure is
	stopped int   // of units: who ran
}

// recovery is what the failure has done.
func (s *strike) recovery() Recovery {
	r := Recovery{At: s.at, AtOnce: s.atOnce, Back: s.back, Lost: s.lost, Image: s.image}
	if s.ended > 0 {
		up := min(max(s.up, s.at), s.ended)
		goes := min(max(s.goes, up), s.ended)
		r.Takes, r.Down, r.Restore, r.Again = s.ended-s.at, up-s.at, goes-up, s.ended-goes
		if s.placed > s.at {
			r.Placed = min(s.placed, up) - s.at
		}
		if s.fetched > up {
			r.Fetched = min(s.fetched, goes) - up
		}
		if s.bare == 0 {
			r.Protected = max(s.safe, s.ended) - s.at
		}
	}
	return r
}

// setback is where a rank is that was taken back.
type setback struct {
	back   []int  // failures that wait until it is where it was, by number
	before uint32 // where that is: where it was when the first of them struck
	owes   []debt // what it will have lost when its program goes on
	at     uint32 // where it stands, and that is not lost
	waits  bool   // it was taken back, and its program has not gone on
}

// debt is where a rank was when a failure took it back.
type debt struct {
	strike int
	stood  uint32
}

// follow notes that a rank is where it was before it was taken back, or at its end.
func (m *meter) follow(p core.Proc, in *core.Input) {
	host := hostOf(m.run.Machine(p))
	if host == nil {
		return
	}
	r := &m.ranks[p]
	now := m.run.Picoseconds()
	if in.Kind == core.Restore {
		for _, k := range r.back {
			m.struck[k].up = now
		}
	}
	switch {
	case r.waits && in.Kind == core.Advance: // until then an image may come by message
		r.waits = false
		for _, k := range r.back {
			m.struck[k].goes = now
		}
		for _, d := range r.owes {
			m.struck[d.strike].lost += int64(d.stood) - min(int64(d.stood), int64(r.at))
		}
		r.owes = nil
	case r.waits:
		r.at = position(host)
	}
	if len(r.back) > 0 && position(host) >= r.before {
		m.recovered(r)
	}
	m.end(p, host.Ended())
}

// recovered is a rank that is where it was.
func (m *meter) recovered(r *rankMeter) {
	for _, k := range r.back {
		s := &m.struck[k]
		if s.waiting--; s.waiting == 0 {
			s.ended = m.run.Picoseconds()
			m.over(s)
		}
	}
	r.back = nil
}

// observe follows failures: who is taken back, and with its log.
func (m *meter) observe(_ *emulate.Run, e trace.Event) {
	if e.Kind != trace.Crashed || len(m.struck) == 0 {
		return
	}
	r := &m.ranks[e.Proc]
	m.exposed(e.Proc)
	m.log -= r.bytes
	r.log, r.bytes, r.due = nil, 0, 0
	m.end(e.Proc, false)
	if host := hostOf(m.run.Machine(e.Proc)); host != nil {
		m.takenBack(r, host)
	}
}

// way notes how far a rank is on its way back: a node is found for it, and it has its image.
func (m *meter) way(p core.Proc, e *core.Effect) {
	if e.What == trace.Adopted {
		p = e.To
	}
	for _, k := range m.ranks[p].back {
		switch e.What {
		case trace.Adopted:
			m.struck[k].placed = m.run.Picoseconds()
		case trace.Resumed:
			m.struck[k].fetched = m.run.Picoseconds()
		}
	}
}

// takenBack is a rank that the newest failure has taken back.
func (m *meter) takenBack(r *rankMeter, host *program.Host) {
	stood, newest := position(host), len(m.struck)-1
	if len(r.back) == 0 {
		r.before = stood
	}
	r.before = max(r.before, stood)
	m.waitFor(r)
	if !slices.Contains(r.owes, debt{newest, stood}) {
		r.owes = append(r.owes, debt{newest, stood})
	}
	r.at, r.waits = 0, true
}

// waitFor lets the newest failure wait until a rank is where it was.
func (m *meter) waitFor(r *rankMeter) {
	newest := len(m.struck) - 1
	if !slices.Contains(r.back, newest) {
		r.back = append(r.back, newest)
		m.struck[newest].back++
		m.struck[newest].waiting++
		m.struck[newest].image.with(r.stored)
	}
}

// plan puts the next failure into the run, which comes so much later than the one before.
func (m *meter) plan(before time.Duration) {
	if m.next < len(m.job.Failures) {
		m.run.After(m.job.Failures[m.next].At-before, m.fail)
	}
}

// fail is the next failure and, where failures do not wait, all of that moment.
func (m *meter) fail() {
	at := m.job.Failures[m.next].At
	var victims []core.Proc
	for more := true; more; {
		victims = append(victims, m.job.Failures[m.next].Rank.Proc())
		m.next++
		more = m.job.Anytime && m.next < len(m.job.Failures) && m.job.Failures[m.next].At == at
	}
	if m.ended == m.job.Setup.Layout.Ranks {
		return
	}
	m.strike(victims)
	s := &m.struck[len(m.struck)-1]
	if m.job.Anytime {
		m.planOnce(s)
	} else { // where nobody is known to be taken back
		m.over(s)
	}
}

// strike stops ranks. One that was down begins to start again, and the failure waits for it, too.
func (m *meter) strike(victims []core.Proc) {
	s := strike{at: m.run.Picoseconds()}
	var units, down []core.Proc
	for i, p := range victims {
		if !m.run.Up(p) {
			down = append(down, p)
		}
		if _, moves := m.job.Setup.Layout.Hosted[p]; moves {
			victims[i] = m.run.Node(p) // that is what fails, with all that runs there
		}
		group := m.job.Setup.Group(victims[i])
		if slices.Contains(units, group[0]) {
			continue
		}
		units = append(units, group[0])
		if slices.ContainsFunc(group, m.run.Up) {
			s.stopped++
		}
		for _, q := range group {
			if q != p && !m.run.Up(q) {
				down = append(down, q)
			}
		}
	}
	s.units = slices.Clone(units)
	for i := range m.struck {
		for _, u := range m.struck[i].units {
			if m.struck[i].waiting+m.struck[i].bare > 0 && !slices.Contains(units, u) {
				units = append(units, u)
			}
		}
	}
	s.atOnce = len(units)
	m.struck = append(m.struck, s)
	m.run.Crash(victims...)
	for _, q := range down {
		if r := &m.ranks[q]; len(r.back) > 0 {
			m.waitFor(r)
		}
	}
}

// planOnce puts the failure behind this one into the run.
func (m *meter) planOnce(s *strike) {
	if !s.planned {
		s.planned = true
		m.plan(m.job.Failures[m.next-1].At)
	}
}

// validate reports failures that can not be.
func (j *Job) validate() error {
	for i, f := range j.Failures {
		switch ranks := j.Setup.Layout.Ranks; {
		case int(f.Rank) >= ranks:
			return fmt.Errorf("simulate: failure of rank %d at %v: there are ranks 0 to %d", f.Rank,
				f.At, ranks-1)
		case f.At < 0 || f.At > latest:
			return fmt.Errorf("simulate: failure of rank %d at %v, want [0, %v]", f.Rank, f.At,
				latest)
		case i > 0 && f.At < j.Failures[i-1].At:
			return fmt.Errorf("simulate: failure of rank %d at %v, behind one at %v: want rising "+
				"times", f.Rank, f.At, j.Failures[i-1].At)
		}
	}
	return nil
}

// latest is when a failure comes at most: emulated time ends after 53 days.
const latest = 4e6 * time.Second

// ErrBeyond is a run that fails with more failures at a time than the protocol promises to survive.
var ErrBeyond = errors.New("that is outside of what it promises")

// beyond says of a run that has failed how many failures at a time it had to survive, if it need
// not.
func (j *Job) beyond(out *Outcome, err error) error {
	most, inAll := j.Setup.MaxFailures, j.Setup.InAll
	switch {
	case err == nil || out == nil:
		return err
	case inAll > 0 && out.Stopped > inAll:
		return fmt.Errorf("%w; with %d failures in all, of at most %d: %w", err, out.Stopped,
			inAll, ErrBeyond)
	case most == 0 || out.atOnce() <= max(most, 0):
		return err
	}
	return fmt.Errorf("%w; with %d ranks down or not where they had been at a time, of at most "+
		"%d: %w", err, out.atOnce(), max(most, 0), ErrBeyond)
}

// atOnce is how many units were down or not where they had been at a time, at most.
func (o *Outcome) atOnce() int {
	most := 0
	for _, r := range o.Recoveries {
		most = max(most, r.AtOnce)
	}
	return most
}
