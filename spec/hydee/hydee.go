// Package hydee is the abstract HydEE that proofs/coq proves right (HydEE.v, HydEEReplay.v) for any
// number of processes, clusters and failures: its states and its steps with their guards, as
// functions. Real code is held against it by the property refines, and it is itself compared with
// what Coq extracts from those files (proofs/judge).
//
// An application is what a send-deterministic program does in every run without failures: its
// messages, and what the sender of each has received before it. A state says which messages are
// sent and received in the past that has survived, and which are held: they were on their way when
// an end of their channel rolled back, so only a log or an image has them. An orphan is received
// and not sent. The recovery process counts the phases of orphans.
//
// There are no processes here that fail, no rounds, and no messages of the protocol: what a run of
// the protocol does with all these is steps of this, or nothing.
package hydee

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/domino-check/domino/spec/trace"
)

// Send is one send of a program: what it is called, where it goes, and what its sender has received
// before it, in any order.
type Send struct {
	ID    trace.MsgID
	To    trace.Rank
	Needs []trace.MsgID
}

// Message is one message of an application. Other messages are named by their places.
type Message struct {
	ID    trace.MsgID
	To    trace.Rank
	Needs []int // received by its sender before it is sent, ascending
	// that it carries, from 1: at least that of each of those, and above it if that comes from
	// another cluster ([HydEE] Alg. 1 l. 10-18)
	Phase uint64
	Depth int // longest chain of messages that have to be sent before it
	// number of the last send of each rank that precedes it in every run, by program order and by
	// receptions, 0 = none
	Past []uint32
}

// Application is a send-deterministic application.
type Application struct {
	Messages []Message // by sender, then by number
	Clusters []int     // by rank
	places   map[trace.MsgID]int
}

// New makes the application of the sends of all programs, with the cluster of each rank. Phases are
// those of Algorithm 1. The error names what is no application.
func New(clusters []int, sends []Send) (*Application, error) {
	a := &Application{Clusters: clusters, places: make(map[trace.MsgID]int, len(sends))}
	sends = slices.Clone(sends)
	slices.SortFunc(sends, func(s, t Send) int {
		return cmp.Or(cmp.Compare(s.ID.From, t.ID.From), cmp.Compare(s.ID.Number, t.ID.Number))
	})
	for i, s := range sends {
		if _, twice := a.places[s.ID]; twice || s.ID.IsZero() || a.outside(s.ID.From, s.To) {
			return nil, fmt.Errorf("hydee: send %d of rank %d to rank %d: it is there twice, or "+
				"there is no such rank: there are %d", s.ID.Number, s.ID.From, s.To, len(clusters))
		}
		a.places[s.ID] = i
		a.Messages = append(a.Messages, Message{ID: s.ID, To: s.To})
	}
	for i, s := range sends {
		for _, id := range s.Needs {
			k, known := a.places[id]
			if !known || a.Messages[k].To != s.ID.From {
				return nil, fmt.Errorf("hydee: send %d of rank %d needs send %d of rank %d, which "+
					"nobody sends to it", s.ID.Number, s.ID.From, id.Number, id.From)
			}
			a.Messages[i].Needs = append(a.Messages[i].Needs, k)
		}
		slices.Sort(a.Messages[i].Needs)
	}
	return a, a.derive()
}

// outside reports whether one of the ranks is none.
func (a *Application) outside(ranks ...trace.Rank) bool {
	return slices.ContainsFunc(ranks, func(r trace.Rank) bool { return int(r) >= len(a.Clusters) })
}

// derive finds phases, depths and pasts, each message behind all that precedes it.
func (a *Application) derive() error {
	next := make([][]int, len(a.Messages)) // that a message precedes by one step
	left := make([]int, len(a.Messages))   // that precede it by one and are not done
	var ready []int
	for i := range a.Messages {
		for _, k := range a.before(i) {
			next[k] = append(next[k], i)
			left[i]++
		}
		if left[i] == 0 {
			ready = append(ready, i)
		}
	}
	done := 0
	for ; done < len(ready); done++ {
		i := ready[done]
		a.deriveOne(i)
		for _, k := range next[i] {
			if left[k]--; left[k] == 0 {
				ready = append(ready, k)
			}
		}
	}
	if n := len(a.Messages) - done; n > 0 {
		return fmt.Errorf("hydee: %d messages can not be sent: they wait for each other", n)
	}
	return nil
}

// before are the messages that precede one by one step.
func (a *Application) before(i int) []int {
	list := slices.Clone(a.Messages[i].Needs)
	if a.follows(i) {
		list = append(list, i-1)
	}
	return list
}

// deriveOne finds phase, depth and past of a message, of which those before it are known.
func (a *Application) deriveOne(i int) {
	m := &a.Messages[i]
	m.Phase, m.Past = 1, make([]uint32, len(a.Clusters))
	for _, k := range m.Needs {
		if m.Phase = max(m.Phase, a.Messages[k].Phase); a.Between(k) {
			m.Phase = max(m.Phase, a.Messages[k].Phase+1)
		}
	}
	for _, k := range a.before(i) {
		n := &a.Messages[k]
		m.Depth = max(m.Depth, n.Depth+1)
		for r := range m.Past {
			m.Past[r] = max(m.Past[r], n.Past[r])
		}
		m.Past[n.ID.From] = max(m.Past[n.ID.From], n.ID.Number)
	}
}

// follows reports whether the message before it in the list is one of the same sender.
func (a *Application) follows(i int) bool {
	return i > 0 && a.Messages[i-1].ID.From == a.Messages[i].ID.From
}

// Place is where a message is in the list; false for one that no run without failures sends.
func (a *Application) Place(id trace.MsgID) (place int, ok bool) {
	place, ok = a.places[id]
	return place, ok
}

// Between reports whether a message is between clusters.
func (a *Application) Between(i int) bool {
	return a.Clusters[a.Messages[i].ID.From] != a.Clusters[a.Messages[i].To]
}

// earlier reports whether one process sends both messages, the first one before the other.
func (a *Application) earlier(i, k int) bool {
	return i < k && a.Messages[i].ID.From == a.Messages[k].ID.From
}

// needs reports whether the sender of the first message receives the other one before it.
func (a *Application) needs(i, k int) bool { return slices.Contains(a.Messages[i].Needs, k) }

// Check names the hypothesis of the theorems (proofs/coq, well_formed) that two messages of the
// application do not satisfy; "" if all hold. Those of New do; phases may be set to others.
func (a *Application) Check() (hypothesis string, first, second int) {
	for i := range a.Messages {
		for k := range a.Messages {
			m, n := &a.Messages[i], &a.Messages[k]
			switch {
			case a.earlier(i, k) && m.Depth >= n.Depth:
				return "earlier_before", i, k
			case a.needs(k, i) && m.Depth >= n.Depth:
				return "needs_before", i, k
			case a.earlier(i, k) && m.Phase > n.Phase:
				return "earlier_phase", i, k
			case a.needs(k, i) && m.Phase > n.Phase:
				return "needs_phase", i, k
			case a.needs(k, i) && a.Between(i) && m.Phase >= n.Phase:
				return "needs_raises", i, k
			}
		}
	}
	return "", 0, 0
}
