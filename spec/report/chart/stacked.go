package chart

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Stacked is a figure of bars that lie, one a row from the top down, each made of the parts that
// every series has of it.
type Stacked struct {
	Title, X string
	Rows     []string
	Parts    []Series
}

// Save writes the figure as NAME.png and NAME.svg into the folder.
func (s *Stacked) Save(dir, name string) error { return save(s, dir, name) }

func (s *Stacked) figure() (*figure, error) {
	f := newFigure(s.Title, s.X, "")
	most := 0.0
	for r := range s.Rows {
		sum := 0.0
		for _, p := range s.Parts {
			sum += p.Values[r]
		}
		most = max(most, sum)
	}
	if most <= 0 {
		return nil, ErrNothing
	}
	for _, p := range s.Parts {
		f.legend = append(f.legend, entry{p.Name, patch(p.Style)})
	}
	p := f.plot
	p.Add(grid{x: true}, &stackPlot{s})
	p.X.Min, p.X.Max = 0, most*1.02
	p.Y.Min, p.Y.Max = -0.5, float64(len(s.Rows))-0.5
	p.X.Tick.Marker = steps{}
	var fromBottom names
	for r := range s.Rows {
		fromBottom = append(fromBottom, s.Rows[len(s.Rows)-1-r])
	}
	p.Y.Tick.Marker = fromBottom
	p.Y.Tick.Length, p.Y.Padding, p.X.Padding = 0, 0, 0
	f.height = max(3.4*vg.Inch, 1.2*vg.Inch+vg.Length(len(s.Rows))*0.3*vg.Inch)
	return f, nil
}

// stackPlot draws the bars.
type stackPlot struct{ *Stacked }

func (s *stackPlot) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for r := range s.Rows {
		at, middle := 0.0, float64(len(s.Rows)-1-r)
		for _, part := range s.Parts {
			if v := part.Values[r]; v > 0 {
				fill(&c, hue(part.Style), x(at), x(at+v), y(middle-0.36), y(middle+0.36))
				at += v
			}
		}
	}
}
