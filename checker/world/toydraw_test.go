package world

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// toyFeatures says what random toys may do besides sending.
type toyFeatures struct {
	crashes, groups, reads, restoreSends, rollback, cyclic, monotone,
	hosts, launches, stamped bool
	renews, nested, small bool // with hosts; with launches; so that there are few states
	watched               bool // with rollback: the others as well
	shows                 bool // output, so that crashes inside steps make a difference
}

// randomToy draws a toy. A message of a kind sends only higher kinds, or (cyclic) each message
// causes at most one, so the search is finite.
func randomToy(r *rand.Rand, f toyFeatures) *toy {
	t := newToy(2+r.IntN(3), 2+r.IntN(3), 2+r.IntN(3))
	if f.small {
		t = newToy(3, 2+r.IntN(2), 2)
	}
	t.stamped = f.stamped
	for k := range t.visible {
		t.visible[k] = r.IntN(3) == 0
	}
	p := 0
	sends := func(least, most int) (list []toySend) {
		for range r.IntN(most + 1) {
			if least < t.kinds { // never to itself
				list = append(list, toySend{to: (p + 1 + r.IntN(t.procs-1)) % t.procs, kind: least +
					r.IntN(t.kinds-least)})
			}
		}
		return list
	}
	for p = range t.procs {
		for s := range t.states {
			for e := range t.rules[p][s] {
				rule := &t.rules[p][s][e]
				if e >= t.kinds+toyKilled && !f.launches {
					continue
				}
				if f.monotone {
					rule.next = min(s|r.IntN(t.states), t.states-1) // many events commute
				} else if r.IntN(4) > 0 {
					rule.next = r.IntN(t.states)
				}
				switch {
				case e < t.kinds && f.cyclic:
					rule.sends = sends(0, 1)
				case e < t.kinds:
					rule.sends = sends(e+1, 2)
					rule.persist, rule.timer = f.crashes && r.IntN(8) == 0, r.IntN(10) == 0
					rule.rollback = f.rollback && r.IntN(8) == 0
				case e == t.kinds+toyStart:
					rule.sends = sends(0, 2)
				case e == t.kinds+toyRestore:
					rule.next = s
					if f.restoreSends {
						rule.sends = sends(t.kinds/2, 2)
					}
				case e == t.kinds+toyStored || e == t.kinds+toyTick || e >= t.kinds+toyKilled:
					rule.sends = sends(t.kinds-1, 1)
				default:
					rule.sends = sends(t.kinds/2, 2)
					rule.persist = e == t.kinds+toyAsked && r.IntN(2) == 0
				}
			}
		}
	}
	if f.shows {
		t.show(r)
	}
	if f.rollback && !f.watched {
		return t // groups of one
	}
	for p := range core.Proc(t.procs) {
		if r.IntN(t.procs) == 0 {
			t.watchers = append(t.watchers, p)
		}
	}
	if len(t.watchers) == 0 {
		t.watchers = []core.Proc{core.Proc(r.IntN(t.procs))}
	}
	t.initiators = []core.Proc{0}
	if f.hosts {
		t.host(r)
	}
	if f.launches {
		t.launch(r, f)
	}
	if f.renews {
		t.renew(r)
	}
	if f.groups && t.procs > 2 && !f.launches { // who is launched stops alone
		t.groups = [][]core.Proc{{0, 1}}
	}
	if f.reads {
		t.reads = map[core.Proc][]core.Proc{}
		for p := range core.Proc(t.procs) {
			t.reads[p] = []core.Proc{p}
			if q := core.Proc(r.IntN(t.procs)); q != p {
				t.reads[p] = append(t.reads[p], q)
			}
		}
	}
	return t
}

// show has the last proc send to the first two, and messages lead to output behind what they send.
func (t *toy) show(r *rand.Rand) {
	last := t.procs - 1
	start := &t.rules[last][0][t.kinds+toyStart]
	start.sends = []toySend{{0, 0}, {1, 0}}[r.IntN(2):]
	for p := range t.procs {
		for s := range t.states {
			first := &t.rules[p][s][0]
			if len(first.sends) == 0 {
				first.sends = []toySend{{(p + 1) % t.procs, 1}}
			}
			for e := range t.kinds {
				t.rules[p][s][e].output = r.IntN(2) == 0
			}
		}
	}
}

// host makes the last proc one that runs where another has adopted it: the first one at the start,
// others on some events.
func (t *toy) host(r *rand.Rand) {
	last := core.Proc(t.procs - 1)
	t.hosted = map[core.Proc]bool{last: r.IntN(2) == 0}
	for p := range t.procs - 1 {
		for s := range t.states {
			for e := range t.rules[p][s] {
				rule := &t.rules[p][s][e]
				if e >= t.kinds+toyKilled {
					continue // where procs are launched
				}
				if p == 0 && e == t.kinds+toyStart || r.IntN(4) == 0 {
					rule.adopts = []core.Proc{last}
				}
				// What an expiry leads to watches nobody, so that there is an end.
				if e != t.kinds+toyTick && r.IntN(3) == 0 {
					rule.watches = []core.Proc{core.Proc((p + 1 + r.IntN(t.procs-1)) % t.procs)}
				} else if r.IntN(6) == 0 {
					rule.unwatch = []core.Proc{core.Proc((p + 1 + r.IntN(t.procs-1)) % t.procs)}
				}
				rule.exit = e < t.kinds && r.IntN(20) == 0
			}
		}
	}
}

// launch makes the first proc, and of four the second one, run on nodes where it is launched and
// killed. What comes of that and of a restart is a message of the last kind at most, which does
// neither, so there is an end.
//
// With nested the second proc is launched in any case, and by the first one, too.
func (t *toy) launch(r *rand.Rand, f toyFeatures) {
	last := core.Proc(t.procs - 1)
	t.hosted, t.nodes = map[core.Proc]bool{0: false}, []core.Proc{last}
	launchers := 1
	switch {
	case f.nested:
		t.hosted[1], t.nodes, launchers = false, append(t.nodes, last), 0
	case t.procs > 3:
		t.hosted[1], t.nodes, launchers = false, append(t.nodes, core.Proc(2+r.IntN(2))), 2
	}
	for p := launchers; p < t.procs; p++ {
		if p >= len(t.nodes) && r.IntN(4) == 0 {
			t.hosted[core.Proc(p)] = false // gone for good
		}
		if p >= len(t.nodes) && (f.small || r.IntN(2) == 0) {
			t.local = append(t.local, core.Proc(p))
			if f.small && !slices.Contains(t.watchers, core.Proc(p)) {
				t.watchers = append(t.watchers, core.Proc(p))
			}
		}
		for s := range t.states {
			for e := range t.rules[p][s] {
				if rule := &t.rules[p][s][e]; e < t.kinds-1 || e == t.kinds+toyStart ||
					e == t.kinds+toyDown {
					target := core.Proc(r.IntN(len(t.nodes)))
					if int(target) == p {
						target = core.Proc(len(t.nodes)-1) - target
					}
					if r.IntN(3) == 0 {
						rule.kills = []core.Proc{target}
					}
					if r.IntN(2) == 0 {
						rule.launches = []core.Proc{target}
					}
					rule.reads = r.IntN(6) == 0
				}
			}
		}
	}
}

// renew has procs begin their next lives without having stopped.
func (t *toy) renew(r *rand.Rand) {
	for p := range t.procs {
		for s := range t.states {
			for k := range t.kinds {
				rule := &t.rules[p][s][k]
				rule.renew, rule.timer = r.IntN(4) == 0, r.IntN(3) == 0
			}
		}
	}
}

// randomModel draws a failure model.
func randomModel(r *rand.Rand, procs, failures int) fault.Model {
	m := fault.Model{FromDead: fault.Survival(r.IntN(3)), KeepToDead: r.IntN(2) == 0,
		DetectAny: r.IntN(2) == 0, Joint: r.IntN(3) == 0}
	m.Failures = r.IntN(failures + 1)
	if r.IntN(8) == 0 {
		m.Suspicions = 1
	}
	if m.Failures == 2 {
		m.AtOnce, m.OneInstant, m.Settled = r.IntN(3), r.IntN(4) == 0, r.IntN(3) == 0
	}
	if r.IntN(3) == 0 {
		m.Victims = []core.Proc{core.Proc(r.IntN(procs))}
	}
	return m
}

// String prints the table, without rules that change nothing.
func (t *toy) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "procs %d states %d kinds %d visible %v groups %v reads %v watchers %v\n",
		t.procs, t.states, t.kinds, t.visible,
		t.groups, t.reads, t.watchers)
	if t.hosted != nil {
		fmt.Fprintf(&b, "hosted %v nodes %v local %v\n", t.hosted, t.nodes, t.local)
	}
	for p := range t.procs {
		for s := range t.states {
			for e, rule := range t.rules[p][s] {
				name := fmt.Sprintf("k%d", e)
				if e >= t.kinds {
					name = toyEventNames[e-t.kinds]
				}
				if rule.next == s && len(rule.sends) == 0 && !rule.persist && !rule.timer &&
					!rule.rollback && !rule.output &&
					len(rule.adopts)+len(rule.watches)+len(rule.unwatch) == 0 && !rule.exit &&
					len(rule.kills)+len(rule.launches) == 0 && !rule.reads && !rule.renew {
					continue
				}
				if e == t.kinds+toyStart && s != 0 {
					continue
				}
				fmt.Fprintf(&b, "  p%d state %d on %s: state %d", p, s, name, rule.next)
				for _, m := range rule.sends {
					fmt.Fprintf(&b, ", k%d to p%d", m.kind, m.to)
				}
				for name, on := range map[string]bool{"persist": rule.persist, "timer": rule.timer,
					"rollback": rule.rollback, "output": rule.output, "renews": rule.renew} {
					if on {
						b.WriteString(", " + name)
					}
				}
				for _, q := range rule.adopts {
					fmt.Fprintf(&b, ", adopts p%d", q)
				}
				fmt.Fprintf(&b, ", watches %v unwatches %v exits %t", rule.watches, rule.unwatch,
					rule.exit)
				fmt.Fprintf(&b, ", kills %v launches %v reads %t", rule.kills, rule.launches,
					rule.reads)
				b.WriteByte('\n')
			}
		}
	}
	return b.String()
}

// smaller lists toys with one rule simplified: candidates when a failing one is shrunk.
func (t *toy) smaller() (list []*toy) {
	change := func(edit func(*toy)) {
		c := *t
		c.visible = slices.Clone(t.visible)
		c.rules = nil
		for p := range t.procs {
			var table [][]toyRule
			for s := range t.states {
				table = append(table, slices.Clone(t.rules[p][s]))
			}
			c.rules = append(c.rules, table)
		}
		edit(&c)
		list = append(list, &c)
	}
	for k := range t.visible {
		if t.visible[k] {
			change(func(c *toy) { c.visible[k] = false })
		}
	}
	for p := range t.procs {
		for s := range t.states {
			for e, rule := range t.rules[p][s] {
				if rule.next != s || len(rule.sends) > 0 || rule.persist || rule.timer ||
					rule.rollback || rule.reads ||
					len(rule.adopts)+len(rule.kills)+len(rule.launches) > 0 {
					change(func(c *toy) { c.rules[p][s][e] = toyRule{next: s} })
				}
				if rule.next != s {
					change(func(c *toy) { c.rules[p][s][e].next = s })
				}
				for i := range rule.sends {
					change(func(c *toy) {
						c.rules[p][s][e].sends = slices.Delete(slices.Clone(rule.sends), i, i+1)
					})
				}
				if rule.persist || rule.timer {
					change(func(c *toy) {
						c.rules[p][s][e].persist, c.rules[p][s][e].timer = false, false
					})
				}
				if rule.rollback {
					change(func(c *toy) { c.rules[p][s][e].rollback = false })
				}
			}
		}
	}
	return list
}
