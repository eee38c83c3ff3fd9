package recheck

import (
	"errors"
	"fmt"
	"slices"

	"github.com/domino-check/domino/proofs/certificate"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// move is a step of a proc, with all that it does.
type move struct {
	*step
	name    string
	after   uint32   // the configuration of the proc
	stays   bool     // it is an arrival in a set: the message is still there
	ignored bool     // it is an arrival, and a message that is ignored has not arrived
	fault   bool     // it need not happen
	spends  budget   // if it need not happen
	sends   []sent   // and what it has launched
	watches []change // its watchdogs: whom, and in b 1 to begin
	exits   bool     // it stops behind all that
	rolls   bool     // it goes back to what is stable, without a failure
	// its proc may stand still behind each of its effects but the last
	parts []part
}

// budget is one that a move spends.
type budget uint8

const (
	checkpoints budget = iota
	suspicions
	duplicates
	refusals
)

// sent is a message that is put on its way to another proc, or a start.
type sent struct {
	to trace.Proc
	change
}

// part is a move that a crash cuts off.
type part struct {
	number uint32 // of the configuration that its proc is in
	sends  int
}

// moves are what a proc in a configuration may do by itself.
type moves struct {
	list       []*move
	checkpoint *move   // nil if it ignores it, or none is to be asked for
	again      []*move // messages that arrive and are there still, if any may
}

// move is what a machine does with an input, in the body that the input leaves; that is changed.
func (e *environment) move(name string, b *body, in *Input) (*move, error) {
	st, err := e.stepOf(&b.local, in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	m := &move{step: st, name: e.Layout.Name(st.proc) + ": " + name}
	p := st.proc
	b.live, b.local = true, st.next
	firm, counts := false, len(st.effects) > 1 && e.Model.Failures > 0 && !e.Model.OneInstant &&
		(e.begins(p) || len(e.Layout.Hosted) > 0)
	known := true
	var parts []*body
	for i := range st.effects {
		if m.exits {
			return nil, fmt.Errorf("%w: %s does something behind its end", ErrBeyond, m.name)
		}
		known = e.act(m, b, &st.effects[i]) && known
		firm = firm || st.effects[i].Act == Leaves || st.effects[i].Act == Commits
		if counts && i < len(st.effects)-1 {
			parts = append(parts, b.clone())
			m.parts = append(m.parts, part{sends: len(m.sends)})
		}
	}
	if !firm && e.Model.FromDead != fault.Every {
		m.parts = nil // a crash before or behind it comes to the same
	}
	for i := range m.parts {
		m.parts[i].number = e.number(p, parts[i])
	}
	m.after = missing
	if known {
		m.after = e.number(p, b)
	}
	return m, nil
}

// act does an effect; false says that the certificate does not know what it is about.
func (e *environment) act(m *move, b *body, f *Effect) bool {
	switch f.Act {
	case Sends:
		message, ok := e.messages[string(f.Message)]
		if !ok {
			return false
		}
		life := m.next.Incarnation
		if f.Former {
			life--
		}
		if f.To == m.proc {
			b.arrive(m.proc, life, message, &e.Model)
			return true
		}
		m.sends = append(m.sends, sent{f.To, change{kind: arrival, a: uint32(m.proc),
			b: uint32(life), c: message}})
	case Writes:
		b.write(certificate.Record{Key: f.Key, Value: f.Value})
	case Deletes:
		b.write(certificate.Record{Key: f.Key, Gone: true})
	case Reads:
		b.write(certificate.Record{Key: f.Key, Read: true})
	case Sets:
		if i, found := slices.BinarySearch(b.env.Timers, f.Timer); !found {
			b.env.Timers = slices.Insert(b.env.Timers, i, f.Timer)
		}
	case Commits:
		line, ok := e.lines[string(f.Value)]
		b.env.Line = line + 1
		return ok
	case RollsBack:
		b.stop(b.env.Incarnation+1, 0, false, false)
		b.env.Back, m.rolls = !e.launched(m.proc), true
		m.watches = nil // they end with the life
	case Kills:
		if i, found := slices.BinarySearch(b.env.Kills, f.To); !found {
			b.env.Kills = slices.Insert(b.env.Kills, i, f.To)
		}
	case Launches:
		t := certificate.Ticket{By: m.proc, Key: f.Key, Value: f.Value}
		m.sends = append(m.sends, sent{f.To, change{kind: launch, a: e.ticketNumber(t)}})
	case Watches, Unwatches:
		c := change{kind: unwatching, a: uint32(f.To)}
		if f.Act == Watches {
			c.kind = watching
		}
		m.watches = append(m.watches, c)
	case Exits:
		m.exits = true
	case Renews:
		b.renew(uint32(m.next.Incarnation), m.ended)
	}
	return true
}

// movesOf are what a proc that is up may do by itself.
func (e *environment) movesOf(p trace.Proc, configuration uint32) (*moves, error) {
	if m := e.own[p][configuration]; m != nil {
		return m, nil
	}
	b, all := e.body(p, configuration), &moves{}
	var failed error
	add := func(name string, b *body, in *Input) *move {
		m, err := e.move(name, b, in)
		all.list, failed = append(all.list, m), errors.Join(failed, err)
		return m
	}
	for i, c := range b.inbox {
		for k, message := range c.Messages {
			if k > 0 && (e.Model.KeepsOrder() || message == c.Messages[k-1]) {
				continue
			}
			in := &Input{Happening: Arrives, From: c.From, Message: e.cert.Messages[message]}
			after := b.clone()
			if !e.Model.Set {
				after.take(i, k)
			}
			name := "takes a message of " + e.Layout.Name(c.From)
			if m := add(name, after, in); m != nil {
				m.stays, m.ignored = e.Model.Set, e.Model.KeepsIgnored() && m.ignores()
			}
			if e.Model.Duplicates > 0 {
				m, err := e.move(name+", which arrives twice", b.clone(), in)
				if failed = errors.Join(failed, err); err == nil {
					m.fault, m.spends, all.again = true, duplicates, append(all.again, m)
				}
			}
		}
	}
	choices, err := e.Choices(p, b.local.State)
	for _, c := range choices {
		add("goes on", b.clone(), &Input{Happening: Advances, Choice: c})
	}
	e.stored(p, b, add)
	for i, timer := range b.env.Timers {
		after := b.clone()
		after.env.Timers = slices.Delete(after.env.Timers, i, i+1)
		add("timer "+timer, after, &Input{Happening: Ticks, Timer: timer})
	}
	if e.Model.Checkpoints > 0 && slices.Contains(e.Initiators, p) {
		m, wrong := e.move("is asked for a checkpoint", b.clone(), &Input{Happening: Checkpoint})
		if failed = errors.Join(failed, wrong); wrong == nil && !m.idle {
			m.fault, m.spends, all.checkpoint = true, checkpoints, m
		}
	}
	if failed = errors.Join(failed, err); failed == nil {
		e.own[p][configuration] = all
	}
	return all, failed
}

// stored adds what a proc does when the change of its store is done that it waits for, if it waits
// for one.
func (e *environment) stored(p trace.Proc, b *body, add func(string, *body, *Input) *move) {
	i := b.waited()
	if i < 0 {
		return
	}
	after := b.clone()
	r := after.env.Writing[i]
	in := &Input{Happening: Stable, Key: r.Key}
	after.settle(i + 1)
	if r.Read {
		in.Happening = Loads
		for _, s := range after.env.Store {
			if s.Key == r.Key {
				in.Records = append(in.Records, Owned{p, s})
			}
		}
	}
	add("has waited for its store", after, in)
}
