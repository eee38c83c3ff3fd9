package cluster

import (
	"fmt"
	"slices"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/course"
	"github.com/domino-check/domino/spec/fault"
)

// steering makes a run take a course: one move behind the other, each when all is done that the one
// before has led to, and all that is on its way has come to where it waits.
type steering struct {
	*supervisor
	course *course.Course
	ended  chan struct{}

	// of the supervisor's goroutine
	at     int     // of the moves
	waits  string  // what the move waits for
	answer *answer // of the proc that was told to move
	exits  *proc   // it has asked to stop inside of the move
	why    string  // the move can not be made
	// what is on its way to those who are down: the network keeps it, or its senders are down, too
	mail []letter
	said *answer // what a life has yielded
}

// steers prepares for a course.
func (s *supervisor) steers() {
	if s.c.Course == nil {
		return
	}
	s.steering = &steering{supervisor: s, course: s.c.Course, ended: make(chan struct{}),
		waits: "all to begin"}
	s.instructions.Steered = true
	s.instructions.Keep, s.instructions.Set = false, false // what stays does so in inboxes
}

// heard takes an answer to a move, or what is a move of its own; it reports whether it did.
func (k *steering) heard(p *proc, a *answer) bool {
	switch a.Kind {
	case saidMoved, saidCut:
		k.answer = a
	case saidMail:
		k.said = a
	case saidExit:
		k.exits = p
	case saidKill:
	default:
		return false
	}
	return true
}

// steer begins the course, when all have begun.
func (s *supervisor) steer() {
	if s.steering != nil {
		s.did(Deed{What: DidSteer})
		go s.steering.run() // ends with the course or the run, see steered
	}
}

// steered waits for the end of the course, which the end of the run has ended.
func (s *supervisor) steered() {
	if s.steering != nil && s.live {
		<-s.steering.ended
	}
}

// words say how far the course has come.
func (k *steering) words() string {
	if k.at == len(k.course.Moves) {
		return "all moves are made"
	}
	m := &k.course.Moves[k.at]
	return fmt.Sprintf("move %d of %d (%s) waits for %s", k.at+1, len(k.course.Moves), m.Text,
		k.waits)
}

// result notes how far it has come.
func (k *steering) result() {
	if k.out.Moves = k.at; k.out.Panic != "" && k.at < len(k.course.Moves) {
		k.out.Moves++ // the last thing that the machine does
	} else if k.at < len(k.course.Moves) {
		if k.out.Unmade = k.why; k.why == "" {
			k.out.Unmade = k.words()
		}
	}
}

// after is how many effects of its first step a life performs that the present move starts.
func (k *steering) after() int {
	if k.live && k.at < len(k.course.Moves) {
		return k.course.Moves[k.at].After
	}
	return 0
}

// do has the supervisor do something; it reports false when the run is over.
func (k *steering) do(f func()) bool {
	done, over := make(chan struct{}), false
	k.post(func() {
		if over = k.over || k.expired; !over {
			f()
			over = k.over
		}
		close(done)
	})
	select {
	case <-done:
		return !over
	case <-k.closed:
		return false
	}
}

// The longest and the shortest time between two looks.
const (
	firstLook = 20 * time.Microsecond
	lastLook  = 2 * time.Millisecond
)

// until waits until something is so; it reports false when the run is over.
func (k *steering) until(what string, so func() bool) bool {
	for pause := firstLook; ; pause = min(2*pause, lastLook) {
		is := false
		if !k.do(func() { k.waits, is = what, so() }) {
			return false
		}
		if is {
			return true
		}
		time.Sleep(pause)
	}
}

// run makes all moves.
func (k *steering) run() {
	defer close(k.ended)
	if !k.arrive() {
		return
	}
	for p, want := range k.course.Begin {
		if !k.begins(k.procs[p], want) {
			return
		}
	}
	for i := range k.course.Moves {
		if !k.move(&k.course.Moves[i]) || !k.do(func() {
			if k.why != "" {
				k.stop("a move that can not be made", nil)
				return
			}
			k.at++
			k.moved()
		}) {
			return
		}
	}
	k.do(func() {
		if k.course.Complete {
			k.out.Complete = true
			k.finish()
			return
		}
		k.stop("the end of its course", nil)
	})
}

// begins compares the state in which a proc has begun.
func (k *steering) begins(p *proc, want uint64) bool {
	if !k.do(func() {
		k.answer = nil
		k.tell(p, order{Kind: sayMoved})
	}) || !k.until("the state of "+k.name(p), func() bool { return k.answer != nil }) {
		return false
	}
	return k.do(func() {
		if k.compare(p, k.answer.State, want); k.why != "" {
			k.stop("a start in another state", nil)
		}
	})
}

func (k *steering) name(p *proc) string { return k.setup.Layout.Name(p.id) }

// compare notes that a machine is in another state than in the world.
func (k *steering) compare(p *proc, got, want uint64) {
	if got != want && k.why == "" {
		k.why = fmt.Sprintf("%s is in the state %016x, and in the world in %016x", k.name(p), got,
			want)
	}
}

// arrive waits until everything that is on its way has come to an inbox.
func (k *steering) arrive() bool {
	for pause := firstLook; ; pause = min(2*pause, lastLook) {
		if !k.do(func() {
			k.round.number++
			k.round.asked, k.round.of, k.round.answers = true, 0, map[core.Proc]answer{}
			for _, p := range k.procs {
				if p.process != nil && !p.dying {
					k.round.of++
					k.tell(p, order{Kind: sayStatus, Round: k.round.number})
				}
			}
		}) {
			return false
		}
		arrived := false
		if !k.until("what is on its way to arrive", func() bool {
			all := len(k.round.answers) == k.round.of
			arrived = all && k.arrived()
			return all
		}) {
			return false
		}
		if arrived {
			return true
		}
		time.Sleep(pause)
	}
}

// move makes one move; what is wrong with it is in why. It reports false when the run is over.
func (k *steering) move(m *course.Move) bool {
	p := k.procs[m.Proc]
	begin := func() { k.answer, k.exits, k.why = nil, nil, m.Why }
	if !k.do(begin) || k.why != "" {
		return k.why != ""
	}
	switch m.What {
	case course.Crash:
		return k.crashes(m)
	case course.Restart:
		return k.restarts(p, m)
	case course.Kill:
		if !k.keep(m) || !k.yield(m.Procs) || !k.do(func() {
			k.tell(p, order{Kind: sayMove, Move: m})
			k.kill(p, m.From)
		}) || !k.calm() || !k.do(func() { k.tell(p, order{Kind: sayMoved}) }) {
			return false
		}
		return k.ends(p, m)
	}
	return k.do(func() {
		if p.process == nil || !p.up {
			k.why = k.name(p) + " is not up"
			return
		}
		k.tell(p, order{Kind: sayMove, Move: m})
		if k.orders(p, m); k.why == "" && byOrder(m.What) {
			k.tell(p, order{Kind: sayMoved})
		}
	}) && k.ends(p, m)
}

// byOrder reports whether a move is an order that lives know without courses, too.
func byOrder(w course.What) bool {
	return w == course.Tell || w == course.Suspect || w == course.Expire || w == course.Checkpoint
}

// orders gives the order that a move is.
func (k *steering) orders(p *proc, m *course.Move) {
	q := k.procs[m.From]
	k.look(q, false)
	switch m.What {
	case course.Tell:
		i := slices.IndexFunc(p.pending, func(n notice) bool { return n.group == q.id })
		if i < 0 {
			k.why = fmt.Sprintf("nobody has to tell %s of %s", k.name(p), k.name(q))
			return
		}
		n := p.pending[i]
		p.pending = slices.Insert(slices.Delete(p.pending, i, i+1), 0, n)
		k.report(p)
		slices.SortFunc(p.pending, notice.compare)
	case course.Suspect:
		k.out.Suspicions++
		k.tell(p, order{Kind: saySuspect, Procs: k.setup.Group(q.id), Life: q.inc})
	case course.Expire:
		w := p.watches[q.id]
		if w == nil {
			k.why = fmt.Sprintf("%s has no watchdog about %s", k.name(p), k.name(q))
			return
		}
		delete(p.watches, q.id)
		k.tell(p, order{Kind: sayExpired, Procs: []core.Proc{q.id}, Serial: w.serial})
	case course.Checkpoint:
		k.tell(p, order{Kind: sayCheckpoint})
	}
}

// ends waits until a proc has made its move, stands still inside of it, or has asked to stop.
func (k *steering) ends(p *proc, m *course.Move) bool {
	if k.why != "" {
		return true
	}
	if !k.until(k.name(p), func() bool { return k.answer != nil || k.exits != nil }) {
		return false
	}
	exits, still := k.exits != nil, k.exits == nil && k.answer.Kind == saidCut
	switch {
	case still: // until the move of its end
		return k.do(func() { k.compare(p, 0, m.State) }) && k.arrive()
	case !exits && k.answer.Text != "":
		return k.do(func() { k.why = k.answer.Text })
	case !exits && m.After > 0:
		return k.do(func() {
			k.why = fmt.Sprintf("%s has performed its step before its effect %d", k.name(p),
				m.After+1)
		})
	case exits:
		var procs []core.Proc
		return k.arrive() && k.do(func() {
			for _, q := range k.victims([]*proc{p}) {
				procs = append(procs, q.id)
			}
		}) && k.yield(procs) && k.do(func() {
			k.exit(p)
			k.compare(p, 0, m.State)
		}) && k.calm()
	}
	return k.do(func() { k.compare(p, k.answer.State, m.State) }) && k.arrive()
}

// calm waits until all failures are agreed on.
func (k *steering) calm() bool {
	return k.until("all to agree on a failure", func() bool {
		return len(k.dying) == 0 && len(k.burying) == 0
	})
}

// keep has those who are to stop write what is stable when they do.
func (k *steering) keep(m *course.Move) bool {
	for i, id := range m.Procs {
		if m.Kept[i] == 0 {
			continue
		}
		p := k.procs[id]
		if !k.do(func() {
			k.answer = nil
			k.tell(p, order{Kind: sayMove,
				Move: &course.Move{What: course.Crash, Kept: m.Kept[i : i+1]}})
		}) || !k.until("the writes of "+k.name(p), func() bool { return k.answer != nil }) {
			return false
		}
		if k.answer.Text != "" {
			return k.do(func() { k.why = k.answer.Text })
		}
	}
	return k.do(func() { k.answer = nil })
}

// yield takes from those who are to stop what is on its way and outlives them: what they have sent
// to who is down, and what has come to them if the model keeps that for their next lives.
func (k *steering) yield(procs []core.Proc) bool {
	m := &k.c.Model
	for _, id := range procs {
		p, lives := k.procs[id], false
		if !k.do(func() {
			if k.said, lives = nil, p.process != nil && !p.dying; lives {
				k.tell(p, order{Kind: sayYield})
			}
		}) {
			return false
		}
		if lives && (!k.until("the mail of "+k.name(p), func() bool { return k.said != nil }) ||
			!k.do(func() {
				for _, l := range k.said.Mail {
					if l.To == id && m.KeepToDead || l.To != id && m.FromDead != fault.Nothing {
						k.mail = append(k.mail, l)
					}
				}
			})) {
			return false
		}
	}
	return true
}

// mailOf hands over what is on its way to a proc that starts again.
func (k *steering) mailOf(p core.Proc) (list []letter) {
	for _, l := range k.mail {
		if l.To == p {
			list = append(list, l)
		}
	}
	k.mail = slices.DeleteFunc(k.mail, func(l letter) bool { return l.To == p })
	return list
}

// crashes kills groups.
func (k *steering) crashes(m *course.Move) bool {
	if !k.keep(m) || k.why != "" {
		return k.why != ""
	}
	return k.yield(m.Procs) && k.do(func() {
		var chosen []*proc
		for _, g := range m.Groups {
			chosen = append(chosen, k.procs[g[0]])
		}
		b := k.crash(chosen, false)
		for _, q := range b.procs {
			if !slices.Contains(m.Procs, q) {
				k.why = fmt.Sprintf("%s stops with %s, which goes on in the world",
					k.setup.Layout.NamesOf(m.Procs), k.name(k.procs[q]))
			}
		}
	}) && k.calm()
}

// restarts starts a proc again: a process, or the machine of one that has rolled back.
func (k *steering) restarts(p *proc, m *course.Move) bool {
	lives := false
	if !k.do(func() {
		if lives = p.process != nil; lives {
			k.tell(p, order{Kind: sayMove, Move: m})
			return
		}
		if i := slices.IndexFunc(p.tickets, func(t *ticket) bool { return t.By == m.From }); i > 0 {
			t := p.tickets[i]
			p.tickets = slices.Insert(slices.Delete(p.tickets, i, i+1), 0, t)
		}
		if t := k.ordered(p); !k.mayRestart(p) || t != nil && t.By != m.From {
			k.why = "nobody may start " + k.name(p) + " now"
			return
		}
		k.spawn(p)
	}) {
		return false
	}
	if lives || k.why != "" {
		return k.ends(p, m)
	}
	return k.until(k.name(p)+" to begin", func() bool {
		if p.up && k.answer == nil {
			k.answer = &answer{} // of whom nobody has asked anything
		}
		return k.answer != nil || k.exits != nil
	}) && k.do(func() {
		if p.up {
			k.answer = nil
			k.tell(p, order{Kind: sayMoved})
		}
	}) && k.ends(p, m)
}
