package fuzz_test

import (
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/impl/protocol/example/subject"

	"github.com/domino-check/domino/impl/protocol"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/fuzz"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/trace"
)

// twisted is a good machine with something wrong around its steps.
type twisted struct {
	core.Machine
	proc  core.Proc
	more  any // a part of the state
	twist func(m *twisted, in core.Input, out []core.Effect) []core.Effect
}

func (m *twisted) Step(in core.Input, out []core.Effect) []core.Effect {
	return m.twist(m, in, out)
}

func (m *twisted) State() []any {
	if m.more == nil {
		return m.Machine.State()
	}
	return append(m.Machine.State(), m.more)
}

func (m *twisted) History() *trace.History {
	return m.Machine.(interface{ History() *trace.History }).History()
}

// misuse is the repaired example with every machine twisted.
func misuse(more func() any, twist func(m *twisted, in core.Input,
	out []core.Effect) []core.Effect) protocol.Protocol {
	bad := subject.Protocol(false)
	bad.Name = "bad"
	good := bad.Setup
	bad.Setup = func(r protocol.Request) (*core.Setup, error) {
		s, err := good(r)
		if err != nil {
			return nil, err
		}
		inner := s.New
		s.New = func(p core.Proc) core.Machine {
			m := &twisted{Machine: inner(p), proc: p, twist: twist}
			if more != nil {
				m.more = more()
			}
			return m
		}
		return s, nil
	}
	return bad
}

// data is the message of an input that carries a payload, nil for others.
func data(in core.Input) *subject.Message {
	if m, ok := in.Message.(*subject.Message); ok && m.Number > 0 {
		return m
	}
	return nil
}

type hidden struct{ count int }
type function struct{ F func() }
type kept struct{ M []*subject.Message }
type grown struct{ N uint64 }
type held struct{ Data []byte }

// TestMisuse gives the fuzzer protocols that break the contract of machines, one way each: it must
// say which, of which proc and on which input, show the scenario, and, where a step shows it, a run
// that ends with that step.
func TestMisuse(t *testing.T) {
	calls, forever := 0, make(chan struct{})
	t.Cleanup(func() { close(forever) })
	good := func(m *twisted, in core.Input, out []core.Effect) []core.Effect {
		return m.Machine.Step(in, out)
	}
	tests := []struct {
		name, property, text string
		protocol             protocol.Protocol
	}{
		{"panics in a step", "no-panic", "panics on Data",
			misuse(nil, func(m *twisted, in core.Input, out []core.Effect) []core.Effect {
				if d := data(in); d != nil && d.Number == 2 {
					panic("boom")
				}
				return m.Machine.Step(in, out)
			})},
		{"panics at the start", "no-panic", "making the setup panics: boom",
			protocol.Protocol{Name: "bad", Shapes: new(protocol.Shapes),
				Setup: func(protocol.Request) (*core.Setup, error) { panic("boom") }}},
		{"does not return", "returns", "of protocol bad does not return from Data",
			misuse(nil, func(m *twisted, in core.Input, out []core.Effect) []core.Effect {
				if data(in) != nil {
					<-forever
				}
				return m.Machine.Step(in, out)
			})},
		{"repeats for ever", "terminates", "some steps repeat for ever",
			misuse(nil, func(m *twisted, in core.Input, out []core.Effect) []core.Effect {
				if in.Message != nil && data(in) == nil || in.Kind == core.Start && m.proc == 0 {
					return append(out, core.SendTo(1-min(m.proc, 1), &subject.Message{}))
				}
				return m.Machine.Step(in, out)
			})},
		{"goes on for ever", "terminates", "still running after 10000 steps", misuse(func() any {
			return new(grown)
		}, func(m *twisted, in core.Input, out []core.Effect) []core.Effect {
			if m.more.(*grown).N++; in.Message != nil && data(in) == nil || in.Kind == core.Start &&
				m.proc == 0 {
				return append(out, core.SendTo(1-min(m.proc, 1), &subject.Message{}))
			}
			return m.Machine.Step(in, out)
		})},
		{"not deterministic", "deterministic", "is not deterministic: run twice on",
			misuse(nil, func(m *twisted, in core.Input, out []core.Effect) []core.Effect {
				if out = m.Machine.Step(in, out); data(in) != nil {
					if calls++; calls%3 == 0 {
						out = append(out, core.SendTo(in.From, &subject.Message{}))
					}
				}
				return out
			})},
		{"changes what it is given", "aliasing", "changes the input that it is given",
			misuse(nil, func(m *twisted, in core.Input, out []core.Effect) []core.Effect {
				if out = m.Machine.Step(in, out); data(in) != nil {
					data(in).Number++
				}
				return out
			})},
		{"changes what it has sent", "aliasing", "changes bytes in place", misuse(func() any {
			return new(held)
		}, func(m *twisted, in core.Input, out []core.Effect) []core.Effect {
			h := m.more.(*held)
			if len(h.Data) > 0 && data(in) != nil {
				h.Data[0]++
			}
			if in.Kind == core.Send || in.Kind == core.Advance {
				if out = m.Machine.Step(in, out); len(out) > 0 && out[0].Kind == core.ProgramSent {
					h.Data = out[0].Payload.Data
				}
				return out
			}
			return m.Machine.Step(in, out)
		})},
		{"keeps what it is given", "aliasing", "keeps a part of the message that it is given",
			misuse(func() any {
				return new(kept)
			}, func(m *twisted, in core.Input, out []core.Effect) []core.Effect {
				if d := data(in); d != nil {
					m.more.(*kept).M = append(m.more.(*kept).M, d)
				}
				return m.Machine.Step(in, out)
			})},
		{"hidden state", "codec", "loses or changes .count of its state", misuse(func() any {
			return new(hidden)
		}, func(m *twisted, in core.Input, out []core.Effect) []core.Effect {
			m.more.(*hidden).count++
			return m.Machine.Step(in, out)
		})},
		{"state is code", "codec", "can not be encoded", misuse(func() any {
			return &function{func() {}}
		}, good)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			target, err := fuzz.TargetOf(protocol.List{tt.protocol}, "bad", "repaired")
			if err != nil {
				t.Fatal(err)
			}
			if tt.name == "goes on for ever" { // each try for 10,000 steps
				effort.Seconds(t)
			}
			r, err := fuzz.Run(t.Context(), target,
				fuzz.Options{Seed: 1, Runs: 400, StepTime: time.Second})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Failures) != 1 || r.Failures[0].Property != tt.property ||
				!strings.Contains(r.Failures[0].Message, tt.text) {
				t.Fatalf("failures %+v, want %s: ...%s...", r.Failures, tt.property, tt.text)
			}
			f := r.Failures[0]
			if !strings.Contains(string(scenarios.Format(f.Scenario)), "-- program --\n") ||
				f.Scenario.Breaks != tt.property {
				t.Errorf("the scenario does not show it:\n%s", scenarios.Format(f.Scenario))
			}
			t.Logf("%s: %s (%d steps)\n%s%s", f.Property, f.Message, len(f.Scenario.Schedule),
				f.Scenario.Program, strings.Join(
					f.Scenario.Schedule[:min(8, len(f.Scenario.Schedule))], "\n"))
		})
	}
}
