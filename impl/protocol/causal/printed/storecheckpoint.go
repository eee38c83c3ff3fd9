package printed

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
)

// STORECHECKPOINT ([CAMEL] Alg. 1 l. 26). "The CHECKPOINT procedure assumes the checkpoint call is
// globally coordinated", "with no in-flight messages", and stores "in a safe place" (sections 2.3
// and 2.3.1); how, and what a failure at that moment does, is left to whoever has such a call. Here
// all store, rank 0 writes that all have, everybody says that it restarts from there, and only then
// they empty their logs (l. 23-25) and go on. The image is that of empty logs.

// saving is the state of STORECHECKPOINT.
type saving struct {
	_      struct{} `cbor:",toarray"`
	Wanted uint32   `json:"wanted"` // checkpoints that the program has called
	Line   uint32   `json:"line"`   // from which this process restarts
	Empty  uint32   `json:"empty"`  // and for which its logs are empty
	Moved  []uint32 `json:"moved"`  // by rank: from which that one restarts
	Stored bool     `json:"stored"` // image Wanted is stable
	// of the image: sends and deliveries of the program
	Sent     uint32    `json:"sent"`
	Received uint32    `json:"received"`
	Later    []arrival `json:"later"` // sent behind a checkpoint that is not complete here

	// of rank 0
	Known     uint32    `json:"known"`     // complete checkpoints
	Saved     []bool    `json:"saved"`     // whose image Known+1 is stable
	Recording bool      `json:"recording"` // that all are is being written
	Calls     []Message `json:"calls"`     // of FAILURE, meanwhile
}

// arrival is a message and who has put it on the network.
type arrival struct {
	_       struct{}  `cbor:",toarray"`
	From    core.Rank `json:"from"`
	Message Message   `json:"message"`
}

// image is what the checkpoint of one process holds.
type image struct {
	_          struct{}           `cbor:",toarray"`
	App        []byte             `json:"app"`
	SSN        uint32             `json:"ssn"`
	RSN        uint32             `json:"rsn"`
	RsnMap     Map                `json:"rsnMap"`
	IncMap     []core.Incarnation `json:"incMap"`
	Deliveries uint32             `json:"deliveries"`
	Groups     []Group            `json:"groups"`
}

// checkpoint stores the image; the program waits until everybody's is there.
func (l *Layer) checkpoint(out []core.Effect) []core.Effect {
	sv := &l.S.Saving
	sv.Wanted++
	sv.Stored = false
	for q := range l.S.Arrived {
		if len(l.S.Arrived[q]) > 0 {
			return append(out, core.Halted(fmt.Sprintf("checkpoint %d is called before %s",
				sv.Wanted, "what has arrived is received")))
		}
	}
	app := l.app.Image()
	sv.Sent, sv.Received = l.app.Position(app)
	img := image{App: app, SSN: l.S.SSN, RSN: l.S.RSN, RsnMap: l.S.RsnMap, IncMap: l.S.IncMap,
		Deliveries: l.S.Deliveries, Groups: l.S.Groups}
	return append(out, snapshot.Persist(snapshot.ImageKey, sv.Wanted, core.Encode(&img)))
}

// tell sends to a rank, or handles at once what is for ourselves.
func (l *Layer) tell(to core.Rank, m Message, out []core.Effect) []core.Effect {
	m.Inc = l.S.Inc
	if to == l.Rank {
		return l.received(to, &m, out)
	}
	return l.NetSend(m, to, out)
}

// persisted goes on when a record is stable.
func (l *Layer) persisted(key string, out []core.Effect) []core.Effect {
	sv := &l.S.Saving
	switch key {
	case snapshot.Record(snapshot.ImageKey, sv.Wanted):
		sv.Stored = true
		return l.tell(0, Message{Kind: Saved, Line: sv.Wanted}, out)
	case snapshot.Record(snapshot.CommitKey, sv.Known+1):
		sv.Known++
		sv.Recording, sv.Saved = false, make([]bool, l.ranks)
		for q := range core.Rank(l.ranks) {
			out = l.tell(q, Message{Kind: Commit, Line: sv.Known}, out)
		}
		out = append(out, snapshot.Persist(snapshot.CommitKey, sv.Known-1, nil))
		calls := sv.Calls
		sv.Calls = nil
		for i := range calls {
			out = l.failure(calls[i].Sender, &calls[i], out)
		}
		return out
	}
	return append(out, core.DropInput(l.Rank.Proc(), core.MsgID{}, "record of another checkpoint"))
}

// saved counts images at rank 0.
func (l *Layer) saved(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	sv := &l.S.Saving
	switch {
	case m.Line <= sv.Known:
		return l.tell(from, Message{Kind: Commit, Line: m.Line}, out)
	case sv.Recording || m.Inc < l.S.IncMap[from]:
		return Drop(m, from, "image of a former life, or counted", out)
	}
	sv.Saved[from] = true
	if slices.Contains(sv.Saved, false) {
		return out
	}
	sv.Recording = true
	return append(out, snapshot.Persist(snapshot.CommitKey, m.Line, []byte{1}))
}

// repeatSaved forgets the image of a failed process, which it will store again, and repeats to a
// failed rank 0 that ours is there.
func (l *Layer) repeatSaved(y core.Rank, out []core.Effect) []core.Effect {
	sv := &l.S.Saving
	if l.Rank == 0 {
		sv.Saved[y] = false
	}
	if y == 0 && sv.Wanted > sv.Line && sv.Stored {
		return l.tell(0, Message{Kind: Saved, Line: sv.Wanted}, out)
	}
	return out
}

// commit completes the checkpoint.
func (l *Layer) commit(m *Message, out []core.Effect) []core.Effect {
	sv := &l.S.Saving
	if m.Line != sv.Line+1 || m.Line != sv.Wanted || !sv.Stored {
		return Drop(m, 0, "commit of another checkpoint", out)
	}
	sv.Line = m.Line
	out = append(out, core.Effect{Kind: core.Commit, Sent: sv.Sent, Received: sv.Received})
	if m.Line > 1 {
		out = append(out, snapshot.Persist(snapshot.ImageKey, m.Line-1, nil))
	}
	return l.move(out)
}

// move says from where this process restarts.
func (l *Layer) move(out []core.Effect) []core.Effect {
	for q := range core.Rank(l.ranks) {
		out = l.tell(q, Message{Kind: Moved, Line: l.S.Saving.Line}, out)
	}
	return out
}

// moved lets the program go on when everybody restarts from its checkpoint.
func (l *Layer) moved(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	sv := &l.S.Saving
	sv.Moved[from] = max(sv.Moved[from], m.Line)
	if sv.Empty == sv.Line || slices.Min(sv.Moved) < sv.Line {
		return out
	}
	sv.Empty = sv.Line
	out = l.empty(out)
	later := sv.Later
	sv.Later = nil
	for i := range later {
		out = l.received(later[i].From, &later[i].Message, out)
	}
	return out
}

// Beyond reports whether a message was sent behind a checkpoint that is not complete here.
func (l *Layer) Beyond(msg *Message) bool { return msg.Epoch > l.S.Saving.Empty }

// Postpone keeps such a message until it is.
func (l *Layer) Postpone(from core.Rank, msg *Message, out []core.Effect) []core.Effect {
	l.S.Saving.Later = append(slices.Clip(l.S.Saving.Later), arrival{From: from, Message: *msg})
	return out
}

// Crossed gives up over a message that was on its way while all took a checkpoint.
func (l *Layer) Crossed(msg *Message, out []core.Effect) ([]core.Effect, bool) {
	if msg.Epoch >= l.S.Saving.Wanted {
		return out, false
	}
	return append(out, core.Halted(fmt.Sprintf(
		"checkpoint %d while a message of rank %d is on its way: it must be called where nothing "+
			"is", l.S.Saving.Wanted, msg.Sender))), true
}

// load puts the last complete checkpoint in place.
func (l *Layer) load(records []core.Record, out []core.Effect) ([]core.Effect, error) {
	number, _ := snapshot.Last(records, snapshot.CommitKey, 0)
	if number == 0 {
		return out, nil
	}
	var img image
	if err := snapshot.Load(records, l.Rank.Proc(), number, &img); err != nil {
		return out, err
	}
	l.app.Load(img.App)
	l.S.SSN, l.S.RSN, l.S.RsnMap, l.S.Deliveries = img.SSN, img.RSN, img.RsnMap, img.Deliveries
	copy(l.S.IncMap, img.IncMap)
	copy(l.S.Groups, img.Groups)
	sv := &l.S.Saving
	sv.Wanted, sv.Line, sv.Empty, sv.Stored = number, number, number, true
	if l.Rank == 0 {
		sv.Known = number
	}
	sv.Sent, sv.Received = l.app.Position(img.App)
	return append(out, core.Effect{Kind: core.Commit, Sent: sv.Sent, Received: sv.Received}), nil
}
