package minimise

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// size is how large a draft is, what counts most first. A change must make it smaller in the
// lexicographic order, so minimisation ends.
func (d *draft) size() []int {
	m := &d.scenario.Model
	victims := len(d.scenario.Victims)
	if victims == 0 && m.Failures > 0 {
		victims = len(d.groups) + 1 // everybody
	}
	spoiled := len(d.scenario.Spoils)
	if spoiled == 0 && d.harms() {
		spoiled = 1 // everybody
		for _, g := range d.groups {
			spoiled += len(g)
		}
	}
	together := 0
	if m.Failures > 0 {
		together = m.Together()
	}
	var faults, run, written, wild, words int
	for _, k := range others() {
		faults += k.Get(m)
	}
	for _, p := range d.programs {
		run += executed(p)
		written += len(p)
		for _, op := range p {
			wild += number(op.Any)
			words += number(op.Ordered) + number(op.Kind == core.OpPost) + number(op.Try) +
				number(op.OnError)
		}
	}
	return []int{d.ranks(), len(d.members()), m.Failures, together, victims, m.Checkpoints +
		count(d.programs, core.OpCheckpoint),
		faults, spoiled, run, written, wild, words, settings(m)}
}

// settings counts what differs from the default, budgets aside.
func settings(m *fault.Model) (n int) {
	for _, k := range fault.Keys {
		n += number(!k.Budget && k.Get(m) != 0)
	}
	return n
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// executed is how many operations a program executes, loops unrolled.
func executed(p core.Program) int {
	factors, steps := []int{1}, 0
	for _, op := range p {
		factor := factors[len(factors)-1]
		switch op.Kind {
		case core.OpLoop:
			factors = append(factors, factor*op.Count)
		case core.OpEnd:
			factors = factors[:len(factors)-1]
		default:
			steps += factor
		}
	}
	return steps
}

// count is how often an operation is written in the programs.
func count(programs []core.Program, kind core.OpKind) (n int) {
	for _, p := range programs {
		for _, op := range p {
			n += number(op.Kind == kind)
		}
	}
	return n
}

// smaller reports whether the draft is smaller than another.
func (d *draft) smaller(than *draft) bool { return slices.Compare(d.size(), than.size()) < 0 }

// messages is how many sends the programs execute.
func (d *draft) messages() (n int) {
	for _, p := range d.programs {
		for _, op := range unrolled(p) {
			n += number(op.Kind == core.OpSend)
		}
	}
	return n
}

// unrolled is the program without loops.
func unrolled(p core.Program) core.Program {
	var list core.Program
	for i := 0; i < len(p); i++ {
		if p[i].Kind != core.OpLoop {
			list = append(list, p[i])
			continue
		}
		end, depth := i+1, 1
		for ; depth > 0; end++ {
			switch p[end].Kind {
			case core.OpLoop:
				depth++
			case core.OpEnd:
				depth--
			}
		}
		body := unrolled(p[i+1 : end-1])
		for range p[i].Count {
			list = append(list, body...)
		}
		i = end - 1
	}
	return list
}

// mostOperations bounds the programs that are written without loops.
const mostOperations = 512

// unroll writes the programs without loops when they are short enough. Messages keep the names that
// they had.
func (d *draft) unroll() *draft {
	total := 0
	for _, p := range d.programs {
		total += executed(p)
	}
	if total > mostOperations || count(d.programs, core.OpLoop) == 0 {
		return d
	}
	labels := core.Labels(d.programs)
	c := d.copy()
	for r := range c.programs {
		c.programs[r] = unrolled(c.programs[r])
		sends := uint32(0)
		for i := range c.programs[r] {
			if op := &c.programs[r][i]; op.Kind == core.OpSend {
				sends++
				op.Label = labels[core.MsgID{From: core.Rank(r), Number: sends}]
			}
		}
	}
	return c
}
