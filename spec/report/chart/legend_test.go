package chart_test

import (
	"fmt"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/domino-check/domino/spec/report/chart"
)

// TestLegendFits: many names, and long ones, are inside the picture: its edges are white.
func TestLegendFits(t *testing.T) {
	f := &chart.Lines{Title: "Growth", X: "ranks", Y: "time (s)", Linear: true}
	for i := range 40 {
		f.Lines = append(f.Lines, chart.Line{
			Name:   fmt.Sprintf("a protocol with options=%d, and more of them=yes", i),
			Points: []chart.Point{{X: 0, Y: float64(i)}, {X: 64, Y: 3}}})
	}
	dir := t.TempDir()
	if err := f.Save(dir, "legend"); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(filepath.Join(dir, "legend.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	picture, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	const edge = 4
	ink := 0
	b := picture.Bounds()
	for y := range b.Dy() {
		for x := range b.Dx() {
			if (x >= b.Dx()-edge || y >= b.Dy()-edge) &&
				color.GrayModel.Convert(picture.At(x, y)) != (color.Gray{Y: 255}) {
				ink++
			}
		}
	}
	if ink > 0 || b.Dy() < 1200 {
		t.Errorf("%v: %d dots at the edges", b, ink)
	}
}
