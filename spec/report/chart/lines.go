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
}

// Lines is a figure over sizes in bytes, both axes logarithmic, so all values must be positive; or,
// when it is Linear, over any quantity, both axes from zero.
type Lines struct {
	Title, X, Y string
	Linear      bool
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
func (l *Lines) Save(dir, name string) error {
	f := newFigure(l.Title, l.X, l.Y)
	f.plot.Add(grid{x: true, y: true})
	if l.Linear {
		f.plot.X.Tick.Marker, f.plot.Y.Tick.Marker = steps{}, steps{}
	} else {
		f.plot.X.Scale, f.plot.Y.Scale = plot.LogScale{}, plot.LogScale{}
		f.plot.X.Tick.Marker, f.plot.Y.Tick.Marker = powers{}, decades{}
	}
	for _, s := range l.Lines {
		var points plotter.XYs
		for _, p := range s.Points {
			if l.drawn(p) {
				points = append(points, plotter.XY(p))
			}
		}
		if len(points) == 0 {
			continue
		}
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return err
		}
		line.Color, line.Width = hue(s.Style), vg.Points(1.4)
		dots.Color, dots.Radius, dots.Shape = hue(s.Style), vg.Points(2.6),
			marks[s.Style%len(marks)]
		f.plot.Add(line, dots)
		f.legend = append(f.legend, entry{s.Name, both{line, dots}})
	}
	if len(f.legend) == 0 {
		return ErrNothing
	}
	if l.Linear {
		fromZero(&f.plot.X)
		fromZero(&f.plot.Y)
	} else {
		widen(&f.plot.X)
		widen(&f.plot.Y)
	}
	return f.save(dir, name)
}

// drawn reports whether a point has a place on the axes.
func (l *Lines) drawn(p Point) bool {
	if math.IsNaN(p.X+p.Y) || math.IsInf(p.X+p.Y, 0) {
		return false
	}
	return l.Linear || p.X > 0 && p.Y > 0
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
