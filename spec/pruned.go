package spec

import (
	"fmt"

	"github.com/domino-check/domino/spec/trace"
)

// LogPruned: what is kept for others ends with the recovery lines. A checkpoint of all is taken where no message is on its way, so what a
// rank had sent at its line everybody has received at theirs.
var LogPruned = register(Property{
	Name: "log-pruned", Kind: Final, Source: "[CAMEL] Alg. 1 l. 22-27, design P7", Applies: holders,
	Doc: "at the end nobody keeps a message that the recovery line of its sender includes, nor a determinant that was new before the line of its receiver",
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
				if line := v.Observed(i.ID.From.Proc()).Line; line != nil && i.ID.Number <= line.Sent {
					return fmt.Sprintf("%s keeps %s, which %s sent before its recovery line", f.Layout.Name(p), f.Layout.Label(i.ID),
						f.Layout.Name(i.ID.From.Proc()))
				}
			}
			for _, i := range h.Memory {
				if i.Sort != trace.Determinant {
					continue
				}
				if line := v.Observed(i.Peer).Line; line != nil && i.Number <= uint32(len(line.Delivered)) {
					return fmt.Sprintf("%s keeps the determinant of reception %d of %s, which is before its recovery line", f.Layout.Name(p), i.Number,
						f.Layout.Name(i.Peer))
				}
			}
		}
		return ""
	},
})
