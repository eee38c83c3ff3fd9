package pessimistic

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/sendlog"
	"github.com/domino-check/domino/spec/trace"
)

// logKey is the prefix of records of log entries beyond the memory limit.
const logKey = "log/"

// logState is what a logger holds for its rank.
type logState struct {
	_    struct{}         `cbor:",toarray"`
	Own  core.Incarnation `json:"own"`  // our own life
	Life core.Incarnation `json:"life"` // newest life of the rank that has asked for the log
	// of the line, where the ranks of a node have one together
	Number uint32 `json:"number"`
	// image of the checkpoint of the node that is under way
	Next  *pending `json:"next"`
	Found bool     `json:"found"` // an image is here, the initial one included
	Image []byte   `json:"image"` // empty = the initial one
	Sent  uint32   `json:"sent"`  // sends in the image
	RSN   RSN      `json:"rsn"`   // last delivery in the image
	Log   []Entry  `json:"log"`   // ascending, later than the image
	// the rank has shown that it knows of acknowledgements up to here
	Proven  RSN  `json:"proven"`
	Flushed RSN  `json:"flushed"` // entries up to here are on disk
	Asked   bool `json:"asked"`   // for a checkpoint, because the memory is full
}

// pending is an image that is not the recovery line yet.
type pending struct {
	_      struct{} `cbor:",toarray"`
	Number uint32   `json:"number"`
	Sent   uint32   `json:"sent"`
	RSN    RSN      `json:"rsn"`
	Image  []byte   `json:"image"`
}

// logger is the machine that logs for one rank ([RADIC] section 4.2.4).
type logger struct {
	*config
	core.Service
	owner core.Rank
	s     logState

	sendlog.Keeper
	scratch core.Scratch[Message]
}

func (g *logger) State() []any { return []any{&g.s} }

func (g *logger) Step(in core.Input, out []core.Effect) []core.Effect {
	g.scratch.Begin()
	switch in.Kind {
	case core.Start:
		g.s = logState{Found: true}
		return append(out, core.Kept(trace.Item{Sort: trace.Image, Peer: g.owner.Proc()}))
	case core.Restore:
		g.s = logState{Own: in.Incarnation}
		return append(out, core.SendTo(g.owner.Proc(),
			&Message{Kind: NewLogger, Logger: in.Incarnation}))
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
		case Settle:
			return g.settle(m, out)
		}
	}
	return append(out, core.DropInput(in.From, core.MsgID{}, "no handler"))
}

// put stores one delivery. What a former life of the rank sent may not come in any more once the
// present one has the log.
func (g *logger) put(m *Message, out []core.Effect) []core.Effect {
	s, e := &g.s, m.Entries[0]
	if reason := g.refuse(m.Life, e.RSN); reason != "" {
		return append(out, core.DropInput(g.owner.Proc(), e.Payload.ID, reason))
	}
	out = g.renew(m.Life, out)
	s.Proven = max(s.Proven, m.RSN)
	known := len(s.Log)
	out = g.store([]Entry{e}, g.prefix(), out)
	if len(s.Log) > known && e.RSN <= s.Flushed {
		// Where channels lose order it comes behind younger ones that are on disk, and would count
		// as on disk, too.
		out = append(out, core.Effect{Kind: core.Persist, Key: logRecord(e.RSN),
			Value: core.Encode(e)})
	}
	if !g.s.Found && !g.has(M15) {
		return out // worth nothing without the image, which is on its way
	}
	ack := g.prefix()
	if g.has(M12) || g.has(M15) {
		ack = e.RSN // Deviation: M12 acknowledges what it has got, whatever is missing before it
	}
	out = append(out, core.SendTo(g.owner.Proc(),
		g.scratch.New(Message{Kind: LogAck, Life: m.Life, RSN: ack})))
	return g.limit(out)
}

// store puts entries into the log, and declares what can be replayed from now on, which was
// complete up to a delivery.
func (g *logger) store(entries []Entry, before RSN, out []core.Effect) []core.Effect {
	for _, e := range entries {
		i := g.find(e.RSN)
		if i < len(g.s.Log) && g.s.Log[i].RSN == e.RSN {
			continue
		}
		g.s.Log = slices.Insert(g.s.Log, i, e)
		if g.gaps() {
			out = append(out, core.Logged(e.Payload.ID, g.owner.Proc(), uint32(e.RSN)))
		}
	}
	if g.gaps() {
		return out
	}
	whole := g.prefix()
	for i := g.find(max(before, g.s.RSN) + 1); i < len(g.s.Log) && g.s.Log[i].RSN <= whole; i++ {
		e := &g.s.Log[i]
		out = append(out, core.Logged(e.Payload.ID, g.owner.Proc(), uint32(e.RSN)))
	}
	return out
}

// gaps reports whether the next life replays what is behind a gap, too.
func (g *logger) gaps() bool { return g.has(M12) || g.has(M13) || g.has(M15) }

// refuse gives the reason for which an entry is not stored, or "".
func (g *logger) refuse(life core.Incarnation, rsn RSN) string {
	switch s := &g.s; {
	case life < s.Life && !g.has(M49):
		// Deviation: M49 takes it, beside what the present life delivers in its place
		return "from a former life"
	case rsn <= s.RSN && !g.has(M13):
		return "the image holds it" // Deviation: M13 stores it behind the image
	}
	return ""
}

// prefix is the last delivery up to which nothing is missing.
func (g *logger) prefix() RSN {
	r, log := g.s.RSN, g.s.Log
	if n := len(log); n > 0 && log[0].RSN == r+1 && log[n-1].RSN == r+RSN(n) {
		return r + RSN(n) // ascending, so nothing is missing: the log may be long
	}
	for i := range log {
		if log[i].RSN == r+1 {
			r++
		}
	}
	return r
}

// find is the index of the first entry that has the number or a higher one.
func (g *logger) find(r RSN) int {
	if n := len(g.s.Log); n == 0 || g.s.Log[n-1].RSN < r {
		return n // mostly
	}
	i, _ := slices.BinarySearchFunc(g.s.Log, r, func(e Entry, r RSN) int {
		return cmp.Compare(e.RSN, r)
	})
	return i
}

// limit keeps the memory within its bound: the oldest entries go to disk, or the rank is told to
// make them superfluous; until it has, they stay in memory beyond the bound, also one that is
// larger than it: a logger that refused would stop its rank.
func (g *logger) limit(out []core.Effect) []core.Effect {
	s := &g.s
	if g.Memory.none() {
		return out
	}
	inMemory := slices.DeleteFunc(slices.Clone(s.Log), func(e Entry) bool {
		return e.RSN <= s.Flushed
	})
	bytes := 0
	for _, e := range inMemory {
		bytes += len(e.Payload.Data)
	}
	if g.Full == CommandCheckpoint {
		if s.Asked || !g.Memory.exceeded(len(inMemory), bytes) {
			return out
		}
		s.Asked = true
		return append(out, core.SendTo(g.owner.Proc(), &Message{Kind: LogFull}))
	}
	for g.Memory.exceeded(len(inMemory), bytes) {
		oldest := inMemory[0]
		inMemory, bytes, s.Flushed = inMemory[1:], bytes-len(oldest.Payload.Data), oldest.RSN
		out = append(out, core.Effect{Kind: core.Persist, Key: logRecord(s.Flushed),
			Value: core.Encode(oldest)})
	}
	return out
}

func logRecord(r RSN) string { return fmt.Sprintf("%s%d", logKey, r) }

// save takes an image. That of a rank alone is its recovery line at once; that of a rank in a node
// when all of the node are stored.
func (g *logger) save(m *Message, out []core.Effect) []core.Effect {
	s := &g.s
	switch {
	case m.Life < s.Life:
		return append(out, core.DropInput(g.owner.Proc(), core.MsgID{}, "from a former life"))
	case m.Logger != s.Own && !g.has(M60):
		// Deviation: M60 takes an image that was on its way to the logger that has failed. What was
		// logged and confirmed since then is lost with that: only an image that was taken when the
		// loss was known covers it.
		return append(out, core.DropInput(g.owner.Proc(), core.MsgID{},
			"for a logger that is lost"))
	case m.Number == 0 && s.Found && (m.RSN < s.RSN || m.Sent < s.Sent), m.Number > 0 &&
		(m.Number <= s.Number || s.Next != nil && m.Number <= s.Next.Number):
		return append(out, core.DropInput(g.owner.Proc(), core.MsgID{}, "an older image"))
	}
	out = g.renew(m.Life, out)
	s.Asked = false
	next := pending{Number: m.Number, Sent: m.Sent, RSN: m.RSN, Image: m.Image}
	if m.Number == 0 {
		return g.line(next, m.Entries, out)
	}
	out = g.settleAt(m.Line, out)
	if g.has(M61) {
		// Deviation: M61 replaces the image of its rank before all images of the node are stored.
		out = g.line(next, m.Entries, out)
		return append(out, core.SendTo(g.owner.Proc(),
			&Message{Kind: Stored, Life: m.Life, Number: m.Number}))
	}
	out = g.store(m.Entries, g.prefix(), out)
	s.Next = &next
	return append(out, core.SendTo(g.owner.Proc(),
		&Message{Kind: Stored, Life: m.Life, Number: m.Number}))
}

// settle makes the image of a complete checkpoint of the node the recovery line.
func (g *logger) settle(m *Message, out []core.Effect) []core.Effect {
	if m.Life != g.s.Life {
		return append(out, core.DropInput(g.owner.Proc(), core.MsgID{}, "from another life"))
	}
	return g.settleAt(m.Number, out)
}

func (g *logger) settleAt(number uint32, out []core.Effect) []core.Effect {
	next := g.s.Next
	if next == nil || next.Number != number {
		return out
	}
	g.s.Next = nil
	return g.line(*next, nil, out)
}

// line makes an image the recovery line, then trims the log: in this order, so that at every moment
// one of them holds each delivery.
func (g *logger) line(next pending, entries []Entry, out []core.Effect) []core.Effect {
	s := &g.s
	before := g.prefix()
	s.Found, s.Image, s.RSN, s.Sent, s.Number = true, next.Image, next.RSN, next.Sent, next.Number
	out = append(out, core.Kept(trace.Item{Sort: trace.Image, Peer: g.owner.Proc(), Past: s.Sent,
		Number: uint32(s.RSN)}))
	out = g.store(entries, before, out)
	var kept []Entry
	for _, e := range s.Log {
		if e.RSN > s.RSN {
			kept = append(kept, e)
			continue
		}
		if e.RSN <= s.Flushed {
			out = append(out, core.Effect{Kind: core.Persist, Key: logRecord(e.RSN)})
		}
		out = append(out, core.Pruned(e.Payload.ID, g.owner.Proc()))
		g.Free(&e.Payload)
	}
	s.Log = kept
	if covered := g.prefix(); covered > s.RSN { // entries that waited for what the image holds
		out = append(out, core.SendTo(g.owner.Proc(),
			&Message{Kind: LogAck, Life: s.Life, RSN: covered}))
	}
	return append(out, core.SendTo(g.owner.Proc(),
		&Message{Kind: SaveOk, Life: s.Life, RSN: s.RSN, Sent: s.Sent, Number: s.Number}))
}

// renew begins a newer life of the rank. A logger that has lost everything does not know which one
// is up, and takes what a former one had sent to it before it failed; that is not what the present
// one delivers there, and goes. Deviation: M49 keeps it.
func (g *logger) renew(life core.Incarnation, out []core.Effect) []core.Effect {
	s := &g.s
	if life <= s.Life {
		return out
	}
	s.Life = life
	if s.Found || g.has(M49) {
		return out // what was stored when the image was there is handed to the next life
	}
	for _, e := range s.Log {
		out = append(out, core.Pruned(e.Payload.ID, g.owner.Proc()))
	}
	s.Log = nil
	return out
}

// cut removes what is behind the first gap: a put that never arrived is missing there. The next
// life does not replay it, and will deliver something else in that place.
func (g *logger) cut(out []core.Effect) []core.Effect {
	if g.gaps() || g.has(M64) {
		return out // Deviation: M64 keeps it, and takes the place for known
	}
	whole := g.prefix()
	for _, e := range g.s.Log {
		if e.RSN > whole && e.RSN <= g.s.Flushed {
			out = append(out, core.Effect{Kind: core.Persist, Key: logRecord(e.RSN)})
		}
	}
	g.s.Flushed = min(g.s.Flushed, whole)
	g.s.Log = slices.DeleteFunc(slices.Clone(g.s.Log), func(e Entry) bool { return e.RSN > whole })
	return out
}

// answer hands image and log to the present life of the rank.
func (g *logger) answer(m *Message, out []core.Effect) []core.Effect {
	s := &g.s
	if m.Life < s.Life {
		return append(out, core.DropInput(g.owner.Proc(), core.MsgID{}, "from a former life"))
	}
	if m.Found {
		out = g.settleAt(m.Number, out)
	}
	if m.Life > s.Life {
		s.Next = nil // the life that began the checkpoint is over
		out = g.cut(g.renew(m.Life, out))
	}
	if g.has(M8) {
		// Deviation: M8 erases what the rank may not know to be stored ([RADIC] section 4.2.2,
		// failure between t4 and t6).
		for _, e := range s.Log {
			if e.RSN > s.Proven {
				out = append(out, core.Pruned(e.Payload.ID, g.owner.Proc()))
			}
		}
		s.Log = slices.DeleteFunc(slices.Clone(s.Log), func(e Entry) bool {
			return e.RSN > s.Proven
		})
	}
	found := s.Found && (!m.Found || m.Number == s.Number || g.has(M61))
	// Deviation: M15 takes the initial state for the image that it has never got
	found = found || g.has(M15)
	return append(out, core.SendTo(g.owner.Proc(),
		&Message{Kind: LogData, Life: m.Life, Logger: s.Own, Found: found, Image: s.Image,
			Entries: s.Log,
			Number:  s.Number}))
}
