package errmgr

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/errmgr/policy"
	"github.com/domino-check/domino/impl/protocol/errmgr/sstore"
	"github.com/domino-check/domino/spec/trace"
)

// restore begins the life of a head that has failed, from its records. What has become of the ranks
// meanwhile it does not know, so it opens an episode about all of them: every node stops what runs
// there. What was not established is void; what was written down before the last ruling, is newer
// than what that selected and older than its episode is of a future that did not come.
func (h *head) restore(in *core.Input, out []core.Effect) []core.Effect {
	h.begin()
	var last uint32
	var r ruling
	for _, rec := range in.Records {
		switch rec.Key {
		case recordSeq:
			out = h.read(rec, &last, out)
		case recordRuling:
			out = h.read(rec, &r, out)
		case recordAbort:
			h.s.Aborted = true
		case recordDrained:
			out = h.read(rec, &h.s.Drained, out)
		}
	}
	for _, p := range h.s.Drained {
		h.node(p).Up = false
	}
	var reasons []string
	h.s.Keeper, reasons = sstore.Load(&h.c.rules, last, in.Records)
	for _, reason := range reasons {
		out = append(out, core.DropInput(h.c.head, core.MsgID{}, reason))
	}
	h.s.Keeper.Snaps = slices.DeleteFunc(h.s.Keeper.Snaps, func(s sstore.Snapshot) bool {
		return s.ID.Compare(r.Snap) > 0 && s.ID.Epoch < r.Episode
	})
	for i := range h.s.Keeper.Snaps {
		h.s.Ever = true
		out = h.snap(trace.SnapRecorded, h.s.Keeper.Snaps[i].ID, h.c.head, out)
	}
	// Episodes of each life have numbers of their own: one that ends before it has ruled anything
	// leaves no record of its episode, and what it has sent may come late.
	h.s.Episode = max(r.Episode, uint32(in.Incarnation)<<trace.EpisodeBits)
	return h.takeOver(out)
}

// read decodes a record. One that was torn is as if it were not there: nobody has acted upon it.
func (h *head) read(rec core.Record, to any, out []core.Effect) []core.Effect {
	if rec.Torn {
		return out
	}
	if err := core.Decode(rec.Value, to); err != nil {
		return append(out, core.DropInput(h.c.head, core.MsgID{}, err.Error()))
	}
	return out
}

// anyLife is above all lives that a rank may have had.
const anyLife = core.Incarnation(1 << 31)

// takeOver answers for all ranks: none is known to run.
func (h *head) takeOver(out []core.Effect) []core.Effect {
	var f policy.Fault
	h.s.Blind = true
	for r := range h.s.Ranks {
		h.s.Ranks[r].Most = anyLife
		f.Lost = append(f.Lost, policy.Lost{Rank: core.Rank(r)})
	}
	if h.s.Aborted {
		return h.giveUp(out)
	}
	return h.fault(f, out)
}
