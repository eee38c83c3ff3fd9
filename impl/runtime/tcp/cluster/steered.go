package cluster

import (
	"errors"
	"fmt"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/course"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/node"
)

// What a life of a course does: the moves that it is told, on a node that is held.

// steered is what a life of a course knows of its move.
type steered struct {
	after int  // it stands still when so many effects of the step are performed; 0: it does not
	acted int  // effects of the step that are
	down  bool // the machine has rolled back, and waits to be restarted
}

// perform comes before each effect.
func (s *steered) perform(l *life, e *core.Effect) error {
	if !e.Acts() {
		return nil
	}
	if s.after > 0 && s.acted == s.after {
		l.carrier.Flush()
		l.say(answer{Kind: saidCut})
		return l.standStill()
	}
	s.acted++
	return nil
}

// writeLast makes writes stable inside of a step behind which there is no other.
func (l *life) writeLast(count int) error {
	a := answer{Kind: saidMoved}
	err := l.node.Write(count)
	if errors.Is(err, node.ErrHeld) {
		a.Text, err = err.Error(), nil
	}
	if err == nil {
		err = l.witness.aside() // what it had asked its disk for
	}
	l.say(a)
	return err
}

// buried comes when procs are over and all has come that will: in some models nothing of it counts.
func (s *steered) buried(l *life, procs []core.Proc) {
	if l.in.Steered && l.in.Nothing {
		for _, q := range procs {
			l.node.DropAll(q)
		}
	}
}

// standStill is the rest of a life that is to be killed inside a step: what it has sent so far
// leaves.
func (l *life) standStill() error {
	for {
		l.mu.Lock()
		table, failure := l.table, l.failure
		l.table, l.failure = nil, nil
		l.waiting.Store(false)
		l.mu.Unlock()
		if failure != nil {
			return failure
		}
		l.mesh.Learn(table)
		if _, err := l.agrees(); err != nil {
			return err
		}
		for l.dying == nil {
			o, ok := l.next("")
			if !ok {
				break
			}
			l.clock.hear(o.Clock)
			switch o.Kind {
			case sayDead:
				if err := l.hearsOf(&o); err != nil {
					return err
				}
			case sayMet:
				l.mesh.Learn(o.Addresses)
			case sayStatus:
				l.status(&o)
			case sayMove: // so much is written, before the end or by itself
				count := 1
				if o.Move.What == course.Crash {
					count = o.Move.Kept[0]
				}
				if err := l.writeLast(count); err != nil {
					return err
				}
			case sayYield:
				if err := l.yield(); err != nil {
					return err
				}
			case sayDoing:
				l.say(l.waits())
			}
		}
		if err := l.node.Take(time.Millisecond); err != nil {
			return err
		}
	}
}

// move does what a course has next for this life, as far as no other order does it; without a move
// it says that all is done.
func (l *life) move(m *course.Move) (err error) {
	if m == nil {
		return l.moved()
	}
	l.steered.after, l.steered.acted = m.After, 0
	switch m.What {
	case course.Deliver:
		err = l.node.Deliver(m.From, m.Message, m.Stays, m.Behind...)
	case course.Cut:
		err = l.node.Drop(m.From, m.Messages)
	case course.Advance:
		err = l.node.Advance(m.Choice)
	case course.Stable:
		err = l.node.Stable()
	case course.Erase:
		err = l.node.Write(1)
	case course.Refuse:
		err = l.node.Refuse()
	case course.Tick:
		err = l.node.Fire(m.Name)
	case course.Crash: // so much is written before that
		err = l.node.Write(m.Kept[0])
	case course.Restart:
		if !l.steered.down {
			err = fmt.Errorf("%w: its machine is up", node.ErrHeld)
			break
		}
		l.steered.down = false
		err = l.rollback()
	default:
		return nil // an order follows
	}
	if errors.Is(err, node.ErrHeld) {
		l.say(answer{Kind: saidMoved, Text: err.Error()})
		return nil
	}
	if err = l.settled(err); err != nil {
		return err
	}
	return l.moved()
}

// moved says that all is done.
func (l *life) moved() error {
	err := l.witness.aside()
	a := answer{Kind: saidMoved}
	if !l.steered.down {
		a.State = core.StateDigest(core.EncodeState(l.machine))
	}
	l.say(a)
	return err
}

// yield says what is on its way to this life, and what waits with it for those who are down.
func (l *life) yield() error {
	a := answer{Kind: saidMail}
	self := l.in.Proc
	l.node.Waiting(func(from core.Proc, body []byte) {
		a.Mail = append(a.Mail, letter{From: from, To: self, Body: body})
	})
	for q, p := range l.carrier.peers {
		if p == nil {
			continue
		}
		for _, k := range p.held {
			body, err := l.node.Canonical(k.kind, self, k.extra[:len(k.extra)-clockBytes],
				k.payload)
			if err != nil {
				return err
			}
			if body != nil {
				a.Mail = append(a.Mail, letter{From: self, To: core.Proc(q), Body: body})
			}
		}
	}
	l.say(a)
	return nil
}
