package figure

import "strings"

// entry is a sign of the legend: what it is called and a small picture of it around (0, 0), in a
// field of 26 columns.
type entry struct{ key, words, picture string }

// legend lists all signs, in the order in which a reader meets them.
func legend() []entry {
	line := func(class string) string { return path(class, point{-12, 0}, point{12, 0}) }
	group := func(class, body string) string { return `<g class="` + class + `">` + body + `</g>` }
	right := func(x float64) string { return closedHead(point{x, 0}, 1, 0) }
	o := point{}
	x := func(p point, r float64) string { return `<path class="k" d="` + cross(p, r) + `"/>` }
	plain := path("a", point{-12, 0}, point{7, 0})
	ghost := path("vm", point{-12, 0}, point{8, 0}) +
		strings.Replace(openHead(point{10, 0}, 1, 0), `"k"`, `"vr"`, 1)
	return []entry{
		{"sent", "sent", circle("h", o, dotSent)},
		{"received", "received by the program", circle("h", o, dotTaken)},
		{"arrived", "arrived", circle("o", o, dotTaken-0.3)},
		{"waits", "waits", rect("gw", -12, -3.2, 24, 6.4) + line("l l0")},
		{"control", "protocol message", group("c", plain+right(12))},
		{"lost", "lost", plain + x(point{7, 0}, 3.4)},
		{"on its way", "on its way", path("a", point{-12, 0}, point{9, 0}) +
			openHead(point{10, 0}, 1, 0)},
		{"duplicate", "a copy of the network", path("a", point{-12, 0}, point{4, 0}) + right(4) +
			right(11)},
		{"dropped", "dropped", x(o, 3.6)},
		{"held", "a send that puts nothing out", circle("h", point{-8, -4}, dotSent) +
			path("a", point{-8, -4}, point{4, 3}) + path("k", point{4, -2}, point{4, 8})},
		{"logged", "logged", sheet(o, false)},
		{"pruned", "removed from a log", sheet(o, true)},
		{"replayed", "sent again from a log", path("a", point{-12, -1.5}, point{7, -1.5}) +
			path("a", point{-12, 1.5}, point{7, 1.5}) + right(12)},
		{"orphan", "orphan", group("or", plain+right(12))},
		{"crash", "crash", group("cr", x(o, 5.2))},
		{"torn", "a record torn by the crash", group("cr", torn(o))},
		{"down", "down", line("l ld")},
		{"restart", "restart, with the incarnation", group("lw1", circle("o", o, 7)+
			text("i", point{0, 3.4}, "1"))},
		{"undone", "undone by a restart", line("l l0 lu") + `<path class="l lh" ` +
			`d="M-9 3.5L-5 -3.5M-4 3.5L0 -3.5M1 3.5L5 -3.5M6 3.5L10 -3.5"/>`},
		{"line", "recovery line", line("r")},
		{"saved", "image, stored", group("gd", rect("o", -4, -4, 8, 8))},
		{"committed", "checkpoint, committed", group("gd", rect("h", -4.2, -4.2, 8.4, 8.4))},
		{"image", "gets its image", group("gd", polygon("h", o, 0, -5.5, 5.5, 0, 0, 5.5, -5.5, 0))},
		{"told", "told of a failure", group("ca", polygon("h", o, 0, -5.6, 5.2, 4, -5.2, 4))},
		{"adopts", "adopts", group("ca", plus(o))},
		{"host", "the node it runs on", rect("gn", -12, -5, 24, 10)},
		{"output", "output", polygon("o", o, 0, -5.6, 5.2, 4, -5.2, 4)},
		{"halts", "gives up", group("cr", rect("k", -4.6, -4.6, 9.2, 9.2)+x(o, 4.6))},
		{"ends", "program ends", path("k", point{0, -6.5}, point{0, 6.5})},
		{"fold", "protocol messages, not drawn", rect("gf", -9, -6.5, 18, 13)},
		{"missing", "missing", ghost},
		{"expected", "expected", ghost},
		{"concerned", "is concerned", circle("vh", o, 6)},
		{"violation", "breaks the property", rect("gh", -12, -7, 24, 14) + circle("vr", o, 5)},
	}
}

// Entry is one line of a legend for a page: a small SVG without style, and what it means.
type Entry struct{ Key, SVG, Words string }

// Legend explains the signs that the figure uses, and no others.
func (f *Figure) Legend() (list []Entry) {
	for _, e := range f.entries() {
		list = append(list, Entry{e.key, `<svg xmlns="http://www.w3.org/2000/svg" class="dmf" ` +
			`aria-hidden="true" width="30" height="18" viewBox="-15 -9 30 18">` + e.picture +
			`</svg>`, e.words})
	}
	return list
}

func (f *Figure) entries() (list []entry) {
	for _, e := range legend() {
		if f.used[e.key] {
			list = append(list, e)
		}
	}
	return list
}

// legendBelow draws the legend below a part of the figure, and says how high it is.
func (f *Figure) legendBelow(part box) (string, float64) {
	var b strings.Builder
	x, y := part.x1+margin, part.y2+14
	for _, e := range f.entries() {
		w := 32 + textWidth(e.words, smallSize) + 14
		if x+w > part.x2 && x > part.x1+margin {
			x, y = part.x1+margin, y+18
		}
		b.WriteString(`<g transform="translate(` + number(x+13) + " " + number(y) + `)">` +
			e.picture + text("x st", point{18, 3.4}, e.words) + "</g>\n")
		x += w
	}
	if b.Len() == 0 {
		return "", 0
	}
	return b.String(), y + 17 - part.y2
}
