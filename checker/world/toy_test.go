package world

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// A toy is a small random protocol, given by a table: what each proc does on each event in each
// local state. It shares nothing with a real protocol, so it breaks arguments that hold only of
// those.
type toy struct {
	procs, states, kinds int
	visible              []bool        // by message kind: a gate that global properties look at
	stamped              bool          // all kinds carry a round, not only visible ones
	rules                [][][]toyRule // by proc, state, event
	groups               [][]core.Proc
	hosted               map[core.Proc]bool // see trace.Layout.Hosted
	reads                map[core.Proc][]core.Proc
	watchers             []core.Proc
	initiators           []core.Proc
	nodes                []core.Proc // of the first procs, which are launched: see Layout.Nodes
	local                []core.Proc
	claims               [][][]bool // by proc, state, message kind
	saved                int        // states that the last reduced search left out
}

// The events of a toy: its message kinds come first, the others follow.
const (
	toyStart = iota
	toyRestore
	toyDown
	toyTick
	toyStored
	toyAsked // a spontaneous checkpoint
	toyKilled
	toyLoaded
	toyRefused
	toyOthers
)

var toyEventNames = [...]string{"start", "restore", "down", "tick", "stored", "checkpoint",
	"killed", "loaded", "refused"}

// toyRule is what a proc does: it is renewed, sends, then the rest.
type toyRule struct {
	next     int
	sends    []toySend
	persist  bool // writes the next state as the record "s", which a restore continues from
	timer    bool
	output   bool
	rollback bool
	adopts   []core.Proc
	watches  []core.Proc
	unwatch  []core.Proc
	exit     bool
	renew    bool
	kills    []core.Proc
	launches []core.Proc
	reads    bool // the record "s" back
}

type toySend struct{ to, kind int }

type toyMessage struct {
	_     struct{} `cbor:",toarray"`
	Kind  int
	Round uint64
}

// Describe implements core.Message. Only visible kinds carry a round, so that the round of a proc,
// which properties see, changes only by visible events, unless the toy is stamped.
func (m *toyMessage) Describe() trace.Wire {
	return trace.Wire{Kind: fmt.Sprintf("k%d", m.Kind), Stamp: trace.Stamp{Round: m.Round}}
}

type toyState struct {
	_ struct{} `cbor:",toarray"`
	S int
}

type toyMachine struct {
	core.Service
	toy  *toy
	proc core.Proc
	s    toyState
}

func (m *toyMachine) State() []any { return []any{&m.s} }

func (m *toyMachine) Step(in core.Input, out []core.Effect) []core.Effect {
	event := m.toy.kinds
	switch in.Kind {
	case core.Start:
		event += toyStart
	case core.Restore:
		for _, r := range in.Records {
			if len(r.Value) > 0 {
				m.s.S = int(r.Value[0]) % m.toy.states // the last record wins
			}
		}
		event += toyRestore
	case core.Received:
		event = in.Message.(*toyMessage).Kind
	case core.Down:
		event += toyDown
	case core.Tick:
		event += toyTick
	case core.Persisted:
		event += toyStored
	case core.Checkpoint:
		event += toyAsked
	case core.Killed:
		event += toyKilled
		m.s.S = (m.s.S + int(in.Incarnation)) % m.toy.states
	case core.Loaded:
		event += toyLoaded
		for _, r := range in.Records {
			if len(r.Value) > 0 {
				m.s.S = int(r.Value[0]) % m.toy.states
			}
		}
	case core.Refused:
		event += toyRefused
	}
	rule := m.toy.rules[m.proc][m.s.S][event]
	m.s.S = rule.next
	if rule.renew {
		out = append(out, core.Effect{Kind: core.Renew})
	}
	for _, s := range rule.sends {
		message := &toyMessage{Kind: s.kind}
		if m.toy.visible[s.kind] || m.toy.stamped {
			message.Round = uint64(s.kind) + 1
		}
		out = append(out, core.SendTo(core.Proc(s.to), message))
	}
	if rule.persist {
		out = append(out, core.Effect{Kind: core.Persist, Key: "s", Value: []byte{byte(rule.next)}})
	}
	if rule.timer {
		out = append(out, core.Effect{Kind: core.SetTimer, Timer: "t"})
	}
	if rule.output {
		out = append(out, core.Effect{Kind: core.Output, Digest: uint64(rule.next) + 1})
	}
	for _, p := range rule.adopts {
		out = append(out, core.Effect{Kind: core.Declare, What: trace.Adopted, To: p})
	}
	for _, p := range rule.watches {
		out = append(out, core.Effect{Kind: core.Watch, To: p})
	}
	for _, p := range rule.unwatch {
		out = append(out, core.Effect{Kind: core.Unwatch, To: p})
	}
	for _, p := range rule.kills {
		out = append(out, core.Effect{Kind: core.Kill, To: p})
	}
	for _, p := range rule.launches {
		out = append(out, core.Effect{Kind: core.Launch, To: p, Key: "l",
			Value: []byte{byte(rule.next)}})
	}
	if rule.reads {
		out = append(out, core.Effect{Kind: core.Read, Key: "s"})
	}
	if rule.rollback {
		out = append(out, core.Effect{Kind: core.Rollback})
	}
	if rule.exit {
		out = append(out, core.Effect{Kind: core.Exit})
	}
	return out
}

// Commutes implements core.Commuter: a claim that is true by computation.
func (m *toyMachine) Commutes(in core.Input) (round uint64, ok bool) {
	if in.Kind != core.Received || m.toy.claims == nil {
		return 0, false
	}
	return 0, m.toy.claims[m.proc][m.s.S][in.Message.(*toyMessage).Kind]
}

// computeClaims finds, for each proc, state and message kind, whether handling the message commutes
// with every event that can come before it, in the state and in all that follow: the largest set
// that is closed under the squares.
func (t *toy) computeClaims() {
	t.claims = nil
	for p := range t.procs {
		c := make([][]bool, t.states)
		for s := range c {
			c[s] = slices.Repeat([]bool{true}, t.kinds)
		}
		for again := true; again; {
			again = false
			for s := range t.states {
				for k := range t.kinds {
					if c[s][k] && !t.squares(p, s, k, c) {
						c[s][k], again = false, true
					}
				}
			}
		}
		t.claims = append(t.claims, c)
	}
}

// squares reports whether the message commutes at the state with every event of one step, given
// what is claimed elsewhere.
func (t *toy) squares(p, s, k int, claims [][]bool) bool {
	rules := t.rules[p]
	for e := range t.kinds + toyOthers {
		if e == t.kinds+toyStart || e == t.kinds+toyRestore {
			continue
		}
		first, late := rules[s][k], rules[rules[s][k].next][e]
		early, last := rules[s][e], rules[rules[s][e].next][k]
		a, b := append(slices.Clone(first.sends), late.sends...),
			append(slices.Clone(early.sends), last.sends...)
		byProc := func(a, b toySend) int { return a.to - b.to }
		slices.SortStableFunc(a, byProc)
		slices.SortStableFunc(b, byProc)
		if first.plain() != last.plain() || !first.plain() || !early.plain() || !late.plain() ||
			late.next != last.next || !slices.Equal(a, b) || !claims[early.next][k] {
			return false
		}
	}
	return true
}

// rollsBack reports whether some rule rolls back.
func (t *toy) rollsBack() bool {
	for _, table := range t.rules {
		for _, row := range table {
			if slices.ContainsFunc(row, func(r toyRule) bool { return r.rollback }) {
				return true
			}
		}
	}
	return false
}

// plain reports whether a step does nothing but send.
func (r toyRule) plain() bool {
	return !r.persist && !r.timer && !r.output && !r.rollback && !r.exit && !r.renew && !r.reads &&
		len(r.adopts)+len(r.watches)+len(r.unwatch)+len(r.kills)+len(r.launches) == 0
}

// setup makes the toy ready for a world: its first proc counts as the one rank that a setup needs.
func (t *toy) setup() *core.Setup {
	layout := trace.Layout{Ranks: 1, Clusters: []int{0}, Kinds: map[string]trace.Meaning{},
		Groups:   map[core.Proc][]core.Proc{},
		Holdings: t.hosted != nil, Hosted: t.hosted}
	for p := range t.procs {
		layout.Names = append(layout.Names, fmt.Sprintf("p%d", p))
	}
	for k, v := range t.visible {
		if v {
			layout.Kinds[fmt.Sprintf("k%d", k)] = trace.Gate
		}
	}
	for _, g := range t.groups {
		for _, p := range g {
			layout.Groups[p] = g
		}
	}
	if layout.Nodes = t.nodes; t.nodes != nil {
		layout.Ranks, layout.Clusters = len(t.nodes), nil
	}
	s := &core.Setup{Protocol: "toy", Watchdogs: t.hosted != nil, Layout: layout,
		Launched: t.nodes != nil, Local: t.local,
		Programs: []core.Program{nil}, Watchers: t.watchers, Initiators: t.initiators,
		NewMessage: func() core.Message { return new(toyMessage) },
		New:        func(p core.Proc) core.Machine { return &toyMachine{toy: t, proc: p} }}
	s.Programs = make([]core.Program, layout.Ranks)
	if t.reads != nil {
		s.Reads = func(p core.Proc) []core.Proc { return t.reads[p] }
	}
	return s
}

// newToy is a toy in which nothing does anything.
func newToy(procs, states, kinds int) *toy {
	t := &toy{procs: procs, states: states, kinds: kinds, visible: make([]bool, kinds)}
	for range procs {
		var table [][]toyRule
		for s := range states {
			row := make([]toyRule, kinds+toyOthers)
			for i := range row {
				row[i].next = s
			}
			table = append(table, row)
		}
		t.rules = append(t.rules, table)
	}
	return t
}
