package errmgr

import (
	"slices"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/errmgr/sstore"
	"github.com/domino-check/domino/spec/trace"
)

// rig runs the machines of ranks, nodes and store by the simplest driver there can be: one message
// after the other, writes at once. The test is the head.
type rig struct {
	*testing.T
	*config
	programs []core.Program
	machines []core.Machine
	lives    []core.Incarnation
	up       []bool
	disks    []map[string][]byte
	inputs   []delivery
	toHead   []*Message
	declared []string  // Snapped and Ruled events, as "proc: word about"
	lost     core.Proc // what is sent to it is lost
	full     core.Proc // its store has no room
}

// delivery is an input that is on its way.
type delivery struct {
	to core.Proc
	in core.Input
}

// newTestRig makes two ranks, a and b, on two nodes, 2 and 3, with spares 4 and 5; 6 is the head, 7
// the store.
func newTestRig(t *testing.T, options, stack, text string, errata ...Erratum) *rig {
	t.Helper()
	names, programs, err := script.Parse(text, 1)
	if err != nil {
		t.Fatal(err)
	}
	o, err := ParseOptions("spares=2 " + options)
	if err != nil {
		t.Fatal(err)
	}
	var set Set
	for _, e := range errata {
		set = set.With(e)
	}
	c, err := newConfig(o, set, stack, len(names), nil)
	if err != nil {
		t.Fatal(err)
	}
	g := &rig{T: t, config: c, programs: programs, lost: nobody, full: nobody}
	for p := range c.head + 2 {
		g.machines = append(g.machines, g.make(p))
		g.lives, g.up = append(g.lives, 0), append(g.up, true)
		g.disks = append(g.disks, map[string][]byte{})
		g.step(p, core.Input{Kind: core.Start})
	}
	return g
}

func (g *rig) make(p core.Proc) core.Machine {
	switch {
	case g.isRank(p):
		return newRank(g.config, core.Rank(p), g.programs[p])
	case g.isNode(p):
		return &daemon{config: g.config, self: p}
	case p == g.store:
		return &store{config: g.config}
	}
	return nil
}

// step takes one step of a machine and performs its effects.
func (g *rig) step(p core.Proc, in core.Input) {
	if g.machines[p] == nil || !g.up[p] {
		return
	}
	post := func(in core.Input) { g.inputs = append(g.inputs, delivery{p, in}) }
	for _, e := range g.machines[p].Step(in, nil) {
		switch e.Kind {
		case core.SendMessage:
			g.send(p, e.To, e.Message.(*Message))
		case core.Persist:
			switch {
			case e.Value == nil:
				delete(g.disks[p], e.Key)
			case p == g.full:
				post(core.Input{Kind: core.Refused, Key: e.Key})
			default:
				g.disks[p][e.Key] = e.Value
				post(core.Input{Kind: core.Persisted, Key: e.Key})
			}
		case core.Read:
			in := core.Input{Kind: core.Loaded, Key: e.Key}
			if v, ok := g.disks[p][e.Key]; ok {
				in.Records = []core.Record{{Owner: p, Key: e.Key, Value: v}}
			}
			post(in)
		case core.Kill:
			g.up[e.To] = false
			post(core.Input{Kind: core.Killed, From: e.To, Incarnation: g.lives[e.To]})
		case core.Launch:
			g.launch(p, &e)
		case core.Declare:
			if e.What == trace.Snapped || e.What == trace.Ruled {
				g.declared = append(g.declared, g.name(p)+": "+e.Key+" "+g.name(e.To))
			}
		}
	}
}

func (g *rig) name(p core.Proc) string {
	return [...]string{"a", "b", "N1", "N2", "S1", "S2", "head", "store"}[p]
}

func (g *rig) send(from, to core.Proc, m *Message) {
	switch {
	case to == g.head:
		g.toHead = append(g.toHead, m)
	case to != g.lost:
		g.inputs = append(g.inputs,
			delivery{to, core.Input{Kind: core.Received, From: from, Message: m}})
	}
}

func (g *rig) launch(by core.Proc, e *core.Effect) {
	if g.up[e.To] {
		g.Fatalf("%s starts %s, which is up", g.name(by), g.name(e.To))
	}
	g.machines[e.To], g.up[e.To] = g.make(e.To), true
	g.lives[e.To]++
	g.step(e.To, core.Input{Kind: core.Restore, From: by, Incarnation: g.lives[e.To],
		Records: []core.Record{{Owner: by, Key: e.Key, Value: e.Value}}})
}

// run delivers whatever is on its way, and returns what has come to the head since the last time.
func (g *rig) run() (list []*Message) {
	for len(g.inputs) > 0 {
		d := g.inputs[0]
		g.inputs = g.inputs[1:]
		g.step(d.to, d.in)
	}
	list, g.toHead = g.toHead, nil
	return list
}

// order sends a message of the head.
func (g *rig) order(m *Message, to ...core.Proc) []*Message {
	for _, p := range to {
		g.send(g.head, p, m)
	}
	return g.run()
}

// work lets a program take steps until it can not, or has taken so many.
func (g *rig) work(p core.Proc, steps int) {
	for range steps {
		choices := g.machines[p].Choices(nil)
		if len(choices) == 0 {
			break
		}
		g.step(p, core.Input{Kind: core.Advance, Choice: choices[0]})
	}
	g.inputs = slices.Clip(g.inputs)
}

func (g *rig) host(p core.Proc) *program.Host { return g.machines[p].(*rank).Host }

// ended reports whether both programs have, and with which results.
func (g *rig) digests() (list []uint64) {
	for p := range core.Proc(g.ranks) {
		list = append(list, g.host(p).History().Digest)
	}
	return list
}

// finish lets all programs run to their ends.
func (g *rig) finish() []uint64 {
	for range 100 {
		for p := range core.Proc(g.ranks) {
			if g.up[p] {
				g.work(p, 1)
			}
		}
		g.run()
	}
	return g.digests()
}

// only are the messages of a kind.
func only(list []*Message, kind Kind) (found []*Message) {
	for _, m := range list {
		if m.Kind == kind {
			found = append(found, m)
		}
	}
	return found
}

var (
	first = SnapID{Seq: 1}
	ranks = []core.Rank{0, 1}
)

// take takes a snapshot until its files are where they are to be, and returns what they are.
func (g *rig) take(s SnapID) (files []File) {
	g.Helper()
	files = make([]File, 2)
	list := g.order(&Message{Kind: Quiesce, Epoch: s.Epoch, Snap: s}, 0, 1)
	kind := LocalDone
	if g.Store == sstore.Central {
		kind = CopyDone
	}
	list = only(list, kind)
	if len(list) != 2 {
		g.Fatalf("%d files of snapshot %s, want 2", len(list), s)
	}
	for _, m := range list {
		if m.Missing {
			g.Fatalf("file of rank %d: %s", m.Ranks[0], m.Reason)
		}
		files[m.Ranks[0]] = m.File
	}
	g.order(&Message{Kind: Resume, Epoch: s.Epoch, Snap: s}, 0, 1)
	return files
}
