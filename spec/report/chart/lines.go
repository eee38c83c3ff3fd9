package chart

import (
	"errors"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Point is a place in a figure.
type Point struct{ X, Y float64 }

// Line is one series of a figure of lines.
type Line struct {
	Name   string
	Style  int // of colour and mark, from 0
	Points []Point
	// how far the measurements are apart of which each point is the median; nil when not known
	Spreads []Spread
}

// Lines is a figure over sizes in bytes, both axes logarithmic, so all values must be positive; or,
// when it is Linear, over any quantity, both axes from zero, but that of X logarithmic when it
// counts what is mostly doubled, such as ranks.
type Lines struct {
	Title, X, Y string
	Linear      bool
	Doubled     bool // X, of a figure that is Linear
	Lines       []Line
}

// ErrNothing means that there is nothing to draw.
var ErrNothing = errors.New("chart: there is nothing to draw")

// marks tell lines apart without colours.
var marks = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{},
	draw.PlusGlyph{}, draw.RingGlyph{}, draw.PyramidGlyph{}, draw.BoxGlyph{},
}

// Save writes the figure as NAME.png and NAME.svg into the folder.
func (l *Lines) Save(dir, name string) error { return save(l, dir, name) }

func (l *Lines) figure() (*figure, error) {
	f := newFigure(l.Title, l.X, l.Y)
	f.plot.Add(grid{x: true, y: true})
	switch {
	case l.Linear && l.Doubled:
		f.plot.X.Scale = plot.LogScale{}
		f.plot.X.Tick.Marker, f.plot.Y.Tick.Marker = doublings{}, steps{}
	case l.Linear:
		f.plot.X.Tick.Marker, f.plot.Y.Tick.Marker = steps{}, steps{}
	default:
		f.plot.X.Scale, f.plot.Y.Scale = plot.LogScale{}, plot.LogScale{}
		f.plot.X.Tick.Marker, f.plot.Y.Tick.Marker = powers{}, decades{}
	}
	for _, s := range l.Lines {
		var points plotter.XYs
		w := whiskers{log: !l.Linear}
		for i, p := range s.Points {
			if !l.drawn(p) {
				continue
			}
			points = append(points, plotter.XY(p))
			if i < len(s.Spreads) && s.Spreads[i].drawn(w.log) {
				w.at, w.spreads = append(w.at, p.X), append(w.spreads, s.Spreads[i])
			}
		}
		if len(points) == 0 {
			continue
		}
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, err
		}
		line.Color, line.Width = hue(s.Style), vg.Points(1.4)
		dots.Color, dots.Radius, dots.Shape = hue(s.Style), vg.Points(2.6),
			marks[s.Style%len(marks)]
		if w.at != nil {
			f.plot.Add(&w)
		}
		f.plot.Add(line, dots)
		f.legend = append(f.legend, entry{s.Name, both{line, dots}})
	}
	if len(f.legend) == 0 {
		return nil, ErrNothing
	}
	for _, a := range []struct {
		axis *plot.Axis
		log  bool
	}{{&f.plot.X, !l.Linear || l.Doubled}, {&f.plot.Y, !l.Linear}} {
		if a.log {
			widen(a.axis)
		} else {
			fromZero(a.axis)
		}
	}
	return f, nil
}

// whiskers are those of a line.
type whiskers struct {
	log     bool
	at      []float64
	spreads []Spread
}

func (w *whiskers) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, s := range w.spreads {
		whisker(&c, x(w.at[i]), vg.Points(2.5), y, s)
	}
}

// DataRange makes the axes long enough for the whiskers.
func (w *whiskers) DataRange() (left, right, least, most float64) {
	left, right, least, most = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for i, s := range w.spreads {
		left, right = min(left, w.at[i]), max(right, w.at[i])
		least, most = min(least, s.Least), max(most, s.Most)
	}
	return left, right, least, most
}

// drawn reports whether a point has a place on the axes.
func (l *Lines) drawn(p Point) bool {
	if math.IsNaN(p.X+p.Y) || math.IsInf(p.X+p.Y, 0) {
		return false
	}
	return (p.X > 0 || l.Linear && !l.Doubled) && (p.Y > 0 || l.Linear)
}

// fromZero gives a linear axis its zero and room at the end.
func fromZero(a *plot.Axis) {
	a.Min = min(a.Min, 0)
	a.Max = max(a.Max, 0) + 0.03*max(a.Max-a.Min, 0.01)
}

// widen gives a log axis room, and a range where all values are the same.
func widen(a *plot.Axis) {
	room := math.Pow(a.Max/a.Min, 0.03)
	if a.Max <= a.Min*1.2 {
		room = 2
	}
	a.Min, a.Max = a.Min/room, a.Max*room
}

// both is a line with its marks, in a legend.
type both struct {
	line *plotter.Line
	dots *plotter.Scatter
}

func (b both) Thumbnail(c *draw.Canvas) {
	b.line.Thumbnail(c)
	b.dots.Thumbnail(c)
}
