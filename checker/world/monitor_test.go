package world

import (
	"fmt"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/example/paxos"
	"github.com/domino-check/domino/impl/protocol/example/twophase"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// services are setups whose properties have a memory.
func services(t *testing.T) []Config {
	t.Helper()
	var list []Config
	add := func(setup *core.Setup, err error, models ...fault.Model) {
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range models {
			list = append(list, Config{Setup: setup, Model: m, Facts: FactsOf(setup, &m, nil)})
		}
	}
	crash := fault.Model{Failures: 1, DetectAny: true, FromDead: fault.Every}
	crashSet, selective := crash, crash
	crashSet.Set, selective.Unordered, selective.Selective = true, true, true
	setup, err := twophase.NewSetup(twophase.Options{Resources: 3})
	add(setup, err, fault.Model{}, fault.Model{Set: true}, crash, crashSet)
	setup, err = paxos.NewSetup(paxos.Options{Servers: 3, Clients: 2})
	add(setup, err, fault.Model{}, fault.Model{Unordered: true, Selective: true}, crash, selective)
	return list
}

// monitoredPairs is TestIndependence for worlds with monitors: their memory is a word of the state.
func monitoredPairs(t *testing.T, report func(bad, about string)) (total int) {
	for _, c := range services(t) {
		pairs, bad := commute(t, c)
		total += pairs
		report(bad, fmt.Sprintf("%s, model %+v", c.Setup.Protocol, c.Model))
	}
	return total
}

// TestMonitorWord checks that the memory of properties is the last word of the state, there only
// when a property needs it, and that steps which a monitor sees depend on each other.
func TestMonitorWord(t *testing.T) {
	for _, c := range services(t) {
		w, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := w.Words(), 1+len(c.Setup.Layout.Names)+1; got != want {
			t.Errorf("%s: %d words, want %d", c.Setup.Protocol, got, want)
		}
		c.Facts = nil
		if w, err = New(c); err != nil || w.Words() != 1+len(c.Setup.Layout.Names) {
			t.Errorf("%s: %d words without properties, %v", c.Setup.Protocol, w.Words(), err)
		}
	}
	w, err := New(services(t)[0])
	if err != nil {
		t.Fatal(err)
	}
	state := make([]uint32, w.Words())
	w.Initial(state)
	texts, x := w.Enabled(state)
	decisions := 0
	for i, a := range texts {
		for j, b := range texts {
			if a == b || a[len(a)-5:] != "abort" || b[len(b)-5:] != "abort" {
				continue
			}
			decisions++
			f, g := w.Footprint(state, x.Steps[i].Code), w.Footprint(state, x.Steps[j].Code)
			if f.Independent(&g) {
				t.Errorf("%s and %s count as independent", a, b)
			}
		}
	}
	if decisions != 4*3 {
		t.Errorf("%d pairs of decisions, want 12", decisions)
	}
}

// writer is a client that writes once, of its own accord, and ends of its own accord.
type writer struct{ s writerState }

type writerState struct {
	_     struct{} `cbor:",toarray"`
	Steps int
}

func (m *writer) State() []any { return []any{&m.s} }

func (m *writer) Choices(buf []core.Choice) []core.Choice {
	if m.s.Steps < 2 {
		buf = append(buf, 1)
	}
	return buf
}

func (m *writer) Step(in core.Input, out []core.Effect) []core.Effect {
	if in.Kind != core.Advance {
		return out
	}
	if m.s.Steps++; m.s.Steps == 1 {
		return append(out, core.Effect{Kind: core.Invoke, Key: "write A"})
	}
	return append(out, core.Effect{Kind: core.Return})
}

// TestMonitorIsHistory checks that two runs that end alike are one state only if the monitors saw
// the same, as far as it matters. Two clients write the same value: 9 states of the clients. When
// one has ended and the other has begun, the second began before the end of the first, so that it
// may have been overwritten, or after it (twice 2 in the place of 1). When both have ended, nothing
// remains of how they overlapped.
func TestMonitorIsHistory(t *testing.T) {
	setup := &core.Setup{Protocol: "writers", Layout: trace.Layout{Names: []string{"c1", "c2"}},
		Promises: promise.Promises{Register: true},
		NewMessage: func() core.Message {
			return new(toyMessage)
		}, New: func(core.Proc) core.Machine { return new(writer) }}
	for _, tt := range []struct {
		facts  *spec.Facts
		states int
	}{{nil, 9}, {FactsOf(setup, &fault.Model{}, nil), 11}} {
		for _, o := range []checker.Options{{}, {Order: checker.BreadthFirst, Workers: 2},
			{Reduce: checker.Singletons | checker.Crashes}} {
			w, err := New(Config{Setup: setup, Facts: tt.facts})
			if err != nil {
				t.Fatal(err)
			}
			if r := search.Explore(t.Context(), w, o); r.States != tt.states ||
				r.Terminals != 1 {
				t.Errorf("%+v: %d states, %d ends, want %d", o, r.States, r.Terminals, tt.states)
			}
		}
	}
}

// TestMonitorInsideAStep checks that a crash inside a step shows the monitors only what was done
// before it: a decision that was declared, without the orders that follow it.
func TestMonitorInsideAStep(t *testing.T) {
	c := services(t)[2]
	w, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	state := make([]uint32, w.Words())
	w.Initial(state)
	texts, x := w.Enabled(state)
	found := 0
	for i, text := range texts {
		memory := w.Remembered(x.State(i, nil))[0].String()
		if text == "step TM decide abort, stands still after effect 1" {
			found++
			if memory != "abort" {
				t.Errorf("%s: remembered %q", text, memory)
			}
		}
		if text == "crash TM" && memory != "" {
			t.Errorf("%s: remembered %q", text, memory)
		}
	}
	if found != 1 {
		t.Errorf("enabled are %q, want the crash inside the decision once", texts)
	}
}
