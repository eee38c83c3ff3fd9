package figure

import (
	"fmt"
	"math"
	"strings"
)

// layer is what lies on what.
type layer uint8

const (
	grounds layer = iota
	lanes
	bars
	lines
	protocolArrows
	arrows
	signs
	labels
	layers
)

// node is a piece of SVG with what it covers of the time axis.
type node struct {
	from, to float64
	text     string
	line     *straight // what it is, if a part of it can be drawn
}

// straight is a line along the time.
type straight struct {
	class string
	place float64 // across the lanes
}

// canvas collects what is drawn.
type canvas struct {
	nodes [layers][]node
	*placer
	wanted []*label // to be placed
}

// emit adds a piece.
func (f *Figure) emit(l layer, from, to float64, format string, args ...any) {
	f.nodes[l] = append(f.nodes[l], node{from: min(from, to), to: max(from, to),
		text: fmt.Sprintf(format, args...)})
}

// stretch draws a lane, or a part of it.
func (f *Figure) stretch(from, to float64, class string, s float64) {
	from, to = min(from, to), max(from, to)
	f.nodes[lanes] = append(f.nodes[lanes], node{from, to,
		path(class, f.at(from, s), f.at(to, s)), &straight{class, s}})
}

// dashes is a length after which the dashes of a lane are the same again.
const dashes = 24

// within is a piece as a band shows it: of a lane what lies in there, so that what the lane does
// elsewhere makes no difference, and bands that look alike are alike.
func (f *Figure) within(n *node, from, to float64) string {
	if n.line == nil || n.from >= from && n.to <= to {
		return n.text
	}
	if from > n.from {
		from = n.from + dashes*math.Floor((from-n.from)/dashes)
	}
	from, to = max(from, n.from), min(to, n.to)
	return path(n.line.class, f.at(from, n.line.place), f.at(to, n.line.place))
}

// mark is a group that shows events; the title is what a reader is told who points at it.
func (f *Figure) mark(l layer, from, to float64, class string, events []int, title, body string) {
	f.emit(l, from, to, `<g class="%s"%s><title>%s</title>%s</g>`, class, f.data(events),
		escape(title), body)
}

// data are the attributes by which a page finds marks; of a long figure, which is large, the events
// alone.
func (f *Figure) data(events []int) string {
	if len(events) == 0 {
		return ""
	}
	var list []string
	step := 0
	for _, i := range events {
		list = append(list, itoa(i))
		step = max(step, f.model.Events[i].Step)
	}
	all := fmt.Sprintf(` data-i="%s"`, strings.Join(list, " "))
	if f.Long() {
		return all
	}
	return all + fmt.Sprintf(` data-step="%d"`, step)
}

// path writes a path through points.
func path(class string, points ...point) string {
	var b strings.Builder
	for i, p := range points {
		b.WriteString([]string{"M", "L"}[min(i, 1)] + number(p.x) + " " + number(p.y))
	}
	return `<path class="` + class + `" d="` + b.String() + `"/>`
}

func circle(class string, p point, r float64) string {
	return `<circle class="` + class + `" cx="` + number(p.x) + `" cy="` + number(p.y) + `" r="` +
		number(r) + `"/>`
}

func rect(class string, x, y, w, h float64) string {
	return `<rect class="` + class + `" x="` + number(x) + `" y="` + number(y) + `" width="` +
		number(w) + `" height="` + number(h) + `"/>`
}

func text(class string, p point, words string) string {
	if class != "" {
		class = ` class="` + class + `"`
	}
	return `<text` + class + ` x="` + number(p.x) + `" y="` + number(p.y) + `">` + escape(words) +
		`</text>`
}

// area is a rectangle by times and places across.
func (f *Figure) area(class string, t1, t2, s1, s2 float64) string {
	a, b := f.at(t1, s1), f.at(t2, s2)
	return rect(class, min(a.x, b.x), min(a.y, b.y), max(a.x, b.x)-min(a.x, b.x),
		max(a.y, b.y)-min(a.y, b.y))
}
