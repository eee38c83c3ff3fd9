package chart

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// TestDecades reads the labels of log axes: every axis has at least two, and none more than fit.
func TestDecades(t *testing.T) {
	for _, tt := range []struct {
		least, most float64
		want        string
	}{
		{1, 30, "1 2 5 10 20"},
		{0.0001, 50, "0.0001 0.001 0.01 0.1 1 10"},
		{11, 14, "11.0 11.5 12.0 12.5 13.0 13.5 14.0"},
		{0.9, 1.1, "0.90 0.95 1.00 1.05 1.10"},
	} {
		var labels []string
		for _, tick := range (decades{}).Ticks(tt.least, tt.most) {
			if tick.Label != "" {
				labels = append(labels, tick.Label)
			}
		}
		if got := strings.Join(labels, " "); got != tt.want {
			t.Errorf("%v to %v: %s, want %s", tt.least, tt.most, got, tt.want)
		}
	}
}

// TestDoublings reads the labels of an axis of ranks, and where points are: as far from each other
// as numbers are doubled between them.
func TestDoublings(t *testing.T) {
	for _, tt := range []struct {
		least, most float64
		want        string
	}{
		{15.5, 70, "16 32 64"},
		{8, 32, "8 16 32"},
		{9, 37, "16 32"},
		{1000, 1600, "1000 1100 1200 1300 1400 1500 1600"},
		{0.9, 1 << 16, "1 4 16 64 256 1024 4096 16384 65536"},
		{2, 1 << 16, "4 16 64 256 1024 4096 16384 65536"},
	} {
		var labels []string
		for _, tick := range (doublings{}).Ticks(tt.least, tt.most) {
			if tick.Label != "" {
				labels = append(labels, tick.Label)
			}
		}
		if got := strings.Join(labels, " "); got != tt.want {
			t.Errorf("%v to %v: %s, want %s", tt.least, tt.most, got, tt.want)
		}
	}
	l := Lines{Linear: true, Doubled: true, Lines: []Line{{Points: []Point{{X: 0, Y: 9},
		{X: 16, Y: 0}, {X: 64, Y: 1}, {X: 256, Y: 2}}}}}
	f, err := l.figure()
	if err != nil {
		t.Fatal(err)
	}
	x := &f.plot.X
	if a, b := x.Norm(64)-x.Norm(16), x.Norm(256)-x.Norm(64); math.Abs(a-b) > 1e-9 || a < 0.3 {
		t.Errorf("from 16 to 64 are %v, from 64 to 256 %v of the axis", a, b)
	}
	if f.plot.Y.Min != 0 || f.plot.Y.Max > 3 {
		t.Errorf("Y from %v to %v", f.plot.Y.Min, f.plot.Y.Max)
	}
}

// TestNoGap measures the room for data of a figure with a log axis over many powers and of one with
// a linear axis: both begin at the same height.
func TestNoGap(t *testing.T) {
	top := func(f *figure) float64 {
		canvas, err := newCanvas("png", f.height)
		if err != nil {
			t.Fatal(err)
		}
		data := f.plot.DataCanvas(f.drawSide(draw.New(canvas)))
		return data.Max.Y.Points()
	}
	linear, log := newFigure("title", "size", "a label that is long"),
		newFigure("title", "size", "a label that is long")
	linear.plot.Y.Min, linear.plot.Y.Max = 0, 1e5
	log.plot.Y.Min, log.plot.Y.Max = 1, 1e5
	linear.plot.Y.Tick.Marker = names(nil)
	log.plot.Y.Scale, log.plot.Y.Tick.Marker = plot.LogScale{}, names(nil)
	if a, b := top(linear), top(log); a-b > 1 || b-a > 1 {
		t.Errorf("data begin at %v with a log axis, at %v without", b, a)
	}
}
