package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/spec/trace"
)

// item is one thing that the diagram shows: an arrow between two columns or a mark in one.
type item struct {
	place       place
	first, last int // steps that it covers
	events      []int

	arrow *flight // nil for a mark
	ends  string  // of the arrow: see arrowEnds
	proc  trace.Proc
	mark  string
	style style

	who, does, doAll string // "x", "crashes", "crash": marks of one row share a sentence
	note             string
	message          trace.MsgID
	joins            bool // shares a row with its like of other steps
	here             bool
}

// How an arrow begins and ends, as the letters of item.ends.
const (
	sentHere  = "o" // the tail is the send; otherwise the send has a mark of its own
	received  = "*" // the head is also the delivery to the program
	refused   = "x" // the head is also where the protocol drops it
	lostOnWay = "-" // it never gets there
	underWay  = "~" // it is not there when the run ends
)

// cast makes items out of a story.
type cast struct {
	*places
	control bool
	items   []*item
	common  string // the usual kind of message that carries an application message
}

// perform lists the items in the order of the rows. Control messages are shown on demand, and those
// of the step to be accused.
func perform(s *story, control bool, accused int) []*item {
	c := &cast{places: settle(s, accused), control: control, common: s.commonKind()}
	for _, f := range s.flights {
		if !f.id.IsZero() || c.shows(f) {
			c.flight(f)
		}
	}
	for i, e := range s.Events {
		c.mark(i, e)
	}
	for _, i := range s.silent {
		e := s.Events[i]
		m := c.add(e.Proc, "o "+c.label(e.ID), plain, i)
		m.message, m.note = e.ID, "the send of "+c.label(e.ID)+" puts nothing on the network"
	}
	for _, i := range s.alone {
		e := s.Events[i]
		mark, note := "* ", "received "+c.label(e.ID)
		if e.Kind == trace.Dropped {
			mark, note = "x ", "dropped "+c.label(e.ID)+": "+e.Text
		}
		m := c.add(e.Proc, mark+c.label(e.ID), plain, i)
		m.message, m.note = e.ID, note+c.orphaned(i)
	}
	slices.SortStableFunc(c.items, before)
	return c.items
}

// before orders items by their places; what joins others of its like comes last and from left to
// right.
func before(a, b *item) int {
	switch {
	case a.place != b.place:
		return int(a.place - b.place)
	case a.joins && b.joins:
		return int(a.proc) - int(b.proc)
	case b.joins:
		return -1
	case a.joins:
		return 1
	}
	return 0
}

func (c *cast) label(id trace.MsgID) string { return clean(c.Layout.Label(id)) }
func (c *cast) name(p trace.Proc) string    { return clean(c.Layout.Name(p)) }
func (c *cast) step(i int) int              { return c.Events[i].Step }

// shows reports whether a control message is drawn.
func (c *cast) shows(f *flight) bool {
	return c.control || c.accused > 0 && (f.sent != never && c.step(f.sent) == c.accused ||
		f.arrived != never && c.step(f.arrived) == c.accused)
}

// add appends a mark that covers the events.
func (c *cast) add(p trace.Proc, mark string, s style, events ...int) *item {
	m := &item{proc: p, mark: mark, style: s, events: events}
	for k, i := range events {
		if k == 0 || c.step(i) < m.first {
			m.first = c.step(i)
		}
		m.place, m.last = max(m.place, at(i)), max(m.last, c.step(i))
	}
	c.items = append(c.items, m)
	return m
}

// flight adds the arrow of a message and marks of their own for its send and its delivery where
// they are drawn apart.
func (c *cast) flight(f *flight) {
	s := plain
	if f.id.IsZero() {
		s = faint
	}
	if f.arrived == never {
		ends, fate := sentHere+lostOnWay, f.fate
		if fate == "" {
			ends = sentHere + underWay
		}
		if fate == "" && !f.id.IsZero() {
			fate = "still on its way"
		}
		c.arrow(f, ends, s, f.sent).note = c.about(f, fate)
		return
	}
	events, ends, end, mark, outcome := []int{f.arrived}, "", "", "* ", ""
	switch {
	case f.dropped != never:
		end, mark, outcome = refused, "x ", "dropped: "+c.Events[f.dropped].Text
	case f.delivered != never:
		end = received
	}
	switch {
	case f.tailed:
		events, ends = append(events, f.sent), sentHere
	case f.sent != never:
		c.add(f.from, "o "+c.tag(f), s, f.sent).message = f.id
	}
	taken, outcome := max(f.delivered, f.dropped),
		strings.TrimSpace(outcome+c.orphaned(f.delivered))
	if taken != never && f.whole {
		events, ends = append(events, taken), ends+end
	}
	m := c.arrow(f, ends, s, events...)
	m.place = f.place
	if taken == never || f.whole {
		m.note = c.about(f, outcome)
		return
	}
	m.note = c.about(f, "")
	m = c.add(f.to, mark+c.tag(f), s, taken)
	m.message, m.note = f.id, outcome
}

func (c *cast) arrow(f *flight, ends string, s style, events ...int) *item {
	m := c.add(f.from, "", s, events...)
	m.arrow, m.ends, m.message = f, ends, f.id
	return m
}

// tag is what an arrow is called.
func (c *cast) tag(f *flight) string {
	if f.id.IsZero() {
		return clean(f.kind)
	}
	return c.label(f.id)
}

// about is the note beside a message.
func (c *cast) about(f *flight, outcome string) string {
	var words []string
	if !f.id.IsZero() && f.kind != c.common {
		words = append(words, f.kind)
	}
	if f.again {
		words = append(words, "from the log")
	}
	if f.twice {
		words = append(words, "a duplicate")
	}
	if outcome = strings.TrimSpace(outcome); outcome != "" {
		words = append(words, outcome)
	}
	return strings.Join(words, ", ")
}

// orphaned says when a delivery was an orphan, with a space in front, or nothing.
func (c *cast) orphaned(delivery int) string {
	o, ok := c.orphans[delivery]
	switch {
	case !ok:
		return ""
	case o.until == never:
		return fmt.Sprintf(" orphan since %d", c.step(o.since))
	case o.undone:
		return fmt.Sprintf(" orphan in %d-%d, then undone", c.step(o.since), c.step(o.until))
	}
	return fmt.Sprintf(" orphan in %d-%d, then sent again", c.step(o.since), c.step(o.until))
}

// stopper is who has stopped the proc that ends, on purpose: he says so in the same step, behind
// the end.
func (c *cast) stopper(end int) (by trace.Proc, ok bool) {
	who := c.Events[end]
	for _, e := range c.Events[end+1:] {
		if e.Step != who.Step {
			break
		}
		if e.Kind == trace.Disowned && e.Peer == who.Proc {
			return e.Proc, true
		}
	}
	return 0, false
}

// mark adds what happens at one proc alone.
func (c *cast) mark(i int, e trace.Event) {
	m := item{who: c.name(e.Proc)}
	switch e.Kind {
	case trace.Crashed:
		m.mark, m.style, m.does, m.doAll = "X", alarm, "crashes", "crash"
		if by, stopped := c.stopper(i); stopped {
			m.style, m.does = good, "is stopped by "+c.name(by)
			m.doAll = "are stopped by " + c.name(by)
		} else if e.Text != "" {
			m.does, m.doAll = "stops: "+e.Text, "stop: "+e.Text
		}
	case trace.Restored:
		m.mark, m.style = fmt.Sprintf("R%d", e.Incarnation), good
		m.does = "restarts" + c.restoredTo(i, e)
		m.doAll = strings.Replace(m.does, "restarts", "restart", 1)
	case trace.Committed:
		if c.renewed(i, e) {
			return
		}
		m.mark, m.style = "C", good
		m.does = fmt.Sprintf("checkpoints at %d sent, %d received", e.Sent, e.Received)
		m.doAll = strings.Replace(m.does, "checkpoints", "checkpoint", 1)
	case trace.Resumed:
		m.mark, m.style = "L", good
		m.does = fmt.Sprintf("gets its image: %d sent, %d received", e.Sent, e.Received)
		m.doAll = strings.Replace(m.does, "gets its", "get their", 1)
	case trace.Adopted:
		if e.Step == 0 {
			return // where everybody runs at the start
		}
		m.mark, m.style, m.does, m.doAll = "+", care, "adopts "+c.name(e.Peer),
			"adopt "+c.name(e.Peer)
	case trace.Told:
		m.mark, m.style, m.does, m.doAll = "!", care, "learns: "+e.Text+" down",
			"learn: "+e.Text+" down"
	case trace.Finished:
		m.mark, m.does, m.doAll = "=", "ends", "end"
	case trace.Released:
		m.mark, m.does, m.doAll = "^", "outputs", "output"
	case trace.Halted:
		m.mark, m.style, m.does = "H", alarm, "gives up: "+e.Text
		m.doAll = strings.Replace(m.does, "gives", "give", 1)
	default:
		return
	}
	added := c.add(e.Proc, m.mark, m.style, i)
	added.who, added.does, added.doAll = m.who, m.does, m.doAll
	added.joins = e.Kind == trace.Finished || e.Kind == trace.Restored
	if e.Kind == trace.Finished {
		added.place = after(c.latest(i, c.marked))
	}
}

// renewed reports whether a proc that just restarted declares the point where it restarted: nothing
// new.
func (c *cast) renewed(i int, e trace.Event) bool {
	for k := i - 1; k >= 0 && c.Events[k].Step == e.Step; k-- {
		if b := c.Events[k]; b.Kind == trace.Restored && b.Proc == e.Proc {
			return b.Sent == e.Sent && b.Received == e.Received
		}
	}
	return false
}

// restoredTo says where a restart begins.
func (c *cast) restoredTo(i int, e trace.Event) string {
	if int(e.Proc) >= c.Layout.Ranks {
		return ""
	}
	saved := false
	for k := i - 1; k >= 0; k-- {
		b := c.Events[k]
		if b.Kind == trace.Committed && b.Proc == e.Proc && b.Sent == e.Sent &&
			b.Received == e.Received && !c.renewed(k, b) {
			return fmt.Sprintf(" from the checkpoint of %d", b.Step)
		}
		saved = saved || b.Proc == e.Proc && (b.Kind == trace.Committed || b.Kind == trace.Stored)
	}
	if e.Sent == 0 && e.Received == 0 && !saved {
		return " from the start"
	}
	return fmt.Sprintf(" at %d sent, %d received", e.Sent, e.Received)
}
