package epochs

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// The records on stable storage: images, with their numbers behind, and where a rank that lives
// goes back to.
const (
	imageKey = "image/"
	backKey  = "back"
)

// image is one checkpoint of one rank. What has arrived and was not delivered is not in it: its
// sender has it.
type image struct {
	_        struct{}      `cbor:",toarray"`
	Mark     mark          `json:"mark"`
	App      []byte        `json:"app"`
	Phase    uint32        `json:"phase"`
	Logs     []messageLog  `json:"logs"`
	Received [][]reception `json:"received"`
}

// aim is the record of a rank that goes back: Kept are the images up to the one that it goes back
// to, and what has a higher number, up to Last, is undone, whether it is deleted or not.
type aim struct {
	_     struct{}         `cbor:",toarray"`
	Round core.Incarnation `json:"round"`
	Life  core.Incarnation `json:"life"` // of the rank that goes back
	Kept  []uint32         `json:"kept"`
	Last  uint32           `json:"last"`
}

// present is the state that the rank is in.
func (l *layer) present(app []byte) mark {
	m := mark{Epoch: l.s.Epoch, SPE: make([]uint32, l.ranks)}
	m.Sent, m.Taken = l.s.Channels.Counts()
	for q := range l.s.Peers {
		m.SPE[q] = l.s.Peers[q].SPE
	}
	m.Sends, m.Deliveries = l.app.Position(app)
	return m
}

// checkpoint takes an image when convenient: not in the middle of another one, nor while it is
// found out where everybody goes back to.
func (l *layer) checkpoint(out []core.Effect) []core.Effect {
	if l.s.Frozen || l.s.Writing != nil {
		l.s.Wanted = true
		return out
	}
	if l.s.Epoch == l.last(l.rank) {
		return out // the epochs of the next group begin here
	}
	l.s.Wanted = false
	l.s.Epoch++
	l.s.Last++
	if l.rule != safe || l.has(EP12) { // Deviation: EP12 raises the phase with the epoch
		l.s.Phase++
	}
	img := image{App: l.app.Image(), Phase: l.s.Phase}
	img.Mark = l.present(img.App)
	img.Mark.Number = l.s.Last
	for q := range l.s.Peers {
		p := &l.s.Peers[q]
		log := p.Log
		if l.has(EP5) { // Deviation: EP5 saves what is logged, not what is not acknowledged
			log = slices.DeleteFunc(slices.Clone(log), func(e entry) bool { return e.Epoch == 0 })
		}
		img.Logs, img.Received = append(img.Logs, log), append(img.Received, p.Received)
	}
	m := img.Mark
	l.s.Writing = &m
	return append(out, core.Effect{Kind: core.Persist, Key: fmt.Sprint(imageKey, m.Number),
		Value: core.Encode(&img)})
}

// persisted goes on when a record is stable.
func (l *layer) persisted(key string, out []core.Effect) []core.Effect {
	switch {
	case key == backKey:
		return l.leave(out)
	case l.s.Writing == nil || key != fmt.Sprint(imageKey, l.s.Writing.Number):
		return out
	}
	m := *l.s.Writing
	l.s.Writing, l.s.Images = nil, append(l.s.Images, m)
	out = append(out, core.Imaged(trace.ImageBasic, uint64(m.Number), uint64(m.Epoch), m.Sends,
		m.Deliveries))
	if l.s.Owes {
		return l.report(out)
	}
	out = append(out, core.SendTo(l.recoveryProcess(),
		l.out.New(message{Kind: saved, Round: l.s.Round, Present: m})))
	if l.s.Wanted {
		return l.checkpoint(out)
	}
	return out
}

// commit takes the line behind which no recovery goes. What the older images hold is not needed any
// more; the others learn with the next acknowledgement what they need not keep.
func (l *layer) commit(number uint32, out []core.Effect) []core.Effect {
	at := slices.IndexFunc(l.s.Images, func(m mark) bool { return m.Number == number })
	if at <= 0 {
		return append(out, core.DropInput(l.recoveryProcess(), core.MsgID{}, "old line"))
	}
	m := &l.s.Images[at]
	out = append(out, core.Effect{Kind: core.Commit, Sent: m.Sends, Received: m.Deliveries})
	for q := range l.s.Peers {
		p := &l.s.Peers[q]
		p.LineSent, p.LineTaken = m.Sent[q], m.Taken[q]
	}
	for _, old := range l.s.Images[:at] {
		if old.Number > 0 {
			out = append(out, core.Effect{Kind: core.Persist,
				Key: fmt.Sprint(imageKey, old.Number)})
		}
	}
	l.s.Images = slices.Clone(l.s.Images[at:])
	return out
}

// restore starts from the newest image that is not undone, or from the beginning, and says so.
func (l *layer) restore(in core.Input, out []core.Effect) []core.Effect {
	l.reset()
	l.s.Incarnation, l.s.Frozen, l.s.Fresh, l.s.Frontier = in.Incarnation, true, true, 0
	to, images, err := l.read(in.Records)
	if err != nil {
		return append(out, core.Halted(err.Error()))
	}
	for i := range images {
		l.s.Images = append(l.s.Images, images[i].Mark)
	}
	if len(images) > 0 {
		l.load(&images[len(images)-1])
	}
	if l.s.Unjoined = to.Round == 0 || to.Life+1 != in.Incarnation; l.s.Unjoined {
		return append(out, core.SendTo(l.recoveryProcess(),
			l.out.New(message{Kind: hello, Incarnation: in.Incarnation})))
	}
	l.s.Round = to.Round
	return append(out, core.SendTo(l.recoveryProcess(),
		l.out.New(message{Kind: there, Round: to.Round, Incarnation: in.Incarnation})))
}

// load puts an image back.
func (l *layer) load(img *image) {
	l.app.Load(img.App)
	l.s.Epoch, l.s.Phase = img.Mark.Epoch, img.Phase
	for q := range l.s.Peers {
		p, ch := &l.s.Peers[q], &l.s.Channels[q]
		p.Log, p.Received, p.SPE = img.Logs[q], img.Received[q], img.Mark.SPE[q]
		ch.Taken = img.Mark.Taken[q]
		if !l.has(EP8) { // Deviation: EP8 begins to count again
			ch.Sent = img.Mark.Sent[q]
		}
	}
}

// read finds the images that count, oldest first. The number of the last one counts whatever became
// of it: no number is used for another image.
func (l *layer) read(records []core.Record) (to aim, images []image, err error) {
	for _, r := range records {
		if r.Key == backKey && !r.Torn {
			if err := core.Decode(r.Value, &to); err != nil {
				return to, nil, fmt.Errorf("rank %d: record %s: %w", l.rank, r.Key, err)
			}
		}
	}
	l.s.Last = to.Last
	for _, r := range records {
		var n uint32
		if found, _ := fmt.Sscanf(r.Key, imageKey+"%d", &n); found != 1 {
			continue
		}
		l.s.Last = max(l.s.Last, n)
		// Deviation: EP13 takes what is there for what counts
		if r.Torn || n <= to.Last && !slices.Contains(to.Kept, n) && !l.has(EP13) {
			continue
		}
		var img image
		if err := core.Decode(r.Value, &img); err != nil {
			return to, nil, fmt.Errorf("rank %d: record %s: %w", l.rank, r.Key, err)
		}
		images = append(images, img)
	}
	slices.SortFunc(images, func(a, b image) int {
		return cmp.Compare(a.Mark.Number, b.Mark.Number)
	})
	return to, images, nil
}
