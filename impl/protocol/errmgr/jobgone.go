package errmgr

import (
	"errors"
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// sustain is the up-call: the ranks are gone for good, and the program runs on without them. What
// it waits for of them ends in errors from now on (core.Failing). What has arrived of them is
// received all the same, and what has not is dropped when it comes: who has seen an error of a rank
// must hear of it no more.
func (j *job) sustain(m *Message, out []core.Effect) []core.Effect {
	for _, r := range m.Ranks {
		if r == j.rank || j.isDead(r) {
			continue
		}
		j.s.Dead = append(slices.Clip(j.s.Dead), r)
		j.s.Log[r] = nil
		out = append(out, ruled(trace.RuleSustained, r.Proc(), m.Epoch))
	}
	out = append(out, j.tell(&Message{Kind: SustainAck}))
	return j.still(out)
}

// isDead reports whether a rank is gone for good.
func (j *job) isDead(r core.Rank) bool { return slices.Contains(j.s.Dead, r) }

// Dead implements core.Failing.
func (j *job) Dead() []core.Rank {
	if j.stopped() {
		return nil
	}
	return j.s.Dead
}

// Erred implements core.Failing.
func (j *job) Erred() { j.soil() }

// Broken implements core.Failing.
func (j *job) Broken(g core.Group) (dead core.Rank, broken bool) {
	i := slices.IndexFunc(j.Dead(), j.trees[g-1].Has)
	if i < 0 {
		return 0, false
	}
	return j.s.Dead[i], true
}

// repeats reports what makes no sense where a job goes on without ranks.
//
// A rank that restarts alone is to see again what it has seen, and then whoever is gone must not
// have anything to do with it. 1. b sends to a, which sends to c. 2. a fails, and the job goes on
// without it. 3. b fails, and restarts alone, from the start: its send to a ends in an error now,
// and c has received what that send brought about. Nor may a rank that restarts alone wait for what
// one sends again that is gone by then.
//
// A rank that goes back with all others may see an error that it has not seen, or none: then what
// it outputs is not what it was.
func (c *config) repeats(s *core.Setup) error {
	if !s.Has(promise.RunsThrough) {
		return nil
	}
	if s.Has(promise.RestoresFailed) {
		return &core.ChoiceError{Key: "policies", Err: errors.New("light and sustain: a rank " +
			"that restarts alone is sent again what it has received, and who is gone sends " +
			"nothing again; want one of the two")}
	}
	if c.Hold || !s.Has(promise.RestoresAll) {
		return nil
	}
	for r, p := range s.Programs {
		if p.Sees() && slices.ContainsFunc(p, func(op core.Op) bool {
			return op.Kind == core.OpOutput
		}) {
			return &core.ChoiceError{Key: "program", Rank: core.Rank(r), Err: fmt.Errorf("rank %s "+
				"sees errors, which may not come again when it goes back, and outputs: want "+
				"outputs=held", s.Layout.Names[r])}
		}
	}
	return nil
}
