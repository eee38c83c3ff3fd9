package minimise

import (
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// fewerCrashes are the changes that lower how many groups fail, how many at a time, and whose.
func fewerCrashes(d *draft) []Change[*draft] {
	c := changesOf(d)
	m := &d.scenario.Model
	for n := range m.Failures {
		e := d.copy()
		e.setFailures(n)
		c.add(e, "failures %d -> %d", m.Failures, n)
	}
	if m.Failures == 0 {
		e := d.copy()
		e.setFailures(0)
		c.add(e, "nobody is named as a victim, since nobody fails")
		return c.list
	}
	for n := 1; n < m.Together(); n++ {
		e := d.copy()
		e.setTogether(n)
		c.add(e, "at once %d -> %d", m.Together(), n)
	}
	d.fewerVictims(c)
	return c.list
}

// setFailures sets how many groups fail; when none does, nothing is said about who and how.
func (d *draft) setFailures(n int) {
	m := &d.scenario.Model
	m.Failures = n
	if m.Together() > n || n <= 1 {
		d.setTogether(n)
	}
	if n == 0 {
		d.scenario.Victims, m.Staggered = nil, false
	}
}

// setTogether sets how many groups may fail at a time; one is the default.
func (d *draft) setTogether(n int) {
	d.scenario.Model.AtOnce, d.scenario.Model.OneInstant = n, false
	if n <= 1 {
		d.scenario.Model.AtOnce = 0
	}
}

// fewerVictims are single victims, then all but one. A group is named by its first member.
func (d *draft) fewerVictims(c *changes) {
	var victims []string
	for _, g := range d.groups {
		named := func(v string) bool { return slices.Contains(g, v) }
		if len(d.scenario.Victims) == 0 || slices.ContainsFunc(d.scenario.Victims, named) {
			victims = append(victims, g[0])
		}
	}
	set := func(list []string) {
		e := d.copy()
		e.scenario.Victims = list
		c.add(e, "only %s may fail", strings.Join(list, " "))
	}
	for _, v := range victims {
		set([]string{v})
	}
	for i := range victims {
		if len(victims) > 1 {
			set(slices.Delete(slices.Clone(victims), i, i+1))
		}
	}
}

// fewerCheckpoints are the changes that lower the checkpoints anywhere and take out those that
// programs ask for.
func fewerCheckpoints(d *draft) []Change[*draft] {
	c := changesOf(d)
	for n := range d.scenario.Model.Checkpoints {
		e := d.copy()
		e.scenario.Model.Checkpoints = n
		c.add(e, "checkpoints %d -> %d", d.scenario.Model.Checkpoints, n)
	}
	d.removeEach(c, core.OpCheckpoint, "checkpoint")
	return c.list
}

// removeEach are the changes that take out one operation of a kind.
func (d *draft) removeEach(c *changes, kind core.OpKind, word string) {
	for r, p := range d.programs {
		for i, op := range p {
			if op.Kind == kind {
				e := d.copy()
				e.remove(place{r, i})
				c.add(e, "%s of %s taken out", word, d.names[r])
			}
		}
	}
}

// fewerFaults are the changes that lower the other budgets.
func fewerFaults(d *draft) []Change[*draft] {
	c := changesOf(d)
	budgets := func(m *fault.Model) []*int {
		return []*int{&m.Loss, &m.Duplicates, &m.Suspicions, &m.Torn}
	}
	for i, name := range []string{"losses", "duplicates", "suspicions", "torn writes"} {
		now := *budgets(&d.scenario.Model)[i]
		for n := range now {
			e := d.copy()
			*budgets(&e.scenario.Model)[i] = n
			c.add(e, "%s %d -> %d", name, now, n)
		}
	}
	return c.list
}

// defaults are the changes that set what is special about failures and network back to the default.
func defaults(d *draft) []Change[*draft] {
	c := changesOf(d)
	set := func(words string, change func(m *fault.Model)) {
		e := d.copy()
		change(&e.scenario.Model)
		c.add(e, "%s", words)
	}
	if d.scenario.Model.Together() == 1 {
		set("one at a time", func(m *fault.Model) { m.OneInstant, m.AtOnce = false, 0 })
	}
	set("stop: together", func(m *fault.Model) { m.Staggered = false })
	set("network: fifo", func(m *fault.Model) {
		m.Unordered, m.Set, m.Selective = false, false, false
	})
	set("ignored: dropped", func(m *fault.Model) { m.Selective = false })
	set("from-dead: prefix", func(m *fault.Model) { m.FromDead = fault.Prefix })
	set("to-dead: lost", func(m *fault.Model) { m.KeepToDead = false })
	set("notice: each", func(m *fault.Model) { m.Joint = false })
	set("detect: after", func(m *fault.Model) { m.DetectAny = false })
	return c.list
}

// fit lowers every budget to what a run of the draft uses.
func (d *draft) fit(spent fault.Model) *draft {
	e := d.copy()
	m := &e.scenario.Model
	if spent.Failures < m.Failures && !m.OneInstant {
		e.setFailures(spent.Failures)
	}
	m.Checkpoints, m.Loss, m.Duplicates = spent.Checkpoints, spent.Loss, spent.Duplicates
	m.Suspicions, m.Torn = spent.Suspicions, spent.Torn
	return e
}
