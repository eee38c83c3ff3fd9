package report

import (
	"strings"

	"github.com/domino-check/domino/spec/trace"
)

// lifelines draws a line with nothing but the lifelines.
func (g *grid) lifelines(down map[trace.Proc]bool) *line {
	l := &line{}
	for _, p := range g.procs {
		if down[p] {
			l.put(g.column[p], string(g.dead), faint)
		} else {
			l.put(g.column[p], string(g.live), faint)
		}
	}
	return l
}

// draw makes the lines of a row; down says who is down after it. A row that repeats the number of
// the one above leaves it out.
func (g *grid) draw(r *row, above string, down map[trace.Proc]bool) []*line {
	l := g.lifelines(down)
	if n := r.number(); n != above {
		l.put(g.gutter-len(n), n, faint)
	}
	var unsaid []string
	for _, m := range r.items {
		said := true
		if m.arrow != nil {
			said = g.arrow(l, m)
		} else {
			said = g.mark(l, m)
		}
		if !said {
			unsaid = append(unsaid, g.label(m))
		}
	}
	return g.annotate(l, r, strings.Join(unsaid, ", "), down)
}

func (g *grid) label(m *item) string {
	if m.arrow != nil {
		return g.tag(m)
	}
	return clean(g.layout.Label(m.message))
}

// mark draws what happens in one column; it reports whether its label fits.
func (g *grid) mark(l *line, m *item) bool {
	sign, label, labelled := strings.Cut(m.mark, " ")
	switch sign {
	case "o":
		sign = string(g.sent)
	case "*":
		sign = string(g.received)
	case "x":
		sign = string(g.lost)
	case "X":
		sign = string(g.crashed)
	}
	fits := !labelled || width(label) <= g.pitch-3
	if labelled && fits {
		sign += " " + label
	}
	l.put(g.column[m.proc], clip(sign, g.pitch-1), m.emphasis())
	return fits
}

// emphasis is the style of an item.
func (m *item) emphasis() style {
	if m.here {
		return alarm
	}
	return m.style
}

// arrow draws a message; it reports whether its label fits.
func (g *grid) arrow(l *line, m *item) bool {
	tail, head := g.column[m.arrow.from], g.column[m.arrow.to]
	s, label := m.emphasis(), g.tag(m)
	if tail == head {
		l.put(tail, clip(string(g.sent)+string(g.received)+" "+label, g.pitch-1), s)
		return width(label)+3 < g.pitch
	}
	stroke, point := g.line, g.right
	if m.arrow.id.IsZero() {
		stroke = g.control
	}
	step := 1
	if head < tail {
		step, point = -1, g.left
	}
	end := head - step
	if strings.Contains(m.ends, lostOnWay) || strings.Contains(m.ends, underWay) {
		end -= step * min(2, (g.pitch-2)/2)
	}
	if strings.Contains(m.ends, lostOnWay) || strings.Contains(m.ends, refused) {
		point = g.lost
	}
	for x := tail + step; x != end; x += step {
		l.put(x, string(stroke), s)
	}
	l.put(end, string(point), s)
	if strings.Contains(m.ends, sentHere) {
		l.put(tail, string(g.sent), s)
	}
	if strings.Contains(m.ends, received) {
		l.put(head, string(g.received), s)
	}
	inner := (end - tail) * step // line characters, with the head
	if inner < width(label)+2 {
		return false
	}
	gap := 2
	if inner >= width(label)+4 {
		gap = 3
	}
	if step > 0 {
		l.put(tail+gap, label, s)
	} else {
		l.put(tail-gap-width(label)+1, label, s)
	}
	return true
}

// annotate writes the notes of a row beside it, on lines of their own where one is not enough.
func (g *grid) annotate(l *line, r *row, unsaid string, down map[trace.Proc]bool) []*line {
	words, s := r.notes(), plain
	switch {
	case unsaid != "" && words != "":
		words = unsaid + ": " + words
	case unsaid != "":
		words = unsaid
	case r.control != "":
		words, s = "("+clean(r.control)+")", faint
	}
	if strings.Contains(words, "orphan") {
		s = care
	}
	list := wrap(clean(words), g.wide)
	if words == "" {
		list = nil
	}
	if r.here && len(list) == 1 && width(list[0])+2+width(g.here) <= g.wide {
		l.put(g.notes+width(list[0])+2, g.here, alarm)
	} else if r.here {
		l.put(g.notes, g.here, alarm)
		list = append([]string{""}, list...)
	}
	lines := []*line{l}
	for i, words := range list {
		if i > 0 {
			lines = append(lines, g.lifelines(down))
		}
		lines[i].put(g.notes, words, s)
	}
	return lines
}

// notes are the words beside a row. What several procs do is said once.
func (r *row) notes() string {
	if r.end {
		return "the run ends here"
	}
	var words []string
	said := map[string]bool{}
	for _, m := range r.items {
		if m.does != "" && !said[m.does] {
			said[m.does] = true
			words = append(words, together(r.items, m))
		}
		if m.note != "" {
			words = append(words, m.note)
		}
	}
	return strings.Join(words, "; ")
}

// together says who does what the item does.
func together(items []*item, m *item) string {
	var who []string
	for _, other := range items {
		if other.does == m.does {
			who = append(who, other.who)
		}
	}
	if len(who) == 1 || m.doAll == "" {
		return m.who + " " + m.does
	}
	return strings.Join(who[:len(who)-1], ", ") + " and " + who[len(who)-1] + " " + m.doAll
}

// legend explains the signs that the rows use.
func (g *grid) legend(rows []*row) []string {
	used := map[string]bool{}
	down, waits := false, false
	for _, r := range rows {
		for _, m := range r.items {
			sign, _, _ := strings.Cut(m.mark, " ")
			if m.arrow != nil {
				sign = m.ends
				waits = waits || !m.message.IsZero() && m.ends != "" &&
					strings.Trim(m.ends, sentHere) == ""
			}
			for _, c := range sign {
				used[string(c)] = true
			}
			down = down || m.mark == "X"
		}
	}
	var words []string
	say := func(when bool, sign, meaning string) {
		if when {
			words = append(words, sign+" "+meaning)
		}
	}
	head := string(g.line) + string(g.line)
	say(used[sentHere], string(g.sent), "sent")
	say(used[received], string(g.received), "received by the program")
	say(waits, head+string(g.right)+string(g.live), "arrived, not received at once")
	say(used[refused] || used[lostOnWay], head+string(g.lost), "lost or dropped")
	say(used[underWay], head+string(g.right), "on its way")
	say(used["X"], string(g.crashed), "crash")
	say(down, string(g.dead), "down")
	say(used["R"], "R1", "restart as incarnation 1")
	say(used["C"], "C", "checkpoint committed")
	say(used["!"], "!", "told of a failure")
	say(used["="], "=", "program ends")
	say(used["^"], "^", "output")
	say(used["H"], "H", "gives up")
	return words
}
