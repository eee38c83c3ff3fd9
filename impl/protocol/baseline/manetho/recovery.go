package manetho

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// restore begins a later life at the recovery line: it tells everybody, and asks what is known. The
// program does not run before everybody has answered.
func (l *layer) restore(in *core.Input, out []core.Effect) []core.Effect {
	l.settled = nil
	l.begin()
	l.reset(in.Incarnation)
	out, err := l.load(in.Records, out)
	if err != nil {
		return append(out, core.Halted(err.Error()))
	}
	l.s.Recovering, l.s.Collecting = true, true
	if l.alone() {
		return l.run(out)
	}
	return l.ask(out)
}

// ask begins a round of the collection.
func (l *layer) ask(out []core.Effect) []core.Effect {
	l.s.Round++
	l.s.Answered = only(l.rank)
	for _, q := range l.others() {
		out = append(out, core.SendTo(q.Proc(), say(control{Kind: request, Life: l.s.Life,
			Round: l.s.Round, Lives: slices.Clone(l.s.Lives), Lines: slices.Clone(l.s.Lines),
			Got: l.got(q), Taken: l.s.Covered[q]})))
	}
	return out
}

// alive notes which life of a rank, and of those who restart with it, is the live one; it reports
// whether that is news.
func (l *layer) alive(q core.Rank, life core.Incarnation) bool {
	if life <= l.s.Lives[q] {
		return false
	}
	for _, mate := range l.members[q] {
		l.s.Lives[mate] = life
	}
	return true
}

// know takes the lives that a restarted rank knows of. A collection begins again with what it did
// not know of a failure: 1. a determinant of ours is on its way from w to x, 2. x answers us, 3. w
// fails, 4. x gets it, and depends on it, 5. w is back and answers us without it. So all answer
// again, knowing of that failure; what w's former life has sent is not accepted any more then.
// Requests bring that news soon enough. Who had answered before it failed has told us what it knew.
// Who fails, and asks our former life, which fails before it answers, asks again before it answers
// us. Who has had our former life's answer holds again what its own had and could have sent.
func (l *layer) know(lives []core.Incarnation, out []core.Effect) []core.Effect {
	news := false
	for q, life := range lives {
		if l.alive(core.Rank(q), life) {
			news = true
		}
	}
	if !news || !l.s.Collecting || l.has(MN3) {
		return out // Deviation: MN3 keeps the answers of before that failure
	}
	return l.ask(out)
}

// answer tells a restarted rank everything that is known here, not only of its own receptions: it
// holds again what it held for others, whoever has told it. Others may count on that, and so may
// this rank: it has told the new life all that the former one had of it.
func (l *layer) answer(from core.Rank, c *control, out []core.Effect) []core.Effect {
	if c.Life < l.s.Lives[from] {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, dead))
	}
	out = l.know(c.Lives, out)
	l.s.Met[from] = c.Life // and not before: what it was told is in the answer
	out = l.forget(from, c, out)
	a := control{Kind: answer, Life: l.s.Life, For: c.Life, Round: c.Round,
		Lines:  slices.Clone(l.s.Lines),
		Stable: slices.Clone(l.s.Stable), Got: l.got(from), Taken: l.s.Covered[from]}
	for r := range l.s.Dets {
		if l.has(MN5) && core.Rank(r) != from {
			continue // Deviation: MN5 tells it of its own receptions alone
		}
		for i := range l.s.Dets[r] {
			e := &l.s.Dets[r][i]
			e.Sent |= only(from)
			a.Dets = append(a.Dets, e.Det)
		}
	}
	out = append(out, core.SendTo(from.Proc(), say(a)))
	if l.s.Heard[from] >= c.Life || l.mates(l.rank, from) {
		return out
	}
	l.s.Heard[from] = c.Life
	return l.resend(from, c.Got, out)
}

// resend sends what is logged for a rank and not there again.
func (l *layer) resend(to core.Rank, got uint32, out []core.Effect) []core.Effect {
	for _, e := range l.s.Channels.After(to, got) {
		out = l.transmit(to, e.Data, out)
	}
	return out
}

// answered takes what another rank knows. What the log of our image has for it may have been lost
// on its way with our former life.
func (l *layer) answered(from core.Rank, c *control, out []core.Effect) []core.Effect {
	if c.For != l.s.Life || c.Life < l.s.Lives[from] {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "answer to another life"))
	}
	out = l.forget(from, c, out)
	l.s.Met[from] = max(l.s.Met[from], c.Life) // our own life has told it nothing before
	if !l.s.Resent.has(from) && !l.mates(l.rank, from) {
		l.s.Resent |= only(from)
		if !l.has(MN12) { // Deviation: MN12 leaves it to the others to ask
			out = l.resend(from, c.Got, out)
		}
	}
	if !l.s.Collecting || c.Round != l.s.Round {
		return append(out, core.DropInput(from.Proc(), core.MsgID{}, "answer to another round"))
	}
	for i := range c.Dets {
		out = l.learn(&c.Dets[i], only(from), out)
	}
	for r, place := range c.Stable {
		l.s.Stable[r] = max(l.s.Stable[r], place)
	}
	if l.s.Answered |= only(from); l.s.Answered != l.everybody() {
		return out
	}
	return l.run(out)
}

func (l *layer) everybody() ranks { return 1<<l.ranks - 1 }

// run lets the program go: its receptions are known as far as anybody depends on them.
func (l *layer) run(out []core.Effect) []core.Effect {
	l.s.Collecting, l.s.Answered = false, 0
	return l.complete(out)
}

// complete declares the end of the recovery, when every reception that is known is repeated.
func (l *layer) complete(out []core.Effect) []core.Effect {
	if !l.s.Recovering || l.s.Collecting || l.s.RSN < l.last() {
		return out
	}
	l.s.Recovering = false
	return append(out, core.Effect{Kind: core.Declare, What: trace.Recovered})
}
