package report

import (
	"slices"

	"github.com/domino-check/domino/spec/trace"
)

// never is the index of an event that did not happen.
const never = -1

// flight is one copy of a message, from the moment it was put on the network to what became of it.
// Moments are indexes into the events of the trace, never for what did not happen or was not
// recorded.
type flight struct {
	channel
	what
	sent, arrived, delivered, dropped int
	lost                              int // by the network

	// of the receiver when the copy was sent; a copy for a dead receiver is looked for last
	life  int
	again bool   // sent from a log
	twice bool   // the network made a copy of it
	fate  string // why it does not arrive, or "" when it may still be on its way

	place  place // of its arrow; see places
	whole  bool  // the arrow is also the delivery or the drop
	tailed bool  // the arrow is also the send
}

// channel is one direction between two procs.
type channel struct{ from, to trace.Proc }

// what tells messages of a channel apart.
type what struct {
	kind  string
	id    trace.MsgID
	stamp trace.Stamp
}

// story is a trace, understood: which arrival belongs to which send, which messages are lost, which
// are orphans.
type story struct {
	*trace.Trace
	flights []*flight
	silent  []int // sends that put nothing on the network
	alone   []int // deliveries and drops of a message whose arrival is not in the trace
	orphans map[int]orphan
	breaks  []int // crashes and restarts

	life    map[trace.Proc]int
	crashed map[trace.Proc]int // its last crash; absent when it never crashed
	down    map[trace.Proc]bool
	onWay   map[channel]map[what][]*flight
	queued  map[channel]map[trace.MsgID][]*flight // arrived, and the program does not have them yet
}

// understand reads the trace of a run. It accepts any events in any order: what does not fit stands
// alone.
func understand(r *Run) *story {
	t := &r.Trace
	s := &story{Trace: t, life: map[trace.Proc]int{}, crashed: map[trace.Proc]int{},
		down:  map[trace.Proc]bool{},
		onWay: map[channel]map[what][]*flight{}, queued: map[channel]map[trace.MsgID][]*flight{}}
	for i, e := range t.Events {
		switch e.Kind {
		case trace.Emitted:
			s.emitted(i, e)
		case trace.Arrived:
			s.arrived(i, e)
		case trace.Lost:
			s.lost(i, e)
		case trace.Delivered, trace.Dropped:
			s.taken(i, e)
		case trace.Crashed:
			s.breaks = append(s.breaks, i)
			s.crashed[e.Proc], s.down[e.Proc] = i, true
		case trace.Restored:
			s.breaks = append(s.breaks, i)
			s.down[e.Proc] = false
			s.life[e.Proc]++
		}
	}
	s.silence()
	s.judgeLost(r)
	s.orphans = findOrphans(t.Events)
	return s
}

func (s *story) emitted(i int, e trace.Event) {
	f := &flight{channel: channel{e.Proc, e.Peer}, what: what{e.Text, e.ID, e.Stamp}, sent: i,
		arrived: never, delivered: never,
		dropped: never, lost: never, life: s.life[e.Peer], again: e.Again}
	if s.down[e.Peer] {
		f.life = never
		f.fate = "lost: " + s.Layout.Name(e.Peer) + " is down"
	}
	s.flights = append(s.flights, f)
	if s.onWay[f.channel] == nil {
		s.onWay[f.channel] = map[what][]*flight{}
	}
	s.onWay[f.channel][f.what] = append(s.onWay[f.channel][f.what], f)
}

// arrived gives the arrival to the oldest equal message that was sent to this life of the receiver,
// or else to the oldest.
func (s *story) arrived(i int, e trace.Event) {
	c, w := channel{e.Peer, e.Proc}, what{e.Text, e.ID, e.Stamp}
	list := s.onWay[c][w]
	pick := slices.IndexFunc(list, func(f *flight) bool { return f.life == s.life[e.Proc] })
	var f *flight
	switch {
	case len(list) == 0:
		f = &flight{channel: c, what: w, sent: never, delivered: never, dropped: never,
			lost: never, twice: list != nil}
		s.flights = append(s.flights, f)
	default:
		pick = max(pick, 0)
		f = list[pick]
		s.onWay[c][w] = slices.Delete(list, pick, pick+1)
	}
	f.arrived, f.fate = i, ""
	if s.queued[c] == nil {
		s.queued[c] = map[trace.MsgID][]*flight{}
	}
	s.queued[c][e.ID] = append(s.queued[c][e.ID], f)
}

// lost takes the oldest equal message from the network.
func (s *story) lost(i int, e trace.Event) {
	c, w := channel{e.Peer, e.Proc}, what{e.Text, e.ID, e.Stamp}
	if list := s.onWay[c][w]; len(list) > 0 {
		list[0].lost, list[0].fate = i, "lost by the network"
		s.onWay[c][w] = list[1:]
	}
}

// taken gives a delivery or a drop to an arrival of the same life: a drop is about the last one, a
// delivery about the first with its stamp.
func (s *story) taken(i int, e trace.Event) {
	c := channel{e.Peer, e.Proc}
	list := s.queued[c][e.ID]
	pick := never
	for k, f := range list {
		if s.crashed[e.Proc] > f.arrived {
			continue // it was in the memory that the crash took
		}
		if e.Kind == trace.Dropped || pick == never || f.stamp == e.Stamp &&
			list[pick].stamp != e.Stamp {
			pick = k
		}
	}
	if pick == never {
		if !e.ID.IsZero() {
			s.alone = append(s.alone, i)
		}
		return
	}
	f := list[pick]
	s.queued[c][e.ID] = slices.Delete(list, pick, pick+1)
	if e.Kind == trace.Dropped {
		f.dropped = i
	} else {
		f.delivered = i
	}
}

// commonKind is what most messages that carry an application message are called.
func (s *story) commonKind() string {
	kinds, common := map[string]int{}, ""
	for _, e := range s.Events {
		if e.Kind != trace.Emitted || e.ID.IsZero() {
			continue
		}
		if kinds[e.Text]++; kinds[e.Text] > kinds[common] {
			common = e.Text
		}
	}
	return common
}

// silence finds the sends of programs that put nothing on the network in the same life.
func (s *story) silence() {
	open := map[trace.Proc]map[trace.MsgID]int{}
	for i, e := range s.Events {
		switch e.Kind {
		case trace.Sent:
			if e.ID.IsZero() {
				continue
			}
			if open[e.Proc] == nil {
				open[e.Proc] = map[trace.MsgID]int{}
			}
			if _, ok := open[e.Proc][e.ID]; !ok {
				open[e.Proc][e.ID] = len(s.silent)
				s.silent = append(s.silent, i)
			}
		case trace.Emitted:
			if k, ok := open[e.Proc][e.ID]; ok {
				s.silent[k] = never
			}
		case trace.Restored:
			delete(open, e.Proc)
		}
	}
	s.silent = slices.DeleteFunc(s.silent, func(i int) bool { return i == never })
}

// judgeLost says why messages did not arrive. A message that nothing took may still be on its way,
// unless the run is over.
func (s *story) judgeLost(r *Run) {
	newest := map[channel]int{} // the last send of the channel that did arrive
	for _, f := range s.flights {
		if f.arrived != never {
			newest[f.channel] = max(newest[f.channel], f.sent)
		}
	}
	over := r.Violation != nil && r.Violation.Step <= 0
	for _, f := range s.flights {
		switch {
		case f.arrived != never || f.fate != "":
		case s.lostIn(f.to, f.sent):
			f.fate = "lost in the crash of " + s.Layout.Name(f.to)
		case s.lostIn(f.from, f.sent):
			f.fate = "lost in the crash of " + s.Layout.Name(f.from)
		case over || newest[f.channel] > f.sent:
			f.fate = "never arrives"
		}
	}
}

// lostIn reports whether the proc crashed after the moment.
func (s *story) lostIn(p trace.Proc, after int) bool {
	at, ok := s.crashed[p]
	return ok && at > after
}
