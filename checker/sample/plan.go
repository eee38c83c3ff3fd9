package sample

import (
	"math/rand/v2"
	"slices"

	"github.com/domino-check/domino/checker"
)

// plan says which faults strike in a run, and where: each at a proc, when the history of that proc
// has a length that was drawn uniformly among all that it gets. A fault chosen with some
// probability at each step would strike early in nearly all runs, and hardly ever where it matters.
//
// When a fault strikes, the places of the others are drawn again among what is left, because
// histories get longer by recovery. Where nothing gets longer this changes nothing: given the first
// of several uniform places, the others are uniform behind it. So faults during recovery have their
// share.
//
// When a fault is due and possible, the other steps of its proc wait for it, and the strategy
// orders it among the steps of the others: a message to a proc that is going to crash may arrive
// before or be lost.
type plan struct {
	sys      System
	estimate *Lengths
	budgets  []int
	// by kind: the procs at which earlier runs have seen it possible, in the order in which they
	// were seen
	places [][]int

	r      *rand.Rand
	given  bool // the places are those of a Planner
	items  []plannedFault
	taken  []int // history of each proc in this run
	struck int

	steps []checker.Step // candidates
	index []int          // of each candidate in the expansion
}

type plannedFault struct {
	kind, proc int
	at         int      // length of the proc's history
	code       uint64   // the one of several outcomes that was drawn since the fault was due
	outcomes   []uint64 // among which
	waiting    bool     // due and possible in the state at hand
}

// begin plans a run of a strategy that has begun, with faults or without.
func (p *plan) begin(r *rand.Rand, s Strategy, faults bool) {
	p.r, p.items, p.struck, p.given = r, p.items[:0], 0, false
	clear(p.taken)
	if !faults {
		return
	}
	if planner, ok := s.(Planner); ok {
		var given []Fault
		if given, p.given = planner.Plan(); p.given {
			for _, f := range given {
				p.items = append(p.items, plannedFault{kind: f.Kind, proc: f.Proc, at: f.At})
			}
			return
		}
	}
	most := 0
	for kind := range p.places {
		if len(p.places[kind]) > 0 {
			most += p.budgets[kind]
		}
	}
	for most > 0 && len(p.items) == 0 {
		for kind, procs := range p.places {
			if len(procs) == 0 {
				continue
			}
			for range r.IntN(p.budgets[kind] + 1) {
				p.items = append(p.items, plannedFault{kind: kind, proc: procs[r.IntN(len(procs))]})
			}
		}
	}
	r.Shuffle(len(p.items), func(i, j int) { p.items[i], p.items[j] = p.items[j], p.items[i] })
	p.place()
}

// place draws the place of each fault that has not struck, unless they are given.
func (p *plan) place() {
	if p.given {
		return
	}
	for i := range p.items {
		f := &p.items[i]
		from := p.history(f.proc)
		f.at = from + p.r.IntN(max(0, p.estimate.Length(p.struck, f.proc)-from)+1)
		f.outcomes = f.outcomes[:0]
	}
}

func (p *plan) history(proc int) int {
	if proc < len(p.taken) {
		return p.taken[proc]
	}
	return 0
}

// candidates puts what the strategy may choose from into c, and returns the index of each in the
// expansion.
func (p *plan) candidates(x *checker.Expansion, c *Choice) []int {
	p.steps, p.index = p.steps[:0], p.index[:0]
	p.due(x)
	for i, s := range x.Steps {
		proc, kind := p.sys.Owner(s.Code)
		if s.Fault {
			p.possible(kind, proc)
			if !slices.ContainsFunc(p.items, func(f plannedFault) bool {
				return f.waiting && f.code == s.Code
			}) {
				continue
			}
		} else {
			for len(p.taken) <= proc {
				p.taken = append(p.taken, 0)
			}
			if slices.ContainsFunc(p.items, func(f plannedFault) bool {
				return f.waiting && f.proc == proc
			}) {
				continue
			}
		}
		p.steps, p.index = append(p.steps, s), append(p.index, i)
	}
	c.Steps, c.Taken, c.Struck = p.steps, p.taken, p.struck
	return p.index
}

// due finds the faults that are due and possible, at most one a proc, and draws an outcome for
// each.
func (p *plan) due(x *checker.Expansion) {
	for i := range p.items {
		f := &p.items[i]
		f.waiting = f.at <= p.history(f.proc) && p.draw(f, x) &&
			!slices.ContainsFunc(p.items[:i], func(g plannedFault) bool {
				return g.waiting && g.proc == f.proc
			})
	}
}

// draw draws one of the outcomes of a fault with the same probability for each, and reports whether
// there is one. While the fault waits there may be more, which are drawn as they come: a message
// arrives, and the crash may fall into the step that takes it.
func (p *plan) draw(f *plannedFault, x *checker.Expansion) bool {
	possible := false // the one that was drawn before
	for _, s := range x.Steps {
		possible = possible || s.Code == f.code && len(f.outcomes) > 0
	}
	if !possible {
		f.outcomes = f.outcomes[:0]
	}
	for _, s := range x.Steps {
		if proc, kind := p.sys.Owner(s.Code); !s.Fault || proc != f.proc || kind != f.kind ||
			slices.Contains(f.outcomes, s.Code) {
			continue
		}
		if f.outcomes = append(f.outcomes, s.Code); p.r.IntN(len(f.outcomes)) == 0 {
			f.code = s.Code
		}
	}
	return len(f.outcomes) > 0
}

// possible remembers where a fault can strike.
func (p *plan) possible(kind, proc int) {
	for len(p.places) <= kind {
		p.places = append(p.places, nil)
	}
	if !slices.Contains(p.places[kind], proc) {
		p.places[kind] = append(p.places[kind], proc)
	}
}

// took notes the step that was taken.
func (p *plan) took(s checker.Step) {
	if !s.Fault {
		proc, _ := p.sys.Owner(s.Code)
		p.taken[proc]++
		return
	}
	p.struck++
	p.items = slices.DeleteFunc(p.items, func(f plannedFault) bool {
		return f.waiting && f.code == s.Code
	})
	p.place()
}
