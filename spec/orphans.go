package spec

import (
	"fmt"

	"github.com/domino-check/domino/spec/trace"
)

// surviving is what orphans-end remembers: of each rank that has sent something, who got what by
// each send of its surviving past. A past that a failure cuts off is forgotten when the rank starts
// again.
type surviving [][]uint64

// of is what is remembered of a rank.
func (m surviving) of(r trace.Rank) []uint64 {
	if int(r) >= len(m) {
		return nil
	}
	return m[r]
}

// cut leaves so many sends of a rank; numbers that no send has, which a program has come past, have
// a zero. Ranks behind the last that has sent something are left out.
func (m *surviving) cut(r trace.Proc, sends uint32) {
	for len(*m) <= int(r) {
		*m = append(*m, nil)
	}
	list := &(*m)[r]
	for len(*list) < int(sends) {
		*list = append(*list, 0)
	}
	*list = (*list)[:sends]
	for n := len(*m); n > 0 && len((*m)[n-1]) == 0; n-- {
		*m = (*m)[:n-1]
	}
}

// what is equal exactly for sends of one payload to one receiver, but for a chance of 1 in 2^64.
func what(to trace.Proc, digest uint64) uint64 {
	return digest*0x9e3779b97f4a7c15 + uint64(to) + 1
}

// OrphansEnd: whoever depends on a state that is lost goes back in the end.
var OrphansEnd = register(Property{
	Name: "orphans-end", Kind: Monitor, Source: "[SY]; [Wang]",
	Applies: func(f *Facts) bool { return f.Undo.Orphans },
	Needs:   "Undo.Orphans: who lives may depend on a state that is lost, until it hears of that",
	Watched: []trace.Kind{trace.Sent, trace.Restored, trace.Resumed},
	Doc: "when every program has ended, each message that is received is one that its sender has " +
		"sent in the past that has survived, to this rank and with this payload",
	Memory: &Remembers[surviving]{Observe: observeSends, Look: judgeOrphans},
})

// observeSends follows what is sent, and forgets what a restart takes back.
func observeSends(f *Facts, m *surviving, e trace.Event) string {
	switch had := uint32(len(m.of(trace.Rank(e.Proc)))); {
	case int(e.Proc) >= f.Layout.Ranks:
	case e.Kind == trace.Sent:
		m.cut(e.Proc, e.ID.Number)
		(*m)[e.Proc][e.ID.Number-1] = what(e.Peer, e.Digest)
	case e.Kind == lineReached(f):
		m.cut(e.Proc, min(e.Sent, had))
	}
	return ""
}

// judgeOrphans looks at what everybody has received when all have ended.
func judgeOrphans(f *Facts, v View, m *surviving, _ trace.Event) string {
	for r := range f.ranks() {
		if h := v.Observed(r.Proc()).History; h == nil || !h.Done {
			return "" // terminates says why: it may have to go back or to be sent to first
		}
	}
	for r := range f.ranks() {
		for _, d := range v.Observed(r.Proc()).History.Delivered {
			sends := m.of(d.ID.From)
			if _, collective := f.Layout.Collectives[d.ID]; collective {
				continue // it goes to many, and a result has the name of a contribution
			}
			if int(d.ID.Number) > len(sends) {
				return fmt.Sprintf("%s is an orphan to the end: it has received %s, which %s "+
					"has not sent since it went back", f.name(r.Proc()), f.label(d.ID),
					f.As(Missing, f.name(d.ID.From.Proc())))
			}
			if sends[d.ID.Number-1] != what(r.Proc(), d.Digest) {
				return fmt.Sprintf("%s is an orphan to the end: it has received %s with "+
					"payload %x, and %s has sent another one under this name since it went "+
					"back", f.name(r.Proc()), f.label(d.ID), d.Digest, f.name(d.ID.From.Proc()))
			}
		}
	}
	return ""
}
