package world

import (
	"context"
	"fmt"
	"strings"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
)

// An audit executes what the reductions take for granted. Each hypothesis of their theorems that
// speaks about steps (proofs/coq: Exchange.v, Verdict.v, Postpone.v) is asked at every state of the
// unreduced search to which it applies, of every pair of steps, by taking both in both orders:
//
//	claim_possible     a step that is claimed stays possible until it is taken
//	claim_commutes     every other step undoes it, or commutes with it, and then it stays claimed
//	                   or may be exchanged
//	exchange_commutes  (X1) of two steps that are exchanged both orders lead to one state
//	exchange_kept      (X2) a third step behind the second one was possible before it, commutes with
//	                   both, and behind it both may still be exchanged
//	no_worse           in each of them: what the one order breaks, the other one does; what a
//	                   global property may read of the proc of the claimed step is no less behind
//	                   that step than before it; Pair properties are given the same
//	put_off_undoes     a crash that is left out is there behind some step that is taken
//
// A claim of the theorem is wider than one of the search: it begins where the search may take the
// step first and lasts until it is taken, undone or exchanged. Steps are found again by what they
// are (label), not by where they stand in a list. A step that breaks a property leads nowhere else:
// no search goes on behind it.
//
// Nothing is believed: neither of machines (core.Commuter) nor of the rules of eager.go. But it
// says nothing about states that it has not seen.

// Audited is what an audit has looked at, and what it has found.
type Audited struct {
	States    int     // of the unreduced search
	Complete  bool    // these are all
	Eager     int     // states in which some step may be taken first
	Undone    int     // pairs of which the other step undoes the claimed one
	Plain     int     // that commute, and the claim stays
	Exchanged int     // that may be exchanged, X1
	Thirds    int     // steps behind the second of such a pair, X2
	Read      int     // pairs in which properties may look at the proc of the claimed step
	PutOff    int     // crashes that are left out
	Broken    *Broken // the first hypothesis that is false, nil = none
}

// Add adds what another audit has looked at.
func (a *Audited) Add(b *Audited) {
	a.States, a.Eager, a.Undone = a.States+b.States, a.Eager+b.Eager, a.Undone+b.Undone
	a.Plain, a.Exchanged, a.Thirds = a.Plain+b.Plain, a.Exchanged+b.Exchanged, a.Thirds+b.Thirds
	a.Read, a.PutOff = a.Read+b.Read, a.PutOff+b.PutOff
}

// String says it in words.
func (a *Audited) String() string {
	return fmt.Sprintf("%d states, in %d some step may be taken first; %d pairs are plain, %d "+
		"exchanged with %d third steps, %d undone; of %d a property may look at the proc; %d "+
		"crashes are left out", a.States, a.Eager, a.Plain, a.Exchanged, a.Thirds, a.Undone,
		a.Read, a.PutOff)
}

// Broken is a hypothesis that is false at a pair of steps.
type Broken struct {
	Hypothesis string   // as proofs/coq names it
	Run        []string // from the initial state to the one where it is asked
	State      string   // words of that
	First      string   // the step that may be taken first, or the crash that is left out
	Other      string   // the one that may come before it
	Third      string   // X2 only
	Orders     []string // what comes of each order
}

// Error implements error.
func (b *Broken) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s is false in the state %s\n  first: %s", b.Hypothesis, b.State, b.First)
	for _, step := range []struct{ name, text string }{{"other", b.Other}, {"third", b.Third}} {
		if step.text != "" {
			fmt.Fprintf(&text, "\n  %s: %s", step.name, step.text)
		}
	}
	for _, o := range b.Orders {
		fmt.Fprintf(&text, "\n  %s", o)
	}
	fmt.Fprintf(&text, "\n  after %d steps:", len(b.Run))
	for i, s := range b.Run {
		fmt.Fprintf(&text, "\n    %d %s", i+1, s)
	}
	return text.String()
}

// Audit explores the world without reductions, at most so many states (0 = all), and asks the
// hypotheses at each. The error says why there is no answer: the context has ended, or a property
// has panicked.
func (w *World) Audit(ctx context.Context, most int) (*Audited, error) {
	a := auditor{auditGraph: newAuditGraph(w), claims: map[claimed]struct{}{},
		exchanges: map[exchanged]struct{}{}, noted: map[uint32][]string{}}
	w.alone.trials = map[uint64]*trial{}
	initial := make([]uint32, w.Words())
	if w.Initial(initial) != 0 {
		a.Complete = true
		return &a.Audited, nil
	}
	a.at(initial, -1, 0)
	for n := 0; n < a.count(); n++ {
		if n%checker.LookEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if most > 0 && a.count() >= most {
			break
		}
		a.after(n)
		a.States = n + 1
		if a.begin(n); a.Broken != nil {
			break
		}
	}
	a.Complete = a.States == a.count()
	for a.Broken == nil && len(a.work) > 0 {
		next := a.work[len(a.work)-1]
		a.work = a.work[:len(a.work)-1]
		if next(); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return &a.Audited, w.Err()
}

// begin asks what the search may do in a state: which steps it may take first, and which crashes
// it leaves out.
func (a *auditor) begin(n int) {
	w, state := a.w, a.state(n)
	labels := w.claimedSteps(state)
	if w.Expand(state, checker.Singletons, a.x); a.x.Reduced {
		if len(a.x.Steps) != 1 {
			a.breaks("picked_claimed", n, 0, 0, 0,
				fmt.Sprintf("%d steps are taken for all", len(a.x.Steps)))
			return
		}
		labels = append(labels, w.label(state, a.x.Steps[0].Code))
	}
	if len(labels) > 0 {
		a.Eager++
	}
	for _, l := range labels {
		a.claim(claimed{n, l})
	}
	if a.Broken == nil && w.mayFault(state) {
		a.leftOut(n)
	}
}

// claimedSteps are the labels of the steps that a reduced search may take in the state on the word
// of their protocol.
func (w *World) claimedSteps(state []uint32) (labels []uint64) {
	if w.Setup.Launched || !w.reducible(state) {
		return nil
	}
	newest, _, quiet := w.eager.quiet(w, state)
	if !quiet {
		return nil
	}
	for p := range core.Proc(w.procs) {
		pl := w.plan(p, state[procWord(p)])
		for _, s := range w.eagerSteps(pl) {
			if w.claimed(state, s, newest) {
				labels = append(labels, w.label(state, uint64(pl.events[s.event].code)))
			}
		}
	}
	return labels
}
