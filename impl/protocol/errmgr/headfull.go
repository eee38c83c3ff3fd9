package errmgr

import (
	"strings"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/errmgr/sstore"
)

// noRoom is the answer of the disk of the head that it is full. A snapshot comes to nothing for
// that, and those before stay; one that outputs wait for is tried again. A decision is written
// until it is written: nobody may act on one that a restart does not know.
func (h *head) noRoom(key string, out []core.Effect) []core.Effect {
	switch {
	case key == recordSeq:
		h.s.Numbers--
		if h.s.Pause.Stage == reserving {
			h.s.Pause, h.s.Wanted = taking{}, h.s.Wanted || h.c.Hold
		}
	case key == recordRuling:
		if h.s.Rulings--; h.s.Rulings == 0 && h.s.Work.Stage == recording {
			return h.write(out)
		}
	case key == recordMove:
		if h.s.Commits--; h.s.Commits == 0 && h.s.Move.Stage == committing {
			return h.decide(out)
		}
	case key == recordDrained:
		if h.s.Drains--; h.s.Drains == 0 {
			return h.giveNodesUp(out)
		}
	case key == recordAbort:
		if h.s.Aborts--; h.s.Aborts == 0 && h.s.Work.Stage == aborting {
			return h.abort(out)
		}
	case strings.HasPrefix(key, sstore.RecordPrefix):
		id, err := sstore.ParseSnap(key[len(sstore.RecordPrefix):])
		if s := h.s.Keeper.Snap(id); err == nil && s != nil && s.State == sstore.Recording {
			return h.void(id, out)
		}
	}
	return out
}

// write makes the ruling of the open episode durable.
func (h *head) write(out []core.Effect) []core.Effect {
	h.s.Rulings++
	return append(out, core.Effect{Kind: core.Persist, Key: recordRuling, Value: core.Encode(
		ruling{Episode: h.s.Episode, Owner: h.s.Status.Owner, Snap: h.s.Work.Snap})})
}

// decide makes the decision about the present migration durable.
func (h *head) decide(out []core.Effect) []core.Effect {
	h.s.Commits++
	return append(out, core.Effect{Kind: core.Persist, Key: recordMove,
		Value: core.Encode(h.s.Move.Placed)})
}

// giveNodesUp makes durable which nodes are given up.
func (h *head) giveNodesUp(out []core.Effect) []core.Effect {
	h.s.Drains++
	return append(out, core.Effect{Kind: core.Persist, Key: recordDrained,
		Value: core.Encode(h.s.Drained)})
}
