package epochs

import (
	"slices"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/spec/trace"
)

// newSetup makes the protocol for programs in text form.
func newSetup(t *testing.T, text, options string, clusters []int) (*core.Setup, error) {
	t.Helper()
	names, programs, err := script.Parse(text, 1)
	if err != nil {
		t.Fatal(err)
	}
	p := Protocol
	return p.Make(protocol.Request{Programs: programs, Options: options,
		Layout: trace.Layout{Names: names, Ranks: len(names), Clusters: clusters}})
}

// rig runs machines in one fixed order over FIFO channels and stable storage.
type rig struct {
	t        *testing.T
	setup    *core.Setup
	machines []core.Machine
	lives    []core.Incarnation
	network  [][][]core.Message // by receiver and sender
	records  [][]core.Record
	written  [][]string // keys that are stable, and not said so yet
	seen     map[trace.Kind][]core.Proc
}

func newRig(t *testing.T, text, options string, clusters []int) *rig {
	t.Helper()
	s, err := newSetup(t, text, options, clusters)
	if err != nil {
		t.Fatal(err)
	}
	n := len(s.Layout.Names)
	r := &rig{t: t, setup: s, machines: make([]core.Machine, n), lives: make([]core.Incarnation, n),
		network: make([][][]core.Message, n), records: make([][]core.Record, n),
		written: make([][]string, n), seen: map[trace.Kind][]core.Proc{}}
	for p := range core.Proc(n) {
		r.network[p] = make([][]core.Message, n)
		r.machines[p] = s.New(p)
	}
	for p := range core.Proc(n) {
		r.step(p, core.Input{Kind: core.Start})
	}
	return r
}

// step performs one step of a machine.
func (r *rig) step(p core.Proc, in core.Input) {
	again := false
	for _, e := range r.machines[p].Step(in, nil) {
		switch e.Kind {
		case core.SendMessage:
			m := r.setup.NewMessage()
			core.CloneMessage(e.Message, m)
			r.network[e.To][p] = append(r.network[e.To][p], m)
		case core.Persist:
			r.records[p] = slices.DeleteFunc(r.records[p], func(old core.Record) bool {
				return old.Key == e.Key
			})
			if e.Value != nil {
				r.records[p] = append(r.records[p], core.Record{Owner: p, Key: e.Key,
					Value: e.Value})
				r.written[p] = append(r.written[p], e.Key)
			}
		case core.Rollback:
			again = true
		case core.Declare:
			if e.What == trace.Halted {
				r.t.Fatal(e.Key)
			}
			r.seen[e.What] = append(r.seen[e.What], p)
		}
	}
	if again {
		r.restart(p)
	}
}

// restart begins the next life of a proc.
func (r *rig) restart(p core.Proc) {
	r.lives[p]++
	r.machines[p], r.written[p] = r.setup.New(p), nil
	r.step(p, core.Input{Kind: core.Restore, Incarnation: r.lives[p], Records: r.records[p]})
}

// crash loses what is on its way to a proc, and restarts it.
func (r *rig) crash(p core.Proc) {
	r.network[p] = make([][]core.Message, len(r.machines))
	r.restart(p)
}

// run goes on until nothing is left to do. With the flag a checkpoint of a program waits until
// nothing else is left, and all that wait are taken at one instant.
func (r *rig) run(together bool) {
	for {
		var waiting []core.Proc
		moved := false
		for p := range core.Proc(len(r.machines)) {
			moved = r.deliver(p) || moved
			h, ok := r.machines[p].(*program.Host)
			if !ok {
				continue
			}
			choices := h.Choices(nil)
			if op, _ := h.Next(); op.Kind == core.OpCheckpoint && together && len(choices) > 0 {
				waiting = append(waiting, p)
				continue
			}
			if len(choices) > 0 {
				r.step(p, core.Input{Kind: core.Advance, Choice: choices[0]})
				moved = true
			}
		}
		if moved {
			continue
		}
		if len(waiting) == 0 {
			return
		}
		for _, p := range waiting {
			r.step(p, core.Input{Kind: core.Advance})
		}
	}
}

// deliver says what is stable and hands over one message of each sender.
func (r *rig) deliver(p core.Proc) (any bool) {
	if len(r.written[p]) > 0 {
		key := core.Pop(&r.written[p])
		r.step(p, core.Input{Kind: core.Persisted, Key: key})
		any = true
	}
	for q := range r.network[p] {
		if len(r.network[p][q]) > 0 {
			m := core.Pop(&r.network[p][q])
			r.step(p, core.Input{Kind: core.Received, From: core.Proc(q), Message: m})
			any = true
		}
	}
	return any
}

// ended checks that every program has come to its end.
func (r *rig) ended() {
	r.t.Helper()
	for p := range core.Proc(r.setup.Layout.Ranks) {
		if h := core.HistoryOf(r.machines[p]); !h.Done {
			r.t.Errorf("%s has not ended", r.setup.Layout.Name(p))
		}
	}
}
