package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Beside is a figure of printed values and ours for the same quantities, one a row from the top
// down: what is printed is a hollow mark on the band that ours may lie in, ours a filled one with
// its spread. A row whose numbers are none, or are not positive where the axis is logarithmic, has
// no mark: nothing is drawn that nobody has said.
type Beside struct {
	Title, X string
	Rows     []Pair
}

// Pair is a row.
type Pair struct {
	Name      string
	Printed   float64
	Low, High float64 // of the band; infinite where it has no end
	Ours      float64 // NaN for none
	Spread    float64
	Apart     bool // ours contradicts what is printed
}

// Save writes the figure as NAME.png and NAME.svg into the folder.
func (b *Beside) Save(dir, name string) error { return save(b, dir, name) }

// The styles of the marks.
const (
	printedStyle = 0
	oursStyle    = 1
	apartStyle   = 2
)

// decadesApart is by what factor values differ that need a logarithmic axis.
const decadesApart = 100

func (b *Beside) figure() (*figure, error) {
	f := newFigure(b.Title, b.X, "")
	least, most, smallest, marks, apart := 0.0, 0.0, math.Inf(1), 0, false
	for _, r := range b.Rows {
		for _, v := range []float64{r.Printed, r.Ours - r.Spread, r.Ours + r.Spread, r.Low,
			r.High} {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				least, most, smallest = min(least, v), max(most, v), min(smallest, v)
			}
		}
		if !math.IsNaN(r.Ours) {
			marks++
			apart = apart || r.Apart
		}
	}
	if marks == 0 {
		return nil, ErrNothing
	}
	p, log := f.plot, smallest > 0 && most/smallest > decadesApart
	p.X.Min, p.X.Max, p.X.Tick.Marker = least-0.03*(most-least), most+0.03*(most-least), steps{}
	if least == 0 {
		p.X.Min = 0
	}
	if log {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, decades{}
		p.X.Min, p.X.Max = smallest/1.3, most*1.3
	}
	p.Add(grid{x: true}, &besidePlot{b})
	p.Y.Min, p.Y.Max = -0.6, float64(len(b.Rows))-0.4
	var fromBottom names
	for i := range b.Rows {
		fromBottom = append(fromBottom, b.Rows[len(b.Rows)-1-i].Name)
	}
	p.Y.Tick.Marker = fromBottom
	p.Y.Tick.Length, p.Y.Padding, p.X.Padding = vg.Points(6), 0, 0
	p.Y.Tick.LineStyle.Width = 0
	f.legend = []entry{{"printed", dot{printedStyle, true}}, {"ours", dot{oursStyle, false}}}
	if apart {
		f.legend = append(f.legend, entry{"ours, contradicting", dot{apartStyle, false}})
	}
	f.height = max(2.2*vg.Inch, 1.2*vg.Inch+vg.Length(len(b.Rows))*0.26*vg.Inch)
	return f, nil
}

// dot is a mark: a ring for what is printed, filled for ours, a square where it contradicts.
type dot struct {
	style  int
	hollow bool
}

// draw draws the mark at a place.
func (d dot) draw(c *draw.Canvas, at vg.Point) {
	style := draw.GlyphStyle{Color: hue(d.style), Radius: vg.Points(3.2), Shape: draw.CircleGlyph{}}
	switch {
	case d.hollow:
		style.Radius = vg.Points(5)
		style.Shape = draw.RingGlyph{}
	case d.style == apartStyle:
		style.Shape = draw.BoxGlyph{}
	}
	c.DrawGlyph(style, at)
}

// Thumbnail draws the mark in the legend.
func (d dot) Thumbnail(c *draw.Canvas) { d.draw(c, c.Center()) }

// besidePlot draws the rows.
type besidePlot struct{ *Beside }

func (b *besidePlot) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	within := func(v float64) vg.Length { return x(max(p.X.Min, min(p.X.Max, v))) }
	for i, r := range b.Rows {
		middle := y(float64(len(b.Rows) - 1 - i))
		if r.Low < r.High {
			band := draw.LineStyle{Color: color.Gray{210}, Width: vg.Points(6)}
			c.StrokeLine2(band, within(r.Low), middle, within(r.High), middle)
		}
		if !math.IsNaN(r.Printed) {
			dot{printedStyle, true}.draw(&c, vg.Point{X: x(r.Printed), Y: middle})
		}
		if math.IsNaN(r.Ours) {
			continue
		}
		style := oursStyle
		if r.Apart {
			style = apartStyle
		}
		if r.Spread > 0 {
			c.StrokeLine2(draw.LineStyle{Color: hue(style), Width: vg.Points(1)},
				within(r.Ours-r.Spread), middle, within(r.Ours+r.Spread), middle)
		}
		dot{style, false}.draw(&c, vg.Point{X: x(r.Ours), Y: middle})
	}
}
