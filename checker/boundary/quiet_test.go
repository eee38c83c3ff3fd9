package boundary_test

import (
	"testing"

	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// quiets are the mutants of runs without failures.
func quiets() []Mutant {
	return []Mutant{
		breaks("own-messages", "chatters",
			"tells the last proc, a service, of each message with a payload", sends(chatter)),
		breaks("never-holds", "hesitates",
			"lets its program go on only when its last message is really on the network",
			habit{effects: slow, offers: func(b *machine) bool { return len(b.Held()) == 0 }}),
		breaks("memory-bounded", "spills-nothing", "writes nothing to its disk",
			habit{effects: each(diskless)}),
		breaks("undeclared", "declares-no-log", "does not say that it logs a message",
			habit{effects: each(silent)}),
		breaks("evidence-true", "misdates",
			"says of each message that it receives that one delivery more was before the send",
			habit{effects: each(misdate)}),
		breaks("told-once", "ignores-acks", "takes no notice of acknowledgements",
			habit{input: ignores("Ack")}),
	}
}

func misdate(_ *machine, e core.Effect) []core.Effect {
	if e.Event() == trace.Delivered {
		e.Stamp.Date++
	}
	return []core.Effect{e}
}

func chatter(b *machine, e core.Effect, m *envelope) []core.Effect {
	if !m.carriesPayload() {
		return []core.Effect{e}
	}
	note := &envelope{Wire: trace.Wire{Kind: "Note"}, Content: m.Content}
	return []core.Effect{e, core.SendTo(core.Proc(len(b.Setup.Layout.Names)-1), note)}
}

func diskless(_ *machine, e core.Effect) []core.Effect {
	if e.Kind == core.Persist {
		return nil
	}
	return []core.Effect{e}
}

func silent(_ *machine, e core.Effect) []core.Effect {
	if e.Event() == trace.Logged {
		return nil
	}
	return []core.Effect{e}
}

// quietly are the properties of runs without failures, each with a mutant that it must catch and a
// near miss that it must accept.
var quietly = []struct{ property, mutant, at, near, nearAt string }{
	{property: "own-messages", mutant: "chatters", at: "core", near: "slow", nearAt: "core, rank"},
	{property: "own-messages", mutant: "copies-to-service", at: "core", near: "slow",
		nearAt: "core, rank"},
	{property: "stable-writes", mutant: "stores-spare-image", at: "core", near: "commits-twice",
		nearAt: "one cluster, saved"},
	{property: "memory-bounded", mutant: "spills-nothing", at: "hmpl, memory",
		near: "confirms-twice", nearAt: "hmpl, memory"},
	{property: "never-holds", mutant: "hesitates", at: "burst", near: "slow", nearAt: "core, rank"},
	{property: "undeclared", mutant: "declares-no-log", at: "core", near: "logs-twice",
		nearAt: "core, rank"},
	{property: "log-collected", mutant: "never-acknowledges", at: "rally, saved",
		near: "prunes-twice", nearAt: "rally, saved"},
	{property: "evidence-true", mutant: "misdates", at: "answers", near: "keeps-twice",
		nearAt: "answers"},
	{property: "told-once", mutant: "ignores-acks", at: "answers", near: "keeps-twice",
		nearAt: "answers"},
}

// rehearse makes the runs without failures of the scope with every machine changed by wrap.
func (s *scope) rehearse(t *testing.T, wrap func(*core.Setup) *core.Setup) *world.Run {
	t.Helper()
	setup, oracle := s.build(t)
	setup = wrap(setup)
	w, err := world.New(world.Config{Setup: setup, Model: s.model,
		Facts: world.FactsOf(setup, &s.model, oracle)})
	if err != nil {
		t.Fatal(err)
	}
	return w.Rehearse()
}

// Aim: what nobody fails for costs what it promises, and a property says so. Method: break the
// machines at their boundary, and make the runs without failures that precede each search.
func TestQuietRuns(t *testing.T) {
	for _, tt := range quietly {
		t.Run(tt.mutant+" in "+tt.at+" for "+tt.property, func(t *testing.T) {
			run := scopeOf(t, tt.at).rehearse(t, find(t, tt.mutant).Wrap)
			if run == nil || run.Violation.Property != tt.property {
				t.Fatalf("%s: %+v, want %s broken", tt.mutant, run, tt.property)
			}
		})
		t.Run(tt.near+" in "+tt.nearAt+" for "+tt.property, func(t *testing.T) {
			run := scopeOf(t, tt.nearAt).rehearse(t, find(t, tt.near).Wrap)
			if run != nil && run.Violation.Property == tt.property {
				t.Fatalf("%s is legal: %s", tt.near, run.Violation.Message)
			}
		})
	}
	for name, s := range scopes {
		run := s.rehearse(t, func(s *core.Setup) *core.Setup { return s })
		if run != nil {
			t.Errorf("the protocol in %q: %s", name, run.Violation.Message)
		}
	}
}

// Aim: the kinds of the properties say who judges them.
func TestQuietPropertiesAreRehearsed(t *testing.T) {
	tested := map[string]bool{}
	for _, tt := range quietly {
		tested[tt.property] = true
	}
	for _, p := range spec.Properties() {
		if (p.Kind == spec.FailureFree) != tested[p.Name] {
			t.Errorf("%s is of the kind %v, in the table of runs without failures: %t", p.Name,
				p.Kind, tested[p.Name])
		}
	}
}
