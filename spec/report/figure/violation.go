package figure

import (
	"slices"
	"strings"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/trace"
)

// violation marks what the violation is about: rings around what is there, ghosts of what is not,
// and for a proc of which no event shows it a ring where its lane passes the violation.
func (f *Figure) violation() {
	if f.model.Run.Violation == nil {
		return
	}
	ghosts, cells, procs := 0.0, map[*cell]bool{}, map[trace.Proc]bool{}
	for _, thin := range []bool{false, true} { // what is only concerned has no second ring
		for _, r := range f.model.About {
			c := f.cellAt(r.Event)
			switch {
			case thin != (r.Role == spec.Holder):
			case ghostly(r):
				f.ghost(r, ghosts)
				ghosts, procs[r.Message.From.Proc()] = ghosts+1, true
			case c != nil && !f.atEnd(r):
				if !cells[c] {
					f.around(r, c)
				}
				cells[c], procs[c.proc] = true, true
			case r.Message.IsZero() && !procs[r.Proc]:
				f.onLane(r)
				procs[r.Proc] = true
			}
		}
	}
}

// rings are the classes of what is drawn around a sign.
var rings = map[spec.Role]string{spec.Holder: "vh", spec.Missing: "vm", spec.Expected: "vm"}

// ringOf is a ring of a role, around a point.
func (f *Figure) ringOf(r spec.Ref, p point, radius float64) string {
	class, ok := rings[r.Role]
	if !ok {
		class = "vr"
	}
	switch class {
	case "vh":
		f.use("concerned")
	case "vm":
		f.use(string(r.Role))
	}
	return circle(class, p, radius)
}

// accused reports whether a ring is drawn around a cell.
func (f *Figure) accused(c *cell) bool {
	return slices.ContainsFunc(f.model.About, func(r spec.Ref) bool {
		return f.cellAt(r.Event) == c && !f.atEnd(r)
	})
}

// atEnd reports whether a reference is marked at the end of the run: it is about a proc.
func (f *Figure) atEnd(r spec.Ref) bool {
	return f.model.Run.Violation.Step <= 0 && r.Message.IsZero()
}

// accuses is the role in which the violation is about a message: it names it, or a proc that sends
// it in the accused step; "" when it is not about it, or only in passing.
func (f *Figure) accuses(a *flight) spec.Role {
	for _, r := range f.model.About {
		if r.Role != spec.Culprit && r.Role != spec.Late && r.Role != spec.Duplicate {
			continue
		}
		if a.App() {
			if a.ID == r.Message && f.copyOf(r) == a.n {
				return r.Role
			}
			continue
		}
		if r.Message.IsZero() && r.Role == spec.Culprit && r.Event != report.Never &&
			f.model.Run.Violation.Step > 0 {
			if e := &f.model.Events[r.Event]; e.Message == a.n && e.Kind == trace.Emitted {
				return r.Role
			}
		}
	}
	return ""
}

// copyOf is the copy of a message that a reference is about: that of its event, or else the last
// one that is not undone, or else the last one.
func (f *Figure) copyOf(r spec.Ref) int {
	if r.Event != report.Never {
		return f.model.Events[r.Event].Message
	}
	best := report.Never
	for n := range f.model.Messages {
		m := &f.model.Messages[n]
		if m.ID == r.Message && (best == report.Never || !f.undone(m) ||
			f.undone(&f.model.Messages[best])) {
			best = n
		}
	}
	return best
}

// undone reports whether the send of a message was undone.
func (f *Figure) undone(m *report.Message) bool {
	return m.Sent != report.Never && f.model.Events[m.Sent].Undone
}

// ghostly reports whether something is not there that a figure can show: a message.
func ghostly(r spec.Ref) bool {
	return r.Event == report.Never && !r.Message.IsZero() &&
		(r.Role == spec.Missing || r.Role == spec.Expected)
}

// ghostsIn is how many ghosts a slot has.
func (f *Figure) ghostsIn(slot int) (n float64) {
	if !f.Slots[slot].Here {
		return 0
	}
	for _, r := range f.model.About {
		if ghostly(r) {
			n++
		}
	}
	return n
}

// here is the slot of the violation.
func (f *Figure) here() *Slot {
	for i := range f.Slots {
		if f.Slots[i].Here {
			return &f.Slots[i]
		}
	}
	return nil
}

// ghost draws a message that would have had to be there.
func (f *Figure) ghost(r spec.Ref, n float64) {
	k, ok := f.lane[r.Message.From.Proc()]
	h := f.here()
	if !ok || h == nil {
		return
	}
	s1 := f.lanes[k].across
	s2 := s1 + f.pitch*0.7
	for i := range f.model.Messages {
		if m := &f.model.Messages[i]; m.ID == r.Message {
			if to, ok := f.lane[m.To]; ok && to != k {
				s2 = f.lanes[to].across
			}
		}
	}
	t := h.From + n*ghostRoom + 6
	p, q := f.at(t, s1), f.at(t+ghostRoom-8, s2)
	tip, dx, dy := q.toward(p, 2)
	head := strings.Replace(openHead(tip, -dx, -dy), `class="k"`, `class="vr"`, 1)
	words := short(f.model.Layout.Label(r.Message), mostColumns) + " " + string(r.Role)
	f.use(string(r.Role))
	f.role(r, t, t+ghostRoom, nil, words, path("vm", p, tip)+head)
	f.placer.draw(p, q, -3, priceArrow)
	l := f.want(&label{class: "tv", time: t, owner: -3}, words)
	f.along(l, p, q)
	l.beside(between(p, q, 0.5), 4)
}

// role emits a mark of the violation; data-role says what it has to do with it.
func (f *Figure) role(r spec.Ref, from, to float64, events []int, words, body string) {
	f.emit(signs, from, to, `<g class="v"%s data-role="%s"><title>%s</title>%s</g>`, f.data(events),
		escape(string(r.Role)), escape(words), body)
}

// around draws a ring around the sign of an event.
func (f *Figure) around(r spec.Ref, c *cell) {
	k, ok := f.lane[c.proc]
	if !ok {
		return
	}
	p := f.at(c.time, f.lanes[k].across)
	_, _, size := f.shape(c, p)
	f.role(r, c.time-9, c.time+9, []int{r.Event}, f.model.Run.Violation.Message,
		f.ringOf(r, p, max(size, 4)+3))
}

// onLane draws a ring where the lane of a proc passes the violation.
func (f *Figure) onLane(r spec.Ref) {
	k, ok := f.lane[r.Proc]
	h := f.here()
	if !ok || h == nil {
		return
	}
	p := f.at((h.From+f.ghostsIn(f.slotAt(h.To-1))*ghostRoom+h.To)/2, f.lanes[k].across)
	f.role(r, h.From, h.To, nil, f.lanes[k].name+": "+f.model.Run.Violation.Message,
		f.ringOf(r, p, 6))
	f.occupy(box{p.x - 7, p.y - 7, p.x + 7, p.y + 7})
}
