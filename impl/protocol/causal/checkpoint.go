package causal

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/trace"
)

// saving is the coordinated checkpoint. Every rank calls it, and waits there until it is the
// recovery line. The paper calls it where no message is on its way ([CAMEL] section 2.3); here a
// mark on each channel says that all that was sent before has come, and what waits for the program
// is in the image, so messages may cross the line, though not backwards (crossing.go). The paper
// stores and empties the logs at once; here it takes three phases: all images stable, then the
// commit record of rank 0, and the logs are pruned only when everybody has moved to the new line.
//
// Nobody comes to one line twice, and no image of a line is written again. An image counts for the
// life that has written it: 1. w stores its image and fails, 2. it restarts at the line before, and
// asks rank 0. Either the record is not on its way: then the image does not count any more, and
// there is no line before w has come to it again. Or it is: then rank 0 answers when it is stable,
// and w restarts once more, at the line. If w came to a line that is there, everybody else would be
// behind it: what they send from there would get into w's image, with no determinant of it, which
// are pruned, and a torn write would destroy what everybody else relies on.
type saving struct {
	_         struct{}   `cbor:",toarray"`
	Wanted    uint32     `json:"wanted"`    // checkpoints that the program has reached
	Line      uint32     `json:"line"`      // recovery line of this rank, 0 is the initial state
	Pruned    uint32     `json:"pruned"`    // line up to which the log is pruned
	Asked     bool       `json:"asked"`     // reached before the determinants were complete
	Marks     []uint32   `json:"marks"`     // by rank: checkpoint that it has reached
	Cast      []uint32   `json:"cast"`      // by group: multicasts that its root had sent there
	Sent      uint32     `json:"sent"`      // of the image: sends and deliveries of the program
	Received  uint32     `json:"received"`  //
	Writing   bool       `json:"writing"`   // image Wanted is on its way to stable storage
	Stored    bool       `json:"stored"`    // image Wanted is stable
	Position  Position   `json:"position"`  // of image Wanted
	Known     uint32     `json:"known"`     // rank 0: last commit record that is stable
	Saved     RankSet    `json:"saved"`     // rank 0: whose image Known+1 is stable
	Done      RankSet    `json:"done"`      // rank 0: who has moved to line Known
	Positions []Position `json:"positions"` // rank 0: of the images of record Known, by rank
	// rank 0: of the images of record Known+1, as far as they are stable
	Next      []Position `json:"next"`
	Recording bool       `json:"recording"` // rank 0: the record Known+1 is on its way
	// everybody is at or after these, by rank; nil is the initial state
	Lines []Position `json:"lines"`
	// by group and child: last contribution that image Wanted includes
	Has     []uint32 `json:"has"`
	LineHas []uint32 `json:"lineHas"` // the line
	AllHave []uint32 `json:"allHave"` // rank 0: the lines of Done
}

// image is what a checkpoint of one rank holds.
type image struct {
	_        struct{}         `cbor:",toarray"`
	App      []byte           `json:"app"`
	Position Position         `json:"position"`
	Count    uint32           `json:"count"`    // deliveries of the program
	Channels Channels         `json:"channels"` // with what crosses the line
	Groups   Groups           `json:"groups"`
	Log      []Entry          `json:"log"` // contributions, see unreceived
	Inc      core.Incarnation `json:"inc"`
}

// reach notes that the program is at a checkpoint; it goes on when that is the recovery line.
func (l *Layer) reach(out []core.Effect) []core.Effect {
	sv := &l.S.Saving
	if l.S.Collecting {
		sv.Asked = true
		return out
	}
	sv.Wanted++
	l.marked = 0
	sv.Stored, sv.Writing = false, false
	if l.Has(S8) {
		return l.storeImage(out) // Deviation: S8 stores and empties at once, each rank for itself
	}
	for _, q := range l.others() {
		if l.S.Muted.has(q) {
			// after the replay: 1. w sends m to t, which is recovering, into its log alone; 2. a
			// mark would overtake m
			continue
		}
		out = l.sendMark(q, out)
	}
	return l.mayStore(out)
}

// Images is the number of the last image of this rank: one less than Wanted at a checkpoint of
// which it is not taken yet.
func (l *Layer) Images() uint32 {
	sv := &l.S.Saving
	if sv.Wanted > sv.Line && !sv.Writing && !sv.Stored {
		return sv.Wanted - 1
	}
	return sv.Wanted
}

// sendMark says that all that was sent before the checkpoint is on its way, and how many multicasts
// that were: those come through others, whose marks may overtake them. Where whom one sends to
// depends on receptions, their determinants travel on the mark: 1. r replies to a and comes to its
// checkpoint, 2. its mark to w arrives, and w stores its image, 3. r fails, and the reply is lost,
// 4. r receives what w sent first, and replies to w, whose image does not have it. Otherwise the
// messages to w, which have come, have the determinants of all that they depend on.
func (l *Layer) sendMark(to core.Rank, out []core.Effect) []core.Effect {
	m := &Message{Kind: Mark, Inc: l.S.Inc, To: l.Life(to), Number: l.S.Saving.Wanted}
	if l.replies {
		m.Dets = l.piggyback()
	}
	for g := range core.Rank(l.groups) {
		sent := uint32(0)
		if known := l.S.Groups.Find(g); known != nil {
			sent = known.Sent
		}
		m.Rounds = append(m.Rounds, sent)
	}
	return append(out, core.SendTo(to.Proc(), m))
}

// mark notes that what was sent on a channel before a checkpoint has come.
func (l *Layer) mark(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	if reason := l.Refuse(from, m); reason != "" {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, reason))
	}
	out = l.Accept(from, m.Dets, out)
	sv := &l.S.Saving
	sv.Marks[from] = max(sv.Marks[from], m.Number)
	cast := slices.Clone(m.Rounds)
	for i := range sv.Cast { // nobody but its root sends to a group
		cast[i] = max(cast[i], sv.Cast[i])
	}
	sv.Cast = cast
	return l.mayStore(out)
}

// mayStore stores the image when everything that was sent before the checkpoint has come.
func (l *Layer) mayStore(out []core.Effect) []core.Effect {
	sv := &l.S.Saving
	if sv.Wanted == sv.Line || sv.Writing || sv.Stored {
		return out
	}
	for ; l.marked < len(sv.Marks); l.marked++ {
		if sv.Marks[l.marked] < sv.Wanted && core.Rank(l.marked) != l.Rank {
			return out
		}
	}
	for i, sent := range sv.Cast {
		if !l.extension.Got(core.Group(i+1), sent) {
			return out
		}
	}
	return l.storeImage(out)
}

// storeImage writes the image of this rank.
func (l *Layer) storeImage(out []core.Effect) []core.Effect {
	sv := &l.S.Saving
	app := l.App.Image()
	sv.Writing, sv.Position = true, Position{SSN: l.S.SSN, RSN: l.S.RSN}
	sv.Sent, sv.Received = l.App.Position(app)
	img := image{App: app, Position: sv.Position, Count: l.S.Deliveries, Channels: l.S.Channels,
		Groups: l.S.Groups, Log: l.unreceived(), Inc: l.S.Inc}
	sv.Has = l.has(l.S.Groups)
	return append(out, snapshot.Persist(snapshot.ImageKey, sv.Wanted, core.Encode(&img)))
}

// unreceived are the logged contributions, which the image of their receiver may not include: a
// rank that is at its checkpoint still passes on the contributions of its subtree, after its mark.
// Programs see nothing of that: such a round ends after the line.
func (l *Layer) unreceived() (list []Entry) {
	for _, e := range l.S.Log {
		if e.Kind == Contribution && !e.Bare {
			e.Dets = nil // of before the line
			list = append(list, e)
		}
	}
	return list
}

// has is, by group and child, the last contribution that a rank in this state does not need again.
func (l *Layer) has(groups Groups) []uint32 {
	list := make([]uint32, l.groups*l.ranks)
	for i := range groups {
		g := &groups[i]
		for k, child := range l.extension.Children(core.Group(g.Place + 1)) {
			at := int(g.Place)*l.ranks + int(child)
			list[at] = g.Done
			if k < len(g.From) {
				list[at] = max(g.From[k], g.Done)
			}
		}
	}
	return list
}

// tell sends to the rank, or handles at once what is for ourselves.
func (l *Layer) tell(to core.Rank, m *Message, out []core.Effect) []core.Effect {
	m.Inc, m.To = l.S.Inc, l.Life(to)
	if to == l.Rank {
		return l.received(l.Rank, m, out)
	}
	return append(out, core.SendTo(to.Proc(), m))
}

// persisted goes on when a record is stable.
func (l *Layer) persisted(key string, out []core.Effect) []core.Effect {
	sv := &l.S.Saving
	switch key {
	case snapshot.Record(snapshot.ImageKey, sv.Wanted):
		sv.Writing, sv.Stored = false, true
		if l.Has(S8) {
			sv.Line = sv.Wanted
			out = append(out, core.Effect{Kind: core.Commit, Sent: sv.Sent, Received: sv.Received})
			everything := slices.Repeat([]Position{{SSN: ^SSN(0), RSN: ^RSN(0)}}, l.ranks)
			everything[l.Rank] = sv.Position
			return l.prune(&Message{Number: sv.Wanted, Line: everything,
				Rounds: slices.Repeat([]uint32{^uint32(0)}, l.groups*l.ranks)}, out)
		}
		return l.tell(0, &Message{Kind: Saved, Number: sv.Wanted, Line: []Position{sv.Position}},
			out)
	case snapshot.Record(snapshot.CommitKey, sv.Known+1):
		sv.Known++
		sv.Recording, sv.Saved, sv.Done = false, nil, nil
		sv.Positions, sv.Next, sv.AllHave = sv.Next, nil, nil
		for q := range core.Rank(l.ranks) {
			out = l.tell(q, &Message{Kind: CommitNotice, Number: sv.Known}, out)
		}
		out = append(out, snapshot.Persist(snapshot.CommitKey, sv.Known-1, nil))
		return l.hear(out)
	}
	return append(out, core.DropInput(l.Rank.Proc(), core.MsgID{}, "record of another checkpoint"))
}

// saved counts stable images at rank 0; the last one lets it write the commit record.
func (l *Layer) saved(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	sv := &l.S.Saving
	if reason := l.Refuse(from, m); reason != "" {
		// the life that has restarted since comes to the checkpoint again
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, reason))
	}
	switch {
	case m.Number <= sv.Known:
		return l.tell(from, &Message{Kind: CommitNotice, Number: m.Number}, out)
	case sv.Recording:
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "the record is on its way"))
	}
	if len(sv.Saved) == 0 {
		sv.Next = make([]Position, l.ranks)
	}
	sv.Saved = sv.Saved.with(from)
	sv.Next = slices.Clone(sv.Next)
	sv.Next[from] = m.Line[0]
	if sv.Saved.count() < l.ranks {
		return out
	}
	sv.Recording = true
	return append(out, snapshot.Persist(snapshot.CommitKey, m.Number, core.Encode(sv.Next)))
}

// uncount takes back that the image of a rank is stable: it has restarted, at the line before.
func (l *Layer) uncount(q core.Rank) { l.S.Saving.Saved = l.S.Saving.Saved.less(q) }

// commitNotice moves the recovery line of this rank. One that restarts hears of the line in the
// answer to its request.
func (l *Layer) commitNotice(m *Message, out []core.Effect) []core.Effect {
	sv := &l.S.Saving
	if m.Number != sv.Line+1 || m.Number != sv.Wanted || !sv.Stored {
		return append(out, core.DropInput(0, core.MsgID{}, "commit of another checkpoint"))
	}
	sv.Line, sv.LineHas = m.Number, sv.Has
	out = l.declare(out)
	if m.Number > 1 {
		out = append(out, snapshot.Persist(snapshot.ImageKey, m.Number-1, nil))
	}
	return l.moved(out)
}

// declare says where the recovery line of this rank is, and what crosses it: what was sent, or
// complete, before the line and waits for the program. All of it is in the image, and nothing else:
// nobody receives while it waits at a checkpoint.
func (l *Layer) declare(out []core.Effect) []core.Effect {
	sv := &l.S.Saving
	var crossing []trace.Item
	for _, c := range l.S.Channels {
		for i := range c.Arrived {
			if e := &c.Arrived[i]; e.Epoch < sv.Line {
				crossing = append(crossing, trace.Item{Sort: trace.Waiting, Peer: l.Rank.Proc(),
					ID: e.Payload.ID})
			}
		}
	}
	for _, i := range crossing {
		out = append(out, core.Kept(i))
	}
	out = append(out, core.Effect{Kind: core.Commit, Sent: sv.Sent, Received: sv.Received})
	for _, i := range crossing {
		out = append(out, core.Forgotten(i))
	}
	return out
}

// moved tells rank 0 that this rank is at its line, and what of the logs of others its image
// includes.
func (l *Layer) moved(out []core.Effect) []core.Effect {
	return l.tell(0, &Message{Kind: Committed, Number: l.S.Saving.Line,
		Rounds: slices.Clone(l.S.Saving.LineHas)}, out)
}

// committed counts at rank 0 who has moved; then nobody needs what is before the line.
func (l *Layer) committed(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	sv := &l.S.Saving
	if m.Number != sv.Known {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "line of another checkpoint"))
	}
	have := make([]uint32, len(m.Rounds))
	copy(have, sv.AllHave)
	// each child has one parent in a group, so the others say nothing of it
	for i, number := range m.Rounds {
		have[i] = max(have[i], number)
	}
	sv.AllHave = have
	if sv.Done = sv.Done.with(from); sv.Done.count() < l.ranks {
		return out
	}
	for q := range core.Rank(l.ranks) {
		out = l.tell(q, &Message{Kind: PruneNotice, Number: sv.Known, Line: sv.Positions,
			Rounds: slices.Clone(sv.AllHave)}, out)
	}
	return out
}

// prune removes messages and determinants of before the line ([CAMEL] Alg. 1 l. 23-25), and
// contributions that the image of their receiver has.
func (l *Layer) prune(m *Message, out []core.Effect) []core.Effect {
	if m.Number < l.S.Saving.Pruned {
		// sent by a former life of rank 0
		return append(out, core.DropInput(0, core.MsgID{}, "a later line is known"))
	}
	l.S.Saving.Pruned = m.Number
	if !l.Has(S8) {
		l.S.Saving.Lines = slices.Clone(m.Line) // the message is valid only during this step
	}
	l.S.Log = slices.DeleteFunc(l.S.Log, func(e Entry) bool {
		if e.Kind == Contribution && !e.Bare {
			if e.Number > m.Rounds[(int(e.Group)-1)*l.ranks+int(l.Rank)] {
				return false
			}
		} else if e.Epoch >= m.Number {
			return false
		}
		if e.Kind == App {
			out = append(out, core.Pruned(e.Payload.ID, e.To.Proc()))
		}
		out = append(out, core.Forgotten(e.Item(l.Rank)))
		l.drop(&e)
		return true
	})
	l.S.Dets.prune(func(d Det) bool {
		if d.RSN > m.Line[d.Recver].RSN {
			return false
		}
		out = append(out, core.Forgotten(d.item()))
		return true
	})
	return l.extension.Prune(out)
}

// before reports whether a determinant is about a reception that nobody will repeat. Such ones
// still come after the pruning, on messages that had left, and in answers.
func (l *Layer) before(d *Det) bool {
	lines := l.S.Saving.Lines
	return len(lines) > 0 && d.RSN <= lines[d.Recver].RSN
}

// resendSaving repeats to a restarted rank 0 what it may have forgotten about a checkpoint.
func (l *Layer) resendSaving(from core.Rank, out []core.Effect) []core.Effect {
	sv := &l.S.Saving
	switch {
	case from != 0 || l.Has(S8):
	case sv.Wanted > sv.Line && sv.Stored:
		return l.tell(0, &Message{Kind: Saved, Number: sv.Wanted, Line: []Position{sv.Position}},
			out)
	case sv.Line > 0:
		return l.moved(out)
	}
	return out
}

// load puts the last committed checkpoint in place.
func (l *Layer) load(records []core.Record, out []core.Effect) ([]core.Effect, error) {
	key, owner := snapshot.CommitKey, core.Proc(0)
	if l.Has(S8) {
		key, owner = snapshot.ImageKey, l.Rank.Proc()
	}
	number, record := snapshot.Last(records, key, owner)
	if number == 0 {
		return out, nil
	}
	var positions []Position
	if !l.Has(S8) {
		if err := core.Decode(record, &positions); err != nil {
			return out, fmt.Errorf("rank %d: commit record %d: %w", l.Rank, number, err)
		}
	}
	var img image
	if err := snapshot.Load(records, l.Rank.Proc(), number, &img); err != nil {
		return out, err
	}
	l.App.Load(img.App)
	l.S.SSN, l.S.RSN, l.S.Deliveries, l.S.SavedInc = img.Position.SSN, img.Position.RSN, img.Count,
		img.Inc
	l.S.Channels, l.S.Groups = img.Channels, img.Groups
	for _, e := range img.Log {
		out = l.LogOwn(e, out)
	}
	l.extension.Restored()
	sv := &l.S.Saving
	sv.Wanted, sv.Line, sv.Pruned, sv.Position, sv.Stored, sv.Lines = number, number, number,
		img.Position, true, positions
	if l.Rank == 0 {
		sv.Known, sv.Positions = number, positions
	}
	for q := range sv.Marks {
		sv.Marks[q] = number
	}
	sv.Has = l.has(img.Groups)
	sv.LineHas = sv.Has
	sv.Sent, sv.Received = l.App.Position(img.App)
	return l.declare(out), nil
}
