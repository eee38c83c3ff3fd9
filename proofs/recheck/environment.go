package recheck

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/domino-check/domino/proofs/certificate"
	"github.com/domino-check/domino/spec"
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
	tickets []certificate.Ticket
	ticket  map[string]uint32 // by entry, their numbers
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
	crashed                      // the next life is a, b changes become stable, c: see torn, bare
	renumber                     // the next life is a
	noticed                      // of group a, its life b, plus 1
	erasure                      // the oldest change, a delete, becomes stable
	watching                     // of life b of proc a
	unwatching                   // of proc a
	launch                       // ticket a
	revoke                       // of the ticket of a
	killed                       // of proc a, which it wanted to be stopped
	vanish                       // of stable record a
	spoil                        // of stable record a, in way b
	drop                         // of message b of channel a
)

// What else there is of a crash.
const (
	torn = 1 << iota // the change behind those that become stable is damaged
	bare             // the disk is gone
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
		past:    make([]*trace.History, len(c.Histories)), ticket: map[string]uint32{}}
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
		b.arrive(trace.Proc(c.a), trace.Incarnation(c.b), c.c, &e.Model)
	case loss:
		b.lose(trace.Proc(c.a))
	case end:
		b.inbox = slices.Delete(b.inbox, int(c.a), int(c.a)+1)
	case crashed:
		b.stop(c.a, int(c.b), c.c&torn != 0, c.c&bare != 0)
		if !e.Model.KeepToDead {
			b.inbox = nil
		}
	case renumber:
		b.env.Incarnation = c.a
	case noticed:
		b.notice(trace.Proc(c.a), c.b)
	case erasure:
		b.settle(1)
	case watching:
		b.unwatch(trace.Proc(c.a))
		b.watch(trace.Proc(c.a), c.b)
	case unwatching:
		b.unwatch(trace.Proc(c.a))
	case drop:
		b.take(int(c.a), int(c.b))
	case vanish, spoil:
		b.spoil(c)
	default:
		e.launching(b, c)
	}
	n := e.number(p, b)
	e.changed[p][c] = n
	return n
}
