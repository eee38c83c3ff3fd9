package replicated_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/errmgr/replicated"
)

// flight is a message on its way, of a life to a life.
type flight struct {
	from, to core.Proc
	message  []byte
}

// walker runs the machines of a setup in a random order, with crashes of replicas.
type walker struct {
	t        testing.TB
	random   *rand.Rand
	setup    *core.Setup
	machines []core.Machine
	network  []flight
	writing  []core.Record
	stable   []core.Record
	notices  []flight // Down of from at to
	lives    []core.Incarnation
	down     []bool
	steps    int
	returned int
}

// newWalker starts every proc.
func newWalker(t testing.TB, setup *core.Setup, seed uint64) *walker {
	n := len(setup.Layout.Names)
	w := &walker{t: t, random: rand.New(rand.NewPCG(seed, 1)), setup: setup,
		lives: make([]core.Incarnation, n), down: make([]bool, n)}
	for p := range core.Proc(n) {
		w.machines = append(w.machines, setup.New(p))
	}
	for p := range core.Proc(n) {
		w.step(p, core.Input{Kind: core.Start})
	}
	return w
}

// step hands an input to a machine, keeps what it asks for and, now and then, puts a decoded
// machine in its place.
func (w *walker) step(p core.Proc, in core.Input) {
	w.steps++
	for _, e := range w.machines[p].Step(in, nil) {
		switch e.Kind {
		case core.SendMessage:
			w.network = append(w.network, flight{p, e.To, core.Encode(e.Message)})
		case core.Persist:
			w.writing = append(w.writing, core.Record{Owner: p, Key: e.Key, Value: e.Value})
		case core.Return:
			w.returned++
		}
	}
	copied := w.setup.New(p)
	if w.random.IntN(4) == 0 {
		if err := core.DecodeState(core.EncodeState(w.machines[p]), copied); err != nil {
			w.t.Fatal(err)
		}
		if !bytes.Equal(core.EncodeState(copied), core.EncodeState(w.machines[p])) {
			w.t.Fatal("a decoded machine has another state")
		}
		w.machines[p] = copied
	}
}

// moves are the steps that are possible now, faults aside.
func (w *walker) moves() (moves []func()) {
	seen := map[[2]core.Proc]bool{}
	for i, f := range w.network {
		if key := [2]core.Proc{f.from, f.to}; !seen[key] {
			seen[key] = true
			moves = append(moves, func() {
				w.network = slices.Delete(w.network, i, i+1)
				m := w.setup.NewMessage()
				if err := core.Decode(f.message, m); err != nil {
					w.t.Fatal(err)
				}
				w.step(f.to, core.Input{Kind: core.Received, From: f.from, Message: m})
			})
		}
	}
	written := map[core.Proc]bool{}
	for i, r := range w.writing {
		if !written[r.Owner] {
			written[r.Owner] = true
			moves = append(moves, func() {
				w.writing = slices.Delete(w.writing, i, i+1)
				w.store(r)
				w.step(r.Owner, core.Input{Kind: core.Persisted, Key: r.Key})
			})
		}
	}
	for i, n := range w.notices {
		moves = append(moves, func() {
			w.notices = slices.Delete(w.notices, i, i+1)
			w.step(n.to, core.Input{Kind: core.Down, Procs: []core.Proc{n.from},
				Incarnation: core.Incarnation(n.message[0])})
		})
	}
	for p, down := range w.down {
		if down {
			moves = append(moves, func() { w.restart(core.Proc(p)) })
		}
	}
	return moves
}

// store makes a record stable.
func (w *walker) store(r core.Record) {
	w.stable = slices.DeleteFunc(w.stable, func(old core.Record) bool {
		return old.Owner == r.Owner && old.Key == r.Key
	})
	w.stable = append(w.stable, r)
}

// crash ends the life of a proc. A prefix of what it has sent to each arrives, and nothing of what
// is on its way to it; of its writes in progress some of the oldest are stable.
func (w *walker) crash(p core.Proc) {
	w.down[p] = true
	cut := map[core.Proc]bool{}
	w.network = slices.DeleteFunc(w.network, func(f flight) bool {
		if f.from == p && w.random.IntN(3) == 0 {
			cut[f.to] = true
		}
		return f.to == p || f.from == p && cut[f.to]
	})
	lost := false
	for _, r := range w.writing {
		if r.Owner == p && !lost {
			if lost = w.random.IntN(2) == 0; !lost {
				w.store(r)
			}
		}
	}
	w.writing = slices.DeleteFunc(w.writing, func(r core.Record) bool { return r.Owner == p })
	w.notices = slices.DeleteFunc(w.notices, func(f flight) bool { return f.to == p })
	for _, q := range w.setup.Watchers {
		if q != p && !w.down[q] {
			w.notices = append(w.notices, flight{p, q, []byte{byte(w.lives[p])}})
		}
	}
	w.lives[p]++
}

// restart begins the next life of a proc.
func (w *walker) restart(p core.Proc) {
	w.down[p] = false
	w.machines[p] = w.setup.New(p)
	var records []core.Record
	for _, r := range w.stable {
		if r.Owner == p {
			records = append(records, r)
		}
	}
	w.step(p, core.Input{Kind: core.Restore, Incarnation: w.lives[p], Records: records})
}

// run lets everything happen, with crashes of replicas in between, one down at a time, until
// nothing can happen any more, or there is no end. It returns how many operations have ended by
// then.
func (w *walker) run(crashes int) (returned int, ends bool) {
	for w.steps < 2_000 {
		moves := w.moves()
		switch {
		case crashes > 0 && w.random.IntN(30) == 0:
			if replicas := w.setup.Watchers; !slices.Contains(w.down, true) {
				crashes--
				w.crash(replicas[w.random.IntN(len(replicas))])
			}
		case len(moves) == 0:
			return w.returned, true
		default:
			moves[w.random.IntN(len(moves))]()
		}
	}
	return w.returned, false
}

// TestRandom draws runs with three crashes of replicas, one after the other, which lose messages
// and writes: in the end every operation of two clients has an answer. Machines are replaced by
// decoded ones on the way, so nothing but their state matters. Where replicas do not wait for their
// disks, some run loses an answer, or goes on for ever about entries that are forgotten.
func TestRandom(t *testing.T) {
	tests := []struct {
		replicas int
		fault    replicated.Fault
		breaks   bool
	}{{3, 0, false}, {5, 0, false}, {3, replicated.Hasty, true}}
	for _, tt := range tests {
		lost := 0
		for seed := range uint64(150) {
			setup, err := replicated.NewRegister(tt.replicas, 2, tt.fault)
			if err != nil {
				t.Fatal(err)
			}
			n, ends := newWalker(t, setup, seed).run(3)
			if n == 4 && ends {
				continue
			}
			if lost++; tt.breaks {
				break
			}
			t.Errorf("%d replicas, seed %d: %d operations have answers, want 4; it ends: %t",
				tt.replicas, seed, n, ends)
		}
		if tt.breaks && lost == 0 {
			t.Error("the broken replicas lose nothing: the test looks at nothing")
		}
	}
}
