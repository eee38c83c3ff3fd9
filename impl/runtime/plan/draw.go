package plan

import (
	"math/rand/v2"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// Draw draws a plan within the budgets of the model, so that failures fall anywhere in the
// histories of the given lengths. Without a length of a run without failures it is the plan without
// any fault.
func Draw(rng *rand.Rand, setup *core.Setup, m *fault.Model, l Lengths) (p Plan) {
	if len(l) == 0 || l[0] == nil {
		return p
	}
	d := drawing{rng: rng, setup: setup, model: m, lengths: l[0]}
	p.Failures = d.failures(l)
	d.lengths = l[0]
	if len(setup.Initiators) > 0 {
		for range d.upTo(m.Checkpoints) {
			q := setup.Initiators[rng.IntN(len(setup.Initiators))]
			p.Requests = append(p.Requests, Request{Proc: q, After: d.moment(q)})
		}
	}
	if len(setup.Watchers) > 0 {
		for range d.upTo(m.Suspicions) {
			q := setup.Watchers[rng.IntN(len(setup.Watchers))]
			g := setup.Group(core.Proc(rng.IntN(len(d.lengths))))
			if after := d.moment(q); !slices.Contains(setup.Certain, g[0]) {
				p.Requests = append(p.Requests, Request{Proc: q, After: after, Suspicious: true,
					Suspect: g[0]})
			}
		}
	}
	if setup.Watchdogs {
		p.Requests = append(p.Requests, d.expiries()...)
	}
	if m.Lose+m.Corrupt+m.Full > 0 { // otherwise nothing is drawn, as ever
		p.Spoils = DrawSpoils(rng, setup, m, l)
	}
	rates := []int{2, 8, 32}
	p.Lost, p.Doubled = rates[rng.IntN(len(rates))], rates[rng.IntN(len(rates))]
	return p
}

type drawing struct {
	rng     *rand.Rand
	setup   *core.Setup
	model   *fault.Model
	lengths []int
}

// expiries are false suspicions of watchdogs. A proc is given up only when several come in a row,
// so they often do.
func (d *drawing) expiries() (list []Request) {
	var active []core.Proc
	for p, n := range d.lengths {
		if n > 0 {
			active = append(active, core.Proc(p))
		}
	}
	if len(active) == 0 {
		return nil
	}
	for i := range d.upTo(d.model.Suspicions) {
		if i > 0 && d.rng.IntN(4) > 0 {
			list = append(list, list[i-1])
			continue
		}
		p := active[d.rng.IntN(len(active))]
		list = append(list, Request{Proc: p, After: d.moment(p), Expires: true})
	}
	return list
}

// upTo is a number up to a budget, mostly the whole of it.
func (d *drawing) upTo(budget int) int {
	if d.rng.IntN(3) > 0 {
		return budget
	}
	return d.rng.IntN(budget + 1)
}

// moment is a number of effects of a proc.
func (d *drawing) moment(p core.Proc) int { return d.rng.IntN(d.lengths[p] + 1) }

func (d *drawing) failures(l Lengths) (list []Failure) {
	m := d.model
	var units []core.Proc // that may crash: first procs of groups, or procs that stop one by one
	for p := range core.Proc(len(d.lengths)) {
		victim := func(q core.Proc) bool {
			return m.Victims == nil || slices.Contains(m.Victims, q)
		}
		if g := d.setup.Group(p); m.Staggered && victim(p) || !m.Staggered && g[0] == p &&
			slices.ContainsFunc(g, victim) {
			units = append(units, p)
		}
	}
	left := d.upTo(m.Failures)
	if m.OneInstant && left > 0 {
		left = m.Failures
	}
	for struck := 0; left > 0 && len(units) > 0; {
		d.lengths = l.after(struck)
		n := 1 + d.rng.IntN(min(left, m.Together(), len(units)))
		if m.OneInstant {
			n = left
		}
		if n > len(units) {
			break
		}
		f := Failure{Survive: []fault.Survival{fault.Prefix, fault.Prefix, fault.Every,
			fault.Nothing}[d.rng.IntN(4)]}
		for _, i := range d.rng.Perm(len(units))[:n] {
			f.Victims = append(f.Victims, units[i])
		}
		slices.Sort(f.Victims)
		f.By = d.counted(f.Victims)
		f.After = d.moment(f.By)
		list = append(list, f)
		left, struck = left-n, struck+n
	}
	return list
}

// counted is the proc whose effects tell when the victims stop: mostly one of them, if they do
// anything.
func (d *drawing) counted(victims []core.Proc) core.Proc {
	var list []core.Proc
	for _, v := range victims {
		list = append(list, d.setup.Group(v)...)
	}
	if d.rng.IntN(4) == 0 {
		list = list[:0]
		for p := range d.lengths {
			list = append(list, core.Proc(p))
		}
	}
	list = slices.DeleteFunc(list, func(p core.Proc) bool { return d.lengths[p] == 0 })
	if len(list) == 0 {
		return victims[0]
	}
	return list[d.rng.IntN(len(list))]
}

// Lengths are how many effects each proc performs at most in a run, by the number of failures in
// the run: a plan for the first failure is made for the history of a run without any, that for the
// second one for the history of a run with one.
type Lengths [][]int

// Note takes a run into account, in which so many groups have failed and each proc has performed so
// many effects, in all its lives.
func (l *Lengths) Note(failures int, performed []int) {
	for len(*l) <= failures {
		*l = append(*l, nil)
	}
	longest := &(*l)[failures]
	if *longest == nil {
		*longest = make([]int, len(performed))
	}
	for p, n := range performed {
		(*longest)[p] = max((*longest)[p], n)
	}
}

// after are those of runs with so many failures, or the next fewer that are known.
func (l Lengths) after(failures int) []int {
	for i := min(failures, len(l)-1); ; i-- {
		if l[i] != nil {
			return l[i]
		}
	}
}
