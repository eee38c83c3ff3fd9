package printed

import "github.com/domino-check/domino/impl/core"

// image is a checkpoint. The process is saved as a whole, with its observer (BLCR), so the
// temporary buffer of a sender is in it.
type image struct {
	_      struct{} `cbor:",toarray"`
	App    []byte
	SSN    SSN
	RSN    RSN
	Values []SSN
	Queue  [][]arrival
	TB     []Entry
}

// checkpoint: "Before a checkpoint is made, to ensure that there are no in-transit messages, all
// communication channels are flushed and remain unused until the checkpointing operation finishes."
func (l *observer) checkpoint(out []core.Effect) []core.Effect {
	s := &l.s
	if s.Saving || s.Fetching || len(s.Replay) > 0 {
		return out
	}
	s.Saving = true
	for q := range s.Open {
		s.Open[q] = core.Rank(q) != l.rank
	}
	return l.flushed(l.others(l.rank, Message{Kind: Freeze}, out))
}

// aboutChannels dispatches messages about channels. They keep order, so what comes before an answer
// is all that was in transit, in both directions.
func (l *observer) aboutChannels(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	s := &l.s
	switch m.Kind {
	case Freeze:
		s.Frozen[from] = true
		return append(out, core.SendTo(from.Proc(), &Message{Kind: Flushed}))
	case Allow:
		s.Frozen[from] = false
		return out
	}
	if !s.Saving || !s.Open[from] {
		return append(out, drop(from.Proc(), "no checkpoint waits for it"))
	}
	s.Open[from] = false
	return l.flushed(out)
}

// flushed takes the image when all channels are empty.
func (l *observer) flushed(out []core.Effect) []core.Effect {
	for _, open := range l.s.Open {
		if open {
			return out
		}
	}
	return l.image(out)
}

// image: "After a checkpoint is made, each process transfers their checkpoint files".
func (l *observer) image(out []core.Effect) []core.Effect {
	s := &l.s
	return append(out, core.SendTo(l.logger(l.rank), &Message{Kind: Image, SSN: s.SSN, RSN: s.RSN,
		Image: core.Encode(&image{App: l.app.Image(), SSN: s.SSN, RSN: s.RSN, Values: s.Values,
			Queue: s.Queue, TB: s.TB})}))
}

// stored: "and then the communication within processes are allowed again".
func (l *observer) stored(m *Message, out []core.Effect) []core.Effect {
	out = append(out, core.Effect{Kind: core.Commit, Sent: uint32(m.SSN), Received: uint32(m.RSN)})
	l.s.Saving = false
	return l.others(l.rank, Message{Kind: Allow}, out)
}
