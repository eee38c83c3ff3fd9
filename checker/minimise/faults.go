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
		fault.Find("failures").Clear(m)
		d.scenario.Victims = nil
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

// others are the keys of the budgets that are neither of failures nor of checkpoints.
func others() (list []*fault.Key) {
	for i := range fault.Keys {
		if k := &fault.Keys[i]; k.Budget && k.Name != "failures" && k.Name != "checkpoints" {
			list = append(list, k)
		}
	}
	return list
}

// fewerFaults are the changes that lower the other budgets.
func fewerFaults(d *draft) []Change[*draft] {
	c := changesOf(d)
	for _, k := range others() {
		now := k.Get(&d.scenario.Model)
		for n := range now {
			e := d.copy()
			k.Set(&e.scenario.Model, n)
			c.add(e, "%s %d -> %d", k.Many, now, n)
		}
	}
	d.fewerSpoiled(c)
	return c.list
}

// fewerSpoiled are single procs whose records are not safe, then nobody's when all are.
func (d *draft) fewerSpoiled(c *changes) {
	set := func(list []string, words string) {
		e := d.copy()
		e.scenario.Spoils = list
		c.add(e, "%s", words)
	}
	if !d.harms() {
		set(nil, "nobody is named for records that are safe")
		return
	}
	for _, g := range d.groups {
		for _, name := range g {
			if spoils := d.scenario.Spoils; len(spoils) == 0 || slices.Contains(spoils, name) {
				set([]string{name}, "only records of "+name+" are not safe")
			}
		}
	}
}

// harms reports whether the model lets anything happen to records.
func (d *draft) harms() bool {
	m := &d.scenario.Model
	return m.Lose+m.Corrupt+m.Full > 0
}

// defaults are the changes that set what is special about failures and network back to the default.
func defaults(d *draft) []Change[*draft] {
	c := changesOf(d)
	for i := range fault.Keys {
		k := &fault.Keys[i]
		if k.Budget || k.Name == "at-once" && d.scenario.Model.Together() > 1 {
			continue // fewerCrashes lowers how many fail at once
		}
		e := d.copy()
		k.Clear(&e.scenario.Model)
		c.add(e, "%s: %s", k.Name, k.Text(&e.scenario.Model))
	}
	return c.list
}

// fit lowers every budget to what a run of the draft uses.
func (d *draft) fit(spent fault.Model) *draft {
	e := d.copy()
	m := &e.scenario.Model
	if spent.Failures < m.Failures && !m.OneInstant {
		e.setFailures(spent.Failures)
	}
	m.Spend(&spent)
	return e
}
