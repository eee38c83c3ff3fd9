package causal

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// restore begins a new incarnation at the last committed checkpoint: it tells everybody and asks
// for its determinants. The program does not run before they are complete.
func (l *Layer) restore(in core.Input, out []core.Effect) []core.Effect {
	l.reset()
	l.S.Inc = in.Incarnation
	out, err := l.load(in.Records, out)
	if err != nil {
		return append(out, core.Halted(err.Error()))
	}
	if l.Has(S6) {
		l.S.Inc = l.S.SavedInc + 1 // Deviation: S6 counts incarnations in the image
	}
	l.holders.live(&l.S.Lives, l.Rank, l.S.Inc)
	l.S.Recovering, l.S.Collecting, l.S.Round = true, true, 1
	if l.ranks == 1 {
		return l.run(out)
	}
	return l.ask(out)
}

// ask sends the request for determinants to everybody.
func (l *Layer) ask(out []core.Effect) []core.Effect {
	l.S.Answered = RankSet(nil).with(l.Rank)
	for _, q := range l.others() {
		out = append(out, core.SendTo(q.Proc(), l.request()))
	}
	return out
}

func (l *Layer) request() *Message {
	return &Message{Kind: Recover, Inc: l.S.Inc, Round: l.S.Round, Lives: slices.Clone(l.S.Lives)}
}

// recover handles the failure of a rank ([CAMEL] Alg. 1 l. 28-37), which its new incarnation
// announces. From now on nothing is sent to it until it asks for the replay, and nothing of its
// former lives is accepted: whatever was accepted is in the answer, by its determinants.
func (l *Layer) recover(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	if m.Inc < l.Life(from) && !l.Has(S6) {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "sent by a dead life"))
	}
	if l.S.Barrier.Waits || l.S.Saving.Recording {
		// Whether there is a new line is known when its record is stable. Deviation: S1, who waits
		// in the barrier hears nothing
		l.S.Deferred = append(slices.Clip(l.S.Deferred), m.kept())
		l.S.DeferredFrom = append(slices.Clip(l.S.DeferredFrom), from)
		return out
	}
	news := m.Inc > l.holders.life(l.S.Heard, from)
	if news {
		l.holders.live(&l.S.Heard, from, m.Inc)
		l.uncount(from)
	}
	if l.Has(S6) {
		// Deviation: S6 counts failures instead of asking who lives
		l.holders.live(&l.S.Lives, from, l.Life(from)+1)
	} else {
		for q, life := range l.holders.lives(m.Lives) {
			// 1. w and y restart, 2. w's request tells a of y's new life, 3. a sends to it, 4. y's
			// request comes, then the replay: too late. Who is restarting itself has nothing to
			// send, and hears of y's request before it runs.
			if l.alive(q, life) && !l.S.Collecting {
				l.S.Muted = l.S.Muted.with(q)
			}
		}
	}
	if !l.served(from, m.Inc) {
		l.S.Muted = l.S.Muted.with(from)
	}
	if l.Has(S1) {
		l.S.Barrier = barrier{Waits: true, From: from, Inc: m.Inc}
	}
	a := &Message{Kind: Answer, Inc: l.S.Inc, To: m.Inc, For: m.Inc, Round: m.Round,
		Lives: slices.Clone(l.S.Lives), Number: l.S.Saving.Known}
	a.Dets = slices.Clone(l.S.Dets.of(from))
	l.extension.Answer(from, a)
	out = append(out, core.SendTo(from.Proc(), a))
	return l.again(from, news, out)
}

// alive notes which life of a rank is the live one; it reports whether that is news.
func (l *Layer) alive(q core.Rank, life core.Incarnation) bool {
	if q == l.Rank || life <= l.Life(q) {
		return false
	}
	l.holders.live(&l.S.Lives, q, life)
	l.lost(q)
	return true
}

// again repeats what a failed rank may have forgotten of our own recovery.
func (l *Layer) again(from core.Rank, news bool, out []core.Effect) []core.Effect {
	if !news {
		return out
	}
	out = l.resendSaving(from, out)
	switch {
	case l.S.Collecting && l.Has(S14):
		// Deviation: S14 keeps the answers of before that failure
		return append(out, core.SendTo(from.Proc(), l.request()))
	case l.S.Collecting:
		// A determinant of ours may have been on its way between two others when the first answered
		// and the second failed: all answer again, knowing of the failure.
		l.S.Round++
		return l.ask(out)
	case l.S.Awaited.has(from):
		return append(out, core.SendTo(from.Proc(), l.replayRequest(from)))
	}
	return out
}

func (l *Layer) replayRequest(to core.Rank) *Message {
	return &Message{Kind: ReplayRequest, Inc: l.S.Inc, To: l.Life(to), Number: l.S.Saving.Line}
}

// answered takes what others know of our receptions ([CAMEL] Alg. 1 l. 44-51).
func (l *Layer) answered(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	// Deviation: S9 takes the answer to a former life
	current := m.For == l.S.Inc && m.Round == l.S.Round || l.Has(S9)
	if !l.S.Collecting || !current {
		out = append(out, core.DropInput(from.Proc(), core.MsgID{}, "answer to another request"))
		return l.misheard(from, m, out)
	}
	if m.Number > l.S.Saving.Line && !l.Has(S8) {
		// the record was on its way when this rank restarted: the image of its former life counts
		return append(out, core.Effect{Kind: core.Rollback})
	}
	// Nobody counts as a holder yet, not even who answered: 1. y sends m to x with a determinant,
	// 2. y fails, and x tells it, 3. y sends m again, into a new log, 4. x fails, and gets m from
	// there. It holds the determinant again only if m carries it again.
	out = l.store(identities(m.Dets), l.Rank, out)
	news := false
	for q, life := range l.holders.lives(m.Lives) {
		// Deviation: S21 learns nothing of the lives of others
		if !l.Has(S21) && l.alive(q, life) {
			news = true
		}
	}
	if news && l.f > 1 && !l.Has(S14) && !l.Has(S22) {
		// Who has answered may not have known of that failure, and may since have accepted a
		// message of the former life with a determinant of ours. Deviation: S14, and S22 for a
		// failure of before our own.
		l.S.Round++
		return l.ask(out)
	}
	out = l.extension.Answered(from, m, out)
	if l.Has(S9) {
		// Deviation: S9 counts answers and not who gave them
		l.S.Answered = first(l.S.Answered.count() + 1)
	} else {
		l.S.Answered = l.S.Answered.with(from)
	}
	if l.S.Answered.count() < l.ranks {
		return out
	}
	return l.run(out)
}

// misheard tells somebody that a request of this life is over, where the network loses order: 1. w
// asks z, and asks again, as x has failed, 2. z answers the second request, and w recovers, 3. z
// restarts, and hears of the first one: it would send nothing to w any more, which asks no more,
// and as rank 0 no longer count its image.
func (l *Layer) misheard(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	if !l.unordered || l.S.Collecting || m.For != l.S.Inc || m.Inc < l.Life(from) {
		return out
	}
	if l.alive(from, m.Inc) {
		l.S.Muted = l.S.Muted.with(from) // its own request is still to come
	}
	out = l.resendSaving(from, out)
	return append(out, core.SendTo(from.Proc(), l.replayRequest(from)))
}

// run lets the program go: receptions are recorded as far as anybody depends on them.
func (l *Layer) run(out []core.Effect) []core.Effect {
	l.S.Collecting, l.S.Answered = false, nil
	l.S.Awaited = first(l.ranks).less(l.Rank)
	for _, q := range l.others() {
		out = append(out, core.SendTo(q.Proc(), l.replayRequest(q)))
	}
	out = l.extension.Running(out)
	out = l.settle(out)
	if l.S.Saving.Line > 0 {
		out = l.moved(out)
	}
	if l.S.Saving.Asked {
		l.S.Saving.Asked = false
		out = l.reach(out)
	}
	return l.complete(out)
}

// replay sends the log again ([CAMEL] Alg. 1 l. 38-42), in the order of the sends; what is sent
// later follows on the same channel.
func (l *Layer) replay(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	if m.Inc < l.Life(from) {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "sent by a dead life"))
	}
	l.S.Muted = l.S.Muted.less(from)
	if l.unordered {
		l.S.Links.At(from).Served = m.Inc
	}
	entries := slices.Clone(l.S.Log)
	if l.Has(S5) {
		slices.Reverse(entries) // Deviation: S5 iterates over a set, so in any order
	}
	for i := range entries {
		if e := &entries[i]; l.extension.Replays(e, from) {
			out = l.Transmit(e, from, out)
		}
	}
	if l.S.Saving.Wanted > m.Number && !l.Has(S8) {
		out = l.sendMark(from, out) // the log has what is before it alone
	}
	out = append(out, core.SendTo(from.Proc(), &Message{Kind: ReplayEnd, Inc: l.S.Inc, To: m.Inc}))
	return l.leaveBarrier(from, m.Inc, out)
}

// leaveBarrier ends the wait of erratum S1.
func (l *Layer) leaveBarrier(from core.Rank, inc core.Incarnation,
	out []core.Effect) []core.Effect {
	if l.S.Barrier != (barrier{Waits: true, From: from, Inc: inc}) {
		return out
	}
	l.S.Barrier = barrier{}
	return l.hear(out)
}

// hear handles the requests that had to wait.
func (l *Layer) hear(out []core.Effect) []core.Effect {
	deferred, senders := l.S.Deferred, l.S.DeferredFrom
	l.S.Deferred, l.S.DeferredFrom = nil, nil
	for i := range deferred {
		out = l.recover(senders[i], &deferred[i], out)
	}
	return out
}

// replayed notes that all that a rank had for us has arrived.
func (l *Layer) replayed(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	if m.To != l.S.Inc || m.Inc < l.Life(from) {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "replay for another life"))
	}
	l.S.Awaited = l.S.Awaited.less(from)
	return l.complete(out)
}

// complete declares the end of the recovery: every recorded reception has been repeated, and
// everything that was sent to the former life has arrived again, so this rank holds again what it
// held for others.
func (l *Layer) complete(out []core.Effect) []core.Effect {
	if !l.S.Recovering || l.S.Collecting {
		return out
	}
	// Deviation: S11 is back as soon as it runs
	if (len(l.S.Awaited) > 0 || l.S.RSN < l.last()) && !l.Has(S11) {
		return out
	}
	l.S.Recovering = false
	return append(out, core.Effect{Kind: core.Declare, What: trace.Recovered})
}

// barrier is the wait of erratum S1.
type barrier struct {
	_     struct{}         `cbor:",toarray"`
	Waits bool             `json:"waits"`
	From  core.Rank        `json:"from"`
	Inc   core.Incarnation `json:"inc"`
}
