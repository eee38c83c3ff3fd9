package spec

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/spec/trace"
)

// Agreement: a decision is the same for all. It remembers the first decision of the run.
var Agreement = register(Property{
	Name: "agreement", Kind: Monitor, Source: "[Commit] section 2; [Paxos] section 2.1",
	Doc: "no two procs decide differently, and what they decide is one of the " +
		"possible decisions",
	Applies: func(f *Facts) bool { return f.Decisions != nil },
	Needs:   "Decisions: what may be decided (Decide)",
	Watched: []trace.Kind{trace.Decided},
	Memory: &Remembers[string]{Observe: func(f *Facts, first *string, e trace.Event) string {
		switch {
		case !slices.Contains(f.Decisions, e.Text):
			return fmt.Sprintf("%s decides %q, which is none of %q", f.name(e.Proc), e.Text,
				f.Decisions)
		case *first == "":
			*first = e.Text
		case *first != e.Text:
			return fmt.Sprintf("%s decides %s after %s was decided", f.name(e.Proc), e.Text, *first)
		}
		return ""
	}},
})

// DecisionLearned: a decision reaches everybody whom it concerns. It remembers, by number, who has
// decided.
var DecisionLearned = register(Property{
	Name: "decision-learned", Kind: Monitor, Depth: Progress,
	Source: "[Commit] section 2, non-blocking; [Paxos] section 2.3",
	Doc: "when nothing can happen any more, a decision that one of the deciders has made all " +
		"of them have made",
	Applies: func(f *Facts) bool { return f.Learners > 0 },
	Needs:   "Deciders, without failures and losses (Decide)",
	Watched: []trace.Kind{trace.Decided},
	Memory: &Remembers[[]bool]{
		Observe: func(f *Facts, known *[]bool, e trace.Event) string {
			if int(e.Proc) >= f.Learners {
				return ""
			}
			if *known == nil {
				*known = make([]bool, f.Learners)
			}
			(*known)[e.Proc] = true
			return ""
		},
		Rename: func(known *[]bool, to func(trace.Proc) trace.Proc) {
			before := slices.Clone(*known)
			for p := range before {
				if q := int(to(trace.Proc(p))); q < len(before) {
					(*known)[q] = before[p]
				}
			}
		},
		Settle: func(f *Facts, known *[]bool) string {
			p := slices.Index(*known, false)
			if p < 0 {
				return ""
			}
			return fmt.Sprintf("%s has decided, and %s never learns what",
				f.name(trace.Proc(slices.Index(*known, true))),
				f.As(Missing, f.name(trace.Proc(p))))
		},
	},
})
