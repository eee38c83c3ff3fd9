package snapshot

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// Kind is the type of a notice.
type Kind uint8

// The notices; all but the first carry Number and Life.
const (
	Request   Kind = iota // member to the first one: take a checkpoint
	Marker                // checkpoint Number begins on this channel
	Saved                 // member to the first one: image Number is stable
	Committed             // the first one to the members: checkpoint Number is the line
)

// Notice is what members tell each other.
type Notice struct {
	_      struct{} `cbor:",toarray"`
	Kind   Kind
	Number uint32
	Life   core.Incarnation
}

var kindNames = [...]string{"SaveRequest", "Marker", "Saved", "Commit"}

// Kinds are the meanings of notices, for the layout of a protocol that names them as here.
func Kinds() map[string]trace.Meaning {
	return map[string]trace.Meaning{kindNames[Request]: trace.Asks}
}

// Roles are what notices are for, likewise.
func Roles() trace.Roles {
	return trace.Roles{}.With(trace.RoleCheckpoint, "SaveRequest Saved Commit").
		With(trace.RoleMarker, "Marker")
}

// Describe names the notice, so that it may be a control message as it is.
func (n *Notice) Describe() trace.Wire {
	w := trace.Wire{Kind: fmt.Sprintf("kind %d", n.Kind)}
	if int(n.Kind) < len(kindNames) {
		w.Kind = kindNames[n.Kind]
	}
	if n.Kind != Request {
		w.Text = fmt.Sprintf("checkpoint %d life %d", n.Number, n.Life)
	}
	return w
}

// Member is the layer of one rank of a group, with images of type I and application messages inside
// the group of type M.
type Member[I, M any] interface {
	// Group are the members, alike for all of them, and which one this is. The first one begins
	// checkpoints and decides.
	Group() (members []core.Rank, self int)
	// Life is the one of the group: what another life has sent is dropped.
	Life() core.Incarnation
	// Notice is the protocol's message for a notice.
	Notice(Notice) core.Message
	// Image is the image of now, with what has arrived and was not delivered.
	Image() *I
	// Close comes once all that was on its way through the cut is here, and adds it to the image.
	Close(*I, Cut[M])
	// Commit comes when the checkpoint is the line.
	Commit(*I, []core.Effect) []core.Effect
}

// Wired is a Member that says on which channels members send each other something, where not
// everybody sends to everybody. Only those are marked, and those from the first member, which
// starts the checkpoint at all others: on a channel that nobody uses nothing is on its way, so no
// marker divides it. That is what [CL] has: a marker along each channel of the graph. The others
// mark all pairs of members.
type Wired interface {
	// Wires are the other members that may send to this one, and those to which this one may send,
	// ascending. The first member is in the first list of each other one, and those are all in its
	// second. Without them, where ok is false, all pairs are marked.
	Wires() (into, out []core.Rank, ok bool)
}

// senders are the members of whom a marker is waited for, by place in a Cut; self is that of this
// member, which is not waited for, and -1 where it is not among them.
func senders[I, M any](m Member[I, M]) (list []core.Rank, self int) {
	if w, ok := m.(Wired); ok {
		if list, _, ok := w.Wires(); ok {
			return list, -1
		}
	}
	return m.Group()
}

// receivers are the members that get a marker of this one; self is like that of senders.
func receivers[I, M any](m Member[I, M]) (list []core.Rank, self int) {
	if w, ok := m.(Wired); ok {
		if _, list, ok := w.Wires(); ok {
			return list, -1
		}
	}
	return m.Group()
}

// place is that of a member in an ascending list.
func place(list []core.Rank, r core.Rank) int {
	i, ok := slices.BinarySearch(list, r)
	if !ok {
		panic(fmt.Sprintf("invariant: rank %d is none of %d that send here", r, len(list)))
	}
	return i
}

// Keeper is a Member that may restart from older checkpoints, too, and removes them itself. The
// others restart from the last one.
type Keeper interface {
	KeepsOlder() bool
}

// State is what a member knows of the checkpoints of its group. It is plain data; the zero value is
// the one of a member that has done nothing.
type State[I, M any] struct {
	_         struct{} `cbor:",toarray"`
	Committed uint32   `json:"committed"` // number of the line, 0 is the initial state
	Taking    bool     `json:"taking"`    // checkpoint Committed+1 is under way
	Image     *I       `json:"image"`     // ours, once it is taken, until it is committed
	Cut       Cut[M]   `json:"cut"`
	Saved     int      `json:"saved"` // first member: members whose image is stable
}

// Request starts a checkpoint of the group at its first member, or passes the request on. One that
// comes while a checkpoint is under way is ignored.
func (s *State[I, M]) Request(m Member[I, M], out []core.Effect) []core.Effect {
	members, self := m.Group()
	if self != 0 {
		return append(out, core.SendTo(members[0].Proc(), m.Notice(Notice{Kind: Request})))
	}
	if s.Taking {
		return append(out, core.DropInput(members[0].Proc(), core.MsgID{},
			"a checkpoint is under way"))
	}
	return s.take(m, out)
}

// take saves our image, if channels need not be empty for that, and marks the channels.
func (s *State[I, M]) take(m Member[I, M], out []core.Effect) []core.Effect {
	from, self := senders(m)
	s.Taking, s.Saved, s.Cut = true, 0, Open[M](len(from), self)
	if styleOf(m) == Markers {
		s.Image = m.Image()
	}
	return s.finish(m, s.tell(m, Marker, out))
}

// tell sends a notice about the checkpoint under way to all other members, a marker to those to
// which something may be sent.
func (s *State[I, M]) tell(m Member[I, M], kind Kind, out []core.Effect) []core.Effect {
	members, self := m.Group()
	if kind == Marker {
		members, self = receivers(m)
	}
	for i, q := range members {
		if i != self {
			out = append(out, core.SendTo(q.Proc(), m.Notice(s.notice(m, kind))))
		}
	}
	return out
}

func (s *State[I, M]) notice(m Member[I, M], kind Kind) Notice {
	return Notice{Kind: kind, Number: s.Committed + 1, Life: m.Life()}
}

// Record takes an application message of a member, when it arrives. Where a checkpoint blocks, the
// image is still to be taken and will hold it.
func (s *State[I, M]) Record(m Member[I, M], from core.Rank, message M) {
	if s.Taking && styleOf(m) == Markers {
		list, _ := senders(m)
		s.Cut.Record(place(list, from), message)
	}
}

// Received handles a notice of a member.
func (s *State[I, M]) Received(m Member[I, M], from core.Rank, n Notice,
	out []core.Effect) []core.Effect {
	reason := ""
	switch next := s.Committed + 1; {
	case n.Kind == Request:
		return s.Request(m, out)
	case n.Life != m.Life():
		reason = "other incarnation of the group"
	case n.Kind == Marker && n.Number == next+1:
		// its sender has seen the commit that is still on its way to us
		return s.marker(m, from, s.commit(m, out))
	case n.Kind == Marker && n.Number == next:
		return s.marker(m, from, out)
	case n.Kind == Saved && s.Taking && n.Number == next:
		return s.saved(m, out)
	case n.Kind == Committed && s.Taking && n.Number == next:
		return s.commit(m, out)
	default:
		reason = [...]string{"", "marker", "image", "commit"}[n.Kind] + " of another checkpoint"
	}
	return append(out, core.DropInput(from.Proc(), core.MsgID{}, reason))
}

// marker closes one channel of the cut; the first marker begins it here.
func (s *State[I, M]) marker(m Member[I, M], from core.Rank, out []core.Effect) []core.Effect {
	if !s.Taking {
		out = s.take(m, out)
	}
	list, _ := senders(m)
	s.Cut.Mark(place(list, from), 0)
	return s.finish(m, out)
}

// finish stores the image when every channel is closed.
func (s *State[I, M]) finish(m Member[I, M], out []core.Effect) []core.Effect {
	if !s.Cut.Marked() {
		return out
	}
	if styleOf(m) == Blocking {
		s.Image = m.Image()
	}
	m.Close(s.Image, s.Cut)
	s.Cut.Forget()
	return append(out, Persist(ImageKey, s.Committed+1, core.Encode(s.Image)))
}

// Persisted goes on when a record is stable.
func (s *State[I, M]) Persisted(m Member[I, M], key string, out []core.Effect) []core.Effect {
	members, self := m.Group()
	switch key {
	case Record(ImageKey, s.Committed+1):
		n := s.notice(m, Saved)
		if self != 0 {
			return append(out, core.SendTo(members[0].Proc(), m.Notice(n)))
		}
		return s.Received(m, members[0], n, out)
	case Record(CommitKey, s.Committed+1):
		return s.commit(m, s.tell(m, Committed, out))
	}
	return append(out, core.DropInput(members[self].Proc(), core.MsgID{},
		"record of an older checkpoint"))
}

// saved counts stable images at the first member; the last one lets it write the commit record.
func (s *State[I, M]) saved(m Member[I, M], out []core.Effect) []core.Effect {
	members, _ := m.Group()
	if s.Saved++; s.Saved < len(members) {
		return out
	}
	return append(out, Persist(CommitKey, s.Committed+1, []byte{1}))
}

// commit makes the checkpoint under way the line and removes the one before.
func (s *State[I, M]) commit(m Member[I, M], out []core.Effect) []core.Effect {
	old, image := s.Committed, s.Image
	*s = State[I, M]{Committed: old + 1}
	out = m.Commit(image, out)
	if k, ok := any(m).(Keeper); old == 0 || ok && k.KeepsOlder() {
		return out
	}
	out = append(out, Persist(ImageKey, old, nil))
	if _, self := m.Group(); self == 0 {
		out = append(out, Persist(CommitKey, old, nil))
	}
	return out
}

// Restore begins a later life at the line: it returns our image, or nil for the initial state.
func (s *State[I, M]) Restore(m Member[I, M], records []core.Record) (*I, error) {
	members, self := m.Group()
	number, _ := Last(records, CommitKey, members[0].Proc())
	*s = State[I, M]{Committed: number}
	if number == 0 {
		return nil, nil
	}
	image := new(I)
	return image, Load(records, members[self].Proc(), number, image)
}
