// Package figure draws the space-time diagram of a run as SVG: a lane for each proc, a slot for
// each step that shows something, messages as slanted arrows.
//
// One layout has two orientations. Across, time runs to the right, as in papers; Down, it runs
// downwards, so that a list of steps can stand beside it. Everything is placed here, labels
// included, so that a page has only to show a figure, and a paper can print it: no script, no
// marker, no pattern, no font that has to be there.
//
// Shape says what a sign means, colour says it again. The names that a style sheet needs are in
// style.go. Marks carry the events that they show (data-i, indexes into Model.Events, separated by
// spaces) and, unless the figure is long, the last step of those (data-step).
package figure

import (
	"maps"
	"math"
	"strings"

	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/trace"
)

// Show says which protocol messages are drawn. Those that are not are counted in folds.
type Show uint8

// What to show. Relevant is what explains the violation, see report.Model.
const (
	Relevant Show = iota
	None
	All
)

// Orientation says where time runs.
type Orientation uint8

// The orientations.
const (
	Across Orientation = iota // to the right
	Down                      // downwards
)

// Options of a layout. The zero value draws the relevant protocol messages with time to the right.
type Options struct {
	Show        Show
	Orientation Orientation
	Width       int // pixels to fill, 0 = 760; a figure that needs more is wider

	HideKinds []string     // kinds of protocol messages that are never drawn
	HideProcs []trace.Proc // procs without a lane
	Label     string       // the text alternative, "" = the verdict
	// the last step before another run, that this one is compared with, goes on differently; a line
	// says so. 0 = no line, nor with Nowhere
	Differs int
}

// Nowhere is the last step before a difference where there is none.
const Nowhere = math.MaxInt

// Slot is a stretch of time: steps that are drawn at one place, or a fold of hidden messages.
type Slot struct {
	First, Last int // steps; 0 for the end of the run
	Fold        []string
	End         bool    // the end of the run, where the violation is of all of it
	Here        bool    // the violation
	From, To    float64 // along the time
}

// Figure is a layout.
type Figure struct {
	// in pixels, of the drawing alone: Legend and Document add to it
	Width, Height float64
	Slots         []Slot
	Hidden        []string // names of procs without a lane, as nothing of them is shown

	options Options
	model   *report.Model
	lanes   []lane
	lane    map[trace.Proc]int
	cells   []*cell
	cellOf  []*cell // by event
	visible []bool  // by message
	geometry
	canvas
	used   map[string]bool // signs, for the legend
	common *string         // see usualKind
}

// Layout places everything of a run. The same model and options give the same figure.
func Layout(m *report.Model, o Options) *Figure {
	if o.Width == 0 {
		o.Width = usualWidth
	}
	f := begin(m, o)
	f.line(f.busy())
	place([]*Figure{f}, 0)
	return f
}

// Length is how many slots the figure of a run has, without placing anything.
func Length(m *report.Model, o Options) int { return len(begin(m, o).Slots) }

// Pair places two runs that begin alike: both have the lanes of either, and what they show of the
// steps that they share is at the same places. Options.Differs is the last of those steps.
func Pair(a, b *report.Model, o Options) (first, second *Figure) {
	if o.Width == 0 {
		o.Width = usualWidth
	}
	first, second = begin(a, o), begin(b, o)
	busy := first.busy()
	maps.Copy(busy, second.busy())
	first.line(busy)
	second.line(busy)
	shared := 0
	for shared < min(len(first.Slots), len(second.Slots)) {
		s, r := &first.Slots[shared], &second.Slots[shared]
		if s.Last > o.Differs || s.First != r.First || s.Last != r.Last || s.End || r.End ||
			(s.Fold == nil) != (r.Fold == nil) {
			break
		}
		shared++
	}
	place([]*Figure{first, second}, shared)
	return first, second
}

// begin decides what of a run is shown, and in which slots.
func begin(m *report.Model, o Options) *Figure {
	f := &Figure{options: o, model: m, cellOf: make([]*cell, len(m.Events)),
		visible: make([]bool, len(m.Messages))}
	f.choose()
	f.schedule()
	return f
}

// mostTries is how often labels are placed; slots grow in between.
const mostTries = 6

// place draws figures, and widens slots until every label has a place.
func place(list []*Figure, shared int) {
	for try := 0; ; try++ {
		measure(list, shared)
		again := false
		for _, f := range list {
			f.used, f.canvas = map[string]bool{}, canvas{}
			f.draw()
			again = f.widen(f.labels()) || again
		}
		if !again || try == mostTries {
			return
		}
	}
}

// widen makes slots longer in which labels find no place, or whose signs an arrow grazes. It
// reports whether there are any; a long figure does without.
func (f *Figure) widen(homeless []*label) bool {
	if f.Long() {
		return false
	}
	for _, l := range homeless {
		f.slack[f.slotAt(l.time)] += f.alongText(l) * 0.6
	}
	grazed := f.grazed()
	for _, slot := range grazed {
		f.slack[slot] += 8
	}
	return len(homeless)+len(grazed) > 0
}

// InlineSlots is how many slots a figure in one piece has at most; see Bands.
const InlineSlots = 400

// alongText is what a label takes of the time axis.
func (f *Figure) alongText(l *label) float64 {
	if f.options.Orientation == Across {
		return l.width
	}
	return l.height
}

// slotAt is the slot at a time, the nearest one outside of all.
func (f *Figure) slotAt(t float64) int {
	lo, hi := 0, len(f.Slots)-1
	for lo < hi {
		mid := (lo + hi) / 2
		if f.Slots[mid].To < t {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return max(lo, 0)
}

// verdict is the text alternative of the figure.
func (f *Figure) verdict() string {
	r := f.model.Run
	var words []string
	if f.options.Label != "" {
		return f.options.Label
	}
	if r.Title != "" {
		words = append(words, r.Title)
	}
	switch v := r.Violation; {
	case v == nil:
		words = append(words, "a run that breaks no property")
	case v.Step > 0:
		words = append(words, v.Property+" is broken in step "+itoa(v.Step)+": "+v.Message)
	default:
		words = append(words, v.Property+" is broken at the end of the run: "+v.Message)
	}
	return "Space-time diagram. " + strings.Join(words, "; ")
}

// point is a place on the paper.
type point struct{ x, y float64 }

// at turns a time and a place across the lanes into a point.
func (f *Figure) at(t, s float64) point {
	if f.options.Orientation == Across {
		return point{t, s}
	}
	return point{s, t}
}

func (p point) plus(dx, dy float64) point { return point{p.x + dx, p.y + dy} }

// toward is the point a distance away in the direction of another, and the unit vector there.
func (p point) toward(q point, distance float64) (point, float64, float64) {
	dx, dy := q.x-p.x, q.y-p.y
	n := math.Hypot(dx, dy)
	if n == 0 {
		return p, 1, 0
	}
	dx, dy = dx/n, dy/n
	return point{p.x + dx*distance, p.y + dy*distance}, dx, dy
}
