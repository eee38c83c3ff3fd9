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
	legend, more := "", 0.0
	if alone {
		part.x2 = max(part.x2, leastWidth)
		legend, more = f.legendBelow(part)
	}
	b.WriteString(f.opening(f.verdict(), part, more))
	if alone {
		b.WriteString("<style>" + plainCSS() + "</style>\n")
		b.WriteString(`<rect x="` + number(part.x1) + `" y="` + number(part.y1) +
			`" width="100%" height="100%" fill="#ffffff"/>` + "\n")
	}
	from, to := f.span(part)
	for l := range f.nodes {
		for _, n := range f.nodes[l] {
			if n.from <= to && n.to >= from {
				b.WriteString(n.text + "\n")
			}
		}
	}
	b.WriteString(f.absentText())
	b.WriteString(legend)
	b.WriteString("</svg>")
	return b.String()
}

// opening is the start of an element that shows a part of the figure, and so much below it.
func (f *Figure) opening(label string, part box, more float64) string {
	w, h := number(part.x2-part.x1), number(part.y2-part.y1+more)
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" class="dmf" role="img" `+
		`aria-label="%s" width="%s" height="%s" viewBox="%s %s %s %s">`+"\n", escape(label), w, h,
		number(part.x1), number(part.y1), w, h)
}

// leastWidth is that of a figure with its legend.
const leastWidth = 420.0

// mostAbsent is how many procs without a lane are named.
const mostAbsent = 20

// absentLines name the procs without a lane, below.
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
		out += text("x st", point{margin, y}, words) + "\n"
	}
	return out
}
