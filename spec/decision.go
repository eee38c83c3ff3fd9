package spec

import (
	"fmt"
	"slices"
	"strings"

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
	Observe: func(f *Facts, memory string, e trace.Event) (next, broken string) {
		switch {
		case !slices.Contains(f.Decisions, e.Text):
			return memory, fmt.Sprintf("%s decides %q, which is none of %q", f.name(e.Proc),
				e.Text, f.Decisions)
		case memory == "":
			return e.Text, ""
		case memory != e.Text:
			return memory, fmt.Sprintf("%s decides %s after %s was decided", f.name(e.Proc),
				e.Text, memory)
		}
		return memory, ""
	},
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
	Observe: func(f *Facts, memory string, e trace.Event) (next, broken string) {
		if int(e.Proc) >= f.Learners {
			return memory, ""
		}
		known := []byte(memory)
		for len(known) < f.Learners {
			known = append(known, '-')
		}
		known[e.Proc] = 'x'
		return string(known), ""
	},
	Settle: func(f *Facts, memory string) string {
		p := strings.IndexByte(memory, '-')
		if p < 0 {
			return ""
		}
		return fmt.Sprintf("%s has decided, and %s never learns what",
			f.name(trace.Proc(strings.IndexByte(memory, 'x'))), f.name(trace.Proc(p)))
	},
})
