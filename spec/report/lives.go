package report

import (
	"slices"

	"github.com/domino-check/domino/spec/trace"
)

// deed is an event of a program that counts, and where it leaves it.
type deed struct {
	event          int
	sent, received uint32
}

// biography follows one proc: what of its past survives, and what has saved it.
type biography struct {
	life  int // of Model.Lives; Never while it is down
	host  int
	past  []deed // sends, deliveries, outputs and ends that survive
	saved []deed // checkpoints and images that are stable
}

// here is where the program stands.
func (b *biography) here() deed {
	if n := len(b.past); n > 0 {
		return b.past[n-1]
	}
	return deed{event: never}
}

// lives finds the incarnations, where each was restored, and what that has undone. A program is
// where its sends and deliveries are, so the counts of a restart tell the point; an event between
// two of them that has saved the point is looked for by its counts, the last one first.
func (m *Model) lives() {
	procs, lands := make([]biography, len(m.Lanes)), landings(m.Run.Trace.Events)
	for i, l := range m.Lanes {
		procs[i] = biography{life: never, host: l.Node}
		m.begin(&procs[i], Life{Proc: l.Proc, From: never, Point: Point{Event: never,
			Saved: never}})
	}
	for i := range m.Events {
		e := &m.Events[i]
		b := &procs[e.Proc]
		if e.Kind == trace.Restored {
			m.close(b, i)
			m.begin(b, Life{Proc: e.Proc, Incarnation: e.Incarnation, From: i,
				Point: Point{Event: never, Saved: never}})
		}
		e.Life = b.life
		switch e.Kind {
		case trace.Crashed:
			m.close(b, i)
		case trace.Restored:
			m.restored(b, i, lands[i])
		case trace.Resumed:
			m.restored(b, i, i)
		case trace.Adopted:
			if int(e.Peer) < len(procs) {
				procs[e.Peer].host = int(e.Proc)
			}
		case trace.Told:
			e.About = m.Layout.ProcsOf(e.Text)
		case trace.Kept:
			if e.Text == trace.Image && int(e.Peer) < len(procs) {
				procs[e.Peer].saved = append(procs[e.Peer].saved, deed{i, e.Sent, e.Received})
			}
		default:
			b.apply(i, &e.Event)
		}
	}
	m.sortLives()
}

// apply follows what a program and its checkpoints do.
func (b *biography) apply(i int, e *trace.Event) {
	if b.life == never {
		return
	}
	at := b.here()
	at.event = i
	switch e.Kind {
	case trace.Sent:
		at.sent = max(at.sent+1, e.ID.Number)
	case trace.Delivered:
		at.received++
	case trace.Released, trace.Finished:
	case trace.Committed, trace.Imaged:
		b.saved = append(b.saved, deed{i, e.Sent, e.Received})
		return
	default:
		return
	}
	b.past = append(b.past, at)
}

func (m *Model) begin(b *biography, l Life) {
	l.To, l.Host, l.UndoneFrom, l.UndoneBy = never, b.host, never, never
	b.life = len(m.Lives)
	m.Lives = append(m.Lives, l)
}

func (m *Model) close(b *biography, at int) {
	if b.life != never {
		m.Lives[b.life].To = at
		b.life = never
	}
}

// restored cuts the past back to the point that the event at the landing names, and marks what that
// undoes. A program that had ended in its image ends there again: the digest of the event says so.
func (m *Model) restored(b *biography, i, landing int) {
	e := &m.Events[landing]
	within := func(a deed) bool { return a.sent <= e.Sent && a.received <= e.Received }
	keep := 0
	for keep < len(b.past) && within(b.past[keep]) &&
		(e.Digest != 0 || m.Events[b.past[keep].event].Kind != trace.Finished) {
		keep++
	}
	for _, a := range b.past[keep:] {
		life := m.Events[a.event].Life
		if l := &m.Lives[life]; l.UndoneFrom == never || a.event < l.UndoneFrom {
			l.UndoneFrom, l.UndoneBy = a.event, b.life
			m.undo(life)
		}
	}
	b.past = b.past[:keep:keep]
	b.saved = slices.DeleteFunc(b.saved, func(a deed) bool { return !within(a) })
	point := Point{Event: b.here().event, Saved: never, Sent: e.Sent, Received: e.Received}
	for _, a := range b.saved {
		if a.sent == e.Sent && a.received == e.Received {
			point.Saved = a.event
		}
	}
	if e.Of = point.Event; point.Saved != never {
		e.Of = point.Saved
	}
	if i != landing {
		m.Events[i].Of = never
	}
	if b.life != never {
		m.Lives[b.life].Point = point
	}
}

// undo marks the events of a life from where it is undone to its end.
func (m *Model) undo(life int) {
	l := &m.Lives[life]
	for i := l.UndoneFrom; i < len(m.Events) && (l.To == never || i < l.To); i++ {
		e := &m.Events[i]
		e.Undone = e.Undone || e.Proc == l.Proc && e.Life == life
	}
}

// sortLives puts the lives of each proc together.
func (m *Model) sortLives() {
	order := make([]int, len(m.Lives))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return int(m.Lives[a].Proc) - int(m.Lives[b].Proc)
	})
	place := make([]int, len(order))
	sorted := make([]Life, len(order))
	for to, from := range order {
		place[from], sorted[to] = to, m.Lives[from]
	}
	for i := range sorted {
		if by := sorted[i].UndoneBy; by != never {
			sorted[i].UndoneBy = place[by]
		}
	}
	for i := range m.Events {
		if l := m.Events[i].Life; l != never {
			m.Events[i].Life = place[l]
		}
	}
	m.Lives = sorted
}

// lifeAt is the life of a proc at a moment, Never where it is down.
func (m *Model) lifeAt(p trace.Proc, at int) int {
	for i := range m.Lives {
		l := &m.Lives[i]
		if l.Proc == p && l.From <= at && (l.To == never || at < l.To) {
			return i
		}
	}
	return never
}

// lines finds what restarts together: the ranks that one failure stops, in one step or as members
// of one group, and those that roll back for it.
func (m *Model) lines() {
	failure, line := map[trace.Proc]int{}, map[int]int{}
	failures, step := 0, -1
	for i := range m.Events {
		e := &m.Events[i]
		switch {
		case e.Kind == trace.Crashed && e.Text != "": // it goes back because of another
			failure[e.Proc] = max(failures, 1)
		case e.Kind == trace.Crashed:
			if open, ok := m.openFailure(e.Proc, failure); ok {
				failure[e.Proc] = open
				break
			}
			if e.Step != step || failures == 0 {
				failures, step = failures+1, e.Step
			}
			failure[e.Proc] = failures
		case e.Kind == trace.Restored && m.Lanes[e.Proc].Role == RoleRank:
			f, ok := failure[e.Proc]
			if !ok {
				failures++
				f = failures
			}
			delete(failure, e.Proc)
			k, ok := line[f]
			if !ok {
				k = len(m.Lines)
				line[f], m.Lines = k, append(m.Lines, Line{})
			}
			m.Lines[k].add(e.Proc, m.Lives[e.Life].Point, i)
		}
	}
}

// openFailure is that of another member of the group of a proc that is down.
func (m *Model) openFailure(p trace.Proc, failure map[trace.Proc]int) (int, bool) {
	for _, q := range m.Lanes[p].Group {
		if f, down := failure[q]; down && q != p {
			return f, true
		}
	}
	return 0, false
}

// add puts a proc into its place.
func (l *Line) add(p trace.Proc, point Point, at int) {
	i, _ := slices.BinarySearch(l.Procs, p)
	l.Procs = slices.Insert(l.Procs, i, p)
	l.Points = slices.Insert(l.Points, i, point)
	l.At = slices.Insert(l.At, i, at)
}
