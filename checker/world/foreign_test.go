package world_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/boundary"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/sample"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/example/subject"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
)

// strange is a small case of a good protocol, of which every step goes through the given one.
func strange(t *testing.T, step boundary.Step) world.Case {
	t.Helper()
	layout := core.Layout{Ranks: 2, Names: []string{"a", "b"}}
	programs := []core.Program{{{Kind: core.OpSend, Peer: 1, Label: "m"},
		{Kind: core.OpSend, Peer: 1}}, {{Kind: core.OpRecv}, {Kind: core.OpRecv}}}
	baseline, err := none.NewSetup(layout, programs)
	if err != nil {
		t.Fatal(err)
	}
	setup, err := subject.Setup(layout, programs, false)
	if err != nil {
		t.Fatal(err)
	}
	setup.Protocol = "strange"
	return world.Case{Setup: boundary.Watch(setup, step), Baseline: baseline,
		Model: fault.Model{Failures: 1}, MaxStep: 500 * time.Millisecond}
}

// second is the second message that carries a payload.
func second(in core.Input) bool {
	m, ok := in.Message.(*subject.Message)
	return ok && m.Number == 2
}

// TestMisuse gives machines that ask for what no driver can do, panic, or do not return, to a
// search in each order, to samples, and to a replay of what the search has found. Each names the
// property, proc, input, what is wrong and what is wanted, and shows a run that ends there.
func TestMisuse(t *testing.T) {
	t.Parallel()
	forever := make(chan struct{})
	t.Cleanup(func() { close(forever) })
	tests := []struct {
		name, property, text string
		twist                boundary.Step
	}{
		{"no such proc", world.Contract, "b of protocol strange, on Data a#2 (number 2) " +
			"from a, names proc 99 in a SendMessage effect, want one of 0 to 1: ",
			func(_ *boundary.Machine, _ core.Input, out []core.Effect) []core.Effect {
				return append(out, core.SendTo(99, &subject.Message{}))
			}},
		{"unknown effect", world.Contract, "has an effect of kind 0, want one of 1 to ",
			func(_ *boundary.Machine, _ core.Input, out []core.Effect) []core.Effect {
				return append(out, core.Effect{})
			}},
		{"no message", world.Contract, "sends no message to proc 0: ",
			func(_ *boundary.Machine, _ core.Input, out []core.Effect) []core.Effect {
				return append(out, core.SendTo(0, nil))
			}},
		{"panic", "no-panic", "b panics on ",
			func(*boundary.Machine, core.Input, []core.Effect) []core.Effect { panic("boom") }},
		{"never returns", world.Returns, "b of protocol strange does not return from ",
			func(*boundary.Machine, core.Input, []core.Effect) []core.Effect {
				<-forever
				return nil
			}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := strange(t, func(b *boundary.Machine, in core.Input,
				out []core.Effect) []core.Effect {
				if out = b.Inner.Step(in, out); second(in) {
					return tt.twist(b, in, out)
				}
				return out
			})
			if tt.property != world.Returns {
				c.MaxStep = time.Hour // however busy the machine is
			}
			check := func(how string, out *world.Outcome, err error) {
				t.Helper()
				if err != nil || out.Verdict != spec.Violated || len(out.Runs) != 1 ||
					out.Found[0].Property != tt.property ||
					!strings.Contains(out.Found[0].Message, tt.text) {
					t.Fatalf("%s: %+v, %v, want %s: ...%s...", how, out, err, tt.property, tt.text)
				}
				last := out.Runs[0].Schedule[len(out.Runs[0].Schedule)-1]
				if !strings.HasPrefix(last, "deliver") || out.Runs[0].Violation == nil {
					t.Errorf("%s: the run ends with %q", how, last)
				}
			}
			orders := []checker.Options{{}, {Order: checker.BreadthFirst}, {Workers: 2}}
			if tt.property == world.Returns && !effort.Long() { // each waits for a second
				t.Log("in other orders: " + effort.More)
				orders = orders[:1]
			}
			for _, o := range orders {
				out, err := world.Check(t.Context(), c, o)
				check("search "+o.Order.String(), out, err)
				again, err := world.New(world.Config{Setup: c.Setup, Model: c.Model,
					MaxStep: c.MaxStep})
				if err != nil {
					t.Fatal(err)
				}
				if run, err := again.Replay(out.Runs[0].Schedule); err != nil ||
					run.Violation == nil || run.Violation.Property != tt.property {
					t.Errorf("replay: %+v, %v", run, err)
				}
			}
			out, err := world.Sample(t.Context(), c, &sample.RandomWalk{}, sample.Options{})
			check("samples", out, err)
		})
	}
}

// TestLeftBehind: of many steps that do not return only those are left behind that are under way at
// one time, and one of them is named, also when a search goes on after violations.
func TestLeftBehind(t *testing.T) {
	t.Parallel()
	forever, entered := make(chan struct{}), atomic.Int32{}
	t.Cleanup(func() { close(forever) })
	c := strange(t, func(b *boundary.Machine, in core.Input, out []core.Effect) []core.Effect {
		if in.Kind == core.Received {
			entered.Add(1)
			<-forever
		}
		return b.Inner.Step(in, out)
	})
	for _, workers := range []int32{1, 3} {
		entered.Store(0)
		out, err := world.Check(t.Context(), c, checker.Options{All: true, Workers: int(workers)})
		if err != nil || out.Verdict != spec.Violated || len(out.Found) != 1 {
			t.Errorf("%d workers: %+v, %v", workers, out, err)
		}
		if n := entered.Load(); n < 1 || n > workers {
			t.Errorf("%d workers: %d steps were left behind", workers, n)
		}
	}
}

// TestHeardInStep cancels, or gives a time, while a step is under way that would end much later:
// the search ends soon, shows progress meanwhile, and does not say that anything is wrong.
func TestHeardInStep(t *testing.T) {
	t.Parallel()
	forever := make(chan struct{})
	t.Cleanup(func() { close(forever) })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := strange(t, func(b *boundary.Machine, in core.Input, out []core.Effect) []core.Effect {
		if in.Kind == core.Received {
			cancel()
			<-forever
		}
		return b.Inner.Step(in, out)
	})
	c.MaxStep = time.Hour
	shown := 0
	began := time.Now()
	out, err := world.Check(ctx, c, checker.Options{MaxBytes: 1 << 40,
		Progress: func(checker.Stats) { shown++ }})
	if err != nil || out.Verdict != spec.Unknown || out.Bound != "interrupted" {
		t.Errorf("interrupted: %+v, %v", out, err)
	}
	if shown == 0 {
		t.Error("nothing is shown meanwhile")
	}
	if out, err = world.Check(t.Context(), c, checker.Options{MaxTime: time.Second}); err != nil ||
		out.Verdict != spec.Violated || out.Found[0].Property != world.Returns {
		t.Errorf("with a time limit: %+v, %v", out, err)
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %v", took)
	}
}
