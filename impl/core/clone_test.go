package core_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/hydee"
	"github.com/domino-check/domino/spec/trace"
)

// recoverySetup is a setup with two clusters, checkpoints, posted receives and loops.
func recoverySetup(t testing.TB) *core.Setup {
	t.Helper()
	names, programs,
		err := script.Parse(
		"x: send y m2; post y; checkpoint; wait\ny: recv *; send c m3; send x m4; recv * ordered\n"+
			"c: loop 1; recv y; checkpoint; send y m7; output; end", 1)
	if err != nil {
		t.Fatal(err)
	}
	setup, err := hydee.NewSetup(trace.Layout{Names: names, Ranks: 3, Clusters: []int{0, 0, 1}},
		programs, hydee.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return setup
}

type flight struct {
	from, to core.Proc
	message  core.Message
}

// walker runs the machines of a setup in a random order, with crashes of groups.
type walker struct {
	setup    *core.Setup
	machines []core.Machine
	network  []flight
	writing  []core.Record
	stable   []core.Record
	lives    []core.Incarnation
}

// walk takes random steps and shows every machine after each of its steps.
func walk(t testing.TB, setup *core.Setup, seed uint64, steps int,
	see func(core.Proc, core.Machine)) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 0))
	w := &walker{setup: setup, lives: make([]core.Incarnation, len(setup.Layout.Names))}
	for p := range core.Proc(len(setup.Layout.Names)) {
		w.machines = append(w.machines, setup.New(p))
		w.step(p, core.Input{Kind: core.Start})
		see(p, w.machines[p])
	}
	for range steps {
		moves := w.moves()
		if random.IntN(25) == 0 {
			w.crash(core.Proc(random.IntN(setup.Layout.Ranks)))
		} else if len(moves) > 0 {
			moves[random.IntN(len(moves))]()
		}
		for p, m := range w.machines {
			see(core.Proc(p), m)
		}
	}
}

// moves are the steps that are possible now.
func (w *walker) moves() []func() {
	var moves []func()
	for p, m := range w.machines {
		for _, c := range m.Choices(nil) {
			moves = append(moves, func() {
				w.step(core.Proc(p), core.Input{Kind: core.Advance, Choice: c})
			})
		}
	}
	seen := map[[2]core.Proc]bool{}
	for i, f := range w.network {
		if key := [2]core.Proc{f.from, f.to}; !seen[key] {
			seen[key] = true
			moves = append(moves, func() {
				w.network = slices.Delete(w.network, i, i+1)
				w.step(f.to, core.Input{Kind: core.Received, From: f.from, Message: f.message})
			})
		}
	}
	if len(w.writing) > 0 {
		moves = append(moves, func() {
			r := w.writing[0]
			w.writing = w.writing[1:]
			w.stable = append(w.stable, r)
			w.step(r.Owner, core.Input{Kind: core.Persisted, Key: r.Key})
		})
	}
	return moves
}

func (w *walker) step(p core.Proc, in core.Input) {
	for _, e := range w.machines[p].Step(in, nil) {
		switch {
		case e.Kind == core.SendMessage:
			m := *e.Message.(*hydee.Message)
			w.network = append(w.network, flight{p, e.To, &m})
		case e.Kind == core.Persist && e.Value != nil:
			w.writing = append(w.writing, core.Record{Owner: p, Key: e.Key, Value: e.Value})
		case e.Kind == core.Persist:
			w.stable = slices.DeleteFunc(w.stable, func(r core.Record) bool {
				return r.Owner == p && r.Key == e.Key
			})
		}
	}
}

// crash stops and restarts the group of a proc at once; the recovery process hears of it.
func (w *walker) crash(p core.Proc) {
	group := w.setup.Group(p)
	w.network = slices.DeleteFunc(w.network, func(f flight) bool {
		return slices.Contains(group, f.from) || slices.Contains(group, f.to)
	})
	w.writing = slices.DeleteFunc(w.writing, func(r core.Record) bool {
		return slices.Contains(group, r.Owner)
	})
	for _, q := range group {
		w.lives[q]++
		w.machines[q] = w.setup.New(q)
		var records []core.Record
		for _, r := range w.stable {
			if slices.Contains(w.setup.Reads(q), r.Owner) {
				records = append(records, r)
			}
		}
		w.step(q, core.Input{Kind: core.Restore, Incarnation: w.lives[q], Records: records})
	}
	w.step(core.Proc(w.setup.Layout.Ranks), core.Input{Kind: core.Down, Procs: group})
}

// TestCopies checks, for every proc after every step of random runs with crashes, that Clone and
// DecodeState give a machine with the same bytes and the same choices.
func TestCopies(t *testing.T) {
	setup := recoverySetup(t)
	states := map[string]bool{}
	for seed := range uint64(30) {
		walk(t, setup, seed, 80, func(p core.Proc, m core.Machine) {
			b := core.EncodeState(m)
			states[string(b)] = true
			clone, decoded := setup.New(p), setup.New(p)
			core.Clone(m, clone)
			if got := core.EncodeState(clone); !bytes.Equal(b, got) {
				t.Fatalf("seed %d proc %d: clone is %x, want %x", seed, p, got, b)
			}
			if err := core.DecodeState(b, decoded); err != nil {
				t.Fatalf("seed %d proc %d: %v", seed, p, err)
			}
			if got := core.EncodeState(decoded); !bytes.Equal(b, got) {
				t.Fatalf("seed %d proc %d: decoded is %x, want %x", seed, p, got, b)
			}
			for name, c := range map[string]core.Machine{"clone": clone, "decoded": decoded} {
				if !slices.Equal(m.Choices(nil), c.Choices(nil)) {
					t.Fatalf("seed %d proc %d: choices %v, of the %s %v", seed, p, m.Choices(nil),
						name, c.Choices(nil))
				}
			}
		})
	}
	if len(states) < 500 {
		t.Errorf("the runs show %d states, want at least 500: the test looks at nothing",
			len(states))
	}
}

// TestCloneIsIndependent checks that steps of a machine do not change its clone, nor the other way
// round: both go on along the same run, one step behind the other.
func TestCloneIsIndependent(t *testing.T) {
	setup := recoverySetup(t)
	type copied struct {
		machine core.Machine
		bytes   []byte
	}
	for seed := range uint64(10) {
		copies := map[core.Proc][]copied{}
		walk(t, setup, seed, 60, func(p core.Proc, m core.Machine) {
			for _, c := range copies[p] {
				if got := core.EncodeState(c.machine); !bytes.Equal(c.bytes, got) {
					t.Fatalf("seed %d proc %d: a step changed an older clone from %x to %x", seed,
						p, c.bytes, got)
				}
			}
			clone := setup.New(p)
			core.Clone(m, clone)
			before := core.EncodeState(m)
			trial := setup.New(p)
			core.Clone(m, trial)
			for _, c := range trial.Choices(nil) {
				next := setup.New(p)
				core.Clone(trial, next)
				next.Step(core.Input{Kind: core.Advance, Choice: c}, nil)
			}
			if got := core.EncodeState(m); !bytes.Equal(before, got) {
				t.Fatalf("seed %d proc %d: a step of a clone changed the original", seed, p)
			}
			copies[p] = append(copies[p], copied{clone, before})
		})
	}
}
