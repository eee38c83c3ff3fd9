package spec

import (
	"fmt"

	"github.com/domino-check/domino/spec/trace"
)

// evidence is what a run without failures shows about receptions, and who knows of them.
type evidence struct {
	*Facts
	before    map[trace.MsgID]uint32 // deliveries of its sender before a send
	delivered [][]trace.MsgID        // by rank, in order
	// messages on each channel, in the order in which they left
	flying map[channel][]flight
	// by rank, the determinants that it keeps, with who else is known to it to keep them
	kept []map[reception]map[trace.Proc]bool
}

type channel struct{ from, to trace.Proc }

// reception is the delivery number of a rank.
type reception struct {
	rank   trace.Proc
	number uint32
}

// flight is a message on its way: what its sender kept when it left, and whether others are known
// to keep all of the determinants that its sender did.
type flight struct {
	keeps   []reception
	settled bool
}

func evidenceOf(f *Facts) *evidence {
	n := len(f.Layout.Names)
	x := &evidence{Facts: f, before: map[trace.MsgID]uint32{},
		delivered: make([][]trace.MsgID, n), flying: map[channel][]flight{},
		kept: make([]map[reception]map[trace.Proc]bool, n)}
	for p := range x.kept {
		x.kept[p] = map[reception]map[trace.Proc]bool{}
	}
	return x
}

// apply follows an event. It returns what is known of the message that arrives.
func (x *evidence) apply(e *trace.Event) (taken flight) {
	switch e.Kind {
	case trace.Sent:
		x.before[e.ID] = uint32(len(x.delivered[e.Proc]))
	case trace.Delivered:
		x.delivered[e.Proc] = append(x.delivered[e.Proc], e.ID)
	case trace.Kept:
		if e.Text == trace.Determinant {
			x.kept[e.Proc][reception{e.Peer, e.Received}] = map[trace.Proc]bool{}
		}
	case trace.Emitted:
		out := flight{settled: true}
		for d, others := range x.kept[e.Proc] { // the order does not matter
			out.keeps = append(out.keeps, d)
			out.settled = out.settled && len(others) >= x.MaxFailures
		}
		c := channel{e.Proc, e.Peer}
		x.flying[c] = append(x.flying[c], out)
	case trace.Arrived:
		c := channel{e.Peer, e.Proc}
		if len(x.flying[c]) == 0 {
			return flight{}
		}
		taken, x.flying[c] = x.flying[c][0], x.flying[c][1:]
		for _, d := range taken.keeps {
			if others, mine := x.kept[e.Proc][d]; mine {
				others[e.Peer] = true
			}
		}
	}
	return taken
}

// EvidenceTrue: dependences are computed from what messages and determinants say of receptions, so
// that must be so.
var EvidenceTrue = register(Property{
	Name: "evidence-true", Kind: FailureFree, Source: "[CAMEL] section 2.3",
	Applies: holders,
	Needs:   declaredKept,
	Doc: "without failures a message, its delivery and its determinant say how many deliveries " +
		"its sender had before the send, the delivery names its sender, and the determinant " +
		"which delivery of its receiver it was; of the result of a reduction no fewer deliveries " +
		"than its root had before its own contribution",
	Whole: func(f *Facts, q *Quiet) string {
		x := evidenceOf(f)
		for i := range q.Trace.Events {
			e := &q.Trace.Events[i]
			x.apply(e)
			said, number := uint64(0), uint32(0)
			switch {
			case e.ID.IsZero():
				continue
			case e.Kind == trace.Emitted, e.Kind == trace.Delivered:
				said = e.Stamp.Date
			case e.Kind == trace.Kept && e.Text == trace.Determinant:
				said, number = uint64(e.Sent), e.Received
			default:
				continue
			}
			before := x.before[e.ID]
			// other contributions to a result may come later than the root's
			more := f.Layout.Collectives[e.ID].Round > 0 && said > uint64(before)
			if said != uint64(before) && !more {
				return fmt.Sprintf(
					"%s says of %s that %s sent it after %d deliveries, which were %d",
					f.name(e.Proc), f.label(e.ID), f.name(e.ID.From.Proc()), said, before)
			}
			if e.Kind == trace.Delivered && e.Peer != e.ID.From.Proc() {
				return fmt.Sprintf("%s receives %s from %s, which has not sent it", f.name(e.Proc),
					f.label(e.ID), f.As(Missing, f.name(e.Peer)))
			}
			list := x.delivered[e.Peer]
			if e.Kind == trace.Kept && number > 0 && int(number) <= len(list) &&
				list[number-1] != e.ID {
				return fmt.Sprintf("%s keeps %s as delivery %d of %s, which that is not",
					f.name(e.Proc), f.label(e.ID), number, f.name(e.Peer))
			}
		}
		return ""
	},
})

// ToldOnce: an acknowledgement ends the travels of a determinant.
var ToldOnce = register(Property{
	Name: "told-once", Kind: FailureFree, Depth: Thrift, Source: "[CAMEL] Alg. 1 l. 6, 19-21",
	Applies: func(f *Facts) bool {
		return f.Holders && f.Traffic.Told && f.FIFO && f.MaxFailures > 0 && !f.Checkpoints
	},
	Needs: "Traffic.Told: who is told what, and channels that keep order (Kept)",
	Doc: "without failures a message is not acknowledged whose sender, when it left, had heard " +
		"of as many others as may fail that they keep each determinant that it keeps itself",
	Whole: func(f *Facts, q *Quiet) string {
		x := evidenceOf(f)
		var last *trace.Event // that a proc has taken and goes on with
		for i := range q.Trace.Events {
			e := &q.Trace.Events[i]
			taken := x.apply(e)
			_, collective := f.Layout.Collectives[e.ID]
			switch {
			case e.Kind == trace.Arrived && taken.settled && !e.ID.IsZero() && !collective:
				last = e
			case last == nil || e.Proc != last.Proc || e.Kind != trace.Emitted &&
				e.Kind != trace.Kept && e.Kind != trace.Dropped:
				last = nil
			case e.Kind == trace.Emitted && e.ID.IsZero() && e.Peer == last.Peer:
				return fmt.Sprintf("%s answers %s of %s by %s, although there are others enough "+
					"who keep what could have come with it, as %s knew", f.name(e.Proc),
					f.label(last.ID), f.name(e.Peer), e.Text, f.name(e.Peer))
			}
		}
		return ""
	},
})
