package world_test

import (
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// scripted is a proc of a protocol that is one function; all ranks have ended when they begin.
type scripted struct {
	proc  core.Proc
	last  bool
	round uint64 // of its claims
	step  func(m *scripted, in core.Input) []core.Effect
	s     struct {
		_         struct{} `cbor:",toarray"`
		Has, Told bool
		Past      trace.History
	}
}

// scriptedRank is one with a past.
type scriptedRank struct{ *scripted }

// scriptedMessage is one with a name and how many receptions its send depends on, or without, of a
// recovery round, which may open a gate.
type scriptedMessage struct {
	_     struct{} `cbor:",toarray"`
	ID    core.MsgID
	Past  uint64
	Round uint64
	Gate  bool
}

// Describe implements core.Message.
func (m *scriptedMessage) Describe() trace.Wire {
	if m.Gate {
		return trace.Wire{Kind: "gate", Stamp: trace.Stamp{Phase: 2, Round: m.Round}}
	}
	return trace.Wire{Kind: "message", ID: m.ID, Stamp: trace.Stamp{Date: m.Past, Phase: 1,
		Round: m.Round}}
}

func (m *scripted) State() []any { return []any{&m.s} }

// Choices are the one step of who has a message and was told to go on.
func (m *scripted) Choices(buf []core.Choice) []core.Choice {
	if m.s.Has && m.s.Told {
		buf = append(buf, 0)
	}
	return buf
}

// Commutes implements core.Commuter: whatever the last proc is told goes into a set.
func (m *scripted) Commutes(in core.Input) (round uint64, ok bool) {
	return m.round, m.last && in.Kind == core.Received
}

func (m *scripted) Step(in core.Input, out []core.Effect) []core.Effect {
	if in.Kind == core.Start || in.Kind == core.Restore {
		m.s.Past.Done = true
		out = append(out, core.Effect{Kind: core.ProgramDone})
	}
	return append(out, m.step(m, in)...)
}

func (m scriptedRank) History() *trace.History { return &m.s.Past }

// send is what a rank does to send.
func (m *scripted) send(to core.Proc, id core.MsgID, past uint64) []core.Effect {
	m.s.Past.Sent++
	return []core.Effect{{Kind: core.ProgramSent, To: to, Payload: core.Payload{ID: id}},
		core.SendTo(to, &scriptedMessage{ID: id, Past: past})}
}

// receive is what a rank does to receive.
func (m *scripted) receive(id core.MsgID, past uint64) core.Effect {
	stamp := trace.Stamp{Date: past}
	m.s.Past.Delivered = append(m.s.Past.Delivered, trace.Delivery{ID: id, Stamp: stamp})
	return core.Effect{Kind: core.Deliver, From: id.From.Proc(), Payload: core.Payload{ID: id},
		Stamp: stamp}
}

// The messages of the scripts: of the first rank to the second, of that to the third.
var toB, toC = core.MsgID{From: 0, Number: 1}, core.MsgID{From: 1, Number: 1}

// hastyOutput puts out what it has received when it has told a service, which is to write that
// down, and not when that has.
func hastyOutput(m *scripted, in core.Input) []core.Effect {
	switch {
	case in.Kind == core.Start && m.proc == 0:
		return m.send(1, toB, 0)
	case in.Kind == core.Received && m.proc == 1:
		m.s.Has, m.s.Told = true, true
		return []core.Effect{m.receive(toB, 0), core.SendTo(2, &scriptedMessage{})}
	case in.Kind == core.Advance:
		m.s.Told = false
		return []core.Effect{{Kind: core.Output, Received: 1}}
	case in.Kind == core.Received && m.proc == 2:
		return []core.Effect{{Kind: core.Declare, What: trace.Logged, To: 1, ID: toB,
			Received: 1}}
	}
	return nil
}

// lateReception receives what a rank has sent when it hears that this has failed.
func lateReception(m *scripted, in core.Input) []core.Effect {
	switch {
	case in.Kind == core.Start && m.proc == 0:
		return m.send(1, toB, 0)
	case in.Kind == core.Restore:
		return []core.Effect{{Kind: core.Declare, What: trace.Recovered}}
	case in.Kind == core.Received && m.proc == 1 && m.s.Past.Sent == 0:
		return append([]core.Effect{m.receive(toB, 0)}, m.send(2, toC, 1)...)
	case in.Kind == core.Received && m.proc == 2:
		m.s.Has = true
	case in.Kind == core.Down && m.proc == 2:
		m.s.Told = true
	case in.Kind == core.Advance:
		m.s.Has = false
		return []core.Effect{m.receive(toC, 1)}
	}
	return nil
}

// earlyGate opens a gate of the first round while the rank that has failed has not sent again what
// another one has received; somebody else begins a second round of his own accord.
func earlyGate(m *scripted, in core.Input) []core.Effect {
	join := core.SendTo(2, &scriptedMessage{Round: 1})
	switch {
	case in.Kind == core.Start && m.proc == 0:
		return m.send(1, toB, 0)
	case in.Kind == core.Restore && m.proc == 0:
		return []core.Effect{join}
	case in.Kind == core.Received && m.proc == 1 && len(m.s.Past.Delivered) == 0:
		return []core.Effect{m.receive(toB, 0)}
	case in.Kind == core.Down && m.proc == 1 && len(m.s.Past.Delivered) > 0:
		return []core.Effect{join, core.SendTo(3, &scriptedMessage{Round: 1})}
	case in.Kind == core.Received && m.proc == 2:
		m.s.Has, m.s.Told = true, m.s.Has
	case in.Kind == core.Advance:
		m.s.Told = false
		return []core.Effect{core.SendTo(1, &scriptedMessage{Round: 1, Gate: true})}
	case in.Kind == core.Received && m.proc == 3:
		return []core.Effect{core.SendTo(1, &scriptedMessage{Round: 2})}
	}
	return nil
}

// hiddenCase is a protocol that breaks the property only where somebody acts before a step that
// commutes with everything.
type hiddenCase struct {
	property string
	step     func(*scripted, core.Input) []core.Effect
	ranks    int
	names    []string
	watcher  core.Proc
	round    uint64
	promises promise.Promises
	model    fault.Model
	rule     world.Rule // what keeps the search from taking it first
}

// hiddenCases are three. One holds something for another one when it has taken the step; another
// step is a restart, before which somebody else begins to depend on what is lost; and one begins a
// round, and what is of an older one is not judged.
var hiddenCases = []hiddenCase{
	{"output-stable", hastyOutput, 2, []string{"a", "b", "c"}, 2, 0,
		promise.Promises{Needs: promise.Piecewise, MaxFailures: 1}, fault.Model{},
		world.HidesRule},
	{"no-orphan-process", lateReception, 3, []string{"a", "b", "c"}, 2, 0,
		promise.Promises{Needs: promise.NoDeterminism, MaxFailures: 1, Holders: true,
			RollsBack: promise.FailedOnly},
		fault.Model{Failures: 1, Victims: []core.Proc{1}, FromDead: fault.Every},
		world.DependRule},
	{"gate-sound", earlyGate, 2, []string{"a", "b", "c", "d"}, 1, 1,
		promise.Promises{MaxFailures: 1, Phases: true, Needs: promise.SendDeterministic},
		fault.Model{Failures: 1, Victims: []core.Proc{0}, FromDead: fault.Every},
		world.BeginRule},
}

// question is the case as one for the checker.
func (c *hiddenCase) question() world.Case {
	return world.Case{Model: c.model, Setup: &core.Setup{Protocol: "scripted",
		Programs: make([]core.Program, c.ranks),
		Layout: core.Layout{Names: c.names, Ranks: c.ranks, Holdings: true,
			Kinds: map[string]trace.Meaning{"gate": trace.Gate}},
		New: func(p core.Proc) core.Machine {
			m := &scripted{proc: p, step: c.step, round: c.round, last: int(p) == len(c.names)-1}
			if int(p) < c.ranks {
				return scriptedRank{m}
			}
			return m
		},
		NewMessage: func() core.Message { return new(scriptedMessage) },
		Watchers:   []core.Proc{c.watcher}, Promises: c.promises}}
}

// TestEagerStepsHideNothing searches them: the search that takes steps first must break the
// property, too.
func TestEagerStepsHideNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range hiddenCases {
		for _, reduce := range []checker.Reduction{checker.Unreduced, checker.Singletons,
			checker.Singletons | checker.Crashes | checker.Symmetry,
			checker.Singletons | checker.Alone} {
			out, err := world.Check(t.Context(), tt.question(), checker.Options{Reduce: reduce})
			if err != nil {
				t.Fatal(err)
			}
			if len(out.Runs) == 0 || out.Runs[0].Violation.Property != tt.property {
				t.Errorf("%s, reduced by %s: %v", tt.property, reduce, out.Verdict)
			}
		}
	}
}

// TestAuditNeedsOtherRules leaves out the conditions of eager.go that toys do not need: then the
// audit finds a hypothesis false, and nothing with the condition.
func TestAuditNeedsOtherRules(t *testing.T) {
	t.Parallel()
	type audit struct {
		name       string
		question   world.Case
		without    world.Rule
		hypothesis string
	}
	var tests []audit
	for _, c := range hiddenCases {
		tests = append(tests, audit{c.property, c.question(), c.rule, "no_worse"})
	}
	for without, name := range map[world.Rule]string{world.RestlessRule: "hydee/h1",
		world.CheckpointRule: "hydee/cluster3", world.OlderRule: "hydee/alike",
		world.NewestRule: "hydee/h1"} {
		r := claiming(t, name)
		tests = append(tests, audit{name, world.Case{Setup: r.Setup, Baseline: r.Baseline,
			Model: r.Model}, without, "claim_commutes"})
	}
	for _, tt := range tests {
		for _, without := range []world.Rule{0, tt.without} {
			w, _, err := world.Open(t.Context(), tt.question, checker.Options{})
			if err != nil {
				t.Fatal(err)
			}
			w.Without(without)
			a, err := w.Audit(t.Context(), 2_500)
			if err != nil {
				t.Fatal(err)
			}
			if without == 0 && a.Broken != nil || without != 0 && (a.Broken == nil ||
				a.Broken.Hypothesis != tt.hypothesis) {
				t.Errorf("%s, without rule %d: %v", tt.name, without, a.Broken)
			}
		}
	}
}
