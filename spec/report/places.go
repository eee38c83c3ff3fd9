package report

import (
	"math"
	"slices"
	"sort"

	"github.com/domino-check/domino/spec/trace"
)

// place is where an item is drawn: at an event, or between it and the next.
type place int

func at(event int) place    { return place(2 * event) }
func after(event int) place { return place(2*event + 1) }

// event is the last one that is not below the place.
func (p place) event() int { return int(p) / 2 }

// places decides what of a message is drawn on one row. Its send is drawn as late as its arrival,
// and its arrival as late as its delivery, if that changes the order of nothing that a reader goes
// by: no crash or restart lies in between, nothing that either end does, and no other message of
// the channel.
type places struct {
	*story
	accused int // the step that a violation is about, 0 for none
	scene   []int
	marked  []int // events of anybody that show where the protocol stands
	// the same by proc: an arrival and its delivery are not drawn across them
	settled map[trace.Proc][]int
	acted   map[trace.Proc][]int // events that a send is not drawn across
}

// settle finds the places of all messages of the story.
func settle(s *story, accused int) *places {
	p := &places{story: s, accused: accused, settled: map[trace.Proc][]int{},
		acted: map[trace.Proc][]int{}}
	for i, e := range s.Events {
		if e.Step == accused && accused > 0 {
			p.scene = append(p.scene, i)
		}
		switch e.Kind {
		case trace.Delivered:
			p.acted[e.Proc] = append(p.acted[e.Proc], i)
		case trace.Committed, trace.Told, trace.Halted, trace.Released:
			p.acted[e.Proc] = append(p.acted[e.Proc], i)
			p.settled[e.Proc] = append(p.settled[e.Proc], i)
			p.marked = append(p.marked, i)
		}
	}
	p.arrivals()
	p.sends()
	return p
}

// arrivals sets whole and place of every message that arrives.
func (p *places) arrivals() {
	list := slices.DeleteFunc(slices.Clone(p.flights), func(f *flight) bool {
		return f.arrived == never
	})
	slices.SortFunc(list, func(a, b *flight) int { return a.arrived - b.arrived })
	lowest := map[channel]place{}
	for _, f := range list {
		f.whole, f.place = false, at(f.arrived)
		taken := max(f.delivered, f.dropped)
		switch {
		case f.id.IsZero():
			continue
		case taken != never && !p.between(p.settled[f.to], f.arrived, taken):
			f.whole, f.place = true, at(taken)
		case lowest[f.channel] >= f.place:
			f.place = min(lowest[f.channel]+1, after(p.latest(f.arrived, p.settled[f.to])))
		}
		lowest[f.channel] = max(lowest[f.channel], f.place)
	}
}

// sends sets tailed of every message: whether its send is drawn where it arrives. A send that is
// drawn by itself keeps those before it above.
func (p *places) sends() {
	list := slices.DeleteFunc(slices.Clone(p.flights), func(f *flight) bool {
		return f.sent == never || f.arrived == never && f.id.IsZero()
	})
	slices.SortFunc(list, func(a, b *flight) int { return b.sent - a.sent })
	next := map[trace.Proc]int{}
	for k := len(p.silent) - 1; ; k-- {
		bound := -1
		if k >= 0 {
			bound = p.silent[k]
		}
		for len(list) > 0 && list[0].sent > bound {
			p.send(list[0], next)
			list = list[1:]
		}
		if k < 0 {
			return
		}
		next[p.Events[bound].Proc] = bound
	}
}

// send decides for one message; next has the next send of each proc that is drawn by itself.
func (p *places) send(f *flight, next map[trace.Proc]int) {
	limit, ok := next[f.from]
	if !ok {
		limit = math.MaxInt
	}
	row := f.place.event()
	f.tailed = f.arrived != never && (f.id.IsZero() || row < limit &&
		!p.between(p.acted[f.from], f.sent, row))
	if !f.tailed && !f.id.IsZero() {
		next[f.from] = f.sent
	}
}

// between reports whether one of the ascending events, or a crash or restart of anybody, is
// strictly between two moments.
func (p *places) between(events []int, from, to int) bool {
	has := func(list []int) bool {
		i := sort.SearchInts(list, from+1)
		return i < len(list) && list[i] < to
	}
	return has(events) || has(p.breaks)
}

// latest is the last event before one of the ascending ones, a crash, a restart or the step of the
// violation follows.
func (p *places) latest(i int, events []int) int {
	last := len(p.Events) - 1
	for _, list := range [][]int{events, p.breaks, p.scene} {
		if k := sort.SearchInts(list, i+1); k < len(list) {
			last = min(last, list[k]-1)
		}
	}
	return last
}
