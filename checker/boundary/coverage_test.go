package boundary_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/boundary"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// Aim: no property is left without a mutant and a near miss, and no mutant without a test. Method:
// compare the tables with the registry of properties and with the catalogue.
func TestEveryPropertyHasItsMutant(t *testing.T) {
	broken, near := map[string]bool{}, map[string]bool{}
	tested := map[string]bool{}
	for _, tt := range slices.Concat(caught, jobsCaught) {
		m := find(t, tt.mutant)
		tested[m.Name] = true
		if m.Legal {
			t.Errorf("%s is a near miss, but is to be caught", m.Name)
		}
		broken[m.Breaks] = true
	}
	for _, tt := range accepted {
		m := find(t, tt.mutant)
		tested[m.Name] = true
		if !m.Legal {
			t.Errorf("%s is no near miss, but is to be accepted", m.Name)
		}
		near[tt.property] = true
	}
	for _, tt := range byTrace {
		broken[tt.property], near[tt.property] = len(tt.broken) > 0, near[tt.property] ||
			len(tt.near) > 0
	}
	for _, tt := range undoing {
		broken[tt.property], near[tt.property] = true, true
	}
	for _, tt := range quietly {
		tested[tt.mutant] = true
		broken[tt.property], near[tt.property] = true, true
	}
	for _, tt := range behind {
		tested[tt.mutant], tested[tt.near] = true, true
		broken[tt.property], near[tt.property] = true, true
	}
	for _, name := range elsewhere {
		broken[name], near[name] = true, true
	}
	for _, properties := range jobsAccepted {
		tested["repeats-itself"] = true
		for _, name := range properties {
			near[name] = true
		}
	}
	want := []string{deterministic, noPanic}
	for _, p := range spec.Properties() {
		if p.Kind != spec.Sometimes {
			want = append(want, p.Name)
		}
	}
	for _, name := range want {
		if !broken[name] {
			t.Errorf("property %s has no mutant that it must catch", name)
		}
		if !near[name] {
			t.Errorf("property %s has no near miss that it must accept", name)
		}
	}
	for _, m := range Catalogue() {
		if !tested[m.Name] {
			t.Errorf("mutant %s is in no test", m.Name)
		}
		if !slices.Contains(want, m.Breaks) {
			t.Errorf("mutant %s is for property %q, which does not exist", m.Name, m.Breaks)
		}
	}
}

// Aim: the catalogue can be used by name. Method: names are unique, found again, and everything has
// a description.
func TestCatalogue(t *testing.T) {
	list := Catalogue()
	for i, m := range list {
		if i > 0 && list[i-1].Name >= m.Name {
			t.Errorf("%s and %s are not in the order of their names", list[i-1].Name, m.Name)
		}
		if m.Doc == "" {
			t.Errorf("%s has no description", m.Name)
		}
		if got, ok := Find(m.Name); !ok || got.Doc != m.Doc {
			t.Errorf("%s is not found by its name", m.Name)
		}
	}
	if m, ok := Find("no such mutant"); ok {
		t.Errorf("found %s, want nothing", m.Name)
	}
}

// Aim: wrapping changes a copy. Method: the machines and messages of the given setup are its own
// after every mutant.
func TestWrapLeavesTheSetupAlone(t *testing.T) {
	setup, _ := scopes["ping"].build(t)
	before := core.EncodeState(setup.New(0))
	for _, m := range Catalogue() {
		c := m.Wrap(setup)
		if diff := cmp.Diff(before, core.EncodeState(setup.New(0))); diff != "" {
			t.Errorf("%s changes the setup that it is given (-before +after):\n%s", m.Name, diff)
		}
		blank := c.New(0)
		if err := core.DecodeState(core.EncodeState(c.New(0)), blank); err != nil {
			t.Errorf("%s: the state does not survive the codec: %v", m.Name, err)
		}
	}
}

// always leaves out what is said about the end of a run.
func always(list []spec.Property) []spec.Property {
	return slices.DeleteFunc(list, func(p spec.Property) bool { return p.Kind == spec.Final })
}

func scopeOf(t *testing.T, name string) *scope {
	t.Helper()
	s, ok := scopes[name]
	if !ok {
		t.Fatalf("there is no scope %q", name)
	}
	return s
}

// find is the mutant with the name; one of them can not be in the catalogue, because it breaks the
// house rules.
func find(t *testing.T, name string) Mutant {
	t.Helper()
	if name == clockMutant.Name {
		return clockMutant
	}
	m, ok := Find(name)
	if !ok {
		t.Fatalf("there is no mutant %q", name)
	}
	return m
}

// ticks stands for a clock: what a machine must never read.
var ticks uint64

// clockMutant has ranks whose effects depend on more than their state and input.
var clockMutant = Mutant{
	Name: "ticks-of-a-clock", Doc: "declares the time at each step", Breaks: deterministic,
	Wrap: func(s *core.Setup) *core.Setup {
		return boundary.Watch(s, func(b *machine, in core.Input, out []core.Effect) []core.Effect {
			out = b.Inner.Step(in, out)
			if int(b.Proc) < s.Layout.Ranks {
				ticks++
				out = append(out, core.Effect{Kind: core.Declare, What: trace.Dropped,
					Key: "clock", Ticks: ticks})
			}
			return out
		})
	},
}
