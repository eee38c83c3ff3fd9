package figure

import (
	"fmt"
	"strings"

	"github.com/domino-check/domino/spec/report"
)

// sign draws what a cell shows.
func (f *Figure) sign(c *cell) {
	i, ok := f.lane[c.proc]
	if !ok {
		return
	}
	s := f.lanes[i].across
	p := f.at(c.time, s)
	e := &f.model.Events[c.events[0]]
	shape, class, r := f.shape(c, p)
	if e.Undone {
		class += " u"
	}
	if n := e.Message; n != report.Never && f.visible[n] {
		switch m := &f.model.Messages[n]; {
		case !m.App():
			class += " c"
		case len(m.Orphan) > 0 && c.sign != sent:
			class += " or"
		}
	}
	if c.sheet {
		f.use("logged")
		shape += sheet(f.beside(c.time, s, 8), false)
		f.occupy(around(f.beside(c.time, s, 8), 9, 11))
	}
	if c.torn {
		f.use("torn")
		at := f.beside(c.time, s, 12)
		shape += torn(at)
		f.occupy(around(at, 12, 12))
	}
	if shape == "" {
		return
	}
	f.use(string(c.sign))
	if f.accused(c) {
		r = max(r, 4) + 4
	}
	if r > 0 {
		f.occupy(around(p, 2*r, 2*r))
	}
	f.mark(signs, c.time-r, c.time+r, strings.TrimSpace(class), c.events, f.words(c), shape)
	if c.label != "" {
		f.name(c, p, r)
	}
}

// name wants the words of a sign beside it.
func (f *Figure) name(c *cell, p point, r float64) {
	l := &label{events: c.events, time: c.time, owner: -2, urgent: 3,
		optional: c.sign != silent && c.sign != pruned && c.sign != says}
	switch c.sign {
	case told, adopts:
		l.class = "to"
	case pruned, logged, says:
		l.class = "w"
	}
	f.want(l, c.label)
	if c.sign == silent {
		q, _, _ := f.stubEnd(c, p)
		l.spots = append(l.spots, spot{q.plus(l.width/2+8, 0), 0},
			spot{q.plus(-l.width/2-8, 0), 0.5})
	}
	l.beside(p, r)
}

// beside is a place a bit off a lane, before its beginning or above it.
func (f *Figure) beside(t, s, off float64) point { return f.at(t-off, s-off) }

// words are the title of a sign.
func (f *Figure) words(c *cell) string {
	l := f.model.Layout
	e := f.model.Events[c.events[0]]
	words := l.Name(c.proc) + " " + l.Describe(e.Event)
	if c.sign == silent {
		words += ", which puts nothing on the network"
	}
	if c.torn {
		words += ", which leaves a damaged record"
	}
	return fmt.Sprintf("step %d: %s", e.Step, words)
}

// shape is the sign itself with its class and its size.
func (f *Figure) shape(c *cell, p point) (body, class string, r float64) {
	if c.sign == silent {
		return f.stub(c, p), "s", dotSent
	}
	l, ok := shapes[c.sign]
	if !ok {
		return "", "s", 0
	}
	life := f.model.Events[c.events[0]].Incarnation
	class = strings.TrimSpace("s " + l.class)
	if c.sign == ring {
		class = fmt.Sprintf("s lw%d", min(max(life, 1), 3))
	}
	return l.draw(p, scene{int(life), f.options.Orientation}), class, l.size
}

// stub is a send that puts nothing on the network: it ends at a bar.
func (f *Figure) stub(c *cell, p point) string {
	q, a, b := f.stubEnd(c, p)
	f.occupy(around(q, 10, 10))
	return circle("h", p, dotSent) + path("a", p, q) + path("k", a, b)
}

// stubEnd is where a stub ends, and the ends of its bar.
func (f *Figure) stubEnd(c *cell, p point) (q, a, b point) {
	side := 13.0
	if k, ok := f.lane[f.model.Events[c.events[0]].Peer]; ok && k < f.lane[c.proc] {
		side = -side
	}
	if f.options.Orientation == Down {
		q = p.plus(side, 8)
		return q, q.plus(0, -5), q.plus(0, 5)
	}
	q = p.plus(8, side)
	return q, q.plus(-5, 0), q.plus(5, 0)
}

// polygon is a closed path of offsets from a point, or a line for two.
func polygon(class string, p point, offsets ...float64) string {
	var b strings.Builder
	for i := 0; i < len(offsets); i += 2 {
		b.WriteString([]string{"M", "L"}[min(i, 1)] + number(p.x+offsets[i]) + " " +
			number(p.y+offsets[i+1]))
	}
	if len(offsets) > 4 {
		b.WriteString("Z")
	}
	return `<path class="` + class + `" d="` + b.String() + `"/>`
}

// torn is a record of stable storage that is not whole: a square in two pieces.
func torn(p point) string {
	return polygon("h", p, -5.5, -4.5, 0.5, -4.5, -1.5, 0, 0, 1, -2, 4.5, -5.5, 4.5) +
		polygon("h", p, 3, -4.5, 5.5, -4.5, 5.5, 4.5, 0.5, 4.5, 2.4, 0.6, 1.1, -0.4)
}

// plus is a cross that stands upright.
func plus(p point) string {
	return polygon("k", p, -5, 0, 5, 0) + polygon("k", p, 0, -5, 0, 5)
}

// sheet is a page of a log, struck out when it was removed.
func sheet(p point, out bool) string {
	body := polygon("o", p, -3.5, -4.5, 1.2, -4.5, 3.5, -2.2, 3.5, 4.5, -3.5, 4.5) +
		polygon("k", p, -1.8, -0.4, 1.8, -0.4) + polygon("k", p, -1.8, 2, 1.8, 2)
	if out {
		body += polygon("k", p, -6, 5.5, 6, -5.5)
	}
	return body
}
