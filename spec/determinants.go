package spec

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/spec/order"
	"github.com/domino-check/domino/spec/trace"
)

// Depend and logging sets ([AM], [CAMEL] Definitions 1 and 2) as functions of the present state.
// The paper's logging set is of the history, so a holder that has failed since still counts; its
// orphan property, read with a strict inclusion, can not be broken by one failure, and read with an
// inclusion is broken by the receiver of a message alone. Here only what is in a memory now counts,
// and a process is an orphan when it is alive and depends on a reception that no living memory
// records.

const declaredKept = "Holders: determinants are kept and declared (Kept, Forgotten)"

func holders(f *Facts) bool { return f.Holders }

// Dependence is DEP seen from the process that depends: for each rank, how many of its receptions
// the process depends on (order.Pasts). A message is stamped with the receptions of its sender
// before the send, and so are determinants.
func Dependence(f *Facts, v View, p trace.Proc) []uint32 {
	past := order.Pasts{Layout: f.Layout,
		History: func(q trace.Proc) *trace.History { return v.Observed(q).History },
		Known: func(q trace.Proc, number uint32) []trace.Item {
			_, items := Logging(f, v, q, number)
			return items
		}}
	return past.Dependence(p)
}

// Logging is LOG: the processes, other than the receiver, in whose memory a reception is recorded
// now, with what they record.
func Logging(f *Facts, v View, receiver trace.Proc, number uint32) (list []trace.Proc,
	items []trace.Item) {
	for r := range f.ranks() {
		h := v.Observed(r.Proc()).History
		if h == nil || r.Proc() == receiver {
			continue
		}
		for _, i := range h.Memory {
			if i.Sort == trace.Determinant && i.Peer == receiver && i.Number == number {
				list, items = append(list, r.Proc()), append(items, i)
			}
		}
	}
	return list, items
}

// NoOrphanProcess: whoever survives a failure depends on nothing that is forgotten.
var NoOrphanProcess = register(Property{
	Name: "no-orphan-process", Kind: Always, Global: true, Source: "[CAMEL] Property 1",
	Applies: holders,
	Needs:   declaredKept,
	Doc: "when a process restarts, each of its lost receptions on which a living process depends " +
		"is recorded in a living memory, or among what it has read back itself",
	Event: func(f *Facts, v View, e trace.Event) string {
		if e.Kind != trace.Restored || int(e.Proc) >= f.Layout.Ranks {
			return ""
		}
		for r := range f.ranks() {
			if r.Proc() == e.Proc || v.Observed(r.Proc()).History == nil {
				continue
			}
			for number := e.Received + 1; number <= Dependence(f, v, r.Proc())[e.Proc]; number++ {
				list, _ := Logging(f, v, e.Proc, number)
				if list == nil && !reads(v.Observed(e.Proc).History, e.Proc, number) {
					return fmt.Sprintf(
						"%s is an orphan: it depends on reception %d of %s, which failed, and "+
							"nobody knows what that was", f.name(r.Proc()), number, f.name(e.Proc))
				}
			}
		}
		return ""
	},
})

// reads reports whether a process that has just restarted knows one of its lost receptions: what is
// in its memory then is what its stable storage has.
func reads(h *trace.History, self trace.Proc, number uint32) bool {
	return h != nil && slices.ContainsFunc(h.Memory, func(i trace.Item) bool {
		return i.Sort == trace.Determinant && i.Peer == self && i.Number == number
	})
}

// ReplayOrder: a new incarnation receives in the recorded order.
var ReplayOrder = register(Property{
	Name: "replay-order", Kind: Always, Global: true, Source: "[CAMEL] section 2.3",
	Applies: holders,
	Needs:   declaredKept,
	Doc: "whoever sends has received, at each number that some living memory records, the " +
		"recorded message",
	Event: func(f *Facts, v View, e trace.Event) string {
		h := v.Observed(e.Proc).History
		if e.Kind != trace.Emitted || e.ID.IsZero() || h == nil {
			return ""
		}
		for k := range h.Delivered {
			list, items := Logging(f, v, e.Proc, uint32(k+1))
			for i := range items {
				if id := items[i].ID; id != h.Delivered[k].ID {
					return fmt.Sprintf(
						"%s sends after it received %s as number %d, where %s has recorded %s",
						f.name(e.Proc), f.label(h.Delivered[k].ID), k+1, f.name(list[i]),
						f.label(id))
				}
			}
		}
		return ""
	},
})

// DeterminantStable: there is one truth about each reception.
var DeterminantStable = register(Property{
	Name: "determinant-stable", Kind: Always, Source: "[CAMEL] section 2.3",
	Applies: holders,
	Needs:   declaredKept,
	Doc: "a process never learns two different messages for one reception, and never another one " +
		"than it received itself",
	Event: func(f *Facts, v View, e trace.Event) string {
		h := v.Observed(e.Proc).History
		if h == nil || e.Kind != trace.Kept && e.Kind != trace.Delivered {
			return ""
		}
		about, number := e.Peer, e.Received
		if e.Kind == trace.Delivered {
			about, number = e.Proc, uint32(len(h.Delivered)+1)
		} else if e.Text != trace.Determinant {
			return ""
		}
		differs := func(id trace.MsgID) string {
			return fmt.Sprintf("reception %d of %s is %s, but %s knows it as %s", number,
				f.name(about), f.label(e.ID), f.name(e.Proc), f.label(id))
		}
		for _, i := range h.Memory {
			if i.Sort == trace.Determinant && i.Peer == about && i.Number == number &&
				i.ID != e.ID {
				return differs(i.ID)
			}
		}
		if about == e.Proc && number >= 1 && int(number) <= len(h.Delivered) &&
			h.Delivered[number-1].ID != e.ID {
			return differs(h.Delivered[number-1].ID)
		}
		return ""
	},
})
