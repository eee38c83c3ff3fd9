package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/awake"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
	"github.com/domino-check/domino/impl/runtime/tcp/launch"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/processes"
)

// proc is what the supervisor knows of one proc.
type proc struct {
	id      core.Proc
	process launch.Process   // nil: down
	dying   bool             // it was killed and is not reaped
	met     bool             // it has come to the rendezvous
	up      bool             // it has said so
	unseen  bool             // the lock of its disk was not seen then
	inc     core.Incarnation // the live one, or the next
	life    core.Incarnation // number of the process, or of the next
	spawned int              // processes, with those that ended before they had begun
	reader  *reader          // of the evidence of this life
	readers []*reader        // of all
	born    []born           // what each was told
	failed  string           // why it could not go on
	host    int              // where it runs, in Config.Hosts
	doing   string           // what it answered when it was asked, "?" before
	waits   *answer          // likewise

	// From its evidence:
	performed  int
	recovering bool
	hosts      []core.Proc
	clock      uint64

	watches map[core.Proc]*watchdog // that run
	asleep  *sleep                  // it is stopped, or silent; nil: it is not
	silent  bool                    // from outside
	heard   time.Time               // of it, last
	granted time.Time               // it was, and it has a lease since
	crashed bool                    // by its own evidence: it was rolling back

	pending  []notice   // failures that it has not been told of
	told     [][]notice // in this life, each as it was told
	starting bool       // a new life is on its way
	done     bool       // the program of this life has ended

	on      site      // where its disk is, and where it runs
	tickets []*ticket // of a proc that is down: who starts it
}

// event is something that happens, for the supervisor's own goroutine.
type event func()

// supervisor is the one who runs a run. All but post belongs to the goroutine of run.
type supervisor struct {
	c            *Config
	setup        *core.Setup
	instructions instructions // what all are told
	procs        []*proc
	unborn       []*proc // whose first life is not started yet
	events       chan event
	closed       chan struct{} // nobody takes events any more
	rng          *rand.Rand
	clock        clock
	called       time.Time
	began        time.Time     // all were up
	own          awake.Clock   // time, since called
	lived        time.Duration // by it all were up
	// by it somebody has last written evidence, as far as is known
	progressed time.Duration
	live       bool // they are

	burying  []*burial // failures in the order of their agreement, the first of them under way
	dying    []*burial // not reaped yet
	crashes  []step
	failures []processes.Failure // by epoch
	deeds    *os.File            // nil: of a bare run
	armed    []*armed
	stops    []*armedStop
	spoilt   []bool         // by damage of the plan: it was done
	asked    []plan.Request // that are due
	left     struct{ failures, checkpoints, suspicions int }
	round    round
	steering *steering // nil: everybody goes on by himself
	past     *Past     // nil: the run begins
	stall    stall
	hosts    []*ground // as Config.Hosts
	fences   sync.WaitGroup
	watched  time.Time // when it last looked for hosts that are lost
	told     int       // connections of strangers that the reader was told of
	listened time.Time // when it last looked who is silent
	ending   bool
	ended    map[core.Proc]answer
	over     bool
	expired  bool // the time limit is over
	err      error
	out      Result
}

// armed is a failure of the plan that has not struck.
type armed struct {
	plan.Failure
	what   Measure // "" for effects
	number uint64
	word   string
	index  int
	due    bool
}

func newSupervisor(c *Config, text json.RawMessage) *supervisor {
	id := mesh.NewIdentity()
	s := &supervisor{c: c, setup: c.Setup, events: make(chan event, 64),
		closed: make(chan struct{}), rng: rand.New(rand.NewPCG(c.Seed, 1)),
		ended: map[core.Proc]answer{}}
	s.instructions = instructions{Case: text, Run: id.Run, Secret: id.Secret, Dir: c.Dir,
		Gone: make([]int, len(c.Setup.Layout.Names)), Torn: c.Model.Torn > 0,
		Nothing: c.Model.FromDead == fault.Nothing, DiskDelay: c.DiskDelay, Bare: c.Bare,
		Reserve: c.Reserve, States: c.States, Forget: c.Forget, Ports: c.Ports}
	for p := range c.Setup.Layout.Names {
		s.procs = append(s.procs, &proc{id: core.Proc(p), on: s.firstSite(core.Proc(p))})
	}
	if len(c.Hosts) > 0 {
		for p, host := range spreadOver(c.Setup, c.Hosts) {
			s.procs[p].host = host
		}
		s.out.Placement = s.placement()
		for range c.Hosts {
			s.hosts = append(s.hosts, new(ground))
		}
	}
	for i, f := range c.Plan.Failures {
		s.armed = append(s.armed, &armed{Failure: f, index: i})
	}
	for _, r := range c.Reached {
		s.armed = append(s.armed, &armed{Failure: plan.Failure{Victims: r.Victims, By: r.By},
			what: r.What, number: r.Number, word: r.Word, index: len(s.armed)})
	}
	s.spoilt = make([]bool, len(c.Plan.Spoils))
	for i, st := range c.Stops {
		s.stops = append(s.stops, &armedStop{Stop: st, index: i})
	}
	s.instructions.Keep, s.instructions.Set = c.Model.KeepsIgnored(), c.Model.Set
	if c.Bare {
		s.instructions.Connect = joinTimeout
	}
	if len(c.Hosts) > 1 {
		s.instructions.Connect, s.instructions.Public = min(joinTimeout, c.Timeout/2), true
	}
	s.instructions.Beat = c.beat()
	s.steers()
	s.left.failures, s.left.checkpoints, s.left.suspicions = c.Model.Failures, c.Model.Checkpoints,
		c.Model.Suspicions
	return s
}

// post hands something to the supervisor's goroutine.
func (s *supervisor) post(e event) {
	select {
	case s.events <- e:
	case <-s.closed:
	}
}

// later posts after a while.
func (s *supervisor) later(d time.Duration, e event) { time.AfterFunc(d, func() { s.post(e) }) }

// delay is a time up to the spread.
func (s *supervisor) delay() time.Duration {
	return time.Duration(s.rng.Int64N(int64(s.c.Spread) + 1))
}

func (s *supervisor) note(format string, args ...any) { s.c.Note(fmt.Sprintf(format, args...)) }

// since is the time since all were up.
func (s *supervisor) since() time.Duration {
	if !s.live {
		return 0
	}
	return time.Since(s.began)
}

// run starts all and goes on until the run is over and nobody is left.
func (s *supervisor) run(ctx context.Context) error {
	defer s.steered()
	defer s.fences.Wait()
	defer s.dismiss()
	defer close(s.closed)
	if err := s.openDeeds(); err != nil {
		return err
	}
	s.called = time.Now()
	s.breathe()
	limit := time.NewTimer(s.patience())
	defer limit.Stop()
	s.moved()
	if s.past != nil {
		s.resume()
	} else {
		s.unborn = s.inOrder()
		s.beget()
	}
	s.later(tickEvery, s.tick)
	s.later(s.stallTime(), s.watchStall)
	s.within(startTimeout, func() { s.late(0) })
	interrupted := ctx.Done()
	for !s.over || slices.ContainsFunc(s.procs, func(p *proc) bool { return p.process != nil }) {
		select {
		case e := <-s.events:
			e()
		case <-limit.C:
			if left := s.patience(); left > 0 {
				limit.Reset(left)
			} else {
				s.overdue()
			}
		case <-interrupted:
			interrupted = nil
			s.stop("interrupted", nil)
		}
	}
	if s.out.Elapsed = s.since(); s.out.Elapsed == 0 {
		s.out.Elapsed = time.Since(s.called)
	}
	return errors.Join(s.err, s.closeDeeds())
}

// stop ends the run at once: everybody is killed.
func (s *supervisor) stop(bound string, err error) {
	if s.over {
		return
	}
	s.over, s.err = true, err
	s.out.Bound = bound
	for _, p := range s.procs {
		if p.process != nil {
			p.process.Kill()
		}
	}
}

// spawn starts a life.
func (s *supervisor) spawn(p *proc) {
	if s.over {
		return
	}
	// the new life was not asked, so the others would wait for its answer
	s.round = round{number: s.round.number}
	in := s.instructions
	s.place(p, &in)
	if len(s.c.Hosts) > 0 {
		in.Host, in.Lease = s.c.Hosts[p.host].Address, s.leaseOf(p)
	}
	in.Proc, in.Life, in.Incarnation, in.Restart = p.id, p.life, p.inc, p.life > 0
	s.moments(p, &in)
	in.Performed, in.Clock, in.Gone = p.performed, s.clock.tick(), slices.Clone(s.instructions.Gone)
	p.watches, p.asleep, p.silent, p.crashed = map[core.Proc]*watchdog{}, nil, false, false
	p.reader = &reader{name: evidenceFile(s.c.Dir, p.id, p.life)}
	p.readers = append(p.readers, p.reader)
	if s.steering != nil {
		in.Flush, in.After, in.Mail = true, s.steering.after(), s.steering.mailOf(p.id)
	}
	p.starting, p.dying, p.up, p.done, p.told, p.hosts, p.recovering, p.failed = false, false,
		false, false, nil, nil, false, ""
	p.spawned++
	spawned := p.spawned
	if s.starts(p, &in); s.over {
		return
	}
	process, err := s.exec(p, launch.Command{Name: s.where(p), Path: s.c.Path, Args: s.c.Args,
		Instructions: in, Errors: s.c.Errors, Group: s.leader(p), Line: func(line []byte) error {
			var a answer
			if err := json.Unmarshal(line, &a); err != nil {
				return fmt.Errorf("cluster: %s says %q: %w", s.setup.Layout.Name(p.id), line, err)
			}
			s.post(func() {
				if p.spawned == spawned && p.process != nil {
					s.takes(p, a)
				}
			})
			return nil
		}})
	if err != nil {
		s.stop("", fmt.Errorf("cluster: %w", err))
		return
	}
	p.process, p.heard = process, time.Now()
	if s.c.Started != nil {
		s.c.Started(p.id, process.ID())
	}
	go func() { // ends with the process
		<-process.Done()
		var unsure error
		if lost := (*launch.Lost)(nil); errors.As(process.Err(), &lost) {
			unsure = s.awaitDeath(p.id, p.host)
		}
		s.post(func() { s.gone(p, process.Err(), unsure) })
	}()
}

// starts writes down that a life is started, before it is: no evidence may be there of one of which
// nobody knows that.
func (s *supervisor) starts(p *proc, in *instructions) {
	p.born = append(p.born, born{in.Clock, in.Epoch, slices.Clone(in.Gone)})
	s.did(Deed{Clock: in.Clock, What: DidStart, Procs: []core.Proc{p.id},
		Lives: []core.Incarnation{p.inc}, Epoch: in.Epoch, Gone: anyGone(in.Gone)})
}

// moments gives a life the moments of the plan at which it is to stop.
func (s *supervisor) moments(p *proc, in *instructions) {
	in.Flush = s.rng.IntN(2) == 0
	for _, a := range s.armed {
		if a.By == p.id && !a.due {
			in.Moments = append(in.Moments, moment{Index: a.index, After: a.After, What: a.what,
				Number: a.number, Word: a.word})
			if a.Survive != fault.Prefix {
				in.Flush = a.Survive == fault.Every
			}
		}
	}
	if p.life == 0 {
		for i, q := range s.c.Plan.Requests {
			if q.Counted() == p.id {
				in.Moments = append(in.Moments, moment{Index: i, After: q.After, Request: true})
			}
		}
	}
	for i, d := range s.c.Plan.Spoils {
		if d.Proc == p.id && !s.spoilt[i] {
			in.Moments = append(in.Moments, moment{Index: i, After: d.After, Spoil: d.What,
				Draw: s.rng.Uint64()})
		}
	}
	for _, st := range s.stops {
		if st.By == p.id && !st.Timed && !st.begun {
			in.Moments = append(in.Moments, moment{Index: st.index, After: st.After, Stop: true})
		}
	}
}

// tell says something to a life. One that is gone does not hear it: gone says so.
func (s *supervisor) tell(p *proc, o order) {
	o.Clock = s.clock.tick()
	s.said(p, &o)
	_ = p.process.Tell(o)
}

// hear takes an answer of a life.
func (s *supervisor) hear(p *proc, a answer) {
	s.clock.hear(a.Clock)
	if s.c.heard != nil {
		s.c.heard(a.Kind)
	}
	s.heard(p)
	if a.Evidence > p.reader.said {
		p.reader.said, s.progressed = a.Evidence, s.own.Passed()
	}
	if a.Kind == saidEnd {
		s.ended[p.id], p.reader.whole = a, true
		return
	}
	if s.over || p.dying || s.steering != nil && s.steering.heard(p, &a) {
		return
	}
	switch a.Kind {
	case saidUp:
		s.moved()
		if err := s.seen(p); err != nil {
			s.stop("", err)
			return
		}
		p.up = true
		s.isUp(p)
	case saidDead:
		s.agreed(p, a.Epoch)
	case saidMoment:
		s.moment(p, a)
	case saidStatus:
		s.status(p, a)
	case saidDone:
		if p.done = true; s.done() {
			s.askAll()
		}
	case saidHosts:
		s.look(p, false)
		s.restart()
	case saidWatch:
		s.watch(p, a)
	case saidLife:
		s.nextLife(p, a.Renewed)
	case saidExit:
		s.exit(p)
	case saidKill:
		s.kill(p, a.Proc)
	case saidLaunch:
		s.launch(p, a.Proc, a.Ticket)
	case saidNote:
		s.note("%s", a.Text)
	case saidPanic:
		s.out.Panic = fmt.Sprintf("%s panics: %s", s.setup.Layout.Name(p.id), a.Text)
	case saidFailed:
		p.failed = a.Text
	case saidDoing, saidWaits:
		s.answered(p, &a)
	case saidRefused:
		s.refused(a.Text)
	}
}

// isUp goes on when a life has begun.
func (s *supervisor) isUp(p *proc) {
	if p.life > 0 {
		if c := s.crashOf(p.id); c != nil {
			c.Restarts = append(c.Restarts, s.since())
		}
		s.used(p)
		s.begun(p)
		s.started(p)
		return
	}
	if s.live || slices.ContainsFunc(s.procs, func(p *proc) bool { return !p.up }) {
		return
	}
	s.live, s.began, s.lived = true, time.Now(), s.own.Passed()
	s.out.Begun = s.began.Sub(s.called)
	for _, p := range s.procs {
		s.tell(p, order{Kind: sayGo})
	}
	s.environment()
	s.strike()
	s.steer()
}

// environment begins with what comes by the clock.
func (s *supervisor) environment() {
	if s.c.LostAfter > 0 {
		s.watched = time.Now()
		s.later(s.c.LostAfter/signsALoss, s.watchHosts)
	}
	for _, t := range s.c.Timed {
		s.later(t.At, func() { s.timed(t) })
	}
	s.armStops()
	s.every()
}

// look reads what is new in the evidence of a life.
func (s *supervisor) look(p *proc, ended bool) {
	if p.reader == nil {
		return
	}
	news, err := p.reader.read(ended)
	if err != nil {
		s.stop("", err)
		return
	}
	for i := range news {
		k := &news[i]
		p.performed, p.recovering, p.clock, p.inc = k.Performed, k.Recovering, k.Began,
			k.Incarnation
		s.clock.hear(k.Began)
		s.placed(p, k.Events)
	}
}
