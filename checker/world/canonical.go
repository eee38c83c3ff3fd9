package world

import (
	"cmp"
	"context"
	"encoding/binary"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
)

// Many runs of one length show the same violation. A reader is served best by one in which nothing
// fails before it must and a proc goes on as long as it can: then the diagram begins like the
// failure-free run, and the steps of a proc stand together.

// preference orders the steps out of a state, the best first: what is no fault, then what the proc
// of the last step does, then lower procs.
type preference struct {
	fault, other bool
	proc         core.Proc
	code         uint64
}

// preferenceOf is that of a step after the last one, which is 0 when there is none.
func preferenceOf(s checker.Step, last uint64) preference {
	p, q := eventCode(s.Code).proc(), eventCode(last).proc()
	return preference{fault: s.Fault, other: last == 0 || p != q, proc: p, code: s.Code}
}

func (a preference) before(b preference) bool {
	if a.fault != b.fault {
		return b.fault
	}
	if a.other != b.other {
		return b.other
	}
	return cmp.Or(cmp.Compare(a.proc, b.proc), cmp.Compare(a.code, b.code)) < 0
}

// Canonical is the first run, in the order of preference, among all shortest runs that break the
// property, which have the given length. So it does not depend on the search that found the length.
// It returns false when that takes more states than allowed, or ctx ends.
func (w *World) Canonical(ctx context.Context, property string, length, states int) ([]uint64,
	bool) {
	c := shortestRuns{World: w, property: property, length: length,
		x: checker.NewExpansion(w.Words()), depth: map[string]int{}}
	if !c.layers(ctx, states) {
		return nil, false
	}
	c.prune()
	return c.path()
}

// shortestRuns is the graph of all shortest runs, level by level.
type shortestRuns struct {
	*World
	property string
	length   int
	x        *checker.Expansion
	levels   [][][]uint32
	// level of each state, -1 when no shortest run that breaks the property goes through it
	depth map[string]int
	key   []byte
}

// layers explores breadth first as deep as the run is long.
func (c *shortestRuns) layers(ctx context.Context, states int) bool {
	initial := make([]uint32, c.Words())
	c.Initial(initial)
	c.depth[string(c.keyOf(initial))] = 0
	c.levels = append(c.levels, [][]uint32{initial})
	for d := range c.length {
		var next [][]uint32
		for _, state := range c.levels[d] {
			if len(c.depth) > states || ctx.Err() != nil {
				return false
			}
			c.Expand(state, checker.Unreduced, c.x)
			for i, s := range c.x.Steps {
				if s.Violation != 0 {
					continue
				}
				successor := c.x.State(i, nil)
				if _, met := c.depth[string(c.keyOf(successor))]; !met {
					c.depth[string(c.key)] = d + 1
					next = append(next, successor)
				}
			}
		}
		c.levels = append(c.levels, next)
	}
	return true
}

func (c *shortestRuns) keyOf(state []uint32) []byte {
	c.key = c.key[:0]
	for _, word := range state {
		c.key = binary.LittleEndian.AppendUint32(c.key, word)
	}
	return c.key
}

// prune marks the states from which the violation is not reached in the steps that are left.
func (c *shortestRuns) prune() {
	for d := c.length; d >= 0; d-- {
		for _, state := range c.levels[d] {
			c.Expand(state, checker.Unreduced, c.x)
			leads := d == c.length && c.broken(state)
			for i := 0; i < len(c.x.Steps) && !leads; i++ {
				leads = c.leads(d, i)
			}
			if !leads {
				c.depth[string(c.keyOf(state))] = -1
			}
		}
	}
}

// leads reports whether step i out of a state of level d is on a shortest run to the violation.
func (c *shortestRuns) leads(d, i int) bool {
	if v := c.x.Steps[i].Violation; v != 0 {
		return d == c.length-1 && c.Violation(v).Property == c.property
	}
	level, met := c.depth[string(c.keyOf(c.x.State(i, nil)))]
	return met && level == d+1
}

// broken reports whether a run that ends in the state, which is expanded, breaks the property by
// its end.
func (c *shortestRuns) broken(state []uint32) bool {
	for _, s := range c.x.Steps {
		if !s.Fault {
			return false
		}
	}
	n := c.Terminal(state)
	return n != 0 && c.Violation(n).Property == c.property
}

// path walks from the start, always by the first step that leads to the violation.
func (c *shortestRuns) path() (path []uint64, ok bool) {
	state, last := c.levels[0][0], uint64(0)
	for d := range c.length {
		c.Expand(state, checker.Unreduced, c.x)
		best := -1
		for i, s := range c.x.Steps {
			if c.leads(d, i) && (best < 0 || preferenceOf(s,
				last).before(preferenceOf(c.x.Steps[best], last))) {
				best = i
			}
		}
		if best < 0 {
			return nil, false // the length is not that of the shortest run
		}
		last = c.x.Steps[best].Code
		path = append(path, last)
		state = c.x.State(best, nil)
	}
	return path, true
}
