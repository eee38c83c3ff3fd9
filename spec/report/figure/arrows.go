package figure

import (
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/trace"
)

// flight is a message as it is drawn.
type flight struct {
	*report.Message
	n          int
	events     []int
	tail, head point
	class      string
	accused    spec.Role // what the violation has to do with it, "" for nothing
}

// message draws a message, and what it does while it waits.
func (f *Figure) message(n int) {
	m := &f.model.Messages[n]
	if !f.visible[n] {
		return
	}
	a := &flight{Message: m, n: n}
	for _, i := range []int{m.Sent, m.Arrived, m.Delivered, m.Dropped} {
		if f.known(i) {
			a.events = append(a.events, i)
		}
	}
	from, known := f.tail(a)
	head := f.cellAt(m.Arrived)
	if !known && head == nil {
		return
	}
	a.classify(f)
	s1, s2 := f.lanes[f.lane[m.From]].across, f.lanes[f.lane[m.To]].across
	switch {
	case head != nil && !known:
		from = max(head.time-16, f.start)
		if d := s2 - s1; d != 0 {
			s1 = s2 - d/max(d, -d)*f.pitch*0.6
		}
	case head == nil && m.From != m.To:
		s2 -= (s2 - s1) / max(s2-s1, s1-s2) * f.pitch * 0.36
	}
	a.tail = f.at(from, s1)
	switch {
	case head != nil:
		a.head = f.at(head.time, s2)
	default:
		a.head = f.at(min(from+slotAcross*0.9, f.end), s2)
	}
	f.wait(a)
	if m.From == m.To {
		f.loop(a, from, head, s1)
		return
	}
	f.arrow(a, head)
}

func (f *Figure) cellAt(i int) *cell {
	if i == report.Never {
		return nil
	}
	return f.cellOf[i]
}

// tail is when a message leaves. A copy that the network made leaves with the message that it is a
// copy of.
func (f *Figure) tail(a *flight) (float64, bool) {
	if c := f.cellAt(a.Sent); c != nil {
		return c.time, true
	}
	if !a.Copy {
		return 0, false
	}
	for i := range f.model.Messages {
		o := &f.model.Messages[i]
		if c := f.cellAt(o.Sent); c != nil && o.From == a.From && o.To == a.To && o.ID == a.ID &&
			o.Kind == a.Kind && (a.Arrived == report.Never || o.Sent < a.Arrived) {
			return c.time, true
		}
	}
	return 0, false
}

// classify says how a message is drawn.
func (a *flight) classify(f *Figure) {
	class := "m"
	if !a.App() {
		class = "c"
		f.use("control")
	}
	if len(a.Orphan) > 0 {
		class += " or"
		f.use("orphan")
	} else if f.undone(a.Message) {
		class += " u"
	}
	a.accused = f.accuses(a)
	if a.accused != "" {
		class += " v"
	}
	a.class = class
}

// wait draws the bar of a message that has arrived and is not received at once.
func (f *Figure) wait(a *flight) {
	c := f.cellAt(a.Arrived)
	if c == nil || c.sign != arrived {
		return
	}
	to := f.end
	if t := f.cellAt(a.Taken()); t != nil {
		to = t.time
	} else if a.ToLife != report.Never {
		to = f.timeOf(f.model.Lives[a.ToLife].To, f.end)
	}
	s := f.lanes[f.lane[a.To]].across
	f.use("waits")
	f.mark(bars, c.time, to, "q", a.events, a.Name()+" waits",
		f.area("gw", c.time, to, s-3.2, s+3.2))
}

// Measures of arrows.
const (
	headLength = 7.0
	headWidth  = 2.7
	dotSent    = 2.3
	dotTaken   = 3.7
)

// radius is how far from its lane an arrow ends, because of what is there.
func (c *cell) radius() float64 {
	switch c.sign {
	case received, arrived:
		return dotTaken
	case refused:
		return 5
	case bare:
		return 0
	}
	return 7
}

// arrow draws a slanted arrow with its ends.
func (f *Figure) arrow(a *flight, head *cell) {
	gap := 0.0
	if head != nil {
		gap = head.radius()
	}
	tip, dx, dy := a.head.toward(a.tail, gap)
	dx, dy = -dx, -dy
	body := ""
	end := point{tip.x - dx*headLength*0.8, tip.y - dy*headLength*0.8}
	switch {
	case a.Fate == report.Lost:
		f.use("lost")
		end = tip
		body += `<path class="k" d="` + cross(tip, 3.4) + `"/>`
	default:
		if a.Fate == report.OnItsWay {
			f.use("on its way")
			body += openHead(tip, dx, dy)
		} else {
			body += closedHead(tip, dx, dy)
		}
		if a.Copy {
			f.use("duplicate")
			body += closedHead(point{tip.x - dx*headLength, tip.y - dy*headLength}, dx, dy)
		}
	}
	if a.Again {
		f.use("replayed")
		ox, oy := -dy*1.5, dx*1.5
		body = path("a", a.tail.plus(ox, oy), end.plus(ox, oy)) +
			path("a", a.tail.plus(-ox, -oy), end.plus(-ox, -oy)) + body
	} else {
		body = path("a", a.tail, end) + body
	}
	l := arrows
	if !a.App() {
		l = protocolArrows
	}
	t1, t2 := f.span(box{a.tail.x, a.tail.y, a.head.x, a.head.y})
	f.mark(l, t1, t2, a.class, a.events, f.about(a), body)
	f.placer.draw(a.tail, tip, a.n, priceArrow)
	f.placer.occupy(around(tip, 5, 5))
	f.along(f.labelOf(a, (t1+t2)/2), a.tail, a.head)
}

// grazed lists the slots of signs that an arrow passes so closely that it seems to end or to begin
// there.
func (f *Figure) grazed() (slots []int) {
	times := map[trace.Proc][]*cell{}
	for _, c := range f.cells {
		times[c.proc] = append(times[c.proc], c)
	}
	for n := range f.model.Messages {
		m := &f.model.Messages[n]
		tail, head := f.cellAt(m.Sent), f.cellAt(m.Arrived)
		if !f.visible[n] || tail == nil || head == nil {
			continue
		}
		i, k := f.lane[m.From], f.lane[m.To]
		for j := min(i, k) + 1; j < max(i, k); j++ {
			u := (f.lanes[j].across - f.lanes[i].across) / (f.lanes[k].across - f.lanes[i].across)
			t := tail.time + u*(head.time-tail.time)
			for _, c := range times[f.lanes[j].Proc] {
				if c != tail && c != head && c.time > t-7 && c.time < t+7 && c.slot > tail.slot {
					slots = append(slots, c.slot)
				}
			}
		}
	}
	slices.Sort(slots)
	return slices.Compact(slots)
}

// loop is a message of a proc to itself.
func (f *Figure) loop(a *flight, from float64, head *cell, s float64) {
	to := from + 20
	if head != nil {
		to = head.time - head.radius()
	}
	h := min(20, f.pitch*0.45)
	p, c1, c2, q := f.at(from, s), f.at(from+4, s-h), f.at(to-4, s-h), f.at(to, s-2)
	tip, dx, dy := q.toward(c2, 0)
	body := fmt.Sprintf(`<path class="a" d="M%s %sC%s %s %s %s %s %s"/>`, number(p.x), number(p.y),
		number(c1.x), number(c1.y), number(c2.x), number(c2.y), number(q.x), number(q.y))
	switch a.Fate {
	case report.Lost:
		f.use("lost")
		body += `<path class="k" d="` + cross(tip, 3.4) + `"/>`
	case report.OnItsWay:
		f.use("on its way")
		body += openHead(tip, -dx, -dy)
	default:
		body += closedHead(tip, -dx, -dy)
	}
	f.mark(arrows, from, to, a.class, a.events, f.about(a), body)
	f.labelOf(a, (from+to)/2).beside(f.at((from+to)/2, s-h*0.75), 1)
}

// labelOf is what is written on a message.
func (f *Figure) labelOf(a *flight, t float64) *label {
	words := short(a.Name(), mostColumns)
	var more []string
	if a.App() && a.Kind != f.usualKind() && !a.Again {
		more = append(more, short(a.Kind, 12))
	}
	if a.Again {
		more = append(more, "log")
	}
	if a.Copy {
		more = append(more, "copy")
	}
	if len(more) > 0 {
		words += " (" + strings.Join(more, ", ") + ")"
	}
	l := &label{events: a.events, time: t, owner: a.n, urgent: 2}
	switch {
	case a.accused != "":
		l.class, l.urgent = "tv", 0
	case len(a.Orphan) > 0:
		l.class, l.urgent = "to", 1
	case strings.Contains(a.class, " u"):
		l.class, l.urgent = "tu", 3
	}
	if len(a.Orphan) > 0 {
		words += " orphan"
	}
	switch a.accused {
	case spec.Late:
		words += " late"
	case spec.Duplicate:
		words += " again"
	}
	if !a.App() {
		l.urgent = 4
		if l.class == "" {
			l.class = "w"
		}
	}
	return f.want(l, words)
}

// usualKind is what most messages that carry an application message are called.
func (f *Figure) usualKind() string {
	if f.common == nil {
		count, best := map[string]int{}, ""
		for i := range f.model.Messages {
			m := &f.model.Messages[i]
			if !m.App() {
				continue
			}
			if count[m.Kind]++; count[m.Kind] > count[best] {
				best = m.Kind
			}
		}
		f.common = &best
	}
	return *f.common
}

// about is the title of a message: a sentence.
func (f *Figure) about(a *flight) string {
	l := f.model.Layout
	var b strings.Builder
	fmt.Fprintf(&b, "%s from %s to %s", a.Name(), l.Name(a.From), l.Name(a.To))
	if a.App() {
		fmt.Fprintf(&b, " (%s)", a.Kind)
	}
	say := func(what string, i int) {
		if i != report.Never {
			fmt.Fprintf(&b, ", %s in step %d", what, f.model.Events[i].Step)
		}
	}
	say("sent", a.Sent)
	say("arrived", a.Arrived)
	say("received", a.Delivered)
	say("dropped", a.Dropped)
	if a.Again {
		b.WriteString(", from the log")
	}
	if a.Copy {
		b.WriteString(", a copy that the network made")
	}
	if a.Why != "" {
		b.WriteString(": " + a.Why)
	} else if a.Fate == report.OnItsWay {
		b.WriteString(", still on its way")
	}
	for _, o := range a.Orphan {
		say("an orphan since a restart", o.Since)
	}
	return b.String()
}

func closedHead(tip point, dx, dy float64) string {
	back := point{tip.x - dx*headLength, tip.y - dy*headLength}
	return fmt.Sprintf(`<path class="h" d="M%s %sL%s %sL%s %sZ"/>`, number(tip.x), number(tip.y),
		number(back.x-dy*headWidth), number(back.y+dx*headWidth), number(back.x+dy*headWidth),
		number(back.y-dx*headWidth))
}

func openHead(tip point, dx, dy float64) string {
	back := point{tip.x - dx*headLength, tip.y - dy*headLength}
	return fmt.Sprintf(`<path class="k" d="M%s %sL%s %sL%s %s"/>`, number(back.x-dy*headWidth*1.2),
		number(back.y+dx*headWidth*1.2), number(tip.x), number(tip.y),
		number(back.x+dy*headWidth*1.2), number(back.y-dx*headWidth*1.2))
}

// cross is the path of an x.
func cross(p point, r float64) string {
	return fmt.Sprintf("M%s %sL%s %sM%s %sL%s %s", number(p.x-r), number(p.y-r), number(p.x+r),
		number(p.y+r), number(p.x-r), number(p.y+r), number(p.x+r), number(p.y-r))
}
