package world

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/course"
	"github.com/domino-check/domino/spec"
)

// Course is a run as real processes can be made to take it. Moves that they can not be made to do
// say why.
func (w *World) Course(r *Run) *course.Course {
	c := &course.Course{Complete: r.Complete}
	for p := range core.Proc(w.procs) {
		c.Begin = append(c.Begin, w.stateDigest(r.States[0], p))
	}
	for i, e := range r.codes {
		c.Moves = append(c.Moves, w.move(r.Schedule[i], r.States[i], r.States[i+1], eventCode(e)))
	}
	return c
}

// stateDigest is that of a machine; 0 for one that is down.
func (w *World) stateDigest(state []uint32, p core.Proc) uint64 {
	if content := w.Content(state, p); content != nil {
		return core.StateDigest(content)
	}
	return 0
}

// moves names the kinds of events that real processes can be made to have.
var moves = map[kind]course.What{deliver: course.Deliver, cut: course.Cut,
	advance: course.Advance, persisted: course.Stable, erase: course.Erase, refuse: course.Refuse,
	told: course.Tell, suspect: course.Suspect, expire: course.Expire, tick: course.Tick,
	checkpoint: course.Checkpoint, crash: course.Crash, stop: course.Crash, kill: course.Kill,
	restart: course.Restart}

// impossible says why real processes have no events of a kind.
var impossible = map[kind]string{
	lose:      "the connections of real processes lose no messages",
	duplicate: "the connections of real processes double no messages",
	vanish:    "a record is lost, which no driver does at a move",
	spoil:     "a record is damaged, which no driver does at a move",
}

// move is one step of a run.
func (w *World) move(text string, before, next []uint32, c eventCode) course.Move {
	p, a := c.proc(), c.arg()
	m := course.Move{Text: text, What: moves[c.kind()], Proc: p, After: c.cut(),
		State: w.stateDigest(next, p), Why: impossible[c.kind()]}
	e := w.env(before, p)
	switch c.kind() {
	case deliver:
		box := w.inbox(before, p)
		h := box.head(a)
		k := &box.channels[h.channel]
		m.From, m.Message, m.Stays = k.from, w.messageDigest(k.messages[h.index]), w.Model.Set
		if w.Model.KeepsOrder() {
			m.Behind = w.messageDigests(k.messages[1:])
		}
	case cut:
		k := w.inbox(before, p).channel(a)
		m.From, m.Messages = k.from, w.messageDigests(k.messages)
	case advance:
		m.Choice = w.inputs.at(w.locals.at(w.localOf(before, p)).choices[a]).Choice
	case told, suspect, expire:
		m.From = core.Proc(a)
	case restart:
		if w.launched(p) {
			m.From = core.Proc(a)
		}
	case tick:
		m.Name = e.Timers[a]
	case crash, stop:
		w.crashMove(&m, before, c)
	case kill:
		q, outcome := splitKill(a)
		m.From, m.Procs = q, w.killed(before, p, q)
		goesOn := func(core.Proc) bool { return false }
		w.keptIn(&m, before, goesOn, outcome)
	}
	return m
}

// messageDigest names a message on its way.
func (w *World) messageDigest(n packetNumber) uint64 {
	return core.Digest(core.Encode(w.messages.at(w.packets.at(n).message).value))
}

func (w *World) messageDigests(list []packetNumber) (digests []uint64) {
	for _, n := range list {
		digests = append(digests, w.messageDigest(n))
	}
	return digests
}

// crashMove is the end of groups, or of one member of a group.
func (w *World) crashMove(m *course.Move, state []uint32, c eventCode) {
	others, outcome := splitCrash(c.arg())
	chosen := append(others, c.proc())
	for _, q := range chosen {
		m.Groups = append(m.Groups, w.group(q))
	}
	m.Procs = w.victims(state, chosen)
	if w.Model.Staggered && slices.ContainsFunc(m.Groups, func(g []core.Proc) bool {
		return len(g) > 1
	}) {
		m.Why = "the members of a group stop one by one, and real ones are killed at once"
	}
	w.keptIn(m, state, func(p core.Proc) bool { return w.losesDisk(state, p, m.Procs) }, outcome)
}

// keptIn notes what becomes of the writes in progress of those who stop in a move.
func (w *World) keptIn(m *course.Move, state []uint32, gone func(core.Proc) bool, outcome int) {
	m.Kept = make([]int, len(m.Procs))
	at := 0
	w.outcomes(state, m.Procs, gone, func(outcomes []operation, _ int) {
		if at == outcome {
			for i, o := range outcomes {
				if m.Kept[i] = int(o.B); o.Torn {
					m.Why = "a write is torn, and real disks tear none to order"
				}
			}
		}
		at++
	})
}

// ByStates reports whether a property looks at more of a run without failures than its evidence.
func (w *World) ByStates(property string) bool {
	return slices.ContainsFunc(w.calm, func(p spec.Property) bool { return p.Name == property })
}
