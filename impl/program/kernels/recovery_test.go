package kernels_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/protocol/all"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/trace"
)

// crashes runs a setup in random order, as the modelled world would, with one crash of a group: its
// memory, and what was on its way from and to it, are lost; then it restarts from its stable
// records, and the watchers are told. It keeps no states, so it takes programs that are too large
// to explore.
type crashes struct {
	setup    *core.Setup
	rng      *rand.Rand
	machines []core.Machine // nil while down
	lives    []core.Incarnation
	queues   map[[2]core.Proc][]packet
	channels [][2]core.Proc
	stable   []core.Record
	writing  []core.Record
	notices  []notice
	timers   []notice // who, in the place of a name
	digests  map[core.Proc]uint64
	steps    int
	reuse    []*reuse // by proc; nil: all bytes stay where they are
}

type notice struct {
	to    core.Proc
	procs []core.Proc
	timer string
}

// recoverRun runs a kernel over a protocol; the group of the victim crashes after so many steps
// (-1: never).
func recoverRun(t testing.TB, setup *core.Setup, seed uint64, victim core.Proc,
	after int) *crashes {
	c := newCrashes(setup, seed)
	c.run(t, victim, after)
	return c
}

func newCrashes(setup *core.Setup, seed uint64) *crashes {
	return &crashes{setup: setup, rng: rand.New(rand.NewPCG(seed, 7)),
		machines: make([]core.Machine, len(setup.Layout.Names)),
		lives:    make([]core.Incarnation, len(setup.Layout.Names)),
		queues:   map[[2]core.Proc][]packet{}, digests: map[core.Proc]uint64{}}
}

func (c *crashes) run(t testing.TB, victim core.Proc, after int) {
	t.Helper()
	for p := range c.machines {
		c.create(core.Proc(p))
	}
	for p := range c.machines {
		c.step(core.Proc(p), core.Input{Kind: core.Start})
	}
	for ; !c.watched() && c.move(); c.steps++ {
		if c.steps == after {
			c.crash(c.setup.Group(victim))
		}
		if c.steps > 500_000 {
			t.Fatalf("%s: does not come to an end", c.setup.Protocol)
		}
	}
	for p := range core.Proc(c.setup.Layout.Ranks) {
		if h := c.machines[p].(interface{ History() *trace.History }).History(); h.Done {
			// not by ProgramDone: an image may be of a program that has ended
			c.digests[p] = h.Digest
		}
	}
}

// watched reports whether everybody has come to the end of a run with heartbeats, which never end.
func (c *crashes) watched() bool {
	return c.setup.Watchdogs && !slices.ContainsFunc(c.machines[:c.setup.Layout.Ranks],
		func(m core.Machine) bool {
			return !core.HistoryOf(m).Done
		})
}

// create makes the machine of a proc.
func (c *crashes) create(p core.Proc) {
	c.machines[p] = c.setup.New(p)
	if c.reuse != nil {
		c.reuse[p].lend(c.machines[p])
	}
}

func (c *crashes) step(p core.Proc, in core.Input) {
	effects := c.machines[p].Step(in, nil)
	for _, e := range effects {
		switch e.Kind {
		case core.SendMessage:
			key := [2]core.Proc{p, e.To}
			if _, ok := c.queues[key]; !ok {
				c.channels = append(c.channels, key)
			}
			// the machine may use its own again
			c.queues[key] = append(c.queues[key], pack(e.Message, c.reuse != nil))
		case core.Persist:
			if e.Value == nil {
				c.stable = slices.DeleteFunc(c.stable, func(r core.Record) bool {
					return r.Owner == p && r.Key == e.Key
				})
			} else {
				c.writing = append(c.writing, core.Record{Owner: p, Key: e.Key, Value: e.Value})
			}
		case core.SetTimer:
			c.timers = append(c.timers, notice{to: p, timer: e.Timer})
		case core.Rollback:
			panic(fmt.Sprintf("proc %d rolls back", p))
		case core.Declare:
			if e.What == trace.Halted {
				panic(fmt.Sprintf("proc %d: %s", p, e.Key))
			}
		}
	}
	if c.reuse != nil {
		c.reuse[p].after(effects)
	}
}

// move takes one random step; timers only when nothing else can happen.
func (c *crashes) move() bool {
	var moves []func()
	for _, key := range c.channels {
		if q := c.queues[key]; len(q) > 0 && c.machines[key[1]] != nil {
			moves = append(moves, func() {
				c.queues[key] = q[1:]
				c.step(key[1], core.Input{Kind: core.Received, From: key[0],
					Message: c.unpack(q[0], key)})
			})
		}
	}
	for p, m := range c.machines {
		if m == nil {
			moves = append(moves, func() { c.restart(core.Proc(p)) })
			continue
		}
		for _, choice := range m.Choices(nil) {
			moves = append(moves, func() {
				c.step(core.Proc(p), core.Input{Kind: core.Advance, Choice: choice})
			})
		}
	}
	for i, n := range c.notices {
		if c.machines[n.to] != nil {
			moves = append(moves, func() {
				c.notices = slices.Delete(slices.Clone(c.notices), i, i+1)
				c.step(n.to, core.Input{Kind: core.Down, Procs: n.procs})
			})
		}
	}
	if len(c.writing) > 0 {
		moves = append(moves, c.persisted)
	}
	if len(moves) == 0 && len(c.timers) > 0 {
		n := c.timers[0]
		c.timers = c.timers[1:]
		moves = append(moves, func() { c.step(n.to, core.Input{Kind: core.Tick, Timer: n.timer}) })
	}
	if len(moves) == 0 {
		return false
	}
	moves[c.rng.IntN(len(moves))]()
	return true
}

func (c *crashes) persisted() {
	r := c.writing[0]
	c.writing = c.writing[1:]
	c.stable = slices.DeleteFunc(c.stable, func(s core.Record) bool {
		return s.Owner == r.Owner && s.Key == r.Key
	})
	c.stable = append(c.stable, r)
	c.step(r.Owner, core.Input{Kind: core.Persisted, Key: r.Key})
}

func (c *crashes) crash(group []core.Proc) {
	in := func(p core.Proc) bool { return slices.Contains(group, p) }
	for _, p := range group {
		c.machines[p] = nil
		c.lives[p]++
	}
	for _, key := range c.channels {
		if in(key[0]) || in(key[1]) {
			c.queues[key] = nil
		}
	}
	c.writing = slices.DeleteFunc(c.writing, func(r core.Record) bool { return in(r.Owner) })
	c.timers = slices.DeleteFunc(c.timers, func(n notice) bool { return in(n.to) })
	for _, w := range c.setup.Watchers {
		if !in(w) {
			c.notices = append(c.notices, notice{to: w, procs: group})
		}
	}
}

func (c *crashes) restart(p core.Proc) {
	owners := []core.Proc{p}
	if c.setup.Reads != nil && len(c.setup.Reads(p)) > 0 {
		owners = c.setup.Reads(p)
	}
	var records []core.Record
	for _, o := range owners {
		for _, r := range c.stable {
			if r.Owner == o {
				records = append(records, r)
			}
		}
	}
	c.create(p)
	c.step(p, core.Input{Kind: core.Restore, Incarnation: c.lives[p], Records: records})
}

// refused are the kernels that are not send-deterministic, which HydEE does not promise to recover.
func refused(protocol, text string) bool {
	return protocol == "hydee" && (strings.HasSuffix(text, "form=messages") ||
		strings.HasPrefix(text, "matmul-dynamic"))
}

// TestRecovery crashes a rank of every kernel over every protocol, at random places of random runs:
// all ranks end in the state of the run without failures. The longest runs are for a huge test.
func TestRecovery(t *testing.T) {
	list := append(slices.Clone(tiny), "heat ranks=4 n=4 iterations=6 checkpoint=2",
		"bt ranks=4 n=6 iterations=3 checkpoint=2", "mg ranks=8 n=8 iterations=2 checkpoint=1",
		"cg ranks=4 n=14 iterations=2 checkpoint=1 inner=2",
		"ft ranks=4 n=4 iterations=3 checkpoint=1", "lu ranks=4 n=5 iterations=3 checkpoint=2",
		"smg ranks=4 edge=5 iterations=4 checkpoint=1")
	for p, protocol := range []string{"hydee", "causal", "camel", "sbml", "rbml", "hmpl"} {
		runs := 0
		for i, text := range list {
			if (i+p)%5 > 0 && !effort.Long() {
				continue
			}
			s, err := scenarios.Parse("k.txtar",
				[]byte("t\n-- scenario --\nprotocol: "+protocol+"\nprogram: kernel "+text+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			r, err := verify.Resolve(all.Protocols(), s)
			if err != nil || refused(protocol, text) || r.Setup.Layout.Ranks < 2 {
				if err != nil && !strings.Contains(err.Error(), "ranks") {
					t.Errorf("%s: %s: %v", protocol, text, err)
				}
				continue
			}
			want := recoverRun(t, r.Setup, 1, 0, -1)
			seeds := uint64(2)
			switch {
			case want.steps > 1000 && !effort.Huge():
				seeds = 0
			case want.steps > 400 && !effort.Huge():
				seeds = 1
			}
			for seed := range seeds {
				rng := rand.New(rand.NewPCG(seed, uint64(i)))
				victim, after := core.Proc(rng.IntN(r.Setup.Layout.Ranks)), rng.IntN(want.steps)
				got := recoverRun(t, r.Setup, seed, victim, after)
				runs++
				if len(got.digests) != r.Setup.Layout.Ranks ||
					fmt.Sprint(got.digests) != fmt.Sprint(want.digests) {
					t.Errorf(
						"%s: %s: seed %d, rank %d crashes after step %d: %d of %d ranks end, in "+
							"%x, want %x", protocol, text, seed, victim, after,
						len(got.digests), r.Setup.Layout.Ranks, got.digests, want.digests)
				}
			}
		}
		if runs < effort.Of(5, 40) {
			t.Errorf("%s: %d runs", protocol, runs)
		}
	}
}
