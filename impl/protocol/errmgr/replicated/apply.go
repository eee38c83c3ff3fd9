package replicated

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// service is what all replicas agree on beside the copies of the service: it is changed by entries
// of the log alone.
type service struct {
	_        struct{}  `cbor:",toarray"`
	Sessions []session `json:"sessions"` // by proc
	Timers   []timer   `json:"timers"`   // set and not fired, in this order
	Set      uint64    `json:"set"`      // timers that were ever set
}

// session is what the service has with the present life of a proc.
type session struct {
	_      struct{}         `cbor:",toarray"`
	Life   core.Incarnation `json:"life"`
	Done   uint64           `json:"done"`   // the last request that the service has taken
	Sent   uint64           `json:"sent"`   // orders so far
	Orders []order          `json:"orders"` // the last of them, not known to have arrived
	// lives before this one were reported to have ended; of the present life, orders since
	Fallen core.Incarnation `json:"fallen"`
	Since  uint64           `json:"since"` // are those behind this one
}

// order is a message of the service.
type order struct {
	_      struct{} `cbor:",toarray"`
	Number uint64   `json:"number"`
	Body   []byte   `json:"body"`
}

// timer is one that the service has set.
type timer struct {
	_      struct{} `cbor:",toarray"`
	Number uint64   `json:"number"`
	Name   string   `json:"name"`
	Ticks  uint64   `json:"ticks"`
}

// apply steps the copy with what is committed and not applied yet.
func (r *replica) apply() {
	m := &r.s.Member
	until := m.Commit
	if r.broken(Early) && m.Role == leader {
		until = uint64(len(m.Log))
	}
	for r.s.Applied < min(until, uint64(len(m.Log))) {
		e := m.Log[r.s.Applied]
		r.s.Applied++
		switch {
		case r.s.Applied == 1: // with which every group begins
			r.feed(core.Input{Kind: core.Start})
		case len(e.Data) == 0:
			if m.Role == leader && e.Term == m.Term {
				r.serve()
			}
		default:
			var c command
			if err := core.Decode(e.Data, &c); err != nil {
				panic(fmt.Sprintf("invariant: an entry is what was proposed: %v", err))
			}
			r.step(c)
		}
	}
}

// serve is how a leader enters upon its office: it has applied an entry of its own term, so all
// that was ever committed. Every proc is told, and given what may not have arrived.
func (r *replica) serve() {
	r.s.Serving = true
	for p := range r.layout.Names {
		if p := core.Proc(p); r.number(p) == 0 {
			r.introduce(p)
		}
	}
	for _, t := range r.s.Shared.Timers {
		r.out = append(r.out, core.Effect{Kind: core.SetTimer, Timer: t.Name, Ticks: t.Ticks})
	}
	for _, known := range r.s.Reports {
		r.enter(command{Kind: core.Down, Procs: known.Procs, Life: known.Life})
	}
}

// introduce tells a proc who leads and what has arrived of it, and sends it again what is not known
// to have arrived.
func (r *replica) introduce(p core.Proc) {
	s := &r.s.Shared.Sessions[p]
	r.send(p, Message{Kind: Lead, Term: r.s.Member.Term, Life: s.Life, Seen: s.Done})
	for _, o := range s.Orders {
		r.order(p, o)
	}
}

func (r *replica) order(p core.Proc, o order) {
	s := &r.s.Shared.Sessions[p]
	r.send(p, Message{Kind: Order, Life: s.Life, Number: o.Number, Seen: s.Done, Body: o.Body})
}

// session is what the service has with a proc, to be changed.
func (r *replica) session(p core.Proc) *session {
	r.s.Shared.Sessions = slices.Clone(r.s.Shared.Sessions)
	return &r.s.Shared.Sessions[p]
}

// renew begins the session with a new life. What was on its way to the former one is lost with it,
// but not what the service has sent since it was told that the life has ended.
func (s *session) renew(life core.Incarnation) {
	n := session{Life: life, Fallen: s.Fallen}
	if s.Fallen > s.Life {
		for _, o := range s.Orders {
			if o.Number > s.Since {
				n.Sent++
				n.Orders = append(n.Orders, order{Number: n.Sent, Body: o.Body})
			}
		}
	}
	*s = n
}

// step is one input of the service, as an entry of the log.
func (r *replica) step(c command) {
	switch c.Kind {
	case core.Received:
		r.received(&c)
	case core.Down:
		r.fell(c.Procs, c.Life)
	case core.Tick:
		list := r.s.Shared.Timers
		i := slices.IndexFunc(list, func(t timer) bool { return t.Number == c.Number })
		if i >= 0 { // else it has fired before, set by a former leader
			r.s.Shared.Timers = slices.Delete(slices.Clone(list), i, i+1)
			r.feed(core.Input{Kind: core.Tick, Timer: c.Timer})
		}
	default:
		r.feed(core.Input{Kind: c.Kind})
	}
}

// received is a request. One that has been taken before has come again because its sender could not
// know that.
func (r *replica) received(c *command) {
	s := r.session(c.From)
	if c.Life < s.Life {
		return
	}
	if c.Life > s.Life {
		s.renew(c.Life)
	}
	s.Orders = slices.DeleteFunc(slices.Clone(s.Orders), func(o order) bool {
		return o.Number <= c.Seen
	})
	switch {
	case c.Number != s.Done+1 && !r.broken(Twice):
		return
	case len(c.Body) == 0:
		s.Done = c.Number
		if r.s.Serving {
			r.introduce(c.From)
		}
		return
	}
	s.Done = c.Number
	m := Message{Body: c.Body, fresh: r.newMessage}
	r.feed(core.Input{Kind: core.Received, From: c.From, Message: m.inner()})
}

// fell is a report that a life has ended. If it is true, what the service sends from now on is for
// the next one; if not, the session goes on.
func (r *replica) fell(procs []core.Proc, life core.Incarnation) {
	r.s.Reports = slices.DeleteFunc(slices.Clone(r.s.Reports), func(known report) bool {
		return known.Life == life && slices.Equal(known.Procs, procs)
	})
	if life < r.s.Shared.Sessions[procs[0]].Fallen {
		return // every replica was told
	}
	for _, p := range procs {
		if s := r.session(p); life >= s.Fallen {
			s.Fallen, s.Since = life+1, s.Sent
		}
	}
	r.feed(core.Input{Kind: core.Down, Procs: procs, Incarnation: life})
}

// feed steps the copy. Its own records are stable at once: they follow from an entry that is.
func (r *replica) feed(in core.Input) {
	inputs := []core.Input{in}
	for len(inputs) > 0 {
		effects := r.inner.Step(inputs[0], nil)
		inputs = inputs[1:]
		for i := range effects {
			e := &effects[i]
			if e.Kind == core.Persist && e.Value != nil {
				inputs = append(inputs, core.Input{Kind: core.Persisted, Key: e.Key})
			}
			r.perform(e)
		}
	}
}

// perform is an effect of the copy: of the leader it happens, the others remember what they need to
// make it happen when they lead.
func (r *replica) perform(e *core.Effect) {
	shared := &r.s.Shared
	switch e.Kind {
	case core.Persist:
	case core.SendMessage:
		s := r.session(e.To)
		s.Sent++
		o := order{Number: s.Sent, Body: core.Encode(e.Message)}
		s.Orders = append(slices.Clone(s.Orders), o)
		if r.s.Serving {
			r.order(e.To, o)
		}
	case core.SetTimer:
		shared.Set++
		shared.Timers = append(slices.Clone(shared.Timers),
			timer{Number: shared.Set, Name: e.Timer, Ticks: e.Ticks})
		if r.s.Serving {
			r.out = append(r.out, *e)
		}
	case core.Declare, core.Decide: // by every copy, which can not know of the others
		r.out = append(r.out, *e)
	default:
		panic(fmt.Sprintf("invariant: a replicated service sends, writes, sets timers and "+
			"declares: it asks for %v", e.Kind))
	}
}
