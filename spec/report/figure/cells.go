package figure

import (
	"slices"

	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/trace"
)

// sign is what a cell shows. Its name is also its key in the legend.
type sign string

const (
	sent      sign = "sent"
	received  sign = "received"
	arrived   sign = "arrived"
	refused   sign = "dropped"
	bare      sign = "" // a protocol message comes or goes
	crash     sign = "crash"
	ring      sign = "restart"
	saved     sign = "saved"
	committed sign = "committed"
	image     sign = "image"
	told      sign = "told"
	output    sign = "output"
	halts     sign = "halts"
	adopts    sign = "adopts"
	ends      sign = "ends"
	silent    sign = "held"
	logged    sign = "logged"
	pruned    sign = "pruned"
	says      sign = "says"
	note      sign = "note" // what the violation is about and nothing else shows
)

// cell is a place on a lane in a slot: what one step does there.
type cell struct {
	proc   trace.Proc
	sign   sign
	events []int
	label  string
	sheet  bool // the message that is sent here is logged, too
	torn   bool // the crash leaves a damaged record
	weak   bool // it makes no slot of its own

	slot, place, of int // its slot, and its place among the cells of its lane there
	time            float64
}

// moment is one step of the run.
type moment struct {
	step   int
	cells  []*cell
	hidden []string // kinds of protocol messages that arrive and are not drawn
	forced bool     // it is shown whatever it shows
}

// choose says which messages are drawn.
func (f *Figure) choose() {
	relevant := map[int]bool{}
	for _, n := range f.model.Relevant {
		relevant[n] = true
	}
	for n := range f.model.Messages {
		m := &f.model.Messages[n]
		show := m.App() || f.options.Show == All || f.options.Show == Relevant && relevant[n]
		if !m.App() && slices.Contains(f.options.HideKinds, m.Kind) {
			show = false
		}
		f.visible[n] = show && !f.hides(m.From) && !f.hides(m.To)
	}
}

func (f *Figure) hides(p trace.Proc) bool { return slices.Contains(f.options.HideProcs, p) }

// whole finds the messages whose arrival is drawn with their delivery or drop: nothing that matters
// happens to the receiver in between, nobody crashes or restarts, and no other message of the
// channel would seem to be overtaken.
func (f *Figure) whole() []bool {
	acted, breaks := map[trace.Proc][]int{}, []int{}
	for i := range f.model.Events {
		e := &f.model.Events[i]
		switch e.Kind {
		case trace.Crashed, trace.Restored:
			breaks = append(breaks, i)
		case trace.Committed, trace.Imaged, trace.Told, trace.Halted, trace.Released:
			acted[e.Proc] = append(acted[e.Proc], i)
		}
	}
	between := func(list []int, from, to int) bool {
		k, _ := slices.BinarySearch(list, from+1)
		return k < len(list) && list[k] < to
	}
	type channel struct{ from, to trace.Proc }
	later := map[channel]int{} // of the later arrivals of the channel, the first that is apart
	next := map[channel]int{}  // and the first that is taken
	whole := make([]bool, len(f.model.Messages))
	for _, n := range f.byArrival() {
		m := &f.model.Messages[n]
		c := channel{m.From, m.To}
		apart, known := later[c]
		if !known {
			apart = len(f.model.Events)
		}
		head, known := next[c]
		if !known {
			head = len(f.model.Events)
		}
		taken := m.Taken()
		whole[n] = taken != report.Never && taken < apart && taken < head &&
			!between(breaks, m.Arrived, taken) && !between(acted[m.To], m.Arrived, taken)
		if whole[n] {
			next[c] = min(head, taken)
		} else {
			later[c] = m.Arrived
		}
	}
	return whole
}

// byArrival lists the application messages that arrive, the last one first.
func (f *Figure) byArrival() []int {
	var list []int
	for n := range f.model.Messages {
		if m := &f.model.Messages[n]; m.App() && m.Arrived != report.Never {
			list = append(list, n)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int {
		return f.model.Messages[b].Arrived - f.model.Messages[a].Arrived
	})
	return list
}

// moments makes the cells of every step.
func (f *Figure) moments() []*moment {
	whole, quiet := f.whole(), map[int]bool{}
	for _, i := range f.model.Silent {
		quiet[i] = true
	}
	forced := map[int]bool{}
	for _, r := range f.model.About {
		if !f.atEnd(r) {
			forced[r.Event] = true
		}
	}
	var list []*moment
	for i := range f.model.Events {
		e := &f.model.Events[i]
		if n := len(list); n == 0 || list[n-1].step != e.Step {
			list = append(list, &moment{step: e.Step})
		}
		m := list[len(list)-1]
		if !f.hides(e.Proc) {
			f.cast(m, i, whole, quiet[i])
			if forced[i] && f.cellOf[i] == nil && !f.isWhole(i, whole) {
				m.add(f, e.Proc, note, i)
			}
			m.forced = m.forced || forced[i]
		}
	}
	for n := range f.model.Messages {
		if m := &f.model.Messages[n]; whole[n] && m.Arrived != report.Never {
			if c := f.cellOf[m.Taken()]; c != nil && f.cellOf[m.Arrived] == nil {
				f.cellOf[m.Arrived] = c
				c.events = append(c.events, m.Arrived)
			}
		}
	}
	return list
}

func (f *Figure) isWhole(i int, whole []bool) bool {
	e := &f.model.Events[i]
	return e.Kind == trace.Arrived && e.Message != report.Never && whole[e.Message]
}

// add appends a cell that shows one event.
func (m *moment) add(f *Figure, p trace.Proc, s sign, event int) *cell {
	c := &cell{proc: p, sign: s, events: []int{event}}
	m.cells = append(m.cells, c)
	f.cellOf[event] = c
	return c
}

// last is the last cell of the proc, nil when there is none.
func (m *moment) last(p trace.Proc) *cell {
	for k := len(m.cells) - 1; k >= 0; k-- {
		if m.cells[k].proc == p {
			return m.cells[k]
		}
	}
	return nil
}

// join lets a cell show an event, too.
func (f *Figure) join(c *cell, event int) {
	c.events = append(c.events, event)
	f.cellOf[event] = c
}

// cast decides what is seen of an event.
func (f *Figure) cast(m *moment, i int, whole []bool, quiet bool) {
	e := &f.model.Events[i]
	switch e.Kind {
	case trace.Sent:
		switch {
		case quiet:
			m.add(f, e.Proc, silent, i).label = f.model.Layout.Label(e.ID) + " held"
		case e.Message != report.Never && f.visible[e.Message]:
			m.add(f, e.Proc, sent, i)
		}
	case trace.Emitted:
		f.castEmitted(m, i)
	case trace.Arrived:
		f.castArrived(m, i, whole)
	case trace.Delivered, trace.Dropped:
		f.castTaken(m, i)
	case trace.Logged:
		if c := m.last(e.Proc); c != nil && (c.sign == sent || c.sign == silent) &&
			f.model.Events[c.events[0]].ID == e.ID {
			c.sheet = true
			f.join(c, i)
			return
		}
		f.castSheet(m, i, logged)
	case trace.Pruned:
		f.castSheet(m, i, pruned)
	default:
		f.castMark(m, i)
	}
}

// castEmitted is a message that leaves: at its send, or where the step stands that sends it.
func (f *Figure) castEmitted(m *moment, i int) {
	e := &f.model.Events[i]
	if e.Message == report.Never || !f.visible[e.Message] {
		return
	}
	last := m.last(e.Proc)
	app := !e.ID.IsZero()
	if last != nil && (!app && last.sign != crash || app && last.sign == sent &&
		f.model.Events[last.events[0]].ID == e.ID) {
		f.join(last, i)
		return
	}
	s := sent
	if !app {
		s = bare
	}
	m.add(f, e.Proc, s, i)
}

func (f *Figure) castArrived(m *moment, i int, whole []bool) {
	e := &f.model.Events[i]
	switch {
	case e.Message == report.Never:
	case !f.visible[e.Message]:
		if e.ID.IsZero() && !f.hides(e.Peer) {
			m.hidden = append(m.hidden, e.Text)
		}
	case e.ID.IsZero():
		m.add(f, e.Proc, bare, i)
	case !whole[e.Message]:
		m.add(f, e.Proc, arrived, i)
	}
}

// castTaken is a delivery to the program or a drop. One that is not about an arrival names its
// message.
func (f *Figure) castTaken(m *moment, i int) {
	e := &f.model.Events[i]
	s := received
	if e.Kind == trace.Dropped {
		s = refused
	}
	if e.Message == report.Never {
		if !e.ID.IsZero() {
			m.add(f, e.Proc, s, i).label = f.model.Layout.Label(e.ID)
		}
		return
	}
	msg := &f.model.Messages[e.Message]
	if !f.visible[e.Message] {
		return
	}
	if msg.Arrived != report.Never {
		c := f.cellOf[msg.Arrived]
		if c != nil && f.model.Events[msg.Arrived].Step == m.step && (c.sign == bare ||
			c.sign == arrived) {
			c.sign = s
			f.join(c, i)
			return
		}
		if c != nil {
			m.add(f, e.Proc, s, i).label = f.model.Messages[e.Message].Name()
			return
		}
	}
	m.add(f, e.Proc, s, i)
}

// castSheet is a change of a log that is not beside a send. It makes no slot: logs change with
// steps that show something, or nobody follows them.
func (f *Figure) castSheet(m *moment, i int, s sign) {
	e := &f.model.Events[i]
	label := f.model.Layout.Label(e.ID)
	if c := m.last(e.Proc); c != nil && c.sign == s {
		c.label += " " + label
		f.join(c, i)
		return
	}
	c := m.add(f, e.Proc, s, i)
	c.label, c.weak = label, true
}

// castMark is what happens at one proc alone.
func (f *Figure) castMark(m *moment, i int) {
	e := &f.model.Events[i]
	signs := map[trace.Kind]sign{trace.Crashed: crash, trace.Restored: ring,
		trace.Committed: committed, trace.Imaged: saved, trace.Resumed: image, trace.Told: told,
		trace.Finished: ends, trace.Released: output, trace.Halted: halts,
		trace.Adopted: adopts, trace.Decided: says, trace.Invoked: says, trace.Returned: says}
	s, ok := signs[e.Kind]
	switch {
	case e.Kind == trace.Snapped:
		s, ok = snapSign[e.Text]
		if !ok {
			return
		}
	case !ok, e.Kind == trace.Adopted && e.Step <= 0, f.renewed(i):
		return
	}
	c := m.add(f, e.Proc, s, i)
	switch e.Kind {
	case trace.Crashed:
		c.torn = e.Torn
	case trace.Told:
		c.label = e.Text
	case trace.Adopted:
		c.label = f.model.Layout.Name(e.Peer)
	case trace.Decided, trace.Invoked, trace.Returned:
		if c.label = e.Text; c.label == "" {
			c.label = e.Kind.String()
		}
	case trace.Snapped:
		c.weak = true
	}
}

// snapSign are the stages of a snapshot that a figure shows.
var snapSign = map[string]sign{trace.SnapTaken: saved, trace.SnapImage: saved,
	trace.SnapEstablished: committed}

// renewed reports whether a proc that just restarted declares the point where it restarted: nothing
// new.
func (f *Figure) renewed(i int) bool {
	e := &f.model.Events[i]
	if e.Kind != trace.Committed && e.Kind != trace.Imaged {
		return false
	}
	for k := i - 1; k >= 0 && f.model.Events[k].Step == e.Step; k-- {
		b := &f.model.Events[k]
		if b.Kind == trace.Restored && b.Proc == e.Proc {
			return b.Sent == e.Sent && b.Received == e.Received
		}
	}
	return false
}
