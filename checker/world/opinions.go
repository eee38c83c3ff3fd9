package world

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// opinion is what global properties say of a local step, by what they are shown of the procs that
// they ask about: what aloneness rests on.
type opinion struct {
	step  *transition
	line  uint32  // recovery line of its proc, of which everything else follows from the step
	asks  uint64  // the procs asked about, a bit each
	shown []shown // of them
	says  spec.Violation
}

// opinions are those of a search, and those that follow: where a proc is shown as it is behind a
// step that was put off before, the same must be said of it as it is without the step. Local states
// in which a proc is shown alike count as one.
type opinions struct {
	*court
	known  map[string]*opinion
	work   []*opinion
	looks  map[string]uint32 // what is shown of a local state -> the first that looks so
	alikes map[uint32]uint32 // local state -> that one
	others map[uint32][]contrast
	own    map[uint32][]pending // steps put off, by the local state that they lead to
}

// contrast is what steps put off leave for others to look at: the local state instead of the one
// behind.
type contrast struct {
	local uint32
	late  []pending
}

// mostOpinions is how many a judgement may look at.
const mostOpinions = 1 << 21

// agree spoils every step put off of which it matters to global properties whether it has been
// taken. It reports whether all opinions could be looked at.
func (c *court) agree() bool {
	o := opinions{court: c, known: map[string]*opinion{}, looks: map[string]uint32{},
		alikes: map[uint32]uint32{}, others: map[uint32][]contrast{},
		own: map[uint32][]pending{}}
	for l, k := range c.known {
		if !k.idle() {
			o.differ(l)
		}
	}
	o.met()
	for len(o.work) > 0 {
		if len(o.known) > mostOpinions {
			return false
		}
		last := o.work[len(o.work)-1]
		o.work = o.work[:len(o.work)-1]
		o.follow(last)
	}
	return true
}

// differ notes the difference that a step put off makes.
func (o *opinions) differ(l pending) {
	behind := o.try(l.local, l.input).next
	o.own[behind] = append(o.own[behind], l)
	here, there := o.look(l.local), o.look(behind)
	if here == there {
		return
	}
	list := o.others[there]
	i := slices.IndexFunc(list, func(d contrast) bool { return d.local == here })
	if i < 0 {
		i = len(list)
		list = append(list, contrast{local: here})
	}
	list[i].late = append(list[i].late, l)
	o.others[there] = list
}

// look is the first local state met that shows the same as the given one.
func (o *opinions) look(local uint32) uint32 {
	if same, ok := o.alikes[local]; ok || local == deadLocal {
		return same
	}
	l := o.locals.at(local)
	b := binary.BigEndian.AppendUint32(nil, uint32(l.proc))
	b = binary.BigEndian.AppendUint32(b, uint32(l.inc))
	b = binary.BigEndian.AppendUint64(b, l.round)
	b = binary.BigEndian.AppendUint64(b, l.evaluated)
	if l.history != nil {
		b = append(b, core.Encode(l.history)...)
	}
	held := appendHolding(nil, l.holding)
	b = binary.BigEndian.AppendUint32(append(b, held...), uint32(len(held)))
	same, ok := o.looks[string(b)]
	if !ok {
		same = local
		o.looks[string(b)] = same
	}
	o.alikes[local] = same
	return same
}

// met takes the opinions that the search has asked for.
func (o *opinions) met() {
	looks := make([][]shown, o.procs) // by number
	for p := range looks {
		looks[p] = make([]shown, len(o.configurations[p].shown.numbers))
		for look, number := range o.configurations[p].shown.numbers {
			looks[p][number] = look
		}
	}
	o.verdicts.Load().each(func(key []uint32, violation int) {
		n := &opinion{step: o.transitions.at(key[0]), asks: uint64(key[3])<<32 | uint64(key[2])}
		n.line = looks[o.locals.at(n.step.from).proc][key[1]].line
		for i, p := range procsOf(n.asks) {
			seen := looks[p][key[4+i]]
			seen.local = o.look(seen.local)
			n.shown = append(n.shown, seen)
		}
		if violation != 0 {
			n.says = o.violations[violation-1]
		}
		o.add(n)
	})
}

// procsOf are the procs of a set, ascending.
func procsOf(set uint64) (list []core.Proc) {
	for p := range core.Proc(mostAsked) {
		if set>>p&1 != 0 {
			list = append(list, p)
		}
	}
	return list
}

// key tells an opinion from others, but for what it says.
func (n *opinion) key() string {
	word := binary.BigEndian.AppendUint32
	b := word(word(word(nil, n.step.from), n.step.input), n.line)
	b = binary.BigEndian.AppendUint64(b, n.asks)
	for i := range n.shown {
		s := &n.shown[i]
		b = binary.BigEndian.AppendUint64(word(word(word(b, s.local), s.inc), s.line), s.former)
		if s.up {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
	}
	return string(b)
}

// add takes an opinion.
func (o *opinions) add(n *opinion) {
	if key := n.key(); o.known[key] == nil {
		o.known[key] = n
		o.work = append(o.work, n)
	}
}

// follow looks at what follows from an opinion.
func (o *opinions) follow(n *opinion) {
	for i := range n.shown {
		for _, d := range o.others[n.shown[i].local] {
			other := *n
			other.shown = slices.Clone(n.shown)
			other.shown[i].local = d.local
			o.compare(n, &other, d.late)
		}
	}
	if o.alone.without == ownClause {
		return
	}
	for _, l := range o.own[n.step.from] {
		if o.comes(n.step.input, l) {
			other := *n
			other.step = &o.try(l.local, n.step.input).transition
			o.compare(n, &other, []pending{l})
		}
	}
}

// comes reports whether a proc may be given the input while the step waits.
func (o *opinions) comes(input uint32, l pending) bool {
	return slices.ContainsFunc(o.offers[l.local], func(in offer) bool {
		return in.input == input && in != l.offer &&
			(in.channel != l.channel || in.channel == noChannel)
	})
}

// compare spoils the steps put off unless the other opinion is the same.
func (o *opinions) compare(n, other *opinion, late []pending) {
	if !slices.ContainsFunc(late, func(l pending) bool { return !o.court.known[l].idle() }) {
		return
	}
	key := other.key()
	was := o.known[key]
	if was == nil && o.form(other) {
		was = other
		o.known[key] = other
		o.work = append(o.work, other)
	}
	if was == nil || was.says != n.says {
		for _, l := range late {
			o.spoil(l)
		}
	}
}

// form asks the properties; it reports whether they have an opinion.
func (o *opinions) form(n *opinion) bool {
	o.alone.trying, o.alone.troubled = true, false
	defer func() { o.alone.trying = false }()
	v := opinionView{opinions: o, opinion: n, self: o.locals.at(n.step.from).proc}
	n.says = spec.Violation{}
	for i := range n.step.checks {
		c := &n.step.checks[i]
		v.own = c.self
		if c.event.Kind == trace.Restored {
			v.own = o.restarted(n.step)
		}
		v.own.Line = o.line(&env{Line: n.line})
		for j := range o.always {
			if m := o.always[j].Event(o.Facts, &v, c.event); m != "" && !v.beyond {
				n.says = spec.Violation{Property: o.always[j].Name, Message: m}
				return !o.alone.troubled
			}
		}
	}
	return !v.beyond && !o.alone.troubled
}

// opinionView shows what an opinion rests on.
type opinionView struct {
	*opinions
	*opinion
	self   core.Proc
	own    spec.Observed
	beyond bool // somebody else was asked about
}

// Observed implements spec.View.
func (v *opinionView) Observed(p trace.Proc) spec.Observed {
	if p == v.self {
		return v.own
	}
	if v.asks>>p&1 == 0 {
		v.beyond = true
		return spec.Observed{}
	}
	s := &v.shown[bits.OnesCount64(v.asks&(1<<p-1))]
	l := v.locals.at(s.local)
	return spec.Observed{Up: s.up, Incarnation: core.Incarnation(s.inc), History: l.history,
		Holding: l.holding, Line: v.court.line(&env{Line: s.line}), Round: l.round,
		Evaluated: l.evaluated, Former: s.former}
}
