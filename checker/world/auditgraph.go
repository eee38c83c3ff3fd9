package world

import (
	"cmp"
	"slices"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
)

// auditGraph is what a world can do, found without reductions as it is asked for.
type auditGraph struct {
	w      *World
	x      *checker.Expansion
	number map[string]int32
	words  []uint32 // of all states, one behind the other
	edges  [][]edge // by state, by label; nil = not asked for yet
	parent []parent
	key    []byte
}

// parent is how a state was met first.
type parent struct {
	state int32 // -1 for the initial state
	code  uint64
}

// edge is a step out of a state.
type edge struct {
	label  uint64
	code   uint64
	to     int32  // brokenState if it breaks a property
	step   uint32 // local step plus 1, 0 = none
	broken uint16 // violation number
	fault  bool
}

// brokenState is behind a step that breaks a property: nobody goes on there.
const brokenState = -1

func newAuditGraph(w *World) auditGraph {
	return auditGraph{w: w, x: checker.NewExpansion(w.Words()), number: map[string]int32{}}
}

// count is how many states are known.
func (g *auditGraph) count() int { return len(g.parent) }

// state is the vector of a state.
func (g *auditGraph) state(n int) []uint32 {
	return g.words[n*g.w.Words() : (n+1)*g.w.Words()]
}

// at is the number of a state.
func (g *auditGraph) at(state []uint32, from int32, code uint64) int32 {
	key := checker.Key(state, &g.key)
	if n, ok := g.number[string(key)]; ok {
		return n
	}
	n := int32(len(g.parent))
	g.number[string(key)] = n
	g.words = append(g.words, state...)
	g.edges, g.parent = append(g.edges, nil), append(g.parent, parent{from, code})
	return n
}

// after are the steps out of a state, by label.
func (g *auditGraph) after(n int) []edge {
	if g.edges[n] != nil {
		return g.edges[n]
	}
	w, state := g.w, slices.Clone(g.state(n))
	w.Expand(state, checker.Unreduced, g.x)
	list := make([]edge, len(g.x.Steps))
	var next []uint32
	for i, s := range g.x.Steps {
		e := edge{label: w.label(state, s.Code), code: s.Code, to: brokenState,
			broken: uint16(s.Violation), fault: s.Fault}
		if s.Violation == 0 {
			next = g.x.State(i, next[:0])
			e.to = g.at(next, int32(n), s.Code)
		}
		if tr, ok := w.localStep(state, eventCode(s.Code)); ok && eventCode(s.Code).cut() == 0 {
			e.step = tr + 1
		}
		list[i] = e
	}
	slices.SortFunc(list, func(a, b edge) int { return cmp.Compare(a.label, b.label) })
	g.edges[n] = list
	return list
}

// step is the step with the label out of a state.
func (g *auditGraph) step(n int, label uint64) (e edge, ok bool) {
	for _, e := range g.after(n) {
		if e.label == label {
			return e, true
		}
	}
	return edge{}, false
}

// label names an event of a state as it is named in others, too: a step of a program by its choice
// and a timer by its input, not by their places among those that are possible.
func (w *World) label(state []uint32, number uint64) uint64 {
	c := eventCode(number)
	switch p := c.proc(); c.kind() {
	case advance:
		return uint64(code(advance, p, int(w.locals.at(w.localOf(state, p)).choices[c.arg()])))
	case tick:
		timer := w.envs.at(w.envOf(state, p)).Timers[c.arg()]
		in := core.Input{Kind: core.Tick, Timer: timer}
		return uint64(code(tick, p, int(w.internInput(in))))
	}
	return number
}

// name says what a step of a state is.
func (g *auditGraph) name(n int, label uint64) string {
	texts, x := g.w.Enabled(g.state(n))
	for i, s := range x.Steps {
		if g.w.label(g.state(n), s.Code) == label {
			return texts[i]
		}
	}
	return g.w.describe(g.state(n), eventCode(label))
}

// run is the way to a state, in words.
func (g *auditGraph) run(n int) (texts []string) {
	for at := int32(n); g.parent[at].state >= 0; at = g.parent[at].state {
		from := int(g.parent[at].state)
		texts = append(texts, g.name(from, g.w.label(g.state(from), g.parent[at].code)))
	}
	slices.Reverse(texts)
	return texts
}
