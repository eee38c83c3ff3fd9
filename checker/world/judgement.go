package world

import (
	"math/bits"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// offer is an input that a proc may be given, from a channel or not.
type offer struct{ input, channel uint32 }

// pending is a step that may be put off: it waits for a proc in a local state.
type pending struct {
	local uint32
	offer
	requests bool // checkpoints may still be asked for
	claimed  bool // the protocol says that it commutes
}

// postponed is what is known of a pending step.
type postponed struct {
	parents []pending // bad, or loud, if this one is
	behind  []pending // those of which it is a parent
	skipped []offer   // that are not examined while it is idle
	needed  int       // what asks for it: parents that are neither bad nor idle, and a decision
	bad     bool
	loud    bool // it, or one that it leads to, changes what properties see of the proc
}

// idle reports whether it does not matter whether the step stands: all that lead to it do not.
func (k *postponed) idle() bool { return k.bad || k.needed == 0 }

// court judges the decisions of a search.
type court struct {
	*World
	offers  map[uint32][]offer // by local state, in order, and as sets
	offered map[uint32]map[offer]struct{}
	later   map[uint32][]uint32 // to a local state, from where a waiting step leads to it
	known   map[pending]*postponed
	at      map[uint32][]pending // that wait in a local state
	work    []task
}

// leastTrials is how many steps a judgement may look at that no run takes, besides some for each
// that one does.
const leastTrials = 10_000

// task is an input that comes while a step is put off.
type task struct {
	late pending
	in   offer
}

// stand judges the steps that the last search has taken alone by all that it has met; it reports
// whether they all stand. When that takes too long, none does, and no other is tried.
func (w *World) stand() bool {
	if lined := w.alone.lines.Load(); w.alone.trials == nil || lined != w.alone.lined {
		w.alone.lined = lined
		w.alone.trials = map[uint64]*trial{}
	}
	for p := range w.configurations {
		if w.configurations[p].plans.dropped.Load() { // nobody knows all that was met
			w.alone.on, w.alone.possible = false, false
			return false
		}
	}
	c := court{World: w, offers: map[uint32][]offer{}, offered: map[uint32]map[offer]struct{}{},
		later: map[uint32][]uint32{}, known: map[pending]*postponed{}, at: map[uint32][]pending{}}
	w.alone.learnt()
	c.met()
	var used [2]uint32
	for n := range w.alone.decisions.len() {
		d := w.alone.decisions.at(uint32(n))
		for chk := range d.used {
			if used[chk] |= d.used[chk].Load(); used[chk] != 0 {
				c.put(d.pending(w, chk), nil)
			}
		}
	}
	most := leastTrials + 4*w.transitions.len()
	for len(c.work) > 0 {
		if len(w.alone.trials) > most || len(c.known) > most || len(c.work) > 50*most {
			w.alone.on, w.alone.possible = false, false
			return false
		}
		t := c.work[0]
		c.work = c.work[1:]
		c.examine(t.late, t.in)
	}
	if w.alone.without != opinionClause && !c.agree() {
		w.alone.forgot.Store(true)
		w.alone.learnt()
		return false
	}
	stand := true // others that do not are not to be tried next time
	for n := range w.alone.decisions.len() {
		d := w.alone.decisions.at(uint32(n))
		for chk := range d.used {
			l, taken := d.pending(w, chk), d.used[chk].Swap(0)
			if c.known[l] == nil {
				continue
			}
			bad := c.verdict(d, l, used[chk])
			d.bad[chk].Or(bad)
			stand = stand && bad&taken == 0
		}
	}
	return stand
}

// pending is the step where it is taken.
func (d *decision) pending(w *World, chk int) pending {
	t := w.transitions.at(d.step)
	return pending{local: t.from, offer: offer{t.input, d.channel}, requests: chk != 0,
		claimed: d.claimed}
}

// verdict is in which of the phases a decision does not stand.
func (c *court) verdict(d *decision, l pending, used uint32) (bad uint32) {
	k := c.known[l]
	if k.bad || c.alone.trusted.exits {
		return used
	}
	if d.channel != noChannel && c.moves(d) {
		return used
	}
	for u := used; u != 0; u &= u - 1 {
		if phase := bits.TrailingZeros32(u); k.loud && c.alone.trusted.read(phase)>>d.proc&1 != 0 {
			bad |= 1 << phase
		}
	}
	return bad
}

// moves reports whether the channel of a decision may end because its sender starts a new life.
func (c *court) moves(d *decision) bool {
	from := core.Proc(d.channel >> 16)
	if !c.Model.KeepsOrder() {
		from = c.packets.at(packetNumber(d.channel)).from
	}
	return c.Model.FromDead == fault.Prefix && c.alone.trusted.moves>>from&1 != 0
}

// met offers what the search has met.
func (c *court) met() {
	run := c.alone.run.Load()
	for p := range c.configurations {
		s := &c.configurations[p]
		for n := range s.list.len() {
			slot := s.plans.slot(uint32(n))
			if slot == nil {
				continue
			}
			pl := slot.Load()
			if pl == nil || pl.run.Load() != run {
				continue
			}
			for i := range pl.events {
				e := &pl.events[i]
				if e.care&(open|cutting) != 0 { // these have a life in the place of a step, or none
					continue
				}
				t, channel := c.transitions.at(e.step), noChannel
				if e.code.kind() == deliver {
					channel = uint32(e.code.arg())
				}
				c.offer(t.from, offer{t.input, channel})
			}
		}
	}
	for n := range c.transitions.len() {
		if t := c.transitions.at(uint32(n)); t.run.Load() == run {
			c.offer(t.from, offer{t.input, noChannel})
		}
	}
}

// offer notes that a proc in the local state may be given the input.
func (c *court) offer(here uint32, o offer) {
	if here == deadLocal || !c.offersChoice(here, o) {
		return // a step of the program is possible or not, whatever was put off
	}
	if c.offered[here] == nil {
		c.offered[here] = map[offer]struct{}{}
	}
	if _, ok := c.offered[here][o]; ok {
		return
	}
	c.offered[here][o] = struct{}{}
	c.offers[here] = append(c.offers[here], o)
	for _, l := range c.at[here] {
		c.work = append(c.work, task{l, o})
	}
	for _, before := range c.later[here] {
		c.offer(before, o)
	}
}

// put makes a step one that may be put off in the local state.
func (c *court) put(l pending, parent *pending) {
	k, ok := c.known[l]
	if !ok {
		k = new(postponed)
		c.known[l] = k
	}
	if parent == nil {
		c.need(l)
	} else {
		above := c.known[*parent]
		k.parents, above.behind = append(k.parents, *parent), append(above.behind, l)
		if !above.idle() {
			c.need(l)
		}
		if k.bad {
			c.spoil(*parent)
		}
		if k.loud {
			c.louden(*parent)
		}
	}
	if ok {
		return
	}
	t := c.try(l.local, l.input)
	if _, lonely := c.lonely(&t.transition); t.failed || t.looks || t.broken || !lonely {
		c.spoil(l)
		return
	}
	if !c.alike(l.local, t.next) {
		c.louden(l)
	}
	c.at[l.local] = append(c.at[l.local], l)
	for _, o := range c.offers[l.local] {
		c.work = append(c.work, task{l, o})
	}
	c.offer(l.local, l.offer)
	for _, choice := range c.locals.at(l.local).choices {
		c.offer(l.local, offer{choice, noChannel})
	}
	if l.requests && slices.Contains(c.Setup.Initiators, c.locals.at(l.local).proc) {
		c.offer(l.local, offer{c.checkpointInput(), noChannel})
	}
	if c.alone.without != laterClause && !slices.Contains(c.later[t.next], l.local) {
		c.later[t.next] = append(c.later[t.next], l.local)
		for _, o := range slices.Clone(c.offers[t.next]) {
			c.offer(l.local, o)
		}
	}
}

// spoil makes a step one that must not be put off, and those that lead to it.
func (c *court) spoil(l pending) {
	if k := c.known[l]; !k.bad {
		was := k.idle()
		if k.bad = true; !was {
			c.leave(k)
		}
		for _, p := range k.parents {
			c.spoil(p)
		}
	}
}

// need notes that one thing more asks for a pending step; what was skipped is made up for.
func (c *court) need(l pending) {
	k := c.known[l]
	if k.needed++; k.needed > 1 || k.bad {
		return
	}
	for _, in := range k.skipped {
		c.work = append(c.work, task{l, in})
	}
	k.skipped = nil
	for _, b := range k.behind {
		c.need(b)
	}
}

// leave notes that a pending step asks for nothing behind it any more.
func (c *court) leave(k *postponed) {
	for _, b := range k.behind {
		b := c.known[b]
		if b.needed--; b.needed == 0 && !b.bad {
			c.leave(b)
		}
	}
}

// louden makes a step one that properties may see, and those that lead to it.
func (c *court) louden(l pending) {
	if k := c.known[l]; !k.loud {
		k.loud = true
		for _, p := range k.parents {
			c.louden(p)
		}
	}
}

// examine compares both orders of a step put off and an input.
func (c *court) examine(l pending, in offer) {
	k := c.known[l]
	if k.bad || in == l.offer || in.channel == l.channel && in.channel != noChannel ||
		c.alone.without == orderClause {
		return // what is behind the step in its channel waits as well
	}
	if k.needed == 0 {
		k.skipped = append(k.skipped, in)
		return
	}
	e, i := c.try(l.local, l.input), c.try(l.local, in.input)
	asked := c.inputs.at(in.input).Kind == core.Checkpoint
	if asked && i.next == l.local && len(i.acts) == 0 {
		return // it is not asked for
	}
	if i.failed || slices.ContainsFunc(i.acts, act.ends) {
		c.spoil(l)
		return
	}
	late, last, ok := c.swap(l, in, e, i)
	if !ok {
		if !l.claimed { // or else the input does not come in the states where the claim is used
			c.spoil(l)
		}
		return
	}
	if !slices.Equal(late.notes, e.notes) || late.looks ||
		!c.alike(l.local, e.next) && (!slices.Equal(last.notes, i.notes) ||
			slices.ContainsFunc(i.events, c.monitors.looksAt)) {
		c.spoil(l)
		return
	}
	c.put(pending{i.next, l.offer, l.requests, l.claimed}, &l)
}

// swap takes a step put off and an input in the other order, and reports whether both orders lead
// to the same. What can be told from fewer steps is.
func (c *court) swap(l pending, in offer, e, i *trial) (late, last *trial, ok bool) {
	if c.alone.without != meetClause && c.meet(e, i) || !c.offersChoice(i.next, l.offer) ||
		!c.offersChoice(e.next, in) {
		return nil, nil, false
	}
	if late = c.try(i.next, l.input); late.failed || !late.same(e) {
		return nil, nil, false
	}
	if last = c.try(e.next, in.input); last.failed || late.next != last.next || !last.same(i) {
		return nil, nil, false
	}
	asked := c.inputs.at(in.input).Kind == core.Checkpoint
	return late, last, !asked || last.next != e.next || len(last.acts) > 0
}

// ends reports whether an act may end the life of a proc, or begin one.
func (a act) ends() bool {
	switch a.kind {
	case actRollback, actExit, actRenew, actLaunch:
		return true
	}
	return false
}

// offersChoice reports whether a step of the program is possible in the local state; others are.
func (c *court) offersChoice(here uint32, o offer) bool {
	return c.inputs.at(o.input).Kind != core.Advance ||
		slices.Contains(c.locals.at(here).choices, o.input)
}

// meet reports whether both send to one proc.
func (c *court) meet(e, i *trial) bool {
	for _, a := range e.acts {
		if slices.ContainsFunc(i.acts, func(b act) bool {
			return a.kind == actSend && b.kind == actSend && a.to == b.to
		}) {
			return true
		}
	}
	return false
}
