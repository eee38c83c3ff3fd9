package spec

import (
	"fmt"

	"github.com/domino-check/domino/spec/promise"
)

// NeverHolds: without failures a program waits for nothing but messages.
var NeverHolds = register(Property{
	Name: "never-holds", Kind: FailureFree, Depth: Progress,
	Source:  "[HydEE] section III; [AHM]; [RADIC] section 4.2.1",
	Applies: func(f *Facts) bool { return f.Flow != promise.NoFlow },
	Needs:   "Flow: what is never held",
	Doc: "without failures a program is held before no send or receive at which the protocol " +
		"promises not to hold it",
	Whole: func(f *Facts, q *Quiet) string {
		if f.Flow == promise.Everything && f.Checkpoints {
			return ""
		}
		for _, h := range q.Held {
			receive := !h.Receive.IsZero()
			if !receive && (f.Flow == promise.Receives || f.Flow == promise.NamedSends && h.Free) {
				continue
			}
			what := "its next send"
			if receive {
				what = "the receive of " + f.label(h.Receive) + ", which has arrived"
			}
			return fmt.Sprintf("%s is held before %s after step %d, and nothing has failed",
				f.name(h.Proc), what, h.Step)
		}
		return ""
	},
})
