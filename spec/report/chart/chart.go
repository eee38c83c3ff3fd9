// Package chart draws the figures of measurements as PNG and SVG: lines over message sizes, bars by
// kernel and protocol, and stacked bars of the stages of a recovery. A legend has a column of its
// own, so that it never covers data, and colours are those that Okabe and Ito chose for readers of
// all kinds of colour vision, backed by different marks.
//
// It draws with gonum.org/v1/plot: log axes, ticks and text are there, both formats come from one
// description, and it is plain Go.
package chart

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/domino-check/domino/spec/report/wholefile"
)

// palette are the colours, the darkest first; Pale and the styles behind it repeat them paler.
var palette = []color.RGBA{
	{0, 0, 0, 255}, {0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255},
	{230, 159, 0, 255}, {86, 180, 233, 255}, {240, 228, 66, 255},
}

// Pale is the first style that is paler than another, which is by so much less.
const Pale = 8

// Grey and the two styles behind it are shades of grey, for what is not in the foreground.
const Grey = 100

// hue is the colour of a style.
func hue(style int) color.RGBA {
	if style >= Grey {
		shade := [...]uint8{238, 214, 190}[(style-Grey)%3]
		return color.RGBA{shade, shade, shade, 255}
	}
	c := palette[style%len(palette)]
	if style >= len(palette) {
		pale := func(x uint8) uint8 { return uint8((int(x) + 255) / 2) }
		c = color.RGBA{pale(c.R), pale(c.G), pale(c.B), 255}
	}
	return c
}

// The sizes of a figure.
const (
	width       = 9.5 * vg.Inch
	height      = 5 * vg.Inch
	legendWidth = 1.8 * vg.Inch // at least
	line        = vg.Length(text * 1.7)
	icon        = vg.Length(22)
	margin      = 0.12 * vg.Inch
	text        = 11
	resolution  = 144 // dots an inch
)

// entry is a line of the legend.
type entry struct {
	name  string
	thumb plot.Thumbnailer
}

// figure is a plot and what stands beside it.
type figure struct {
	plot    *plot.Plot
	legend  []entry
	heading string // of the legend
	side    string // what the vertical axis means
	height  vg.Length
}

// newFigure makes an empty one.
func newFigure(title, x, y string) *figure {
	p := plot.New()
	p.Title.Text, p.X.Label.Text = title, x
	p.Title.Padding = vg.Points(10)
	p.Title.TextStyle.Font = font.Font{Typeface: p.Title.TextStyle.Font.Typeface, Variant: "Sans",
		Size: text + 3}
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font = font.Font{Variant: "Sans", Size: text}
		a.Tick.Label.Font = font.Font{Variant: "Sans", Size: text - 1}
		a.Label.Padding = vg.Points(6)
	}
	return &figure{plot: p, side: y, height: height}
}

// Figure is one of Lines, Bars and Stacked.
type Figure interface {
	// Save writes the figure as NAME.png and NAME.svg into the folder.
	Save(dir, name string) error
	figure() (*figure, error)
}

// SVG is the figure as an element of a page. It is ErrNothing when there is nothing to draw.
func SVG(f Figure) ([]byte, error) {
	drawn, err := f.figure()
	if err != nil {
		return nil, err
	}
	picture, err := drawn.picture("svg")
	if err != nil {
		return nil, fmt.Errorf("chart: %w", err)
	}
	at := bytes.Index(picture, []byte("<svg")) // behind what begins a document
	return picture[max(at, 0):], nil
}

// save writes a figure as NAME.png and NAME.svg into the folder.
func save(f Figure, dir, name string) error {
	drawn, err := f.figure()
	if err != nil {
		return err
	}
	for _, format := range []string{"png", "svg"} {
		picture, err := drawn.picture(format)
		if err == nil {
			err = wholefile.Write(filepath.Join(dir, name+"."+format), picture)
		}
		if err != nil {
			return fmt.Errorf("chart: %w", err)
		}
	}
	return nil
}

// picture is the figure in a format.
func (f *figure) picture(format string) ([]byte, error) {
	beside, down := f.legendSize()
	canvas, err := newCanvas(format, max(f.height, down))
	if err != nil {
		return nil, err
	}
	all := draw.New(canvas)
	all.SetColor(color.White)
	all.Fill(all.Rectangle.Path())
	all = draw.Crop(all, margin, -margin, margin, -margin)
	rest := draw.Crop(all, 0, -beside, 0, 0)
	f.breakTitle(rest.Max.X - rest.Min.X - 2*line)
	f.plot.Draw(f.drawSide(rest))
	f.drawLegend(draw.Crop(all, all.Max.X-all.Min.X-beside+margin, 0, 0, 0))
	var picture bytes.Buffer
	_, err = canvas.WriteTo(&picture)
	return picture.Bytes(), err
}

// breakTitle breaks the title into lines of such a width: it is centred, and would begin left of
// the picture.
func (f *figure) breakTitle(most vg.Length) {
	style, text := f.plot.Title.TextStyle, ""
	for i, word := range strings.Fields(f.plot.Title.Text) {
		last := text[strings.LastIndexByte(text, '\n')+1:]
		switch {
		case i == 0:
		case style.Width(last+" "+word) > most:
			text += "\n"
		default:
			text += " "
		}
		text += word
	}
	f.plot.Title.Text = text
}

// drawSide writes beside the vertical axis what it means, and returns what is left for the plot,
// which would leave a gap above a log axis for a label of its own.
func (f *figure) drawSide(c draw.Canvas) draw.Canvas {
	if f.side == "" {
		return c
	}
	style := f.plot.Y.Label.TextStyle
	style.XAlign, style.YAlign, style.Rotation = draw.XCenter, draw.YTop, math.Pi/2
	rest := draw.Crop(c, style.Height(f.side)+f.plot.Y.Label.Padding, 0, 0, 0)
	data := f.plot.DataCanvas(rest)
	c.FillText(style, vg.Point{X: c.Min.X, Y: data.Center().Y}, f.side)
	return rest
}

// legendStyle is how the legend is written.
func (f *figure) legendStyle() draw.TextStyle {
	style := f.plot.Legend.TextStyle
	style.Font = font.Font{Variant: "Sans", Size: text}
	style.YAlign = draw.YCenter
	return style
}

// legendSize is the room that the longest name, and all of them, need.
func (f *figure) legendSize() (beside, down vg.Length) {
	beside, style := vg.Length(legendWidth), f.legendStyle()
	for _, e := range f.legend {
		beside = max(beside, icon+style.Width(e.name)+2*margin)
	}
	return beside, vg.Points(60) + line*vg.Length(len(f.legend)+1)
}

// drawLegend writes the entries from the top down.
func (f *figure) drawLegend(c draw.Canvas) {
	style := f.legendStyle()
	y := c.Max.Y - vg.Points(30)
	if f.heading != "" {
		c.FillText(style, vg.Point{X: c.Min.X, Y: y}, f.heading)
		y -= line
	}
	for _, e := range f.legend {
		box := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: c.Min.X, Y: y - line/3},
			Max: vg.Point{X: c.Min.X + icon, Y: y + line/3}}}
		e.thumb.Thumbnail(&box)
		c.FillText(style, vg.Point{X: c.Min.X + icon + vg.Points(5), Y: y}, e.name)
		y -= line
	}
}

// grid draws lines behind the data at the ticks that have a label.
type grid struct{ x, y bool }

func (g grid) Plot(c draw.Canvas, p *plot.Plot) {
	style := draw.LineStyle{Color: color.Gray{225}, Width: vg.Points(0.6)}
	x, y := p.Transforms(&c)
	if g.x {
		for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
			if at := x(t.Value); t.Label != "" && t.Value >= p.X.Min && t.Value <= p.X.Max {
				c.StrokeLine2(style, at, c.Min.Y, at, c.Max.Y)
			}
		}
	}
	if g.y {
		for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
			if at := y(t.Value); t.Label != "" && t.Value >= p.Y.Min && t.Value <= p.Y.Max {
				c.StrokeLine2(style, c.Min.X, at, c.Max.X, at)
			}
		}
	}
}

// decades are ticks of a log axis at 1, 2 and 5 of each power of ten, over many powers at the
// powers alone, and over less than half of one as on a linear axis.
type decades struct{}

func (decades) Ticks(least, most float64) (list []plot.Tick) {
	if most/least < 3 {
		return steps{}.Ticks(least, most)
	}
	many := math.Log10(most/least) > 3.5
	for e := math.Floor(math.Log10(least)); e <= math.Ceil(math.Log10(most)); e++ {
		for m := 1; m < 10; m++ {
			t := plot.Tick{Value: float64(m) * math.Pow(10, e)}
			if t.Value < least*0.999 || t.Value > most*1.001 {
				continue
			}
			if m == 1 || !many && (m == 2 || m == 5) {
				format, digits := byte('f'), -1
				if t.Value < 1e-3 || t.Value > 1e6 {
					format, digits = 'g', 1 // a product with a power of ten may be a bit off
				}
				t.Label = strconv.FormatFloat(t.Value, format, digits, 64)
			}
			list = append(list, t)
		}
	}
	return list
}

// powers are ticks of a log axis of bytes, at every third power of two.
type powers struct{}

func (powers) Ticks(least, most float64) (list []plot.Tick) {
	for e := 0; e <= 40; e++ {
		v := math.Exp2(float64(e))
		if v < least*0.999 || v > most*1.001 {
			continue
		}
		t := plot.Tick{Value: v}
		if e%3 == 0 {
			t.Label = Bytes(v)
		}
		list = append(list, t)
	}
	return list
}

// doublings are ticks of a log axis of a count at powers of two, with at most nine labels, and over
// less than two of them as on a linear axis.
type doublings struct{}

func (doublings) Ticks(least, most float64) (list []plot.Tick) {
	if most/least < 4 {
		return steps{}.Ticks(least, most)
	}
	low, high := int(math.Ceil(math.Log2(least*0.999))), int(math.Floor(math.Log2(most*1.001)))
	for e := low; e <= high; e++ {
		t := plot.Tick{Value: math.Exp2(float64(e))}
		if (high-e)%((high-low)/9+1) == 0 {
			t.Label = strconv.FormatFloat(t.Value, 'f', -1, 64)
		}
		list = append(list, t)
	}
	return list
}

// Bytes is a number of bytes in units of 1024.
func Bytes(x float64) string {
	unit := 0
	for ; x >= 1024 && unit < 4; unit++ {
		x /= 1024
	}
	return strconv.FormatFloat(x, 'g', 4, 64) + []string{" B", " KiB", " MiB", " GiB", " TiB"}[unit]
}

// steps are ticks of a linear axis at 1, 2 or 5 times a power of ten, about eight of them.
type steps struct{}

func (steps) Ticks(least, most float64) (list []plot.Tick) {
	if most <= least {
		return nil
	}
	step := math.Pow(10, math.Floor(math.Log10((most-least)/8)))
	for _, m := range []float64{1, 2, 5, 10} {
		if (most-least)/(step*m) <= 10 {
			step *= m
			break
		}
	}
	for i := math.Ceil(least/step - 1e-9); i*step <= most+1e-9*step; i++ {
		list = append(list, plot.Tick{Value: i * step,
			Label: strconv.FormatFloat(i*step+0, 'f', max(0, -int(math.Floor(math.Log10(step)))),
				64)})
	}
	return list
}
