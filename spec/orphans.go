package spec

import (
	"fmt"

	"github.com/domino-check/domino/spec/trace"
)

// surviving is what orphans-end remembers: of each rank, of each send of its surviving past, who
// got what. A past that a failure cuts off is forgotten when the rank starts again.
type surviving struct {
	ranks int
	sends [][]uint64
}

func readSurviving(ranks int, memory string) *surviving {
	m := &surviving{ranks: ranks, sends: make([][]uint64, ranks)}
	for t := (tape{rest: memory}); t.more(); {
		r := t.proc()
		for range t.next() {
			m.sends[r] = append(m.sends[r], t.next())
		}
	}
	return m
}

func (m *surviving) write() string {
	var t tape
	for r, list := range m.sends {
		if len(list) > 0 {
			t.put(uint64(r), uint64(len(list)))
			t.put(list...)
		}
	}
	return t.write()
}

// cut leaves so many sends of a rank; numbers that no send has, which a program has come past, have
// a zero.
func (m *surviving) cut(r trace.Proc, sends uint32) {
	for len(m.sends[r]) < int(sends) {
		m.sends[r] = append(m.sends[r], 0)
	}
	m.sends[r] = m.sends[r][:sends]
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
	Observe: func(f *Facts, memory string, e trace.Event) (next, broken string) {
		if int(e.Proc) >= f.Layout.Ranks {
			return memory, ""
		}
		m := readSurviving(f.Layout.Ranks, memory)
		if begins := e.Kind != trace.Sent; begins && e.Kind != lineReached(f) {
			return memory, ""
		} else if begins {
			m.cut(e.Proc, min(e.Sent, uint32(len(m.sends[e.Proc]))))
			return m.write(), ""
		}
		m.cut(e.Proc, e.ID.Number-1)
		m.sends[e.Proc] = append(m.sends[e.Proc], what(e.Peer, e.Digest))
		return m.write(), ""
	},
	Look: func(f *Facts, v View, memory string, _ trace.Event) string {
		for r := range f.ranks() {
			if h := v.Observed(r.Proc()).History; h == nil || !h.Done {
				return "" // terminates says why: it may have to go back or to be sent to first
			}
		}
		m := readSurviving(f.Layout.Ranks, memory)
		for r := range f.ranks() {
			for _, d := range v.Observed(r.Proc()).History.Delivered {
				sends := m.sends[d.ID.From]
				if _, collective := f.Layout.Collectives[d.ID]; collective {
					continue // it goes to many, and a result has the name of a contribution
				}
				if int(d.ID.Number) > len(sends) {
					return fmt.Sprintf("%s is an orphan to the end: it has received %s, which %s "+
						"has not sent since it went back", f.name(r.Proc()), f.label(d.ID),
						f.name(d.ID.From.Proc()))
				}
				if sends[d.ID.Number-1] != what(r.Proc(), d.Digest) {
					return fmt.Sprintf("%s is an orphan to the end: it has received %s with "+
						"payload %x, and %s has sent another one under this name since it went "+
						"back", f.name(r.Proc()), f.label(d.ID), d.Digest, f.name(d.ID.From.Proc()))
				}
			}
		}
		return ""
	},
})
