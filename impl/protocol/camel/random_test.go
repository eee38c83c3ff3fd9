package camel_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/camel"
	"github.com/domino-check/domino/impl/protocol/causal"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

var first = flag.Uint64("first", 0, "seed of the first random program")

// randomProgram has three ranks and a few messages, multicasts and reductions in an order that can
// not get stuck when every receive names its source; some ranks receive from anyone instead.
func randomProgram(rng *rand.Rand, groups bool) string {
	names := []string{"x", "y", "z"}
	any := [3]bool{rng.IntN(2) == 0, rng.IntN(2) == 0, rng.IntN(2) == 0}
	ops := [3][]string{}
	receive := func(r int, source string) {
		if any[r] {
			source = "*"
		}
		ops[r] = append(ops[r], "recv "+source+" ordered")
	}
	waiting := [][2]string{} // receiver, source
	checkpoint := rng.IntN(4) == 0
	flush := func(n int) {
		for ; len(waiting) > n; waiting = waiting[1:] {
			receive(strings.Index("xyz", waiting[0][0]), waiting[0][1])
		}
	}
	for step := range 2 + rng.IntN(4) {
		if checkpoint && step == 2 {
			flush(0)
			for r := range ops {
				ops[r] = append(ops[r], "checkpoint")
			}
		}
		a, b := rng.IntN(3), rng.IntN(2)
		b = (a + 1 + b) % 3
		switch kind := rng.IntN(4); {
		case groups && kind == 0:
			ops[0] = append(ops[0], "multicast g")
			waiting = append(waiting, [2]string{"y", "g"}, [2]string{"z", "g"})
		case groups && kind == 1:
			for r := range ops {
				ops[r] = append(ops[r], "contribute g")
			}
			waiting = append(waiting, [2]string{"x", "g"})
		default:
			ops[a] = append(ops[a], "send "+names[b])
			waiting = append(waiting, [2]string{names[b], names[a]})
		}
		flush(rng.IntN(3))
	}
	flush(0)
	var text strings.Builder
	for r, name := range names {
		fmt.Fprintf(&text, "%s: %s\n", name, strings.Join(ops[r], "; "))
	}
	if groups {
		text.WriteString([]string{"group g: x > y z\n", "group g: x > y; y > z\n"}[rng.IntN(2)])
	}
	return text.String()
}

// Aim: the repaired protocols hold for programs that nobody has thought of. Method: random programs
// over SCMEL for one and two failures and over CAMEL, explored depth first up to a bound; a program
// that gets stuck by itself is skipped.
func TestRandomPrograms(t *testing.T) {
	models := []fault.Model{{Failures: 1}, {Failures: 1, KeepToDead: true, FromDead: fault.Every},
		{Failures: 2, Overlap: 1},
		{Failures: 3, Overlap: 1, FromDead: fault.Nothing}, {Failures: 1, Unordered: true},
		{Failures: 2, Overlap: 1, Unordered: true}}
	explored, programs := 0, effort.Cases(16, 40)
	for seed := *first; seed < *first+uint64(programs); seed++ {
		rng := rand.New(rand.NewPCG(seed, 7))
		groups := seed%2 == 0
		text := randomProgram(rng, groups)
		suite, err := script.Read(text, 1)
		if err != nil {
			t.Fatal(err)
		}
		layout := trace.Layout{Names: suite.Names, Ranks: 3, Trees: suite.Trees}
		baseline, err := none.NewSetup(layout, suite.Programs)
		if err != nil {
			t.Fatal(err)
		}
		m, o := models[rng.IntN(len(models))], causal.Options{F: 1}
		var setup *core.Setup
		if o.Unordered = m.Unordered; groups {
			setup, err = camel.NewSetup(layout, suite.Programs, o)
		} else {
			if rng.IntN(2) == 0 {
				o.F, m = 2, fault.Model{Failures: 2 + rng.IntN(2), Overlap: 2}
			}
			o.Unordered = m.Unordered
			setup, err = causal.NewSetup(layout, suite.Programs, o)
		}
		if err != nil {
			t.Fatal(err)
		}
		out, err := world.Check(t.Context(), world.Case{Setup: setup, Baseline: baseline, Model: m},
			checker.Options{MaxStates: effort.Of(4000, 40000)})
		if err != nil {
			t.Fatal(err)
		}
		switch out.Verdict {
		case spec.Violated:
			t.Errorf("seed %d: %+v f=%d\n%s%v\n%s", seed, m, o.F, text, out.Found[0].Violation,
				strings.Join(out.Runs[0].Schedule, "\n"))
		case spec.OutOfModel:
		default:
			explored++
		}
	}
	if explored < programs/2 {
		t.Errorf("only %d programs are explored", explored)
	}
}
