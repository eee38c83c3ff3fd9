package order_test

import (
	"hash/fnv"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/domino-check/domino/spec/order"
	"github.com/domino-check/domino/spec/trace"
)

// A run of programs that do anything: send, contribute, receive what is on its way in
// any order, and go back to any earlier point. Beside the trace it notes, for each event, which
// thing it is (what the rank did before, and what was received, all the way back) and what happened
// directly before: the reference, which package order does not see.
type run struct {
	trace  trace.Trace
	things []uint64              // of each event
	direct map[uint64][]uint64   // thing -> what happened directly before it
	paths  [][]uint64            // of each rank: its surviving past
	counts map[uint64][2]uint32  // sends and receptions of a rank up to the thing
	rank   map[uint64]trace.Proc // of a thing
	sends  []message
	lives  []trace.Incarnation
	rounds []uint32
}

// message is one send that has been executed.
type message struct {
	event   trace.Event
	thing   uint64
	members []trace.Proc // who may receive it
}

func hash(words ...uint64) uint64 {
	h := fnv.New64a()
	for _, w := range words {
		for i := range 8 {
			h.Write([]byte{byte(w >> (8 * i))})
		}
	}
	return h.Sum64()
}

// draw makes a run of at most so many events, from numbers in [0, n).
func draw(ranks, events int, restarts, groups bool, choose func(n int) int) *run {
	r := &run{direct: map[uint64][]uint64{}, counts: map[uint64][2]uint32{},
		rank: map[uint64]trace.Proc{}, paths: make([][]uint64, ranks),
		lives: make([]trace.Incarnation, ranks), rounds: make([]uint32, ranks)}
	r.trace.Layout = trace.Layout{Ranks: ranks, Names: []string{"p", "q", "r"}[:ranks],
		Collectives: map[trace.MsgID]trace.Collective{}}
	t := trace.Tree{Name: "g"}
	for k := range ranks {
		t.Members, t.Parents = append(t.Members, trace.Rank(k)), append(t.Parents, 0)
	}
	r.trace.Layout.Trees = []trace.Tree{t}
	for range events {
		acts := r.acts(restarts, groups)
		acts[choose(len(acts))]()
	}
	return r
}

// acts lists what can happen next.
func (r *run) acts(restarts, groups bool) (acts []func()) {
	for p := range trace.Proc(len(r.paths)) {
		for q := range trace.Proc(len(r.paths)) {
			if p != q {
				acts = append(acts, func() { r.send(p, q, []trace.Proc{q}, 0) })
			}
		}
		for _, m := range r.sends {
			if slices.Contains(m.members, p) && !r.received(p, m.event.ID) {
				acts = append(acts, func() { r.receive(p, m.event.ID, m.event.Digest, m.thing) })
			}
		}
		for k := range r.paths[p] {
			if restarts {
				acts = append(acts, func() { r.restore(p, k) })
			}
		}
		if groups {
			acts = append(acts, func() { r.send(p, 0, nil, r.rounds[p]+1) })
		}
	}
	if id, things := r.result(); things != nil {
		acts = append(acts, func() { r.receive(0, id, 7, things...) })
	}
	return acts
}

func (r *run) received(p trace.Proc, id trace.MsgID) bool {
	for _, thing := range r.paths[p] {
		for k, e := range r.trace.Events {
			if r.things[k] == thing && e.Kind == trace.Delivered && e.ID == id {
				return true
			}
		}
	}
	return false
}

// do adds an event of a program.
func (r *run) do(e trace.Event, thing uint64, direct []uint64) {
	path := r.paths[e.Proc]
	counts := [2]uint32{}
	if k := len(path); k > 0 {
		counts = r.counts[path[k-1]]
		direct = append(slices.Clone(direct), path[k-1])
	}
	if e.Kind == trace.Sent {
		counts[0]++
	} else {
		counts[1]++
	}
	r.direct[thing], r.counts[thing], r.rank[thing] = direct, counts, e.Proc
	r.paths[e.Proc] = append(path[:len(path):len(path)], thing)
	e.Incarnation = r.lives[e.Proc]
	r.trace.Events, r.things = append(r.trace.Events, e), append(r.things, thing)
}

func (r *run) at(p trace.Proc) (last uint64, counts [2]uint32) {
	if k := len(r.paths[p]); k > 0 {
		last = r.paths[p][k-1]
	}
	return last, r.counts[last]
}

func (r *run) send(p, to trace.Proc, members []trace.Proc, round uint32) {
	last, counts := r.at(p)
	id := trace.MsgID{From: trace.Rank(p), Number: counts[0] + 1}
	if round > 0 {
		if _, known := r.trace.Layout.Collectives[id]; known || r.named(id) {
			return // a number has one meaning in all pasts
		}
		r.rounds[p] = round
		r.trace.Layout.Collectives[id] = trace.Collective{Round: round, Past: counts[1]}
	} else if _, known := r.trace.Layout.Collectives[id]; known {
		round = r.trace.Layout.Collectives[id].Round
		members = nil
	}
	thing := hash(1, uint64(p), last, uint64(id.Number), uint64(to), uint64(round))
	e := trace.Event{Kind: trace.Sent, Proc: p, Peer: to, ID: id, Digest: thing}
	r.do(e, thing, nil)
	r.sends = append(r.sends, message{event: e, thing: thing, members: members})
}

func (r *run) named(id trace.MsgID) bool {
	return slices.ContainsFunc(r.sends, func(m message) bool { return m.event.ID == id })
}

func (r *run) receive(p trace.Proc, id trace.MsgID, digest uint64, from ...uint64) {
	last, _ := r.at(p)
	past := uint64(0)
	if len(from) == 1 {
		past = uint64(r.counts[from[0]][1])
	}
	r.do(trace.Event{Kind: trace.Delivered, Proc: p, Peer: id.From.Proc(), ID: id, Digest: digest,
		Stamp: trace.Stamp{Date: past}}, hash(append([]uint64{2, uint64(p), last,
		uint64(id.From), uint64(id.Number)}, from...)...), from)
}

// result is the round that the root has not received and everybody has contributed to, with the
// last contributions.
func (r *run) result() (id trace.MsgID, things []uint64) {
	for round := uint32(1); ; round++ {
		things = nil
		for p := range trace.Rank(len(r.paths)) {
			for _, m := range slices.Backward(r.sends) {
				if c := r.trace.Layout.Collectives[m.event.ID]; c.Round == round &&
					m.event.ID.From == p {
					things = append(things, m.thing)
					if p == 0 {
						id = m.event.ID
					}
					break
				}
			}
		}
		if len(things) < len(r.paths) || id.Number > r.sent(0) {
			return id, nil
		}
		if !r.received(0, id) {
			return id, things
		}
	}
}

func (r *run) sent(p trace.Proc) uint32 {
	_, counts := r.at(p)
	return counts[0]
}

func (r *run) restore(p trace.Proc, keep int) {
	crash := trace.Event{Kind: trace.Crashed, Proc: p, Incarnation: r.lives[p]}
	r.lives[p]++
	r.paths[p] = r.paths[p][:keep:keep]
	_, counts := r.at(p)
	r.trace.Events = append(r.trace.Events, crash, trace.Event{Kind: trace.Restored, Proc: p,
		Incarnation: r.lives[p], Sent: counts[0], Received: counts[1]})
	r.things = append(r.things, 0, 0)
}

// closure is what happened before what, by going over all triples.
func (r *run) closure() map[[2]uint64]bool {
	before := map[[2]uint64]bool{}
	for b, list := range r.direct {
		for _, a := range list {
			before[[2]uint64{a, b}] = true
		}
	}
	for m := range r.direct {
		for a := range r.direct {
			for b := range r.direct {
				if before[[2]uint64{a, m}] && before[[2]uint64{m, b}] {
					before[[2]uint64{a, b}] = true
				}
			}
		}
	}
	return before
}

// every goes through all sequences of choices of a run of so many events.
func every(visit func(choose func(n int) int)) (runs int) {
	var digits, bounds []int
	for {
		at := 0
		visit(func(n int) int {
			if at == len(digits) {
				digits, bounds = append(digits, 0), append(bounds, 0)
			}
			bounds[at] = n
			at++
			return digits[at-1]
		})
		runs++
		for len(digits) > 0 && digits[len(digits)-1]+1 == bounds[len(digits)-1] {
			digits, bounds = digits[:len(digits)-1], bounds[:len(digits)-1]
		}
		if len(digits) == 0 {
			return runs
		}
		digits[len(digits)-1]++
	}
}

// each checks all small runs and some larger ones.
func each(t *testing.T, restarts, groups bool, check func(t tester, r *run, o *order.Order)) {
	t.Run("small", func(t *testing.T) {
		runs := every(func(choose func(n int) int) {
			r := draw(2, 5, restarts, groups, choose)
			check(t, r, order.Of(&r.trace))
		})
		least := 100
		if groups {
			least = 1000
		}
		if restarts {
			least = 8000
		}
		if runs < least {
			t.Errorf("%d runs, want at least %d", runs, least)
		}
	})
	t.Run("random", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			events := rapid.IntRange(0, 14).Draw(t, "events")
			r := draw(3, events, restarts, groups, func(n int) int {
				return rapid.IntRange(0, n-1).Draw(t, "choice")
			})
			check(t, r, order.Of(&r.trace))
		})
	})
}

type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}
