package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/spec/trace"
)

// glyphs are the characters that a diagram is drawn with.
type glyphs struct {
	live, dead, line, control rune
	left, right, lost         rune
	sent, received, crashed   rune
	open, shut, bar           rune
	here                      string
}

var (
	ascii = glyphs{live: '|', dead: ':', line: '-', control: '.', left: '<', right: '>', lost: 'x',
		sent: 'o', received: '*',
		crashed: 'X', open: '[', shut: ']', bar: '-', here: "<== here"}
	boxes = glyphs{live: '│', dead: '┊', line: '─', control: '╌', left: '◀', right: '▶', lost: '✗',
		sent: '○', received: '●',
		crashed: '✗', open: '┌', shut: '┐', bar: '─', here: "◀══ here"}
)

// grid says where things of a diagram are.
type grid struct {
	glyphs
	layout *trace.Layout
	procs  []trace.Proc       // by column
	column map[trace.Proc]int // where its lifeline is
	hidden []trace.Proc       // procs without a column
	gutter int                // width of the step numbers
	pitch  int                // from one lifeline to the next
	notes  int                // column of the notes
	wide   int                // columns of the notes
}

// Widths, in columns.
const (
	usualPitch  = 8
	widestPitch = 16
	leastPitch  = 4
	leastNotes  = 12

	overflowNotes = 40
	shortLabel    = 4 // what the label of a single control message may claim
)

// measure decides on the columns for the rows.
func measure(r *Run, rows []*row, o Options) *grid {
	g := &grid{glyphs: ascii, layout: &r.Trace.Layout, column: map[trace.Proc]int{}, gutter: 4}
	if o.Unicode {
		g.glyphs = boxes
	}
	active, label, name := map[trace.Proc]bool{}, 0, 0
	for _, row := range rows {
		g.gutter = max(g.gutter, len(row.number()))
		for _, m := range row.items {
			lo, hi := m.span()
			active[lo], active[hi] = true, true
			switch {
			case m.arrow == nil:
			case m.arrow.id.IsZero() && !o.Control:
				label = max(label, min(width(g.tag(m)), shortLabel))
			default:
				label = max(label, width(g.tag(m)))
			}
		}
	}
	g.choose(active, o.Width)
	for _, p := range g.procs {
		name = max(name, width(g.name(p)))
	}
	g.pitch = g.fit(o.Width, min(max(usualPitch, label+6, name+2), widestPitch),
		min(label+4, widestPitch))
	for i, p := range g.procs {
		g.column[p] = g.gutter + 2 + g.half() + i*g.pitch
	}
	g.notes = g.gutter + 2 + 2*g.half() + max(len(g.procs)-1, 0)*g.pitch + 3
	if g.wide = o.Width - g.notes; g.wide < leastNotes {
		g.wide = overflowNotes // the lines are too long anyway
	}
	return g
}

// choose picks the procs that have columns: all, or only those where something happens when all
// would be too many.
func (g *grid) choose(active map[trace.Proc]bool, columns int) {
	for p := range g.layout.Names {
		if p <= int(^trace.Proc(0)) {
			g.procs = append(g.procs, trace.Proc(p))
		}
	}
	for p := range active {
		if int(p) >= len(g.layout.Names) {
			g.procs = append(g.procs, p)
		}
	}
	slices.Sort(g.procs)
	if (columns-g.gutter-leastNotes)/max(len(g.procs), 1) >= leastPitch+2 {
		return
	}
	shown := slices.DeleteFunc(slices.Clone(g.procs), func(p trace.Proc) bool { return !active[p] })
	g.hidden = slices.DeleteFunc(g.procs, func(p trace.Proc) bool { return active[p] })
	g.procs = shown
}

// mostAbsent is how many procs without a column are named.
const mostAbsent = 20

// absent names the procs without a column.
func (g *grid) absent() string {
	var names []string
	for _, p := range g.hidden[:min(len(g.hidden), mostAbsent)] {
		names = append(names, g.name(p))
	}
	if n := len(g.hidden) - mostAbsent; n > 0 {
		names = append(names, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(names, " ")
}

// fit is the pitch: as wished if notes of some width fit beside it, or so that labels fit, or what
// there is.
func (g *grid) fit(columns, wish, label int) int {
	n := max(len(g.procs), 1)
	for _, notes := range []int{34, 28, 22, 16} {
		if p := (columns - g.gutter - 5 - notes) / n; p >= wish || p >= label && p >= 6 {
			return min(p, wish)
		}
	}
	return max(leastPitch, min(wish, (columns-g.gutter-5-leastNotes)/n))
}

// half is how far a bracket reaches to the side of a lifeline.
func (g *grid) half() int { return min(3, (g.pitch-1)/2) }

func (g *grid) name(p trace.Proc) string { return clean(g.layout.Name(p)) }

// tag is what is written on an arrow.
func (g *grid) tag(m *item) string {
	if m.arrow.id.IsZero() {
		return clean(m.arrow.kind)
	}
	return clean(g.layout.Label(m.arrow.id))
}

// header is the brackets of the clusters and the names of the procs.
func (g *grid) header() []*line {
	brackets, names := &line{}, &line{}
	names.put(g.gutter-4, "step", faint)
	for start := 0; start < len(g.procs); {
		c := g.cluster(g.procs[start])
		end := start + 1
		for end < len(g.procs) && c >= 0 && g.cluster(g.procs[end]) == c {
			end++
		}
		if c >= 0 {
			g.bracket(brackets, g.column[g.procs[start]]-g.half(),
				g.column[g.procs[end-1]]+g.half(), c)
		}
		start = end
	}
	for _, p := range g.procs {
		name := squeeze(g.name(p), g.pitch-1)
		names.put(g.column[p]-min((width(name)-1)/2, g.half()), name, bold)
	}
	if len(brackets.runes) == 0 {
		return []*line{names}
	}
	return []*line{brackets, names}
}

func (g *grid) bracket(l *line, from, to, cluster int) {
	name := fmt.Sprint(cluster)
	if cluster < 26 {
		name = string(rune('A' + cluster))
	}
	l.put(from, string(g.open)+strings.Repeat(string(g.bar), max(to-from-1, 0))+string(g.shut),
		faint)
	if room := to - from - 1; room >= width(name)+4 {
		name = " " + name + " "
	}
	l.put(from+(to-from+1-width(name))/2, name, bold)
}

// cluster is the cluster of a rank, -1 where there are none.
func (g *grid) cluster(p trace.Proc) int {
	if int(p) >= min(g.layout.Ranks, len(g.layout.Clusters)) {
		return -1
	}
	return max(g.layout.Clusters[p], 0)
}
