package recheck

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/domino-check/domino/proofs/certificate"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// environment is what a certificate's states live in. Everything that it knows of a proc it looks
// up by the number of its configuration in the certificate; what is not there has no number.
type environment struct {
	*Subject
	cert     *certificate.Certificate
	procs    int
	always   []spec.Property
	final    []spec.Property
	pairs    []spec.Property
	monitors []spec.Property
	unseen   []spec.Property // that some run must show
	pairing  map[string]string
	answered string // the answer of a rank that can not be recovered

	messages, lines, locals, inboxes, envs, budgets, memories map[string]uint32
	configurations                                            []map[certificate.Configuration]uint32

	steps   map[string]*step
	own     [][]*moves // by proc, by configuration
	changed []map[change]uint32
	between []map[string]uint32 // numbers of configurations that the certificate has not
	asked   map[string]*move
	bodies  [][]*body
	looks   [][]uint32 // by proc, by configuration: what properties see of it, plus 1
	look    map[look]uint32
	decoded []observedLocal
	past    []*trace.History // of lines
}

// missing is in the place of what can not be in any state, because it consists of what the
// certificate has not.
const missing = ^uint32(0)

// change is something that happens to a proc, which others have done.
type change struct {
	configuration uint32
	kind          changeKind
	a, b, c       uint32
}

type changeKind uint8

const (
	arrival    changeKind = iota // from a, its life b, message c
	loss                         // of all from a
	end                          // of channel a
	crash                        // the next life is a, b changes become stable, c = 1: one is torn
	renumber                     // the next life is a
	notice                       // of group a
	erasure                      // the oldest change, a delete, becomes stable
	watching                     // of life b of proc a
	unwatching                   // of proc a
)

func index[T certificate.Entry](table []T) map[string]uint32 {
	m := make(map[string]uint32, len(table))
	for i, t := range table {
		m[string(t.Entry())] = uint32(i)
	}
	return m
}

func newEnvironment(s *Subject, c *certificate.Certificate) (*environment, error) {
	e := &environment{Subject: s, cert: c, procs: len(s.Layout.Names),
		pairing: map[string]string{}, messages: index(c.Messages), lines: index(c.Histories),
		locals: index(c.Locals), inboxes: index(c.Inboxes), envs: index(c.Envs),
		budgets: index(c.Tables.Budgets), memories: index(c.Memories), steps: map[string]*step{},
		asked: map[string]*move{}, look: map[look]uint32{},
		decoded: make([]observedLocal, len(c.Locals)),
		past:    make([]*trace.History, len(c.Histories))}
	for p, list := range c.Tables.Procs {
		numbers := make(map[certificate.Configuration]uint32, len(list))
		for i, f := range list {
			numbers[f] = uint32(i)
		}
		e.configurations = append(e.configurations, numbers)
		e.own = append(e.own, make([]*moves, len(list)))
		e.bodies = append(e.bodies, make([]*body, len(list)))
		e.looks = append(e.looks, make([]uint32, len(list)))
		e.changed = append(e.changed, map[change]uint32{})
		e.between = append(e.between, map[string]uint32{})
		if len(s.Groups[p]) == 0 {
			return nil, fmt.Errorf("%w: proc %d has no group", ErrBeyond, p)
		}
	}
	list, err := spec.Select(s.Facts)
	if err != nil {
		return nil, err
	}
	for _, name := range s.MustSee { // one that is not asked is never seen
		if !slices.ContainsFunc(list, func(p spec.Property) bool {
			return p.Name == name && p.Kind == spec.Sometimes
		}) {
			return nil, fmt.Errorf("%w: no run shows %s", certificate.ErrRefused, name)
		}
	}
	for _, p := range list {
		switch p.Kind {
		case spec.Always:
			e.always = append(e.always, p)
		case spec.Final:
			e.final = append(e.final, p)
		case spec.Pair:
			e.pairs = append(e.pairs, p)
		case spec.Monitor:
			e.monitors = append(e.monitors, p)
		case spec.Sometimes:
			if slices.Contains(s.MustSee, p.Name) {
				e.unseen = append(e.unseen, p)
			}
		case spec.FailureFree: // of some runs that are drawn, and no part of any certificate
		}
	}
	return e, nil
}

// body is a proc in a configuration; it is not changed.
func (e *environment) body(p trace.Proc, configuration uint32) *body {
	if b := e.bodies[p][configuration]; b != nil {
		return b
	}
	f := e.cert.Tables.Procs[p][configuration]
	b := &body{env: e.cert.Envs[f.Env], inbox: e.cert.Inboxes[f.Inbox]}
	if f.Local > 0 {
		b.live, b.local = true, e.cert.Locals[f.Local-1]
	}
	e.bodies[p][configuration] = b
	return b
}

// number is that of the configuration that a proc is in. One that the certificate has not gets a
// number behind all others: several things may happen to a proc in one step, and in between it need
// not be in any state.
func (e *environment) number(p trace.Proc, b *body) uint32 {
	if f, ok := e.configuration(b); ok {
		if n, ok := e.configurations[p][f]; ok {
			return n
		}
	}
	var key []byte
	if b.live {
		key = b.local.Entry()
	}
	key = binary.BigEndian.AppendUint32(key, uint32(len(key)))
	env := b.env.Entry()
	key = append(append(binary.BigEndian.AppendUint32(key, uint32(len(env))), env...),
		b.inbox.Entry()...)
	n, ok := e.between[p][string(key)]
	if !ok {
		n = uint32(len(e.bodies[p]))
		e.bodies[p] = append(e.bodies[p], b)
		e.between[p][string(key)] = n
	}
	return n
}

// configuration is what the certificate has of a body, if it has all of it.
func (e *environment) configuration(b *body) (f certificate.Configuration, ok bool) {
	if b.live {
		if f.Local, ok = e.locals[string(b.local.Entry())]; !ok {
			return f, false
		}
		f.Local++
	}
	if f.Env, ok = e.envs[string(b.env.Entry())]; !ok {
		return f, false
	}
	f.Inbox, ok = e.inboxes[string(b.inbox.Entry())]
	return f, ok
}

// change is the configuration of a proc after something.
func (e *environment) change(p trace.Proc, c change) uint32 {
	if c.configuration == missing {
		return missing
	}
	if n, ok := e.changed[p][c]; ok {
		return n
	}
	b := e.body(p, c.configuration).clone()
	switch c.kind {
	case arrival:
		b.arrive(trace.Proc(c.a), trace.Incarnation(c.b), c.c, e.Model.KeepsOrder())
	case loss:
		b.lose(trace.Proc(c.a))
	case end:
		b.inbox = slices.Delete(b.inbox, int(c.a), int(c.a)+1)
	case crash:
		b.stop(c.a, int(c.b), c.c == 1)
		if !e.Model.KeepToDead {
			b.inbox = nil
		}
	case renumber:
		b.env.Incarnation = c.a
	case notice:
		if i, found := slices.BinarySearch(b.env.Pending, trace.Proc(c.a)); !found {
			b.env.Pending = slices.Insert(b.env.Pending, i, trace.Proc(c.a))
		}
	case erasure:
		b.settle(1)
	case watching:
		b.unwatch(trace.Proc(c.a))
		b.watch(trace.Proc(c.a), c.b)
	case unwatching:
		b.unwatch(trace.Proc(c.a))
	}
	n := e.number(p, b)
	e.changed[p][c] = n
	return n
}

// move is a step of a proc, with all that it does.
type move struct {
	*step
	name    string
	after   uint32 // the configuration of the proc
	fault   bool   // it need not happen
	falsely bool   // it is a watchdog that expires about somebody who lives
	sends   []sent
	watches []change // its watchdogs: whom, and in b 1 to begin
	exits   bool     // it stops behind all that
	// a crash may fall behind each of its effects but the last
	parts []part
}

// sent is a message that is put on its way to another proc.
type sent struct {
	to trace.Proc
	change
}

// part is a move that a crash cuts off.
type part struct {
	body    *body
	sends   int
	crashed map[uint32]uint32 // by the number of the next life
}

// moves are what a proc in a configuration may do by itself.
type moves struct {
	list       []*move
	checkpoint *move // nil if it ignores it, or none is to be asked for
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
		e.victims(p)
	known := true
	for i := range st.effects {
		if m.exits {
			return nil, fmt.Errorf("%w: %s does something behind its end", ErrBeyond, m.name)
		}
		known = e.act(m, b, &st.effects[i]) && known
		firm = firm || st.effects[i].Act == Leaves || st.effects[i].Act == Commits
		if counts && i < len(st.effects)-1 {
			m.parts = append(m.parts, part{body: b.clone(), sends: len(m.sends),
				crashed: map[uint32]uint32{}})
		}
	}
	if !firm && e.Model.FromDead != fault.Every {
		m.parts = nil // a crash before or behind it comes to the same
	}
	m.after = missing
	if known {
		m.after = e.number(p, b)
	}
	return m, nil
}

// victims reports whether somebody of the group of a proc may crash.
func (e *environment) victims(p trace.Proc) bool {
	return e.Model.Victims == nil || slices.ContainsFunc(e.Groups[p], func(q trace.Proc) bool {
		return slices.Contains(e.Model.Victims, q)
	})
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
			b.arrive(m.proc, life, message, e.Model.KeepsOrder())
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
		b.stop(b.env.Incarnation+1, 0, false)
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
	add := func(name string, b *body, in *Input) {
		m, err := e.move(name, b, in)
		all.list, failed = append(all.list, m), errors.Join(failed, err)
	}
	for i, c := range b.inbox {
		for k, message := range c.Messages {
			if k > 0 && (e.Model.KeepsOrder() || message == c.Messages[k-1]) {
				continue
			}
			after := b.clone()
			after.take(i, k)
			add("takes a message of "+e.Layout.Name(c.From), after, &Input{Happening: Arrives,
				From: c.From, Message: e.cert.Messages[message]})
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
			m.fault, all.checkpoint = true, m
		}
	}
	if failed = errors.Join(failed, err); failed == nil {
		e.own[p][configuration] = all
	}
	return all, failed
}

// stored adds what a proc does when the change of its store is done that it waits for, if it waits
// for one.
func (e *environment) stored(p trace.Proc, b *body, add func(string, *body, *Input)) {
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

// told is what a proc makes of being told of failures: of the group at a place, or of all.
func (e *environment) told(p trace.Proc, configuration uint32, place int, life uint32) (*move,
	error) {
	key := binary.BigEndian.AppendUint64([]byte{'t', byte(p >> 8), byte(p), byte(place)},
		uint64(configuration)<<32|uint64(life))
	if m, ok := e.asked[string(key)]; ok {
		return m, nil
	}
	b := e.body(p, configuration).clone()
	in := &Input{Happening: Fails, Incarnation: trace.Incarnation(life)}
	if e.Model.Joint {
		for _, g := range b.env.Pending {
			in.Procs = append(in.Procs, e.Groups[g]...)
		}
		b.env.Pending = nil
	} else {
		in.Procs = e.Groups[b.env.Pending[place]]
		b.env.Pending = slices.Delete(b.env.Pending, place, place+1)
	}
	m, err := e.move("is told of a failure", b, in)
	if err == nil {
		e.asked[string(key)] = m
	}
	return m, err
}

// restart is the start of the next life of a proc that is down, with the records of the owners. Of
// those who are up again by now the new life is not told, and who has adopted it it is.
func (e *environment) restart(p, host trace.Proc, state []uint32) (*move, error) {
	key := binary.BigEndian.AppendUint32([]byte{'r', byte(p >> 8), byte(p), byte(host >> 8),
		byte(host)}, state[1+p])
	for _, q := range e.Owners[p] {
		key = binary.BigEndian.AppendUint32(key,
			e.cert.Tables.Procs[q][state[1+q]].Env)
	}
	b := e.body(p, state[1+p]).clone()
	b.env.Pending = slices.DeleteFunc(b.env.Pending, func(g trace.Proc) bool {
		return !slices.ContainsFunc(e.Groups[g], func(q trace.Proc) bool {
			return !e.body(q, state[1+q]).env.Up
		})
	})
	for _, g := range b.env.Pending {
		key = binary.BigEndian.AppendUint16(key, uint16(g))
	}
	if m, ok := e.asked[string(key)]; ok {
		return m, nil
	}
	in := &Input{Happening: Restarts, From: host,
		Incarnation: trace.Incarnation(b.env.Incarnation)}
	for _, q := range e.Owners[p] {
		for _, r := range e.body(q, state[1+q]).env.Store {
			in.Records = append(in.Records, Owned{q, r})
		}
	}
	b.env.Up = true
	b.local = certificate.Local{Proc: p, Incarnation: in.Incarnation, State: e.Blank(p)}
	m, err := e.move("restarts", b, in)
	if err == nil {
		e.asked[string(key)] = m
	}
	return m, err
}
