package printed

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
)

// randomProgram is three ranks that send and receive in an order that can not get stuck; with
// wildcards, some of them receive from anyone. Now and then all take a checkpoint.
func randomProgram(rng *rand.Rand, wildcards bool) string {
	names := []string{"x", "y", "z"}
	ops := make([][]string, len(names))
	anyone := []bool{wildcards, wildcards && rng.IntN(2) == 0, wildcards && rng.IntN(2) == 0}
	checkpoint := rng.IntN(4)
	for step := range 3 + rng.IntN(3) {
		if step == checkpoint {
			for r := range ops {
				ops[r] = append(ops[r], "checkpoint")
			}
		}
		from := rng.IntN(3)
		to := (from + 1 + rng.IntN(2)) % 3
		source := names[from]
		if anyone[to] {
			source = "*"
		}
		ops[from] = append(ops[from], "send "+names[to])
		ops[to] = append(ops[to], "recv "+source+" ordered")
	}
	var text strings.Builder
	for r, name := range names {
		fmt.Fprintf(&text, "%s: %s\n", name, strings.Join(ops[r], "; "))
	}
	return text.String()
}

// TestRandomPrograms: Algorithm 1 holds as printed where every receive names its source, and with
// the fourth condition everywhere. Random programs are explored depth first up to a bound.
func TestRandomPrograms(t *testing.T) {
	models := []fault.Model{{Failures: 1}, {Failures: 2, Overlap: 1},
		{Failures: 1, KeepToDead: true, FromDead: fault.Every},
		{Failures: 3, Overlap: 1, FromDead: fault.Nothing}}
	bound, programs, explored := effort.Of(4000, 100_000), effort.Cases(16, 100), 0
	for seed := range uint64(programs) {
		rng := rand.New(rand.NewPCG(seed, 3))
		wildcards := seed%2 == 0
		text, m := randomProgram(rng, wildcards), models[rng.IntN(len(models))]
		out := check(t, text, m, wildcards, checker.Options{MaxStates: bound})
		switch out.Verdict {
		case spec.Violated:
			t.Errorf("seed %d, fourth condition %v, %+v\n%s%v", seed, wildcards, m, text,
				out.Found[0].Violation)
		case spec.OutOfModel: // with wildcards a program may get stuck by itself
		default:
			explored++
		}
	}
	if explored < programs/2 {
		t.Errorf("only %d programs are explored", explored)
	}
}
