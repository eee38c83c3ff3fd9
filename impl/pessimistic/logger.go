package pessimistic

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// logKey is the prefix of records of log entries beyond the memory limit.
const logKey = "log/"

// logState is what a logger holds for its rank.
type logState struct {
	_       struct{}         `cbor:",toarray"`
	Life    core.Incarnation `json:"life"`    // newest life of the rank that has asked for the log
	Found   bool             `json:"found"`   // an image is here, the initial one included
	Image   []byte           `json:"image"`   // empty = the initial one
	Sent    uint32           `json:"sent"`    // sends in the image
	RSN     RSN              `json:"rsn"`     // last delivery in the image
	Log     []Entry          `json:"log"`     // ascending, later than the image
	Proven  RSN              `json:"proven"`  // the rank has shown that it knows of acknowledgements up to here
	Flushed RSN              `json:"flushed"` // entries up to here are on disk
	Asked   bool             `json:"asked"`   // for a checkpoint, because the memory is full
}

// logger is the machine that logs for one rank ([RADIC] section 4.2.4).
type logger struct {
	*config
	core.Service
	owner core.Rank
	s     logState
}

// State implements core.Machine.
func (g *logger) State() []any { return []any{&g.s} }

// Step implements core.Machine.
func (g *logger) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start:
		g.s = logState{Found: true}
		return append(out, core.Effect{Kind: core.Keep, Key: trace.Image, To: g.owner.Proc()})
	case core.Restore:
		g.s = logState{}
		return append(out, core.SendTo(g.owner.Proc(), &Message{Kind: NewLogger}))
	case core.Persisted:
		return out
	case core.Received:
		switch m := in.Message.(*Message); m.Kind {
		case LogPut:
			return g.put(m, out)
		case LogFetch:
			return g.answer(m, out)
		case Save:
			return g.save(m, out)
		}
	}
	return append(out, core.DropInput(in.From, core.MsgID{}, "no handler"))
}

// put stores one delivery. What a former life of the rank sent may not come in any more once the present one has the log.
func (g *logger) put(m *Message, out []core.Effect) []core.Effect {
	s, e := &g.s, m.Entries[0]
	if reason := g.refuse(m.Life, e.RSN); reason != "" {
		return append(out, core.DropInput(g.owner.Proc(), e.Payload.ID, reason))
	}
	s.Proven = max(s.Proven, m.RSN)
	out = g.store(e, out)
	if !g.s.Found && !g.has(M15) {
		return out // worth nothing without the image, which is on its way
	}
	ack := g.prefix()
	if g.has(M12) || g.has(M15) {
		ack = e.RSN // Deviation: M12 acknowledges what it has got, whatever is missing before it
	}
	out = append(out, core.SendTo(g.owner.Proc(), &Message{Kind: LogAck, Life: m.Life, RSN: ack}))
	return g.limit(out)
}

// store puts an entry into the log.
func (g *logger) store(e Entry, out []core.Effect) []core.Effect {
	i, found := slices.BinarySearchFunc(g.s.Log, e.RSN, func(e Entry, r RSN) int { return int(e.RSN) - int(r) })
	if found {
		return out
	}
	g.s.Log = slices.Insert(slices.Clone(g.s.Log), i, e)
	return append(out, core.Effect{Kind: core.Log, ID: e.Payload.ID, To: g.owner.Proc(), Received: uint32(e.RSN)})
}

// refuse gives the reason for which an entry is not stored, or "".
func (g *logger) refuse(life core.Incarnation, rsn RSN) string {
	switch s := &g.s; {
	case life < s.Life && !g.has(M49):
		return "from a former life" // Deviation: M49 takes it, beside what the present life delivers in its place
	case rsn <= s.RSN && !g.has(M13):
		return "the image holds it" // Deviation: M13 stores it behind the image
	}
	return ""
}

// prefix is the last delivery up to which nothing is missing.
func (g *logger) prefix() RSN {
	r := g.s.RSN
	for _, e := range g.s.Log {
		if e.RSN == r+1 {
			r++
		}
	}
	return r
}

// limit keeps the memory within its bound: the oldest entries go to disk, or the rank is told to make them superfluous.
func (g *logger) limit(out []core.Effect) []core.Effect {
	s := &g.s
	inMemory := slices.DeleteFunc(slices.Clone(s.Log), func(e Entry) bool { return e.RSN <= s.Flushed })
	if g.Memory == 0 || len(inMemory) <= g.Memory {
		return out
	}
	if g.Full == CommandCheckpoint {
		if s.Asked {
			return out
		}
		s.Asked = true
		return append(out, core.SendTo(g.owner.Proc(), &Message{Kind: LogFull}))
	}
	s.Flushed = inMemory[0].RSN
	return append(out, core.Effect{Kind: core.Persist, Key: logRecord(s.Flushed), Value: core.Encode(inMemory[0])})
}

func logRecord(r RSN) string { return fmt.Sprintf("%s%d", logKey, r) }

// save stores an image, then trims the log: in this order, so that at every moment one of them holds each delivery.
func (g *logger) save(m *Message, out []core.Effect) []core.Effect {
	s := &g.s
	if m.Life < s.Life || s.Found && (m.RSN < s.RSN || m.Sent < s.Sent) {
		return append(out, core.DropInput(g.owner.Proc(), core.MsgID{}, "from a former life"))
	}
	s.Life, s.Found, s.Image, s.RSN, s.Sent, s.Asked = m.Life, true, m.Image, m.RSN, m.Sent, false
	out = append(out, core.Effect{Kind: core.Keep, Key: trace.Image, To: g.owner.Proc(), Sent: m.Sent, Received: uint32(m.RSN)})
	for _, e := range m.Entries {
		out = g.store(e, out)
	}
	var kept []Entry
	for _, e := range s.Log {
		if e.RSN > m.RSN {
			kept = append(kept, e)
			continue
		}
		if e.RSN <= s.Flushed {
			out = append(out, core.Effect{Kind: core.Persist, Key: logRecord(e.RSN)})
		}
		out = append(out, core.Effect{Kind: core.Prune, ID: e.Payload.ID, To: g.owner.Proc()})
	}
	s.Log = kept
	if covered := g.prefix(); covered > m.RSN { // entries that waited for what the image holds
		out = append(out, core.SendTo(g.owner.Proc(), &Message{Kind: LogAck, Life: m.Life, RSN: covered}))
	}
	return append(out, core.SendTo(g.owner.Proc(), &Message{Kind: SaveOk, Life: m.Life, RSN: m.RSN, Sent: m.Sent}))
}

// cutAtHole removes what is behind a hole: the present life will not replay it, and delivers something else in its place.
func (g *logger) cutAtHole(out []core.Effect) []core.Effect {
	if g.has(M56) || g.has(M12) || g.has(M13) || g.has(M15) {
		return out // Deviation: M56 keeps it, and so do those who replay it
	}
	s, whole := &g.s, g.prefix()
	for _, e := range s.Log {
		if e.RSN <= whole {
			continue
		}
		if e.RSN <= s.Flushed {
			out = append(out, core.Effect{Kind: core.Persist, Key: logRecord(e.RSN)})
		}
		out = append(out, core.Effect{Kind: core.Prune, ID: e.Payload.ID, To: g.owner.Proc()})
	}
	s.Log = slices.DeleteFunc(slices.Clone(s.Log), func(e Entry) bool { return e.RSN > whole })
	return out
}

// answer hands image and log to the present life of the rank.
func (g *logger) answer(m *Message, out []core.Effect) []core.Effect {
	s := &g.s
	if m.Life < s.Life {
		return append(out, core.DropInput(g.owner.Proc(), core.MsgID{}, "from a former life"))
	}
	if m.Life > s.Life {
		out = g.cutAtHole(out)
	}
	s.Life = m.Life
	if g.has(M8) {
		// Deviation: M8 erases what the rank may not know to be stored ([RADIC] section 4.2.2, failure between t4 and t6).
		for _, e := range s.Log {
			if e.RSN > s.Proven {
				out = append(out, core.Effect{Kind: core.Prune, ID: e.Payload.ID, To: g.owner.Proc()})
			}
		}
		s.Log = slices.DeleteFunc(slices.Clone(s.Log), func(e Entry) bool { return e.RSN > s.Proven })
	}
	found := s.Found || g.has(M15) // Deviation: M15 takes the initial state for the image that it has never got
	return append(out, core.SendTo(g.owner.Proc(), &Message{Kind: LogData, Life: m.Life, Found: found, Image: s.Image, Entries: s.Log}))
}
