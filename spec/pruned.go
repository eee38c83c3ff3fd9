package spec

import (
	"fmt"

	"github.com/domino-check/domino/spec/order"
	"github.com/domino-check/domino/spec/trace"
)

// LogPruned: what is kept for others ends with the recovery lines. What a rank had sent at its
// line, the image of its receiver has, received or on its way. That is no promise for a round that
// ends after the root's line: what a subtree has contributed before may be on its way through the
// tree.
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

// WaitsSent: a recovery line has no orphan among what it has of messages that wait, either.
var WaitsSent = register(Property{
	Name: "waits-sent", Kind: Final, Source: "[CAMEL] section 2.3",
	Applies: func(f *Facts) bool { return f.Holders && f.Checkpoints },
	Needs:   "Holders, and checkpoints in the scenario (Kept, Commit)",
	Doc: "at the end what waits in the image of a recovery line was sent before the recovery " +
		"line of its sender, the result of a reduction before those of all who contribute",
	End: func(f *Facts, v View) string {
		for p := range trace.Proc(f.Layout.Ranks) {
			line := v.Observed(p).Line
			if line == nil {
				continue
			}
			for _, i := range line.Memory {
				for _, id := range order.Sends(f.Layout, i.ID) {
					of := v.Observed(id.From.Proc()).Line
					if of == nil || of.Sent < id.Number {
						return fmt.Sprintf(
							"%s waits in the recovery line of %s, and that of %s does not send it",
							f.label(id), f.name(p), f.As(Missing, f.name(id.From.Proc())))
					}
				}
			}
		}
		return ""
	},
})

// pending reports whether an item is a contribution to a round of which the root's recovery line
// does not have the result.
func pending(f *Facts, v View, i trace.Item) bool {
	c, collective := f.Layout.Collectives[i.ID]
	return i.Sort == trace.Part && collective && c.Round > 0 && !concluded(f, v, c)
}

// concluded reports whether the recovery line of the root has the result of a round, received or
// waiting.
func concluded(f *Facts, v View, c trace.Collective) bool {
	root, result := f.Layout.Trees[c.Tree].Root().Proc(), resultOf(f, c)
	line := v.Observed(root).Line
	return line != nil && (line.Received(result) || line.Waits(root, result))
}
