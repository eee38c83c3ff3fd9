package figure

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// SVG writes the figure for a page that has CSS: an element with role img, without style of its
// own.
func (f *Figure) SVG(w io.Writer) error {
	_, err := io.WriteString(w, f.element(false, box{0, 0, f.Width, f.Height})+"\n")
	return err
}

// Document writes the figure with its legend as a file that stands alone: with its own style,
// light, to be put into a paper.
func (f *Figure) Document(w io.Writer) error {
	_, err := io.WriteString(w, f.element(true, box{0, 0, f.Width, f.Height})+"\n")
	return err
}

// element is the svg element that shows a part of the figure.
func (f *Figure) element(alone bool, part box) string {
	var b strings.Builder
	height, legend := part.y2-part.y1, ""
	width := part.x2 - part.x1
	if alone {
		var more float64
		legend, more = f.legendBelow(part)
		height += more
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" class="dmf" role="img" `+
		`aria-label="%s" width="%s" height="%s" viewBox="%s %s %s %s">`, escape(f.verdict()), number(width),
		number(height), number(part.x1), number(part.y1), number(width), number(height))
	if alone {
		b.WriteString("\n<style>" + plainCSS() + "</style>\n")
		b.WriteString(`<rect x="` + number(part.x1) + `" y="` + number(part.y1) +
			`" width="100%" height="100%" fill="#ffffff"/>`)
	}
	from, to := f.span(part)
	for l := range f.nodes {
		for _, n := range f.nodes[l] {
			if n.from <= to && n.to >= from {
				b.WriteString("\n" + n.text)
			}
		}
	}
	b.WriteString(f.absentText())
	b.WriteString(legend)
	b.WriteString("\n</svg>")
	return b.String()
}

// absent is the room that the names of procs without a lane take below.
func (f *Figure) absent(width float64) float64 {
	return float64(len(f.absentLines(width))) * 13
}

// mostAbsent is how many procs without a lane are named.
const mostAbsent = 20

func (f *Figure) absentLines(width float64) []string {
	if len(f.Hidden) == 0 {
		return nil
	}
	names := slices.Clone(f.Hidden[:min(len(f.Hidden), mostAbsent)])
	if n := len(f.Hidden) - mostAbsent; n > 0 {
		names = append(names, fmt.Sprintf("and %d more", n))
	}
	names[0] = "not shown, idle: " + names[0]
	return wrapWords(names, int((width-2*margin)/(smallSize*advance)))
}

func (f *Figure) absentText() string {
	lines, out := f.absentLines(f.Width), ""
	for i, words := range lines {
		y := f.Height - 4 - 13*float64(len(lines)-1-i)
		out += "\n" + text("x st", point{margin, y}, words)
	}
	return out
}
