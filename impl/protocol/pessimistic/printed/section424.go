package printed

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// log is what a logger holds for its process.
type log struct {
	_     struct{} `cbor:",toarray"`
	Image []byte   `json:"image"` // empty: the process begins at its beginning
	Log   []Entry  `json:"log"`   // in the order of arrival
}

// logger is "special threads (one per application process)": L2 of Figs. 4.2 and 4.3. "When a
// message is received from a connected process, the logger will save this message in its volatile
// memory"; when that is flushed to disk makes no difference to anybody.
type logger struct {
	*config
	core.Service
	owner core.Rank
	s     log
}

func (g *logger) State() []any { return []any{&g.s} }

func (g *logger) Step(in core.Input, out []core.Effect) []core.Effect {
	to := g.owner.Proc()
	switch in.Kind {
	case core.Start:
		return append(out, core.Kept(trace.Item{Sort: trace.Image, Peer: to}))
	case core.Restore:
		return append(out, core.SendTo(to, &Message{Kind: Connect}))
	}
	switch m := in.Message.(*Message); m.Kind {
	case Put:
		e := m.Entries[0]
		g.s.Log = append(g.s.Log, e)
		return append(out, core.Logged(e.Payload.ID, to, uint32(e.RSN)),
			core.SendTo(to, &Message{Kind: Saved, RSN: e.RSN}))
	case Fetch:
		// "L2 has saved M but do not send the ACK to P2, so L2 will erase this message" (4.2.2): it
		// saves and acknowledges in one step, so there is none.
		return append(out, core.SendTo(to, &Message{Kind: Fetched, Image: g.s.Image,
			Entries: append([]Entry(nil), g.s.Log...)}))
	case Image:
		return g.image(m, out)
	}
	return append(out, drop(in.From, "no handler"))
}

// image: "after a process checkpoint all its received messages can be erased from the log" (4.1.2).
func (g *logger) image(m *Message, out []core.Effect) []core.Effect {
	to := g.owner.Proc()
	out = append(out, core.Kept(trace.Item{Sort: trace.Image, Peer: to, Past: uint32(m.SSN),
		Number: uint32(m.RSN)}))
	for _, e := range g.s.Log {
		out = append(out, core.Pruned(e.Payload.ID, to))
	}
	g.s.Image, g.s.Log = m.Image, nil
	return append(out, core.SendTo(to, &Message{Kind: Stored, SSN: m.SSN, RSN: m.RSN}))
}
