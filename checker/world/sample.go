package world

import (
	"context"
	"fmt"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/sample"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
)

var _ sample.System = (*World)(nil)

// The kinds of faults, for sample.Draw.
const (
	crashFault = iota
	checkpointFault
	loseFault
	duplicateFault
	suspectFault
	vanishFault
	spoilFault
	refuseFault
)

// Owner implements sample.System. A crash of several groups belongs to the first proc, a crash
// inside a step to the proc that steps.
func (w *World) Owner(number uint64) (proc, fault int) {
	c := eventCode(number)
	if c.cut() != 0 {
		return int(c.proc()), crashFault
	}
	switch c.kind() {
	case checkpoint:
		fault = checkpointFault
	case lose:
		fault = loseFault
	case duplicate:
		fault = duplicateFault
	case suspect, expire:
		fault = suspectFault
	case vanish:
		fault = vanishFault
	case spoil:
		fault = spoilFault
	case refuse:
		fault = refuseFault
	}
	return int(c.proc()), fault
}

// Budgets implements sample.System.
func (w *World) Budgets() []int { return BudgetsOf(&w.Model) }

// BudgetsOf are the budgets of a model by the kind of fault, as Owner numbers them.
func BudgetsOf(m *fault.Model) []int {
	return []int{m.Failures, m.Checkpoints, m.Loss, m.Duplicates, m.Suspicions, m.Lose, m.Corrupt,
		m.Full}
}

// Sample answers the question by runs that the strategy draws. The answer is never that something
// holds.
func Sample(ctx context.Context, c Case, st sample.Strategy, o sample.Options) (*Outcome,
	error) {
	w, out, err := prepare(ctx, c, checker.Options{MaxBytes: o.MaxBytes, MaxTime: o.MaxTime})
	if w == nil {
		return out, err
	}
	r := sample.Draw(ctx, w, st, o)
	if err := w.Err(); err != nil {
		return nil, err
	}
	out.Samples = &r
	out.Result = checker.Result{Verdict: r.Verdict, Found: r.Found, Bound: r.Bound,
		Stats: checker.Stats{Transitions: r.Steps,
			Terminals: r.Terminals, Depth: r.Longest, Bytes: r.Bytes, Elapsed: r.Elapsed}}
	out.note(w)
	if out.Verdict == spec.Unknown {
		out.Reason = fmt.Sprintf("sampled until %s: no violation, which proves nothing", r.Bound)
	}
	if err := out.follow(w); err != nil {
		return nil, err
	}
	return out, out.rehearse(w)
}
