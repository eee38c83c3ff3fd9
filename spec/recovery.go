package spec

import "fmt"

// RecoveryEnds: a rank that is back counts among the living again; until then another failure is
// one more at a time. Where a program is stuck, terminates says more.
var RecoveryEnds = register(Property{
	Name: "recovery-ends", Kind: Final, Source: "[CAMEL] Theorem 1", Applies: holders,
	Needs: declaredKept,
	Doc:   "at the end, when every program has ended, no rank is still recovering",
	End: func(f *Facts, v View) string {
		found := ""
		for r := range f.ranks() {
			switch h := v.Observed(r.Proc()).History; {
			case h == nil || !h.Done:
				return ""
			case h.Recovering && found == "":
				found = fmt.Sprintf("%s has restarted and its recovery never ends",
					f.name(r.Proc()))
			}
		}
		return found
	},
})
