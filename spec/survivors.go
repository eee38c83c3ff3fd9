package spec

import (
	"encoding/binary"
	"fmt"

	"github.com/domino-check/domino/spec/trace"
)

// Survivors is the behaviour of a program of which some ranks are gone for good and the others run
// on, from exploring all runs in which ranks stop and operations end in errors from then on.
type Survivors struct {
	// combinations of the ends of all ranks, see SurvivorsKey
	Finals map[string]bool
	// by rank: every prefix of a sequence of deliveries (SequenceKey)
	Legal []map[string]bool
	// what is sent in some run
	Sent map[SendOf]bool
}

// SendOf is one send in one run.
type SendOf struct {
	ID     trace.MsgID
	To     trace.Proc
	Digest uint64
}

// How a rank may end, beside the final digests, which are odd.
const (
	Gone    uint64 = 0 // it has stopped for good
	Blocked uint64 = 2 // its program waits for what will never be there
)

// aloneOrWithout is what properties need that compare with what programs do by themselves.
const aloneOrWithout = "programs that can be explored alone, also without ranks that are gone " +
	"where a policy runs through failures"

// explored reports whether it is known what programs do by themselves: without failures and, where
// a policy lets the job go on without failed ranks, when some of them stop.
func explored(f *Facts) bool {
	return f.Oracle != nil && (!runsThrough(f) || f.Oracle.Survivors != nil)
}

// strange says why a delivery is none of a message that is sent in some run, whoever is gone. The
// result of a reduction has the name of the root's contribution and is no message of its own.
func (f *Facts) strange(e trace.Event) string {
	sent := SendOf{ID: e.ID, To: e.Proc, Digest: e.Digest}
	if c, collective := f.Layout.Collectives[e.ID]; collective {
		if sent.To = e.ID.From.Proc(); c.Round > 0 {
			return ""
		}
	}
	if f.Oracle.Survivors.Sent[sent] {
		return ""
	}
	return fmt.Sprintf("%s receives %s with payload %x, which no run sends to it, whoever is gone",
		f.name(e.Proc), f.label(e.ID), e.Digest)
}

// left reports whether a run may end as it does: some ranks are gone, and the others end, or wait
// for what never comes, as in some run in which those stop.
func (f *Facts) left(v View) bool {
	return runsThrough(f) && explored(f) && f.Oracle.Survivors.Finals[SurvivorsKey(f, v)]
}

// SurvivorsKey is a map key for the ends of all ranks; who is down is gone.
func SurvivorsKey(f *Facts, v View) string {
	var key []byte
	for r := range f.ranks() {
		digest := Blocked
		switch h := v.Observed(r.Proc()).History; {
		case h == nil:
			digest = Gone
		case h.Done:
			digest = h.Digest
		}
		key = binary.BigEndian.AppendUint64(key, digest)
	}
	return string(key)
}

// collective reports whether a message is a multicast or a contribution.
func (f *Facts) collective(id trace.MsgID) bool {
	_, of := f.Layout.Collectives[id]
	return of
}
