package recovery

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// TurnKey is the prefix of the records of the recovery process, with a first member behind it.
const TurnKey = "turn/"

// grouping is the last turn of a group, as the recovery process knows it. It is stable before any
// member goes: 1. a and b are to go back, and a does, 2. the process fails, and what it has sent to
// b is lost, 3. a does not start again before b has stopped, and is not there to say anything. The
// next process tells b.
type grouping struct {
	_     struct{} `cbor:",toarray"`
	First core.Rank
	Round Round
	Image uint32
	Cause core.Proc
}

func turnKey(first core.Rank) string { return fmt.Sprint(TurnKey, first) }

// written hears that the first member of a group has written down a turn.
func (p *process) written(first core.Rank, c *Control, out []core.Effect) []core.Effect {
	g := grouping{First: first, Round: c.Round, Image: c.Image, Cause: c.Cause}
	p.note(g)
	return append(out, core.Effect{Kind: core.Persist, Key: turnKey(first),
		Value: core.Encode(&g)})
}

// note keeps the last turn of each group.
func (p *process) note(g grouping) {
	i, found := slices.BinarySearchFunc(p.s.Turns, g.First,
		func(g grouping, first core.Rank) int { return int(g.First) - int(first) })
	if found {
		p.s.Turns[i] = g
		return
	}
	p.s.Turns = slices.Insert(p.s.Turns, i, g)
}

// turnGroup tells a group to go when that is stable.
func (p *process) turnGroup(key string, out []core.Effect) []core.Effect {
	for i := range p.s.Turns {
		if g := &p.s.Turns[i]; turnKey(g.First) == key {
			out = p.tellTurn(g, out)
		}
	}
	return out
}

// tellTurn tells all members; who has gone already drops it.
func (p *process) tellTurn(g *grouping, out []core.Effect) []core.Effect {
	for _, q := range p.group(g.First) {
		out = append(out, say(q.Proc(), Control{Kind: Turn, Round: g.Round, Image: g.Image,
			Cause: g.Cause}))
	}
	return out
}

// readTurns tells all groups of their last turns, because the process before may not have told all
// of their members.
func (p *process) readTurns(records []core.Record, out []core.Effect) []core.Effect {
	for _, r := range records {
		var g grouping
		if r.Torn {
			continue
		}
		if err := core.Decode(r.Value, &g); err != nil {
			return append(out, core.Halted(fmt.Sprintf("record %s: %v", r.Key, err)))
		}
		p.note(g)
	}
	for i := range p.s.Turns {
		out = p.tellTurn(&p.s.Turns[i], out)
	}
	return out
}
