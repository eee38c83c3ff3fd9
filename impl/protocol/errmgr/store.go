package errmgr

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/errmgr/sstore"
	"github.com/domino-check/domino/spec/trace"
)

// store is the stable storage of the job: it keeps files and hands them out again. Commit records
// are at the head.
type store struct {
	core.Service
	*config
	s shelf
}

// State implements core.Machine.
func (t *store) State() []any { return []any{&t.s} }

// Step implements core.Machine.
func (t *store) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Restore:
		return t.restore(&in, out)
	case core.Received:
		return t.received(in.From, in.Message.(*Message).own(), out)
	case core.Persisted:
		if f := t.s.written(in.Key); f != nil {
			return t.written(f, out)
		}
	case core.Refused:
		if f := t.s.written(in.Key); f != nil {
			return t.failed(f, "no room", out)
		}
	case core.Loaded:
		return t.loaded(&in, out)
	}
	return out
}

// restore finds the files by their names: they are read when somebody asks, who knows what they are
// to be. Images of moves nobody waits for.
func (t *store) restore(in *core.Input, out []core.Effect) []core.Effect {
	for _, r := range in.Records {
		if id, rank, err := sstore.ParseFile(r.Key); err == nil {
			t.s.Files = append(t.s.Files, stored{Snap: id, Rank: rank, Good: true})
		} else {
			out = append(out, core.Effect{Kind: core.Persist, Key: r.Key})
		}
	}
	t.s.sort()
	return out
}

// received dispatches a message.
func (t *store) received(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	switch m.Kind {
	case Put:
		return t.s.put(stored{Snap: m.Snap, Move: m.Move, Rank: m.Ranks[0], Epoch: m.Epoch,
			File: m.File, Next: m.Nodes}, m.Data, out)
	case Get:
		return t.s.read(reading{Use: toAnswer, Snap: m.Snap, Rank: m.Ranks[0],
			To: []core.Proc{from}}, out)
	case Void, DropFile:
		return t.s.drop(t.store, m.Snap, out)
	}
	return append(out, core.DropInput(from, core.MsgID{}, "nothing that a store knows"))
}

// written goes on when a file is stable: it is read back.
func (t *store) written(f *stored, out []core.Effect) []core.Effect {
	if t.trusts(f) {
		f.Good = true
		return append(out, t.tell(f, &Message{Kind: CopyDone, File: f.File}))
	}
	return t.s.read(reading{Use: toCheck, Snap: f.Snap, Move: f.Move, Rank: f.Rank}, out)
}

// tell is a message to the head about a file.
func (t *store) tell(f *stored, m *Message) core.Effect {
	m.Epoch, m.Snap, m.Move, m.Ranks = f.Epoch, f.Snap, f.Move, []core.Rank{f.Rank}
	return core.SendTo(t.head, m)
}

// failed says that a file is not here.
func (t *store) failed(f *stored, why string, out []core.Effect) []core.Effect {
	m := &Message{Kind: CopyDone, Missing: true, Reason: why}
	if f.Move > 0 {
		m.Kind = Carried
	}
	out = append(out, t.tell(f, m))
	return t.s.remove(t.s.find(f.Snap, f.Move, f.Rank), out)
}

// loaded goes on with a file that was read: it answers who has asked, or says that it is well.
func (t *store) loaded(in *core.Input, out []core.Effect) []core.Effect {
	r, data, whole, waited := t.s.loaded(in)
	switch {
	case !waited:
		return out
	case r.Use == toAnswer:
		return append(out, core.SendTo(r.To[0], &Message{Kind: Got, Snap: r.Snap,
			Ranks: []core.Rank{r.Rank}, Data: data, Missing: !whole}))
	}
	f, raw, why := t.s.stood(&r, data, whole)
	switch {
	case f == nil:
		return out
	case why != "":
		return t.failed(f, why, out)
	case f.Move > 0:
		return t.forward(f, data, out)
	}
	f.Good = true
	return append(out, snapped(trace.SnapCopied, f.Snap, f.Rank.Proc(), core.Digest(raw)),
		t.tell(f, &Message{Kind: CopyDone, File: f.File}))
}

// forward sends the image of a rank that moves on to its new node, and forgets it.
func (t *store) forward(f *stored, data []byte, out []core.Effect) []core.Effect {
	for _, to := range f.Next {
		out = append(out, core.SendTo(to, &Message{Kind: Put, Epoch: f.Epoch, Move: f.Move,
			Ranks: []core.Rank{f.Rank}, File: f.File, Data: data}))
	}
	return t.s.remove(t.s.find(f.Snap, f.Move, f.Rank), out)
}
