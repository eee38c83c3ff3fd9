package chart

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Series are the bars of one colour, one a group; NaN where there is none.
type Series struct {
	Name   string
	Style  int // of the colour, from 0
	Values []float64
	// how far the measurements are apart of which each value is the median; nil when not known
	Spreads []Spread
}

// Spread is how far measurements are apart: their extremes and their quartiles. The zero value is
// not known.
type Spread struct{ Least, Low, High, Most float64 }

// SpreadOf is that of some measurements, not known of none. Between two of them it interpolates.
func SpreadOf(values []float64) Spread {
	if len(values) == 0 {
		return Spread{}
	}
	sorted := slices.Sorted(slices.Values(values))
	quantile := func(q float64) float64 {
		place := q * float64(len(sorted)-1)
		below := int(place)
		above := min(below+1, len(sorted)-1)
		part := place - float64(below)
		return float64(sorted[below]*(1-part)) + float64(sorted[above]*part)
	}
	return Spread{sorted[0], quantile(0.25), quantile(0.75), sorted[len(sorted)-1]}
}

// drawn reports whether there is a whisker for it on an axis: none where all are the same.
func (s Spread) drawn(log bool) bool {
	sum := s.Least + s.Low + s.High + s.Most
	return s.Least < s.Most && !math.IsNaN(sum) && !math.IsInf(sum, 0) && (!log || s.Least > 0)
}

// whisker draws a spread upright: a thin line between the extremes, with ends, and a thick one
// between the quartiles, on a pale ground so that it is seen on every colour.
func whisker(c *draw.Canvas, at, wide vg.Length, y func(float64) vg.Length, s Spread) {
	for _, line := range []draw.LineStyle{{Color: color.Gray{255}, Width: vg.Points(2)},
		{Color: color.Gray{40}, Width: vg.Points(0.8)}} {
		c.StrokeLine2(line, at, y(s.Least), at, y(s.Most))
		for _, end := range []float64{s.Least, s.Most} {
			c.StrokeLine2(line, at-wide, y(end), at+wide, y(end))
		}
		line.Width += vg.Points(1.6)
		c.StrokeLine2(line, at, y(s.Low), at, y(s.High))
	}
}

// Bars is a figure of groups of bars that stand on Base.
type Bars struct {
	Title, X, Y string
	Base        float64
	Log         bool // the axis of values; values and base must be positive then
	Groups      []string
	Series      []Series
}

// Save writes the figure as NAME.png and NAME.svg into the folder.
func (b *Bars) Save(dir, name string) error { return save(b, dir, name) }

func (b *Bars) figure() (*figure, error) {
	f := newFigure(b.Title, b.X, b.Y)
	least, most, found := b.Base, b.Base, false
	for _, s := range b.Series {
		for _, v := range s.Values {
			if b.drawn(v) {
				least, most, found = min(least, v), max(most, v), true
			}
		}
		for _, w := range s.Spreads {
			if w.drawn(b.Log) {
				least, most = min(least, w.Least), max(most, w.Most)
			}
		}
		f.legend = append(f.legend, entry{s.Name, patch(s.Style)})
	}
	if !found {
		return nil, ErrNothing
	}
	p := f.plot
	p.Add(grid{y: true}, &barPlot{b})
	p.X.Min, p.X.Max = -0.5, float64(len(b.Groups))-0.5
	p.Y.Min, p.Y.Max = least, most
	if b.Log {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, decades{}
		room := math.Pow(max(most/least, 1.5), 0.05)
		p.Y.Max = most * room
		if least < b.Base {
			p.Y.Min = least / room
		}
	} else {
		p.Y.Tick.Marker = steps{}
		room := 0.05 * max(most-least, 0.02)
		p.Y.Max = most + room
		if least < b.Base {
			p.Y.Min = least - room
		}
	}
	p.X.Tick.Marker = names(b.Groups)
	p.X.Tick.Length, p.X.Padding = 0, 0
	return f, nil
}

// drawn reports whether there is a bar for a value.
func (b *Bars) drawn(v float64) bool {
	return !math.IsNaN(v) && !math.IsInf(v, 0) && (!b.Log || v > 0)
}

// barPlot draws the bars.
type barPlot struct{ *Bars }

func (b *barPlot) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	const group = 0.8 // of the room of a group is for bars
	one := group / float64(len(b.Series))
	for i, s := range b.Series {
		for g, v := range s.Values {
			if !b.drawn(v) {
				continue
			}
			left := float64(g) - group/2 + float64(i)*one
			fill(&c, hue(s.Style), x(left+0.06*one), x(left+0.94*one), y(b.Base), y(v))
			if g < len(s.Spreads) && s.Spreads[g].drawn(b.Log) {
				wide := min((x(left+0.94*one)-x(left+0.06*one))/4, vg.Points(4))
				whisker(&c, x(left+0.5*one), wide, y, s.Spreads[g])
			}
		}
	}
	c.StrokeLine2(draw.LineStyle{Color: color.Gray{90}, Width: vg.Points(0.8)}, c.Min.X, y(b.Base),
		c.Max.X, y(b.Base))
}

// fill draws a box with a thin border, which keeps pale colours visible.
func fill(c *draw.Canvas, colour color.Color, x0, x1, y0, y1 vg.Length) {
	corners := []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}
	c.FillPolygon(colour, corners)
	c.StrokeLines(draw.LineStyle{Color: color.Gray{60}, Width: vg.Points(0.4)},
		append(corners, corners[0]))
}

// patch is a colour in a legend.
type patch int

func (s patch) Thumbnail(c *draw.Canvas) {
	fill(c, hue(int(s)), c.Min.X+(c.Max.X-c.Min.X)/3, c.Max.X, c.Min.Y+vg.Points(1),
		c.Max.Y-vg.Points(1))
}

// names are ticks with text at 0, 1, 2, ...
type names []string

func (n names) Ticks(float64, float64) (list []plot.Tick) {
	for i, name := range n {
		list = append(list, plot.Tick{Value: float64(i), Label: name})
	}
	return list
}
