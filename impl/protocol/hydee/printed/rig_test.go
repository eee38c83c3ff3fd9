package printed

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/hydee/ground"
	"github.com/domino-check/domino/spec/trace"
)

// rig drives the machines of one setup by hand. Channels keep order; a crash loses what is in
// flight to the crashed processes, and nothing else.
type rig struct {
	t        *testing.T
	setup    *core.Setup
	machines []core.Machine
	network  map[[2]core.Proc][]*ground.Message
	stable   map[core.Proc]map[string][]byte
	lives    []core.Incarnation
}

func newRig(t *testing.T, program, clusters string) *rig {
	t.Helper()
	names, programs, err := script.Parse(program, 1)
	if err != nil {
		t.Fatal(err)
	}
	layout := trace.Layout{Names: names, Ranks: len(names), Clusters: make([]int, len(names))}
	for k, part := range strings.Split(clusters, "|") {
		for _, name := range strings.Fields(part) {
			layout.Clusters[slices.Index(names, name)] = k
		}
	}
	setup, err := Started.Setup(protocol.Request{Layout: layout, Programs: programs})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, setup: setup, network: map[[2]core.Proc][]*ground.Message{},
		stable: map[core.Proc]map[string][]byte{},
		lives:  make([]core.Incarnation, len(setup.Layout.Names))}
	for p := range setup.Layout.Names {
		r.machines = append(r.machines, setup.New(core.Proc(p)))
		r.stable[core.Proc(p)] = map[string][]byte{}
		r.step(core.Proc(p), core.Input{Kind: core.Start})
	}
	return r
}

func (r *rig) proc(name string) core.Proc {
	return core.Proc(slices.Index(r.setup.Layout.Names, name))
}

// step gives one input to a process; a write is stable at once. It returns what is delivered and
// sent, as words.
func (r *rig) step(p core.Proc, in core.Input) (words []string) {
	r.t.Helper()
	for _, e := range r.machines[p].Step(in, nil) {
		switch e.Kind {
		case core.SendMessage:
			m := *e.Message.(*ground.Message)
			key := [2]core.Proc{p, e.To}
			r.network[key] = append(r.network[key], &m)
			words = append(words, r.word(&m)+" to "+r.setup.Layout.Name(e.To))
		case core.Deliver:
			words = append(words, "receive "+r.setup.Layout.Label(e.Payload.ID))
		case core.Persist:
			if e.Value == nil {
				delete(r.stable[p], e.Key)
				continue
			}
			r.stable[p][e.Key] = e.Value
			words = append(words, r.step(p, core.Input{Kind: core.Persisted, Key: e.Key})...)
		}
	}
	return words
}

func (r *rig) word(m *ground.Message) string {
	if m.Kind == ground.App {
		return r.setup.Layout.Label(m.Payload.ID)
	}
	switch {
	case m.Kind == Log || m.Kind == Orphan:
		return fmt.Sprint(m.Kind, m.Phases)
	case m.Phase > 0:
		return fmt.Sprint(m.Kind, " ", m.Phase)
	}
	return fmt.Sprint(m.Kind, " ", m.Date)
}

// can reports whether a program has a step.
func (r *rig) can(name string) bool { return len(r.machines[r.proc(name)].Choices(nil)) > 0 }

// run takes program steps of a process.
func (r *rig) run(name string, steps int) (words []string) {
	r.t.Helper()
	for range steps {
		c := r.machines[r.proc(name)].Choices(nil)
		if len(c) == 0 {
			r.t.Fatalf("%s can not go on", name)
		}
		words = append(words, r.step(r.proc(name), core.Input{Kind: core.Advance, Choice: c[0]})...)
	}
	return words
}

// arrive delivers everything on a channel.
func (r *rig) arrive(from, to string) (words []string) {
	r.t.Helper()
	key := [2]core.Proc{r.proc(from), r.proc(to)}
	list := r.network[key]
	delete(r.network, key)
	if len(list) == 0 {
		r.t.Fatalf("nothing in flight from %s to %s", from, to)
	}
	for _, m := range list {
		words = append(words, r.step(key[1], core.Input{Kind: core.Received, From: key[0],
			Message: m})...)
	}
	return words
}

// settle delivers everything but application messages until there is nothing else.
func (r *rig) settle() (words []string) {
	r.t.Helper()
	for busy := true; busy; {
		busy = false
		for p := range r.machines {
			for q := range r.machines {
				key := [2]core.Proc{core.Proc(p), core.Proc(q)}
				for len(r.network[key]) > 0 && r.network[key][0].Kind != ground.App {
					m := r.network[key][0]
					r.network[key] = r.network[key][1:]
					words = append(words, r.step(key[1], core.Input{Kind: core.Received,
						From: key[0], Message: m})...)
					busy = true
				}
			}
		}
	}
	return words
}

// fail stops the cluster of a process, begins its next life and tells the others.
func (r *rig) fail(name string) {
	r.t.Helper()
	group := r.setup.Group(r.proc(name))
	for _, p := range group {
		r.lives[p]++
		r.machines[p] = r.setup.New(p)
		for q := range r.machines {
			delete(r.network, [2]core.Proc{core.Proc(q), p})
		}
	}
	for _, p := range group {
		var records []core.Record
		for _, owner := range r.setup.Reads(p) {
			for key, value := range r.stable[owner] {
				records = append(records, core.Record{Owner: owner, Key: key, Value: value})
			}
		}
		r.step(p, core.Input{Kind: core.Restore, Incarnation: r.lives[p], Records: records})
	}
	for p := range r.machines {
		if !slices.Contains(group, core.Proc(p)) {
			r.step(core.Proc(p), core.Input{Kind: core.Down, Procs: group})
		}
	}
}

// want compares words.
func (r *rig) want(what string, got []string, want ...string) {
	r.t.Helper()
	if !slices.Equal(got, want) {
		r.t.Errorf("%s: %q, want %q", what, got, want)
	}
}
