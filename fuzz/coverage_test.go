package fuzz

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/domino-check/domino/impl/protocol/all"
)

// drawnChooser draws from a plain source.
type drawnChooser struct{ r *rand.Rand }

func (c drawnChooser) below(n int) int { return c.r.IntN(n) }

// shapesOf are the shapes that runs by hand have broken protocols with, which a draft may have.
func shapesOf(d *draft) (list []string) {
	has := func(k itemKind) bool {
		return slices.ContainsFunc(d.items, func(i item) bool { return i.kind == k })
	}
	add := func(name string, yes bool) {
		if yes {
			list = append(list, name)
		}
	}
	m := &d.model
	add("one rank fails twice", d.victim > 0 && m.Failures > 1)
	add("one rank twice around a line", d.victim > 0 && m.Failures > 1 && has(checkpoint))
	add("torn write", m.Torn > 0)
	add("three failures", m.Failures > 2)
	add("reduction and checkpoint", has(reduction) && has(checkpoint))
	nodes := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool {
			return slices.Contains(d.options, w)
		})
	}
	add("four ranks on three nodes", d.ranks >= 4 && nodes("nodes=3"))
	add("joins and two failures", m.Failures > 1 && nodes("joins=1", "joins=2"))
	add("leaves and a failure", m.Failures > 0 && nodes("leaves=1", "leaves=2"))
	return list
}

// TestCoverage states how often each shape is drawn in 10,000 scenarios of each protocol, from one
// seed. The bounds are far below what is measured, so that only a shape that is lost fails. Over
// RADIC nodes are the victims, so that one rank fails again and again is not kept there (open).
func TestCoverage(t *testing.T) {
	const draws = 10_000
	line := map[string]int{"one rank fails twice": 1500, "one rank twice around a line": 1200,
		"torn write": 700}
	least := map[string]map[string]int{
		"hydee":  {"one rank fails twice": 1500},
		"causal": line,
		"camel": {"one rank fails twice": 1500, "one rank twice around a line": 1200,
			"torn write": 700, "reduction and checkpoint": 1000},
		"sbml": line, "rbml": line, "hmpl": line,
		"radic-sbml": {"joins and two failures": 200, "leaves and a failure": 200},
		"radic-rbml": {"four ranks on three nodes": 500, "joins and two failures": 500,
			"leaves and a failure": 500},
		"radic-hmpl": {"four ranks on three nodes": 500, "joins and two failures": 500,
			"leaves and a failure": 500},
	}
	for _, p := range all.Protocols() {
		want, asked := least[p.Name]
		if !asked {
			continue
		}
		target, err := TargetOf(all.Protocols(), p.Name, "repaired")
		if err != nil {
			t.Fatal(err)
		}
		count := map[string]int{}
		c := drawnChooser{rand.New(rand.NewPCG(1, 2))}
		for range draws {
			for _, name := range shapesOf(generate(c, &target.Template, &target.Shapes)) {
				count[name]++
			}
		}
		t.Logf("%s: of %d scenarios %v", p.Name, draws, count)
		for name, n := range want {
			if count[name] < n {
				t.Errorf("%s: %s in %d of %d scenarios, want %d at least", p.Name, name,
					count[name], draws, n)
			}
		}
	}
}
