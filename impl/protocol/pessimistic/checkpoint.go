package pessimistic

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// save sends an image to the logger. Nothing waits for it: the image covers what is delivered, the
// log what comes later, and no channel need be empty ([RADIC] section 2.3.4 flushes all channels:
// M32).
func (l *layer) save(out []core.Effect) []core.Effect {
	s := &l.s
	if l.together(l.rank) {
		return l.request(false, out)
	}
	if s.Fetching || s.Halted || s.Saving {
		return out
	}
	s.Saving = true
	// What is still to be replayed goes with it: a new logger does not have it, and nobody else
	// has.
	return append(out, core.SendTo(l.logger(l.rank),
		&Message{Kind: Save, Life: s.Life, Logger: s.Logger, RSN: s.RSN, Sent: s.Sent,
			Image: l.encoded(l.image()), Entries: s.Replay}))
}

// image is the state of the rank now.
func (l *layer) image() *image {
	s := &l.s
	i := &image{App: l.app.Image(), Sent: s.Sent, RSN: s.RSN}
	for q := range s.Out {
		if l.sparse() {
			i.Ranks = append(i.Ranks, s.Out[q].Rank)
		}
		i.Last, i.Taken = append(i.Last, s.Out[q].Last), append(i.Taken, s.In[q].Taken)
		var buffer []saved
		// Deviation: M9 saves the program, and not the messages that nobody has confirmed
		if !l.has(M9) {
			buffer = slices.Clone(s.Out[q].Buffer)
		}
		i.Saved = append(i.Saved, buffer)
	}
	for _, e := range s.Replay { // counted as taken, but not delivered yet
		at := int(e.Source)
		if l.sparse() {
			at, _ = slices.BinarySearch(i.Ranks, e.Source)
		}
		i.Taken[at] = min(i.Taken[at], e.SSN-1)
	}
	return i
}

// savedOk moves the recovery line: everything before it is stable.
func (l *layer) savedOk(m *Message, out []core.Effect) []core.Effect {
	if m.Life != l.s.Life {
		return append(out, core.DropInput(l.logger(l.rank), core.MsgID{}, "about another life"))
	}
	if m.RSN < l.s.LineRSN || m.Sent < l.s.LineSent {
		return append(out, core.DropInput(l.logger(l.rank), core.MsgID{}, "an older image"))
	}
	l.s.Saving, l.s.LineRSN, l.s.LineSent = false, m.RSN, m.Sent
	out = l.thaw(append(out, core.Effect{Kind: core.Commit, Sent: m.Sent,
		Received: uint32(m.RSN)}))
	return l.decided(m.Number, l.stable(m.RSN, out))
}
