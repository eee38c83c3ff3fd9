package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/spec/trace"
)

// SendDeterminism: the k-th send of a rank is the same in every run, failures or not.
var SendDeterminism = register(Property{
	Name: "send-determinism", Kind: Pair, Source: "[HydEE] Def. 3",
	Doc: "the k-th send of a rank has one destination, one payload and one set of deliveries " +
		"before it in all runs",
	Applies: func(f *Facts) bool { return f.Sends },
	Needs:   "Needs a send-deterministic program",
	Relate: func(f *Facts, v View, e trace.Event) (string, string) {
		h := v.Observed(e.Proc).History
		if e.Kind != trace.Sent || h == nil {
			return "", ""
		}
		return sendName(f, e.ID), DescribeSend(f, h, e)
	},
})

// sendName tells a send from every other, also from those to which the program gives the same
// label.
func sendName(f *Facts, id trace.MsgID) string {
	return fmt.Sprintf("%s (send %d of %s)", f.label(id), id.Number, f.name(id.From.Proc()))
}

// DescribeSend puts a send and what was delivered before it into words that are equal exactly for
// equal sends.
func DescribeSend(f *Facts, h *trace.History, e trace.Event) string {
	return fmt.Sprintf("to %s payload %x after {%s}", f.name(e.Peer), e.Digest, DeliveredSet(f, h))
}

// DeliveredSet names the messages that a history has received, in an order of their own.
func DeliveredSet(f *Facts, h *trace.History) string {
	var labels []string
	for _, d := range h.Delivered {
		labels = append(labels, f.label(d.ID))
	}
	slices.Sort(labels)
	return strings.Join(labels, " ")
}

// StampDeterminism: a message has the same date and phase whenever and by whomever it is put on the
// network.
var StampDeterminism = register(Property{
	Name: "stamp-determinism", Kind: Pair, Source: "[HydEE] Lemma 4",
	Doc:     "every message carries the same date and phase in all runs and incarnations",
	Applies: func(f *Facts) bool { return f.Phases && f.Sends },
	Needs:   "Phases, and Needs a send-deterministic program",
	Relate: func(f *Facts, v View, e trace.Event) (string, string) {
		if e.Kind != trace.Emitted || e.ID.IsZero() {
			return "", ""
		}
		return sendName(f, e.ID), fmt.Sprintf("date %d phase %d", e.Stamp.Date, e.Stamp.Phase)
	},
})
