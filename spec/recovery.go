package spec

import (
	"fmt"

	"github.com/domino-check/domino/spec/trace"
)

// RecoveryEnds: a rank that is back counts among the living again; until then another failure is
// one more at a time. Where a program is stuck, terminates says more.
var RecoveryEnds = register(Property{
	Name: "recovery-ends", Kind: Final, Source: "[CAMEL] Theorem 1", Applies: holders,
	Needs: "Holders: determinants are kept and declared (Kept, Forgotten)",
	Doc:   "at the end, when every program has ended, no rank is still recovering",
	End: func(f *Facts, v View) string {
		found := ""
		for r := range trace.Rank(f.Layout.Ranks) {
			switch h := v.Observed(r.Proc()).History; {
			case h == nil || !h.Done:
				return ""
			case h.Recovering && found == "":
				found = fmt.Sprintf("%s has restarted and its recovery never ends",
					f.Layout.Name(r.Proc()))
			}
		}
		return found
	},
})
