package spec

import (
	"fmt"

	"github.com/domino-check/domino/spec/trace"
)

// LogPruned: what is kept for others ends with the recovery lines. A checkpoint of all is taken
// where no message is on its way, so what a rank had sent at its line everybody has received at
// theirs. That is no promise for a round to which the root itself contributes only after its line:
// what a subtree has contributed before may be on its way through the tree.
var LogPruned = register(Property{
	Name: "log-pruned", Kind: Final, Depth: Thrift,
	Source: "[CAMEL] Alg. 1 l. 22-27", Applies: holders,
	Needs: declaredKept,
	Doc: "at the end nobody keeps a message that the recovery line of its sender includes, nor a " +
		"determinant that was new before the line of its receiver, but for contributions to a " +
		"round that ends after the root's line",
	End: func(f *Facts, v View) string {
		for p := range trace.Proc(f.Layout.Ranks) {
			h := v.Observed(p).History
			if h == nil {
				continue
			}
			for _, i := range h.Memory {
				if i.Sort == trace.Determinant {
					continue
				}
				if line := v.Observed(i.ID.From.Proc()).Line; line != nil &&
					i.ID.Number <= line.Sent && !pending(f, v, i) {
					return fmt.Sprintf("%s keeps %s, which %s sent before its recovery line",
						f.name(p), f.label(i.ID), f.name(i.ID.From.Proc()))
				}
			}
			for _, i := range h.Memory {
				if i.Sort != trace.Determinant {
					continue
				}
				if line := v.Observed(i.Peer).Line; line != nil &&
					i.Number <= uint32(len(line.Delivered)) {
					return fmt.Sprintf(
						"%s keeps the determinant of reception %d of %s, which is before its "+
							"recovery line", f.name(p), i.Number, f.name(i.Peer))
				}
			}
		}
		return ""
	},
})

// pending reports whether an item is a contribution to a round that the root's recovery line does
// not include.
func pending(f *Facts, v View, i trace.Item) bool {
	c, collective := f.Layout.Collectives[i.ID]
	if i.Sort != trace.Part || !collective || c.Round == 0 {
		return false
	}
	line := v.Observed(f.Layout.Trees[c.Tree].Root().Proc()).Line
	return line == nil || line.Sent < resultOf(f, c).Number
}
