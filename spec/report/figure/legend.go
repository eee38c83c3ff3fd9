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
	of := func(s sign) entry { // as in the figure
		l := shapes[s]
		picture := l.draw(o, scene{life: 1})
		if l.class != "" {
			picture = group(l.class, picture)
		}
		return entry{string(s), l.words, picture}
	}
	plain := path("a", point{-12, 0}, point{7, 0})
	ghost := path("vm", point{-12, 0}, point{8, 0}) +
		strings.Replace(openHead(point{10, 0}, 1, 0), `"k"`, `"vr"`, 1)
	return []entry{
		of(sent),
		of(received),
		of(arrived),
		{"waits", "waits", rect("gw", -12, -3.2, 24, 6.4) + line("l l0")},
		{"control", "protocol message", group("c", plain+right(12))},
		{"lost", "lost", plain + struck(point{7, 0}, 3.4)},
		{"on its way", "on its way", path("a", point{-12, 0}, point{9, 0}) +
			openHead(point{10, 0}, 1, 0)},
		{"duplicate", "a copy of the network", path("a", point{-12, 0}, point{4, 0}) + right(4) +
			right(11)},
		of(refused),
		{"held", "a send that puts nothing out", circle("h", point{-8, -4}, dotSent) +
			path("a", point{-8, -4}, point{4, 3}) + path("k", point{4, -2}, point{4, 8})},
		of(logged),
		of(pruned),
		{"replayed", "sent again from a log", path("a", point{-12, -1.5}, point{7, -1.5}) +
			path("a", point{-12, 1.5}, point{7, 1.5}) + right(12)},
		{"orphan", "orphan", group("or", plain+right(12))},
		of(crash),
		{"torn", "a record torn by the crash", group("cr", torn(o))},
		{"down", "down", line("l ld")},
		of(ring),
		{"undone", "undone by a restart", line("l l0 lu") + `<path class="l lh" ` +
			`d="M-9 3.5L-5 -3.5M-4 3.5L0 -3.5M1 3.5L5 -3.5M6 3.5L10 -3.5"/>`},
		{"line", "recovery line", line("r")},
		of(saved),
		of(committed),
		of(image),
		of(told),
		of(adopts),
		{"host", "the node it runs on", rect("gn", -12, -5, 24, 10)},
		of(output),
		of(halts),
		of(says),
		of(ends),
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
		list = append(list, Entry{e.key, `<svg class="dmf" aria-hidden="true" width="30" ` +
			`height="18" viewBox="-15 -9 30 18">` + e.picture + `</svg>`, e.words})
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
