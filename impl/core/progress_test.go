package core

import (
	"testing"

	"pgregory.net/rapid"
)

// TestIteration walks random programs with nested loops, some with marks, and counts the beginnings
// of iterations one by one: at each operation the number that is computed from the position alone
// must be the same, and at the end that of Iterations.
func TestIteration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p Program
		depth, marked := 0, rapid.Bool().Draw(t, "marked")
		outer := map[int]bool{} // first operations of outermost loops
		for range rapid.IntRange(1, 14).Draw(t, "operations") {
			op := Op{Kind: OpOutput}
			switch k := rapid.IntRange(0, 3).Draw(t, "kind"); {
			case k == 0 && depth < 3:
				op = Op{Kind: OpLoop, Count: rapid.IntRange(1, 3).Draw(t, "count")}
				if depth++; depth == 1 {
					outer[len(p)+1] = true
				}
			case k == 1 && depth > 0:
				op = Op{Kind: OpEnd}
				depth--
			}
			op.Iteration = marked && op.Kind != OpEnd && rapid.IntRange(0, 3).Draw(t, "mark") == 0
			p = append(p, op)
		}
		for ; depth > 0; depth-- {
			p = append(p, Op{Kind: OpEnd})
		}
		some := false
		for _, op := range p {
			some = some || op.Iteration
		}
		n, pc, loops := 0, 0, []Loop(nil)
		for ; pc < len(p); pc, loops = p.Next(pc, loops) {
			if p[pc].Iteration || !some && outer[pc] {
				n++
			}
			if got := p.Iteration(pc, loops); got != n {
				t.Fatalf("at %d with loops %+v of %+v: iteration %d, want %d", pc, loops, p, got, n)
			}
		}
		if got, known := p.Iterations(); got != n || !known || p.Iteration(pc, loops) != n {
			t.Fatalf("%+v: %d iterations (%t), %d at the end, want %d", p, got, known,
				p.Iteration(pc, loops), n)
		}
	})
}

// TestIterationUnknown: how often a kernel repeats a loop is not known before it does, and a kernel
// that marks nothing has no iterations.
func TestIterationUnknown(t *testing.T) {
	p := Program{{Kind: OpBegin}, {Kind: OpLoop, Count: 1}, {Kind: OpAgain}}
	if n, known := p.Iterations(); n != 0 || known {
		t.Errorf("%d %t", n, known)
	}
	p = Program{{Kind: OpBegin}, {Kind: OpLoop, Count: 4}, {Kind: OpOutput}, {Kind: OpEnd}}
	if n, known := p.Iterations(); n != 0 || !known {
		t.Errorf("%d %t", n, known)
	}
}
