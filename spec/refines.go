package spec

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/spec/hydee"
	"github.com/domino-check/domino/spec/trace"
)

// Abstract is the program as an application of the abstract HydEE, by what its ranks do without
// failures; the error says why it is none. It must be send-deterministic.
func Abstract(l *trace.Layout, o *Oracle) (*hydee.Application, error) {
	clusters := l.Clusters
	if clusters == nil {
		for r := range l.Ranks {
			clusters = append(clusters, r)
		}
	}
	var sends []hydee.Send
	for id, fact := range o.Sent {
		sends = append(sends, hydee.Send{ID: id, To: trace.Rank(fact.To), Needs: o.Before[id]})
	}
	a, err := hydee.New(clusters, sends)
	if err != nil {
		return nil, err
	}
	if hypothesis, first, second := a.Check(); hypothesis != "" {
		return nil, fmt.Errorf("%s of proofs/coq does not hold of %s and %s", hypothesis,
			l.Label(a.Messages[first].ID), l.Label(a.Messages[second].ID))
	}
	return a, nil
}

// abstracted reports whether the protocol is held against the abstract HydEE.
func abstracted(f *Facts) bool { return f.Phases && (f.Abstract != nil || f.Unlike != nil) }

// needsAbstract is what abstracted asks for.
const needsAbstract = "Phases, and a send-deterministic program that can be explored alone"

// Refines: a run of the protocol is one of the abstract HydEE, which is proved right for any number
// of ranks, clusters and failures (proofs/coq, HydEEReplay). What the ranks do is mapped so:
//
//   - a message that leaves with its send is the send, and so is the notice of an orphan that does
//     not leave;
//   - a copy that leaves out of a log is the release of a message that is held; what a restarted
//     rank finds inside its cluster is released in silence, which refines-arrivals judges;
//   - the clusters of a round fail when the last rank joins it. Until then ranks are in the round
//     before, and what they do is judged when they do it there: in another run, if somebody else is
//     further here. So the state is shown by those who take part in the newest round with their
//     present lives (joined); of others it is not known what they will go back to, and nothing is
//     held against anybody that depends on it;
//   - what the recovery process allows are all sends up to a phase, for as long as the round goes
//     on: it is asked of each orphan whether the abstract protocol would allow that;
//   - everything else is no step: checkpoints, acknowledgements, and messages of recoveries.
//
// In a state of the abstract protocol the past of a message that may be sent has been sent
// (causal_replay, causal_release). That is asked, too: of a state that is known in part it says
// more than the guards do.
//
// It reads the histories, lives and rounds of all ranks. A longer history of a rank that is not the
// sender's only adds orphans, and a rank that joins only adds to what is known, so a step that is
// taken first hides nothing.
var Refines = register(Property{
	Name: "refines", Kind: Always, Global: true,
	Source:  "[HydEE] Theorem 1; proofs/coq causal_replay, causal_release",
	Applies: abstracted, Needs: needsAbstract,
	Doc: "each send, each copy that leaves a log and each gate is one that the abstract HydEE " +
		"allows, which is proved right, in the state of the ranks that take part in the round",
	Event: func(f *Facts, v View, e trace.Event) string {
		if e.Kind == trace.Emitted && f.Unlike != nil {
			return f.Unlike.Error()
		}
		switch as, e := refinedAs(f, v, e); as {
		case AsGate:
			return f.refinesGate(v, e)
		case AsSend, AsCopy:
			return f.refinesSend(v, e)
		}
		return ""
	},
})

// As what refines judges an event.
const (
	AsSend = "send" // of a message of the program, or of the notice that it would be
	AsCopy = "copy" // of one that comes out of a log
	AsGate = "gate" // what the recovery process allows
)

// RefinedAs says as what refines judges an event, "" for one that it has nothing to say of. A run
// of which it judges nothing is not held against anything.
func RefinedAs(f *Facts, v View, e trace.Event) string {
	as, _ := refinedAs(f, v, e)
	return as
}

// refinedAs is RefinedAs, with the event as it is judged.
func refinedAs(f *Facts, v View, e trace.Event) (string, trace.Event) {
	meaning := f.Layout.Kinds[e.Text]
	switch {
	case e.Kind != trace.Emitted || f.Abstract == nil:
		return "", e
	case meaning == trace.Gate && e.Stamp.Round == newestRound(f, v):
		return AsGate, e
	}
	h := v.Observed(e.Proc).History
	if meaning == trace.Replay && h != nil {
		e.ID = trace.MsgID{From: trace.Rank(e.Proc), Number: h.Sent}
	}
	// genuine says of what is received that no run sends it
	if _, known := f.Abstract.Place(e.ID); h == nil || !known {
		return "", e
	}
	if e.Again {
		return AsCopy, e
	}
	return AsSend, e
}

// refinesSend holds a send or a copy out of a log against the abstract protocol.
func (f *Facts) refinesSend(v View, e trace.Event) string {
	own := v.Observed(e.Proc)
	i, _ := f.Abstract.Place(e.ID)
	round := newestRound(f, v)
	takesPart := joined(own, round) && e.Stamp.Round == round
	s := f.abstractState(v, func(r trace.Proc, o Observed) bool {
		return r == e.Proc || takesPart && joined(o, round)
	})
	step := hydee.Step{Kind: hydee.Sends, Message: i}
	if e.Again {
		step.Kind = hydee.Releases
		s.Held[i] = s.Sent[i] // what is in a log is
	} else if s.Sent[i] = false; s.Delivered[i] {
		s.Count = f.Abstract.Counts(s.Orphans()) // itself among them
	}
	who := f.life(e.Proc, own)
	if r := f.Abstract.Refuses(&s, &step); r.Guard != hydee.None {
		return f.refusal(v, &s, &step, who, r)
	}
	if takesPart {
		return f.unsentPast(v, who, i, round)
	}
	return ""
}

// abstractState is the state as those show it that are known. Of others it is what allows most:
// they have sent everything, and received nothing.
func (f *Facts) abstractState(v View, known func(trace.Proc, Observed) bool) hydee.State {
	a := f.Abstract
	n := len(a.Messages)
	sets := make([]bool, 3*n)
	s := hydee.State{Sent: sets[:n:n], Delivered: sets[n : 2*n : 2*n], Held: sets[2*n:]}
	first := 0
	for r := range f.ranks() {
		next := first
		for next < n && a.Messages[next].ID.From == r {
			next++
		}
		o := v.Observed(r.Proc())
		if o.History == nil || !known(r.Proc(), o) {
			o.History = nil
		} else {
			for _, d := range o.History.Delivered {
				if k, ok := a.Place(d.ID); ok {
					s.Delivered[k] = true
				}
			}
		}
		for i := first; i < next; i++ {
			s.Sent[i] = o.History == nil || a.Messages[i].ID.Number <= o.History.Sent
		}
		first = next
	}
	s.Count = a.Counts(s.Orphans())
	return s
}

// ownState is the state as a rank knows it that has the history: others have sent everything.
func (f *Facts) ownState(h *trace.History) hydee.State {
	n := len(f.Abstract.Messages)
	s := hydee.State{Sent: make([]bool, n), Delivered: make([]bool, n), Held: make([]bool, n)}
	for i := range s.Sent {
		s.Sent[i] = true
	}
	for _, d := range h.Delivered {
		if k, ok := f.Abstract.Place(d.ID); ok {
			s.Delivered[k] = true
		}
	}
	return s
}

// life names a proc and which of its lives it is.
func (f *Facts) life(p trace.Proc, o Observed) string {
	return fmt.Sprintf("%s (life %d)", f.name(p), o.Incarnation)
}

// refusal says which guard of the abstract protocol a step does not satisfy.
func (f *Facts) refusal(v View, s *hydee.State, step *hydee.Step, who string,
	r hydee.Refusal) string {
	a := f.Abstract
	m := &a.Messages[step.Message]
	does := fmt.Sprintf("%s sends %s", who, f.label(m.ID))
	switch {
	case step.Kind == hydee.Releases:
		does += " again"
	case step.Kind == hydee.Receives:
		does = fmt.Sprintf("%s receives %s", who, f.label(m.ID))
	}
	switch r.Guard {
	case hydee.Unread:
		return does + " a second time"
	case hydee.IsHeld:
		return does + ", and has not sent it"
	case hydee.InOrder:
		return does + ", and not " + f.As(Missing, f.label(a.Messages[r.Other].ID)) + " before it"
	case hydee.Fed:
		return does + ", and has not received " + f.As(Missing, f.label(a.Messages[r.Other].ID))
	}
	return fmt.Sprintf("%s, of phase %d, and %s", does, m.Phase, f.orphan(v, s.Orphans()[r.Other]))
}

// orphan is a clause about a message that is received and not sent.
func (f *Facts) orphan(v View, i int) string {
	m := &f.Abstract.Messages[i]
	from, to := m.ID.From.Proc(), m.To.Proc()
	text := fmt.Sprintf("orphan %s of phase %d, received by %s, is not sent again by %s",
		f.As(Missing, f.label(m.ID)), m.Phase, f.life(to, v.Observed(to)),
		f.life(from, v.Observed(from)))
	if !f.Abstract.Between(i) {
		text += ": their cluster is on no recovery line"
	}
	return text
}

// unsentPast says what of the past of a message those have not sent who take part in the round.
func (f *Facts) unsentPast(v View, who string, i int, round uint64) string {
	m := &f.Abstract.Messages[i]
	for r, need := range m.Past {
		o := v.Observed(trace.Proc(r))
		if !joined(o, round) || o.History.Sent >= need {
			continue
		}
		missing := trace.MsgID{From: trace.Rank(r), Number: o.History.Sent + 1}
		return fmt.Sprintf("%s sends %s, which depends on %s, and %s has not sent that again", who,
			f.label(m.ID), f.As(Missing, f.label(missing)), f.life(trace.Proc(r), o))
	}
	return ""
}

// refinesGate compares what the recovery process allows with the gate of the abstract protocol.
func (f *Facts) refinesGate(v View, e trace.Event) string {
	s := f.abstractState(v, func(_ trace.Proc, o Observed) bool {
		return joined(o, e.Stamp.Round)
	})
	for _, i := range s.Orphans() {
		h, m := v.Observed(f.Abstract.Messages[i].To.Proc()).History, &f.Abstract.Messages[i]
		k := slices.IndexFunc(h.Delivered, func(d trace.Delivery) bool { return d.ID == m.ID })
		if h.Delivered[k].Stamp.Phase < e.Stamp.Phase || !f.Abstract.Between(i) {
			return fmt.Sprintf("%s allows sends above phase %d, and %s",
				f.life(e.Proc, v.Observed(e.Proc)), h.Delivered[k].Stamp.Phase, f.orphan(v, i))
		}
	}
	return ""
}

// RefinesArrivals: what is received may be received in the abstract HydEE, as far as its receiver
// can tell.
var RefinesArrivals = register(Property{
	Name: "refines-arrivals", Kind: Always, Source: "proofs/coq arrival_in_order",
	Applies: abstracted, Needs: needsAbstract,
	Doc: "a message is received once, in the order of its channel, and when its receiver has " +
		"sent all that precedes it without failures",
	Event: func(f *Facts, v View, e trace.Event) string {
		o := v.Observed(e.Proc)
		if e.Kind != trace.Delivered || o.History == nil || f.Abstract == nil {
			return ""
		}
		i, known := f.Abstract.Place(e.ID)
		if !known || f.Abstract.Messages[i].To.Proc() != e.Proc {
			return "" // genuine says so
		}
		s := f.ownState(o.History)
		step := hydee.Step{Kind: hydee.Receives, Message: i}
		if r := f.Abstract.Refuses(&s, &step); r.Guard != hydee.None {
			return f.refusal(v, &s, &step, f.life(e.Proc, o), r)
		}
		if need := f.Abstract.Messages[i].Past[e.Proc]; o.History.Sent < need {
			missing := trace.MsgID{From: trace.Rank(e.Proc), Number: o.History.Sent + 1}
			return fmt.Sprintf("%s receives %s, which depends on %s, and has not sent that again",
				f.life(e.Proc, o), f.label(e.ID), f.As(Missing, f.label(missing)))
		}
		return ""
	},
})
