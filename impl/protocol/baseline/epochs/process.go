package epochs

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// outstanding is one message that was received and is not sent again yet.
type outstanding struct {
	_      struct{}  `cbor:",toarray"`
	Source core.Rank `json:"source"`
	To     core.Rank `json:"to"`
	Date   uint32    `json:"date"`
	Phase  uint32    `json:"phase"`
}

// member is what the recovery process knows of one rank.
type member struct {
	_        struct{}         `cbor:",toarray"`
	Life     core.Incarnation `json:"life"`     // the newest that it has heard of
	Reported bool             `json:"reported"` // in this round
	Fresh    bool             `json:"fresh"`    // it has failed
	Awaited  bool             `json:"awaited"`  // it is on its way back
	Images   []mark           `json:"images"`   // oldest first, from its line
	Now      mark             `json:"now"`      // where it is, or goes back to; of this round
	Received [][]reception    `json:"received"` // by source; of this round
}

// stage is how far a recovery is.
type stage uint8

// The stages.
const (
	quiet      stage = iota // no recovery, or orphans are being executed again
	collecting              // not all reports are here
	returning               // not all are back
)

// processState is the state of the recovery process. All of it is volatile: a replacement begins a
// recovery of its own.
type processState struct {
	_        struct{}         `cbor:",toarray"`
	Round    core.Incarnation `json:"round"`
	Stage    stage            `json:"stage"`
	Members  []member         `json:"members"`
	Orphans  []outstanding    `json:"orphans"`  // ordered
	Frontier uint32           `json:"frontier"` // as last announced
	Halted   bool             `json:"halted"`
}

// process is the recovery process: it finds where everybody goes back to, and lets the phases run
// in their order.
type process struct {
	core.Service
	*config
	s processState
}

// A round is numbered by the life of the recovery process, and how many it has begun.
const (
	roundBits = 16
	maxRounds = 1<<roundBits - 1
)

func (r *process) State() []any { return []any{&r.s} }

func (r *process) Step(in core.Input, out []core.Effect) []core.Effect {
	if r.s.Halted {
		return append(out, core.DropInput(in.From, core.MsgID{}, "halted"))
	}
	switch in.Kind {
	case core.Start:
		r.reset()
		return out
	case core.Restore:
		r.reset()
		r.s.Round = in.Incarnation << roundBits
		return r.beginRound(out)
	case core.Received:
		return r.received(core.Rank(in.From), in.Message.(*message), out)
	}
	return append(out, core.DropInput(in.From, core.MsgID{}, "no handler"))
}

// reset is the state before anything has happened.
func (r *process) reset() {
	r.s = processState{Members: make([]member, r.ranks), Frontier: infinite}
	for q := range r.s.Members {
		r.s.Members[q].Images = []mark{r.beginning(core.Rank(q))}
	}
}

// received dispatches a message.
func (r *process) received(from core.Rank, m *message, out []core.Effect) []core.Effect {
	switch {
	case m.Kind == hello:
		return r.restarted(from, m, out)
	case m.Kind == there && (m.Round != r.s.Round || !r.s.Members[from].Awaited):
		return r.restarted(from, m, out) // back of a recovery that is not going on
	case m.Round != r.s.Round:
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "old round"))
	case m.Kind == report:
		return r.report(from, m, out)
	case m.Kind == there:
		r.s.Members[from].Awaited, r.s.Members[from].Life = false, m.Incarnation
		return r.proceed(out)
	case m.Kind == orphan:
		return r.orphanDone(from, m, out)
	case m.Kind == saved:
		return r.saved(from, m, out)
	}
	return append(out, core.DropInput(from.Proc(), core.MsgID{}, "no handler"))
}

// restarted hears of a failure. What this recovery has found out is not so any more, unless it was
// still to hear from that rank.
func (r *process) restarted(from core.Rank, m *message, out []core.Effect) []core.Effect {
	p := &r.s.Members[from]
	if m.Incarnation <= p.Life {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "known"))
	}
	p.Life = m.Incarnation
	if r.s.Stage == collecting && !p.Reported {
		return append(out, core.SendTo(from.Proc(), &message{Kind: begin, Round: r.s.Round}))
	}
	// Deviation: EP9 goes on with the recovery that has begun
	if r.has(EP9) && (r.s.Stage != quiet || len(r.s.Orphans) > 0) {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "in a recovery"))
	}
	return r.beginRound(out)
}

// beginRound freezes everybody and asks where they are.
func (r *process) beginRound(out []core.Effect) []core.Effect {
	if r.s.Round&maxRounds == maxRounds {
		r.s.Halted = true
		return append(out, core.Halted(fmt.Sprintf(
			"this life of the recovery process has begun %d recoveries", maxRounds)))
	}
	r.s.Round++
	r.s.Stage, r.s.Orphans, r.s.Frontier = collecting, nil, 0
	for q := range r.s.Members {
		p := &r.s.Members[q]
		p.Reported, p.Fresh, p.Awaited, p.Received, p.Now = false, false, false, nil, mark{}
		out = append(out, core.SendTo(core.Proc(q), &message{Kind: begin, Round: r.s.Round}))
	}
	return out
}

// report takes down where one rank is. With the last one, it is known where all go back to.
func (r *process) report(from core.Rank, m *message, out []core.Effect) []core.Effect {
	p := &r.s.Members[from]
	if p.Reported || m.Incarnation < p.Life {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "second report"))
	}
	p.Life, p.Reported, p.Fresh = m.Incarnation, true, m.Fresh
	p.Images, p.Now, p.Received = nil, m.Present.clone(), nil
	for i := range m.Marks {
		p.Images = append(p.Images, m.Marks[i].clone())
	}
	for _, list := range m.Received {
		p.Received = append(p.Received, slices.Clone(list))
	}
	for q := range r.s.Members {
		if !r.s.Members[q].Reported {
			return out
		}
	}
	return r.aim(out)
}

// aim finds the line and tells those that are not there.
func (r *process) aim(out []core.Effect) []core.Effect {
	states, live := make([][]mark, r.ranks), make([]bool, r.ranks)
	failed := core.Rank(0)
	for q := range r.s.Members {
		p := &r.s.Members[q]
		states[q], live[q] = p.Images, !p.Fresh
		if live[q] {
			states[q] = append(slices.Clone(p.Images), p.Now)
		}
	}
	if first := slices.Index(live, false); first > 0 {
		failed = core.Rank(first)
	}
	at := line(states, live)
	r.s.Stage = returning
	for q := range r.s.Members {
		if at[q] < len(states[q])-1 && r.has(EP14) {
			at[q] = 0 // Deviation: EP14 goes back farther than it has to
		}
		p, to := &r.s.Members[q], &states[q][at[q]]
		stays := at[q] == len(states[q])-1
		what := trace.LineBack
		if stays && live[q] {
			what = trace.LineStays
		}
		lined := core.Lined(core.Rank(q), what, uint64(r.s.Round), to.Sends, to.Deliveries)
		if lined.Stamp.Phase = uint64(to.Epoch); !live[q] {
			lined.Stamp.Date = uint64(p.Now.Epoch) // for no-domino
		}
		out = append(out, lined)
		if stays {
			continue
		}
		p.Images, p.Now, p.Awaited = states[q][:at[q]+1], *to, true
		out = append(out, core.SendTo(core.Proc(q), &message{Kind: back, Round: r.s.Round,
			Incarnation: p.Life, Number: to.Number, To: failed}))
	}
	return r.proceed(out)
}

// proceed, when all are where the line is, finds the orphans and lets everybody go on.
func (r *process) proceed(out []core.Effect) []core.Effect {
	for q := range r.s.Members {
		if r.s.Members[q].Awaited {
			return out
		}
	}
	again := make([][][]uint32, r.ranks) // by source and receiver
	counts := make([][]uint32, r.ranks)
	for i := range again {
		again[i], counts[i] = make([][]uint32, r.ranks), make([]uint32, r.ranks)
		for j := range r.s.Members {
			to := &r.s.Members[j]
			counts[i][j] = to.Now.Taken[i]
			for _, m := range to.Received[i] {
				if m.Date > r.s.Members[i].Now.Sent[j] && m.Date <= to.Now.Taken[i] {
					again[i][j] = append(again[i][j], m.Epoch)
					r.s.Orphans = append(r.s.Orphans, outstanding{Source: core.Rank(i),
						To: core.Rank(j), Date: m.Date, Phase: m.Phase})
				}
			}
		}
	}
	slices.SortFunc(r.s.Orphans, compare)
	r.s.Stage, r.s.Frontier = quiet, r.least()
	for q := range r.s.Members {
		p := &r.s.Members[q]
		p.Received, p.Now = nil, mark{}
		out = append(out, core.SendTo(core.Proc(q), &message{Kind: resume, Round: r.s.Round,
			Incarnation: p.Life, Counts: counts[q], Again: again[q], Phase: r.s.Frontier}))
	}
	return out
}

// least is the phase up to which messages may leave: the least one of which an orphan is
// outstanding.
func (r *process) least() uint32 {
	switch {
	case len(r.s.Orphans) == 0:
		return infinite
	case r.has(EP7):
		// Deviation: EP7 lets a phase run while orphans of a lower one are outstanding
		return r.s.Orphans[len(r.s.Orphans)-1].Phase
	}
	return r.s.Orphans[0].Phase
}

// orphanDone takes one orphan off the list, and announces the next phase.
func (r *process) orphanDone(from core.Rank, m *message, out []core.Effect) []core.Effect {
	at := slices.IndexFunc(r.s.Orphans, func(o outstanding) bool {
		return o.Source == from && o.To == m.To && o.Date == m.Number
	})
	if at < 0 {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "no such orphan"))
	}
	if o := r.s.Orphans[at]; o.Phase != m.Phase && r.rule == safe && !r.has(EP12) {
		r.s.Halted = true
		return append(out, core.Halted(fmt.Sprintf("program is not send-deterministic: rank %d "+
			"sends to rank %d again, with date %d, in phase %d, and it was received in phase %d",
			from, m.To, m.Number, m.Phase, o.Phase)))
	}
	r.s.Orphans = slices.Delete(slices.Clone(r.s.Orphans), at, at+1)
	if least := r.least(); least > r.s.Frontier {
		r.s.Frontier = least
		for q := range r.s.Members {
			out = append(out, core.SendTo(core.Proc(q),
				&message{Kind: opens, Round: r.s.Round, Phase: least}))
		}
	}
	return out
}

// saved takes down an image, and finds the line behind which no recovery goes, whoever fails: the
// one of everybody. It only advances: an image that was good enough for the images of the others
// then is for what they have later.
func (r *process) saved(from core.Rank, m *message, out []core.Effect) []core.Effect {
	p := &r.s.Members[from]
	p.Images = append(slices.Clone(p.Images), m.Present.clone())
	states := make([][]mark, r.ranks)
	for q := range r.s.Members {
		states[q] = r.s.Members[q].Images
	}
	for q, at := range line(states, make([]bool, r.ranks)) {
		if at > 0 {
			p := &r.s.Members[q]
			p.Images = slices.Clone(p.Images[at:])
			out = append(out, core.SendTo(core.Proc(q),
				&message{Kind: onwards, Number: p.Images[0].Number}))
		}
	}
	return out
}

// compare orders orphans by phase, then by channel.
func compare(a, b outstanding) int {
	return cmp.Or(cmp.Compare(a.Phase, b.Phase), cmp.Compare(a.Source, b.Source),
		cmp.Compare(a.To, b.To), cmp.Compare(a.Date, b.Date))
}
