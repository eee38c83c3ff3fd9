package world

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// auditor asks the hypotheses.
type auditor struct {
	auditGraph
	Audited
	claims    map[claimed]struct{}
	exchanges map[exchanged]struct{}
	work      []func()
	noted     map[uint32][]string // what Pair properties are given by a local step
}

// claimed is a step of a state that is claimed: claim of the theorem.
type claimed struct {
	state int
	step  uint64
}

// exchanged are two steps of a state: exchange of the theorem.
type exchanged struct {
	state         int
	first, second uint64
}

// claim asks what is to be asked of a claimed step, once.
func (a *auditor) claim(c claimed) {
	if _, known := a.claims[c]; !known {
		a.claims[c] = struct{}{}
		a.work = append(a.work, func() { a.holdClaim(c) })
	}
}

// exchange does the same for two steps that may be exchanged.
func (a *auditor) exchange(e exchanged) {
	if _, known := a.exchanges[e]; !known {
		a.exchanges[e] = struct{}{}
		a.work = append(a.work, func() { a.holdExchange(e) })
	}
}

// breaks notes the first hypothesis that is false.
func (a *auditor) breaks(hypothesis string, n int, first, other, third uint64, orders ...string) {
	if a.Broken != nil {
		return
	}
	name := func(at int, label uint64) string {
		if label == 0 {
			return ""
		}
		return a.name(at, label)
	}
	b := &Broken{Hypothesis: hypothesis, Run: a.run(n), State: fmt.Sprint(a.state(n)),
		First: name(n, first), Other: name(n, other), Orders: orders}
	if third != 0 {
		at := n
		if e, ok := a.step(n, other); ok && e.to >= 0 {
			at = int(e.to)
		}
		b.Third = name(at, third)
	}
	a.Broken = b
}

// holdClaim asks claim_possible and claim_commutes of a claimed step. Where the search was cut off
// nothing is asked of states behind it.
func (a *auditor) holdClaim(c claimed) {
	if c.state >= a.States {
		return
	}
	first, ok := a.step(c.state, c.step)
	if !ok {
		a.breaks("claim_possible", c.state, c.step, 0, 0, "it is claimed and not possible")
		return
	}
	for _, other := range a.after(c.state) {
		if other.label == c.step {
			continue
		}
		s := a.square(c.state, first, other, "claim_commutes")
		switch {
		case a.Broken != nil:
			return
		case s.over: // a violation in either order
			a.Plain++
		case s.undone:
			a.Undone++
		case a.silent(first) && !a.silent(s.late):
			a.exchange(exchanged{c.state, c.step, other.label})
		default:
			a.Plain++
			a.claim(claimed{int(other.to), c.step})
		}
	}
}

// silent reports whether a step does nothing to others and shows global properties nothing.
func (a *auditor) silent(e edge) bool {
	if e.step == 0 {
		return true
	}
	t := a.w.transitions.at(e.step - 1)
	return len(t.acts) == 0 && !t.visible && !t.watched
}

// square is what two steps come to: the first one late, behind the other, and the other one last.
type square struct {
	late, last edge
	undone     bool // the other one leads to the same with the first one before it and without
	over       bool // both orders break the same, or the one that is searched breaks something
}

// square takes two steps in both orders.
func (a *auditor) square(n int, first, other edge, hypothesis string) (s square) {
	wrong := func(words string, orders ...string) square {
		a.breaks(hypothesis, n, first.label, other.label, 0, append([]string{words}, orders...)...)
		return square{}
	}
	if first.to == brokenState {
		return square{over: true} // the search finds it
	}
	var ok bool
	if s.last, ok = a.step(int(first.to), other.label); !ok {
		return wrong("the other step is not possible behind the first one")
	}
	if other.to == brokenState {
		if !a.covers(other, s.last) {
			a.breaks("no_worse", n, first.label, other.label, 0, "the other step alone breaks "+
				a.property(other), "behind the first one it breaks "+a.property(s.last))
		}
		return square{over: true}
	}
	if s.last.to == brokenState {
		return square{over: true} // the search finds it
	}
	a.read(n, first, other)
	if s.last.to == other.to {
		s.undone = true
		a.included(n, []edge{other}, []edge{first, s.last}, first, other)
		return s
	}
	if s.late, ok = a.step(int(other.to), first.label); !ok {
		return wrong("the first step is not possible behind the other one")
	}
	if s.late.to == brokenState {
		a.breaks("no_worse", n, first.label, other.label, 0,
			"the first step breaks "+a.property(s.late)+" behind the other one",
			"the other one breaks nothing behind it")
		return square{over: true}
	}
	if s.late.to != s.last.to {
		return wrong("both orders lead to different states",
			fmt.Sprintf("the first one first: %v", a.state(int(s.last.to))),
			fmt.Sprintf("the other one first: %v", a.state(int(s.late.to))))
	}
	a.included(n, []edge{other, s.late}, []edge{first, s.last}, first, other)
	return s
}

// property is what a step breaks.
func (a *auditor) property(e edge) string {
	if e.broken == 0 {
		return "nothing"
	}
	v := a.w.Violation(int(e.broken))
	return v.Property + " (" + v.Message + ")"
}

// covers reports whether the second step breaks the property that the first one breaks.
func (a *auditor) covers(e, f edge) bool {
	return f.broken != 0 &&
		a.w.Violation(int(e.broken)).Property == a.w.Violation(int(f.broken)).Property
}

// holdExchange asks exchange_commutes and exchange_kept of two steps.
func (a *auditor) holdExchange(e exchanged) {
	if e.state >= a.States {
		return
	}
	first, ok := a.step(e.state, e.first)
	second, also := a.step(e.state, e.second)
	if !ok || !also {
		a.breaks("exchange_commutes", e.state, e.first, e.second, 0, "one is not possible")
		return
	}
	s := a.square(e.state, first, second, "exchange_commutes")
	if a.Exchanged++; a.Broken != nil || s.over {
		return
	}
	for _, behind := range a.after(int(second.to)) {
		if behind.label == e.first {
			continue
		}
		a.Thirds++
		third, ok := a.step(e.state, behind.label)
		switch {
		case !ok:
			a.breaks("exchange_kept", e.state, e.first, e.second, behind.label,
				"the third step is not possible before the second one")
		case third.to == brokenState:
			continue // the search finds it, or no_worse is asked of it where it is claimed
		case behind.to == brokenState:
			a.breaks("no_worse", e.state, e.first, e.second, behind.label,
				"the third step breaks "+a.property(behind)+" behind the second one",
				"and nothing before it")
		default:
			a.holdThird(e, first, second, third, behind)
		}
		if a.Broken != nil {
			return
		}
	}
}

// holdThird asks exchange_kept of a third step: it is possible before the second one, to which it
// makes no difference, and commutes with the first one; then both may still be exchanged.
func (a *auditor) holdThird(e exchanged, first, second, third, behind edge) {
	late, ok := a.step(int(third.to), e.second)
	if !ok || late.to != behind.to {
		a.breaks("exchange_kept", e.state, e.first, e.second, behind.label,
			"the second step and the third one do not commute")
		return
	}
	a.included(e.state, []edge{second, behind}, []edge{third, late}, second, third)
	if s := a.square(e.state, first, third, "exchange_kept"); a.Broken == nil && !s.over {
		a.exchange(exchanged{int(third.to), e.first, e.second})
	}
}

// included asks that whatever Pair properties are given in the one order they are in the other.
func (a *auditor) included(n int, steps, searched []edge, first, other edge) {
	var all []string
	for _, e := range searched {
		all = append(all, a.notes(e)...)
	}
	for _, e := range steps {
		for _, note := range a.notes(e) {
			if !slices.Contains(all, note) {
				a.breaks("no_worse", n, first.label, other.label, 0,
					"only the order that is left out shows "+note)
				return
			}
		}
	}
}

// notes are what Pair properties are given by a step.
func (a *auditor) notes(e edge) []string {
	if e.step == 0 || len(a.w.pairs) == 0 {
		return nil
	}
	if list, ok := a.noted[e.step]; ok {
		return list
	}
	var list []string
	t := a.w.transitions.at(e.step - 1)
	for _, note := range a.w.try(t.from, t.input).notes {
		_, rest, _ := bytes.Cut([]byte(note), []byte(" "))
		name, _, _ := bytes.Cut(rest, []byte(" "))
		if slices.ContainsFunc(a.w.pairs, func(p spec.Property) bool {
			return p.Name == string(name)
		}) {
			list = append(list, string(rest))
		}
	}
	a.noted[e.step] = list
	return list
}

// read asks that a global property which judges the other step, and may look at the proc of the
// first one, does not find less there behind the first step than before it: then whatever it breaks
// without, it breaks behind it. A restart is not asked: who is down shows nothing.
func (a *auditor) read(n int, first, other edge) {
	p := eventCode(first.code).proc()
	if first.step == 0 || other.step == 0 || a.Broken != nil ||
		eventCode(first.code).kind() == restart || !a.looksAt(n, other, p) {
		return
	}
	a.Read++
	before := a.w.Observed(a.state(n), p)
	behind := a.w.Observed(a.state(int(first.to)), p)
	if words := a.less(n, p, &before, &behind); words != "" {
		a.breaks("no_worse", n, first.label, other.label, 0,
			"properties that judge the other step look at "+a.w.layout.Name(p)+": "+words)
	}
}

// looksAt reports whether some property that judges the step has ever looked at the proc, or does.
func (a *auditor) looksAt(n int, e edge, p core.Proc) bool {
	w, state := a.w, a.state(n)
	t, self := w.transitions.at(e.step-1), eventCode(e.code).proc()
	if self == p || len(t.checks) == 0 {
		return false
	}
	if p < mostAsked && t.asks.Load()>>p&1 != 0 {
		return true
	}
	if !t.watched {
		return false
	}
	v := view{world: w, state: state, self: self}
	w.lookAs(&v, t, w.observe(state[w.monitors.word], e.step-1).looked)
	return v.asked>>p&1 != 0
}

// less says what a proc shows behind a step that may save others from a violation which they have
// without it, or "". A longer past only adds to what can be an orphan, and a newer round that
// others have named to what is judged.
func (a *auditor) less(n int, p core.Proc, before, behind *spec.Observed) string {
	newest := uint64(0)
	for q := range core.Proc(a.w.procs) {
		newest = max(newest, a.w.of(a.state(n), q).round)
	}
	switch h, i := before.History, behind.History; {
	case before.Up != behind.Up || before.Incarnation != behind.Incarnation ||
		before.Former != behind.Former:
		return "its life is another one"
	case before.Line != behind.Line:
		return "it has another recovery line"
	case !bytes.Equal(appendHolding(nil, before.Holding), appendHolding(nil, behind.Holding)):
		return "it holds something else for others"
	case behind.Round < before.Round || behind.Evaluated < before.Evaluated:
		return "its round is an older one"
	case behind.Round > newest:
		return "it begins a round"
	case h == nil || i == nil:
		if h != i {
			return "it has a past, or has none any more"
		}
		return ""
	case i.Sent < h.Sent || len(i.Delivered) < len(h.Delivered) ||
		!slices.Equal(i.Delivered[:len(h.Delivered)], h.Delivered) || h.Done && !i.Done:
		return "its past is another one"
	default:
		for _, item := range i.Memory {
			if item.Peer != p && !slices.Contains(h.Memory, trace.Item(item)) {
				return fmt.Sprintf("it remembers %v for others", item)
			}
		}
		return ""
	}
}

// leftOut asks put_off_undoes: of each crash that the search leaves out in the state, some step
// that it takes must lead to one in which the same crash leads to the same state.
func (a *auditor) leftOut(n int) {
	w, state := a.w, slices.Clone(a.state(n))
	taken := map[uint64]bool{}
	w.Expand(state, checker.Crashes, a.x)
	for _, s := range a.x.Steps {
		taken[w.label(state, s.Code)] = true
	}
	all := a.after(n)
	if len(taken) == len(all) {
		return
	}
	for _, c := range all {
		if taken[c.label] {
			continue
		}
		a.PutOff++
		if !slices.ContainsFunc(all, func(s edge) bool {
			return taken[s.label] && !s.fault && (s.to == brokenState || slices.ContainsFunc(
				a.after(int(s.to)), func(d edge) bool {
					return d.fault && d.to == c.to && a.sameCrash(c, d)
				}))
		}) {
			a.breaks("put_off_undoes", n, c.label, 0, 0,
				"it is left out, and behind no step does it lead to the same state")
			return
		}
	}
}

// sameCrash reports whether two crashes break the same, if anything.
func (a *auditor) sameCrash(c, d edge) bool { return c.to >= 0 || a.covers(c, d) }
