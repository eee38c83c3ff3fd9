package fuzz

import (
	"slices"
	"testing"

	"github.com/domino-check/domino/impl/protocol"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/promise"
)

// TestEveryKnobDrawn names each knob of the failure model, with those that it makes no sense
// without, in the settings of shapes. Every value of its row must be drawn, and the default; the
// knob must go back to its default when its element is taken out of a failure, or when a run has
// used nothing of it; and what no protocol is named for must stay as it is.
func TestEveryKnobDrawn(t *testing.T) {
	for i := range fault.Keys {
		k := &fault.Keys[i]
		names := []string{k.Name}
		for _, other := range fault.Keys {
			if slices.Contains(other.With, k.Name) && other.Name != "failures" {
				names = append(names, other.Name)
			}
		}
		shapes := &protocol.Shapes{Failures: 3, Settings: names}
		drawn := map[int]bool{}
		for seed := range byte(200) {
			data := make([]byte, 400)
			for i := range data {
				data[i] = byte(int(seed)*31 + i*i*7 + int(seed)*i)
			}
			d := generate(&byteChooser{data}, &scenarios.Scenario{}, shapes)
			value := k.Get(&d.model)
			drawn[value] = true
			for _, other := range fault.Keys {
				if !slices.Contains(names, other.Name) && other.Name != "failures" &&
					other.Get(&d.model) != 0 {
					t.Fatalf("%s was not asked for", other.Name)
				}
			}
			f := failing{draft: d}
			elements := f.elements()
			out := make([]bool, len(elements))
			for i, e := range elements {
				out[i] = e.kind == aSetting
			}
			least, _ := f.without(elements, out)
			if least.spend(fault.Model{}); k.Get(&least.model) != 0 {
				t.Fatalf("%s: %d is left of %d", k.Name, k.Get(&least.model), value)
			}
		}
		for _, value := range append(slices.Clone(k.Draw), 0) {
			if !drawn[value] {
				t.Errorf("%s: %d is never drawn", k.Name, value)
			}
		}
	}
}

// TestFit gives failure models and what is left of them within promises.
func TestFit(t *testing.T) {
	everything := fault.Model{Failures: 3, AtOnce: 2, Overlap: 2, Staggered: true, Unordered: true,
		Selective: true, Loss: 1, Duplicates: 1, FromDead: fault.Every, Suspicions: 2, Torn: 1}
	tests := []struct {
		name     string
		model    fault.Model
		promises promise.Promises
		want     fault.Model
	}{
		{"everything", everything, promise.Promises{Recovers: true}, everything},
		{"order", fault.Model{Failures: 1, Unordered: true, Selective: true},
			promise.Promises{FIFO: true}, fault.Model{Failures: 1}},
		{"a set keeps no order", fault.Model{Set: true, Selective: true},
			promise.Promises{FIFO: true}, fault.Model{}},
		{"reliable", fault.Model{Unordered: true, Loss: 2, Duplicates: 1},
			promise.Promises{Reliable: true}, fault.Model{Unordered: true}},
		{"a set repeats", fault.Model{Set: true}, promise.Promises{Reliable: true}, fault.Model{}},
		{"no failures", fault.Model{Failures: 2, AtOnce: 2, Torn: 1},
			promise.Promises{MaxFailures: -1}, fault.Model{Torn: 1}},
		{"recovery is not told", fault.Model{Failures: 2, Overlap: 1}, promise.Promises{},
			fault.Model{Failures: 2}},
		{"one at a time", fault.Model{Failures: 3, OneInstant: true},
			promise.Promises{MaxFailures: 1},
			fault.Model{Failures: 1, OneInstant: true, Settled: true}},
		{"spaced out", fault.Model{Failures: 3}, promise.Promises{MaxFailures: 1},
			fault.Model{Failures: 3, Settled: true}},
		{"two at a time", fault.Model{Failures: 3, AtOnce: 3},
			promise.Promises{MaxFailures: 2, Recovers: true},
			fault.Model{Failures: 3, AtOnce: 2, Overlap: 2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := tt.model
			fit(&m, &core.Setup{Promises: tt.promises})
			for _, k := range fault.Keys {
				if got, want := k.Text(&m), k.Text(&tt.want); got != want {
					t.Errorf("%s is %s, want %s", k.Name, got, want)
				}
			}
		})
	}
}
