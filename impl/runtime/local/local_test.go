package local_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/protocol/all"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/soak"
	"github.com/domino-check/domino/checker/world"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/local"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// load is a scenario of the binary.
func load(t *testing.T, name string) *verify.Resolved {
	t.Helper()
	list, err := scenarios.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(s *scenarios.Scenario) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("no scenario %s", name)
	}
	r, err := verify.Resolve(all.Protocols(), list[i])
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// run runs a setup that can be run.
func run(t *testing.T, s *core.Setup, c local.Config) *local.Result {
	t.Helper()
	r, err := local.Run(t.Context(), s, c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// service is a setup of procs that do what the functions say, without programs; their state is one
// number.
type service struct {
	step  func(p core.Proc, state *uint64, in core.Input) []core.Effect
	ready func(p core.Proc, state uint64) bool
}

type serviceMachine struct {
	service
	proc  core.Proc
	state uint64
}

func (m *serviceMachine) State() []any { return []any{&m.state} }

func (m *serviceMachine) Step(in core.Input, out []core.Effect) []core.Effect {
	return append(out, m.step(m.proc, &m.state, in)...)
}

func (m *serviceMachine) Choices(buf []core.Choice) []core.Choice {
	if m.ready != nil && m.ready(m.proc, m.state) {
		buf = append(buf, 0)
	}
	return buf
}

func (s service) setup(procs int) *core.Setup {
	setup := &core.Setup{Protocol: "test", NewMessage: func() core.Message {
		return new(noiseMessage)
	}}
	setup.New = func(p core.Proc) core.Machine { return &serviceMachine{service: s, proc: p} }
	for p := range procs {
		setup.Layout.Names = append(setup.Layout.Names, fmt.Sprintf("p%d", p))
		setup.Watchers = append(setup.Watchers, core.Proc(p))
	}
	return setup
}

// TestCrashAtEveryBoundary crashes each victim after each effect that it performs, first recovery
// included, with all that may become of what it had in flight: the run ends well, with one failure,
// and is one of the world.
func TestCrashAtEveryBoundary(t *testing.T) {
	inside := 0
	for _, name := range []string{"ping-rp", "causal-line", "camel-checkpoint", "m14",
		"rbml-nodes"} {
		t.Run(name, func(t *testing.T) {
			r := load(t, name)
			w, _, err := world.Open(t.Context(),
				world.Case{Setup: r.Setup, Baseline: r.Baseline, Model: r.Model}, checker.Options{})
			if err != nil {
				t.Fatal(err)
			}
			w.Cuts = true
			judge, err := soak.NewJudge(w.Facts)
			if err != nil {
				t.Fatal(err)
			}
			free := run(t, r.Setup, local.Config{Model: r.Model})
			for v := range free.Performed {
				g := r.Setup.Group(core.Proc(v))
				if r.Model.Victims != nil && !slices.ContainsFunc(g, func(p core.Proc) bool {
					return slices.Contains(r.Model.Victims, p)
				}) {
					continue
				}
				for after := range free.Performed[v] + 1 {
					for s := range fault.Nothing + 1 {
						c := local.Config{Model: r.Model,
							Plan: plan.Plan{Failures: []plan.Failure{
								{Victims: g[:1], By: core.Proc(v), After: after, Survive: s}}}}
						got := run(t, r.Setup, c)
						if got.Failures != 1 || !got.Complete {
							t.Errorf("%+v: %d failures, complete %t", c.Plan, got.Failures,
								got.Complete)
						}
						if v, err := judge.Run(got); v != nil || err != nil {
							t.Errorf("%+v: %+v %v\n%s", c.Plan, v, err,
								strings.Join(got.Schedule, "\n"))
						}
						if _, err := soak.Retrace(w, got, nil); err != nil {
							t.Errorf("%+v: %v", c.Plan, err)
						}
						if slices.ContainsFunc(got.Schedule, cutInside.MatchString) {
							inside++
						}
					}
				}
			}
		})
	}
	if inside == 0 {
		t.Error("no crash inside a step")
	}
}

// TestCountedBy has a proc fail when another one has performed so many effects: what it performs
// itself does not count, within a step or between two.
func TestCountedBy(t *testing.T) {
	chatty := service{step: func(p core.Proc, state *uint64, in core.Input) []core.Effect {
		switch {
		case p == 0 && in.Kind == core.Start:
			return []core.Effect{core.SendTo(0, &noiseMessage{})}
		case p == 0 && in.Kind == core.Received:
			return slices.Repeat([]core.Effect{core.SendTo(1, &noiseMessage{})}, 5)
		}
		return nil
	}}
	for by, struck := range []int{1, 0} {
		r := run(t, chatty.setup(2), local.Config{Model: fault.Model{Failures: 1},
			Plan: plan.Plan{Failures: []plan.Failure{{Victims: []core.Proc{0}, By: core.Proc(by),
				After: 3}}}})
		if r.Failures != struck {
			t.Errorf("by p%d: %d failures, want %d: %q", by, r.Failures, struck, r.Schedule)
		}
	}
}

// TestCausality checks, in parallel runs, that the order of events is consistent with causality:
// what arrives has been sent before by the incarnation that is alive or was, and in a network that
// keeps order, each channel is one. Times begin at 0 and do not go back.
func TestCausality(t *testing.T) {
	r := load(t, "ring3")
	for seed := range uint64(ofRuns(100)) {
		got := run(t, r.Setup, local.Config{Model: fault.Model{}, Seed: seed, Parallel: true,
			Spread: -1})
		type channel struct{ from, to trace.Proc }
		sent := map[channel][]string{}
		for _, e := range got.Trace.Events {
			what := fmt.Sprint(e.Text, e.ID, e.Stamp)
			switch e.Kind {
			case trace.Emitted:
				c := channel{e.Proc, e.Peer}
				sent[c] = append(sent[c], what)
			case trace.Arrived:
				c := channel{e.Peer, e.Proc}
				if len(sent[c]) == 0 || sent[c][0] != what {
					t.Fatalf("seed %d: %s arrives at %d from %d, sent and not arrived are %q", seed,
						what, e.Proc, e.Peer, sent[c])
				}
				sent[c] = sent[c][1:]
			}
		}
		if !got.Complete {
			t.Fatalf("seed %d: %s", seed, got.Bound)
		}
		at := got.Trace.At
		if len(at) != len(got.Trace.Events) || !slices.IsSorted(at) || at[0] != 0 ||
			at[len(at)-1] > int64(got.Elapsed) {
			t.Fatalf("seed %d: %d events at %v, in all %v", seed, len(got.Trace.Events), at,
				got.Elapsed)
		}
	}
}

// TestSameSeedSameRun checks that one proc at a time is a function of the seed, and that different
// seeds give different runs.
func TestSameSeedSameRun(t *testing.T) {
	r := load(t, "s0")
	different := map[string]bool{}
	for seed := range uint64(20) {
		c := local.Config{Model: r.Model, Seed: seed,
			Plan: plan.Plan{Failures: []plan.Failure{{Victims: []core.Proc{0}, By: 0, After: 2}}}}
		first, second := run(t, r.Setup, c), run(t, r.Setup, c)
		if diff := cmp.Diff(first.Schedule, second.Schedule); diff != "" {
			t.Errorf("seed %d (-first +second):\n%s", seed, diff)
		}
		different[strings.Join(first.Schedule, "\n")] = true
	}
	if len(different) < 15 {
		t.Errorf("%d different runs of 20 seeds", len(different))
	}
}

// TestTime checks that timers fire and messages take their time, in virtual time of the run, in
// that of a bubble, and in real time. In a bubble an hour passes in no time.
func TestTime(t *testing.T) {
	clock := service{step: func(p core.Proc, state *uint64, in core.Input) []core.Effect {
		if in.Kind == core.Start || in.Kind == core.Tick && *state < 5 {
			*state++
			return []core.Effect{{Kind: core.SetTimer, Timer: "t", Ticks: 720},
				core.SendTo(1-p, &noiseMessage{Mix: *state})}
		}
		return nil
	}}
	check := func(t *testing.T, c local.Config, least time.Duration) {
		t.Helper()
		c.Seed = 7
		r := run(t, clock.setup(2), c)
		ticks := 0
		for _, name := range r.Schedule {
			if strings.HasPrefix(name, "tick ") {
				ticks++
			}
		}
		if !r.Complete || ticks != 10 || len(r.Schedule) != 20 || r.Elapsed < least {
			t.Errorf("complete %t, %d ticks of %d steps in %v", r.Complete, ticks, len(r.Schedule),
				r.Elapsed)
		}
	}
	t.Run("virtual", func(t *testing.T) { check(t, local.Config{Spread: time.Second}, time.Hour) })
	t.Run("bubble", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			check(t, local.Config{Real: true, Spread: time.Second}, time.Hour)
			if passed := time.Since(began); passed < time.Hour {
				t.Errorf("%v have passed in the bubble", passed)
			}
		})
	})
	t.Run("real", func(t *testing.T) {
		check(t, local.Config{Real: true, Spread: time.Microsecond}, 3600*time.Microsecond)
	})
}

// TestRealTime runs protocols with failures in real time, and in a bubble: whatever the clock, the
// runs are those of the world.
func TestRealTime(t *testing.T) {
	for _, name := range []string{"ping", "causal-s1", "hmpl-nodes"} {
		t.Run(name, func(t *testing.T) {
			r := load(t, name)
			c := world.Case{Setup: r.Setup, Baseline: r.Baseline, Model: r.Model}
			soakOnce := func(t *testing.T) {
				out, err := soak.Soak(t.Context(), c,
					soak.Options{Runs: 20, Real: true, Retrace: true})
				if err != nil || out.Found != nil || out.Failures == 0 {
					t.Errorf("%+v: %v", out, err)
				}
			}
			t.Run("real", soakOnce)
			t.Run("bubble", func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					soakOnce(t)
					<-time.After(time.Second) // the world's goroutines wait for more steps
				})
			})
		})
	}
}

// TestBounds checks that runs that would go on for ever end, in every kind of time, and that
// nothing is left behind (goleak).
func TestBounds(t *testing.T) {
	echo := service{step: func(p core.Proc, _ *uint64, in core.Input) []core.Effect {
		if in.Kind == core.Start || in.Kind == core.Received {
			return []core.Effect{core.SendTo(1-p, &noiseMessage{})}
		}
		return nil
	}}
	flood := service{step: func(p core.Proc, _ *uint64, in core.Input) []core.Effect {
		return slices.Repeat([]core.Effect{core.SendTo(1-p, &noiseMessage{})}, 3)
	}}
	tests := []struct {
		name    string
		service service
		config  local.Config
		want    string
	}{
		{"steps", echo, local.Config{MaxSteps: 50}, "limit of 50 steps"},
		{"steps in parallel", echo, local.Config{MaxSteps: 50, Parallel: true, Spread: -1},
			"limit of 50 steps"},
		{"steps in real time", echo, local.Config{MaxSteps: 50, Real: true}, "limit of 50 steps"},
		{"time", echo, local.Config{MaxSteps: 1 << 30, MaxTime: 20 * time.Millisecond},
			"time limit 20ms"},
		{"messages", flood, local.Config{MaxInFlight: 100}, "limit of 100 messages in flight"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := run(t, tt.service.setup(2), tt.config)
			if r.Complete || r.Bound != tt.want {
				t.Errorf("complete %t, bound %q, want %q", r.Complete, r.Bound, tt.want)
			}
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Millisecond, cancel)
		r, err := local.Run(ctx, echo.setup(2), local.Config{MaxSteps: 1 << 30})
		if err != nil || r.Bound != "interrupted" {
			t.Errorf("%+v: %v", r, err)
		}
	})
}

// TestStuck checks that a run at whose end programs have not ended says who waits for what.
func TestStuck(t *testing.T) {
	s, err := scenarios.Parse("stuck.txtar", []byte(
		"Stuck\n-- scenario --\nprotocol: none\n-- program --\na: send b x; recv b\nb: recv a; "+
			"recv a; output\nc: post *; wait\n"))
	if err != nil {
		t.Fatal(err)
	}
	stuck, err := verify.Resolve(all.Protocols(), s)
	if err != nil {
		t.Fatal(err)
	}
	got := run(t, stuck.Setup, local.Config{})
	want := []string{"a (incarnation 0) has sent 1 and received 0 and waits for a message of b",
		"b (incarnation 0) has sent 0 and received 1 and waits for a message of a",
		"c (incarnation 0) has sent 0 and received 0 and waits for what it has posted"}
	if diff := cmp.Diff(want, got.Waits); diff != "" || !got.Complete {
		t.Errorf("complete %t, who waits (-want +got):\n%s", got.Complete, diff)
	}
	crashed := run(t, stuck.Setup, local.Config{Model: fault.Model{Failures: 1},
		Plan: plan.Plan{Failures: []plan.Failure{{Victims: []core.Proc{0}}}}})
	if crashed.Failures != 1 || !crashed.Complete {
		t.Errorf("%d failures, complete %t", crashed.Failures, crashed.Complete)
	}
}

// TestPanic checks that a machine that panics ends the run, with the input that it panics on, and
// takes no goroutine with it.
func TestPanic(t *testing.T) {
	for _, parallel := range []bool{false, true} {
		bad := service{step: func(p core.Proc, _ *uint64, in core.Input) []core.Effect {
			if in.Kind == core.Received {
				panic("no idea")
			}
			return []core.Effect{core.SendTo(1-p, &noiseMessage{Mix: 4})}
		}}
		r := run(t, bad.setup(2), local.Config{Parallel: parallel})
		if !strings.HasSuffix(r.Panic, "panics on k1 (4 and 0) from p0: no idea") &&
			!strings.HasSuffix(r.Panic, "panics on k1 (4 and 0) from p1: no idea") || r.Complete {
			t.Errorf("%+v", r)
		}
	}
}

// TestMisuse: a machine that asks for what nobody can do ends the run, with its name and what is
// wrong.
func TestMisuse(t *testing.T) {
	for want, e := range map[string]core.Effect{
		"names proc 99 in a SendMessage effect, want one": core.SendTo(99, &noiseMessage{}),
		"has an effect of kind 0, want one of 1 to ":      {},
	} {
		bad := service{step: func(core.Proc, *uint64, core.Input) []core.Effect {
			return []core.Effect{e}
		}}
		if r := run(t, bad.setup(2), local.Config{}); r.Complete ||
			!strings.Contains(r.Panic, ", on start, "+want) {
			t.Errorf("%q, want %q", r.Panic, want)
		}
	}
}

// TestValidate gives configurations that make no sense.
func TestValidate(t *testing.T) {
	setup := noiseless().setup(3)
	setup.Layout.Groups = map[core.Proc][]core.Proc{0: {0, 1}, 1: {0, 1}}
	failure := func(by core.Proc, victims ...core.Proc) plan.Plan {
		return plan.Plan{Failures: []plan.Failure{{By: by, Victims: victims}}}
	}
	tests := []struct {
		name   string
		config local.Config
		want   string
	}{
		{"fine", local.Config{Plan: failure(0, 0, 2)}, ""},
		{"negative", local.Config{MaxSteps: -1}, "local: limits must not be negative"},
		{"nobody", local.Config{Plan: failure(0)}, "plan: failure 1 has no victim"},
		{"unknown victim", local.Config{Plan: failure(0, 3)},
			"plan: failure 1: victim 3 does not exist, there are 3 procs"},
		{"unknown counter", local.Config{Plan: failure(3, 0)},
			"plan: failure 1: proc 3 does not exist, there are 3 procs"},
		{"one group twice", local.Config{Plan: failure(0, 0, 1)},
			"plan: failure 1: victims are not in ascending order and of different groups"},
		{"request", local.Config{Plan: plan.Plan{Requests: []plan.Request{{Proc: 9}}}},
			"plan: request 1: there are 3 procs"},
		{"no watchdogs", local.Config{Plan: plan.Plan{Requests: []plan.Request{{Expires: true}}}},
			"plan: request 1: protocol test has no watchdogs"},
		{"model", local.Config{Model: fault.Model{Failures: -1}},
			"budget failures is -1, want [0, 15]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if _, err := local.Run(t.Context(), setup, tt.config); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// noiseless are procs that do nothing.
func noiseless() service {
	return service{step: func(core.Proc, *uint64, core.Input) []core.Effect { return nil }}
}

// TestStepsAreConcurrent checks that machines run at the same time: two steps that wait for each
// other both end, in parallel and in real time. One at a time they can not, which shows that the
// test can fail.
func TestStepsAreConcurrent(t *testing.T) {
	rendezvous := func(patience time.Duration) *core.Setup {
		meet := make(chan bool)
		return service{
			ready: func(_ core.Proc, state uint64) bool { return state == 0 },
			step: func(p core.Proc, state *uint64, in core.Input) []core.Effect {
				if in.Kind != core.Advance {
					return nil
				}
				*state++
				timeout := time.After(patience)
				select {
				case meet <- true:
				case <-meet:
				case <-timeout:
					panic("alone")
				}
				return nil
			}}.setup(2)
	}
	for _, c := range []local.Config{{Parallel: true, Spread: -1}, {Real: true, Spread: -1}} {
		if r := run(t, rendezvous(time.Minute), c); r.Panic != "" || !r.Complete {
			t.Errorf("%+v: %q", c, r.Panic)
		}
	}
	if r := run(t, rendezvous(10*time.Millisecond),
		local.Config{Spread: -1}); !strings.HasSuffix(r.Panic, "alone") {
		t.Errorf("one at a time: %q", r.Panic)
	}
}
