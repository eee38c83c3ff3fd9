package app

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/spec/trace"
)

// parseSpoils reads the damage to disks that the user asks for: PROC@N, N effects of the proc.
func parseSpoils(what plan.Damage, list []string, setup *core.Setup) (spoils []plan.Spoil,
	err error) {
	for _, text := range list {
		who, when, ok := strings.Cut(text, "@")
		p := slices.Index(setup.Layout.Names, who)
		n, e := strconv.Atoi(when)
		switch {
		case !ok || e != nil || n < 0:
			err = errors.New("want PROC@N, N effects that the proc has performed")
		case p < 0:
			err = fmt.Errorf("there is no proc %q, there are %s", who,
				strings.Join(setup.Layout.Names, " "))
		}
		if err != nil {
			return nil, fmt.Errorf("--%s %s: %w", spoilFlags[what], text, err)
		}
		spoils = append(spoils, plan.Spoil{Proc: core.Proc(p), After: n, What: what})
	}
	return spoils, nil
}

// spoilFlags are the names of the flags.
var spoilFlags = map[plan.Damage]string{plan.Lose: "lose", plan.Corrupt: "corrupt",
	plan.Full: "disk-full"}

// allowSpoils makes room in the failure model for damage to disks.
func (c *clusterCase) allowSpoils(spoils []plan.Spoil) {
	m, counts := &c.resolved.Model, map[plan.Damage]int{}
	for _, s := range spoils {
		counts[s.What]++
		if !m.Spoils(s.Proc) {
			m.Spoiled = append(slices.Clone(m.Spoiled), s.Proc)
		}
	}
	m.Lose, m.Corrupt, m.Full = max(m.Lose, counts[plan.Lose]),
		max(m.Corrupt, counts[plan.Corrupt]), max(m.Full, counts[plan.Full])
}

// spreadRequests has most of the requests for checkpoints that go to somebody who has no program
// come when a rank has come so far: otherwise nothing would happen there before the first one.
func (k *strikes) spreadRequests(rng *rand.Rand, setup *core.Setup, l plan.Lengths) {
	ranks := setup.Layout.Ranks
	for i := range k.Plan.Requests {
		q := &k.Plan.Requests[i]
		if q.Suspicious || q.Expires || int(q.Proc) < ranks || ranks == 0 || rng.IntN(4) == 0 {
			continue
		}
		q.Foreign, q.By = true, core.Proc(rng.IntN(ranks))
		q.After = rng.IntN(l[0][q.By] + 1)
	}
}

// phases are what procs have declared in runs: how often at most, by proc and word. They are the
// phases of snapshots and of recovery, in each of which a failure may strike.
type phases map[phase]int

// phase is a word that a proc has said.
type phase struct {
	proc core.Proc
	word string
}

// note takes a run into account.
func (l phases) note(r *cluster.Result) {
	counts := phases{}
	for _, e := range r.Trace.Events {
		if e.Kind == trace.Snapped || e.Kind == trace.Ruled {
			counts[phase{e.Proc, e.Text}]++
		}
	}
	for p, n := range counts {
		l[p] = max(l[p], n)
	}
}

// sorted are the phases in an order that does not change.
func (l phases) sorted() (list []phase) {
	for p := range l {
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b phase) int {
		if a.proc != b.proc {
			return int(a.proc) - int(b.proc)
		}
		return strings.Compare(a.word, b.word)
	})
	return list
}

// phase has half of the failures strike right behind a phase: the first behind one that was seen in
// runs without failures, the others behind any.
func (k *strikes) phase(rng *rand.Rand, calm, seen phases) {
	var kept []plan.Failure
	for i, f := range k.Plan.Failures {
		seen := seen
		if i == 0 && len(k.Reached) == 0 {
			seen = calm
		}
		list := seen.sorted()
		if len(list) == 0 || rng.IntN(2) == 0 {
			kept = append(kept, f)
			continue
		}
		p := list[rng.IntN(len(list))]
		k.Reached = append(k.Reached, cluster.Reached{Victims: f.Victims, By: p.proc,
			What: cluster.Said, Word: p.word, Number: uint64(1 + rng.IntN(seen[p]))})
	}
	k.Plan.Failures = kept
}
