package chart_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/domino-check/domino/spec/report/chart"
)

// figures are one of each kind.
func figures() map[string]interface{ Save(dir, name string) error } {
	return map[string]interface{ Save(dir, name string) error }{
		"lines": &chart.Lines{Title: "Latency", X: "size", Y: "time (µs)", Lines: []chart.Line{
			{Name: "none", Points: []chart.Point{{X: 1, Y: 3}, {X: 1 << 26, Y: 9000}}},
			{Name: "hydee", Style: 1, Points: []chart.Point{{X: 8, Y: 4}, {X: 0, Y: 1},
				{X: 9, Y: math.Inf(1)}}},
			{Name: "left out", Style: 2}}},
		"straight": &chart.Lines{Title: "Growth", X: "ranks", Y: "time (s)", Linear: true,
			Lines: []chart.Line{
				{Name: "cached", Points: []chart.Point{{X: 0, Y: 0}, {X: 64, Y: 3}}},
				{Name: "left out", Points: []chart.Point{{X: math.NaN(), Y: 1}}}}},
		"bars": &chart.Bars{Title: "Times", X: "kernel", Y: "ratio", Base: 1, Log: true,
			Groups: []string{"bt", "cg"}, Series: []chart.Series{
				{Name: "hydee", Style: 1, Values: []float64{1.1, 0.9}},
				{Name: "rbml", Style: 12, Values: []float64{400, math.NaN()}}}},
		"linear": &chart.Bars{Title: "Times", X: "kernel", Y: "ratio", Base: 1,
			Groups: []string{"bt"}, Series: []chart.Series{{Name: "hydee", Values: []float64{1}}}},
		"beside": &chart.Beside{Title: "Table I", X: "GB", Rows: []chart.Pair{
			{Name: "BT", Printed: 143, Low: 143, High: 144, Ours: 127.7, Apart: true},
			{Name: "at most", Printed: 15, Low: math.Inf(-1), High: 15.5, Ours: 12, Spread: 1},
			{Name: "not made", Printed: 3, Low: 2.5, High: 3.5, Ours: math.NaN()}}},
		"stacked": &chart.Stacked{Title: "Stages", X: "time (ms)", Rows: []string{"hydee", "rbml"},
			Parts: []chart.Series{
				{Name: "detection", Style: chart.Grey, Values: []float64{3, 0}},
				{Name: "restart", Style: chart.Grey + 2, Values: []float64{30, 50}}}},
	}
}

// TestSpreadOf compares with values worked out by hand.
func TestSpreadOf(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		want   chart.Spread
	}{{nil, chart.Spread{}}, {[]float64{3}, chart.Spread{Least: 3, Low: 3, High: 3, Most: 3}},
		{[]float64{9, 1, 5}, chart.Spread{Least: 1, Low: 3, High: 7, Most: 9}},
		{[]float64{4, 1, 2, 3}, chart.Spread{Least: 1, Low: 1.75, High: 3.25, Most: 4}}} {
		if got := chart.SpreadOf(tt.values); got != tt.want {
			t.Errorf("%v: %+v, want %+v", tt.values, got, tt.want)
		}
	}
}

// TestWhiskers draws spreads: they are in the picture, and the axis is long enough for them; one
// that is not known, or has no place on a log axis, is left out.
func TestWhiskers(t *testing.T) {
	wide := chart.Spread{Least: 0.5, Low: 1, High: 3, Most: 40}
	for name, draw := range map[string]func(s []chart.Spread) chart.Figure{
		"bars": func(s []chart.Spread) chart.Figure {
			return &chart.Bars{Base: 1, Groups: []string{"bt"}, Series: []chart.Series{{Name: "a",
				Values: []float64{2}, Spreads: s}}}
		},
		"log bars": func(s []chart.Spread) chart.Figure {
			return &chart.Bars{Base: 1, Log: true, Groups: []string{"bt"},
				Series: []chart.Series{{Name: "a", Values: []float64{2}, Spreads: s}}}
		},
		"lines": func(s []chart.Spread) chart.Figure {
			return &chart.Lines{Lines: []chart.Line{{Name: "a", Points: []chart.Point{{X: 8, Y: 2}},
				Spreads: s}}}
		},
	} {
		svg := func(s ...chart.Spread) string {
			b, err := chart.SVG(draw(s))
			if err != nil || !strings.HasPrefix(string(b), "<svg") {
				t.Fatalf("%s: %v, %.80s", name, err, b)
			}
			return string(b)
		}
		plain := svg()
		if plain != svg(chart.Spread{}) || plain != svg(chart.Spread{Least: math.NaN()}) {
			t.Errorf("%s: a spread that is not known is drawn", name)
		}
		with := svg(wide)
		if n := strings.Count(with, "<path") - strings.Count(plain, "<path"); n < 8 {
			t.Errorf("%s: %d lines more with a whisker", name, n)
		}
		if !strings.Contains(with, ">40<") && !strings.Contains(with, ">20<") {
			t.Errorf("%s: the axis ends before the whisker", name)
		}
	}
	evil := `</svg><script>x</script>"&`
	b, err := chart.SVG(&chart.Bars{Title: evil, X: evil, Y: evil, Groups: []string{evil},
		Series: []chart.Series{{Name: evil, Values: []float64{2}}}})
	if err != nil || strings.Contains(string(b), "<script") || strings.Count(string(b),
		"</svg") != 1 {
		t.Errorf("text becomes elements, %v: %.3000s", err, b)
	}
	if _, err := chart.SVG(&chart.Bars{}); !errors.Is(err, chart.ErrNothing) {
		t.Errorf("nothing: %v", err)
	}
}

// TestSave draws a figure of each kind: the PNG can be decoded and has colour in it, the SVG is
// well-formed and has every word that a reader needs.
func TestSave(t *testing.T) {
	words := map[string][]string{"lines": {"Latency", "size", "time (µs)", "none", "hydee", "1 B",
		"16 MiB", "1000"}, "bars": {"Times", "kernel", "ratio", "bt", "cg", "hydee", "rbml", "100"},
		"linear":   {"bt", "hydee"},
		"straight": {"Growth", "ranks", "cached", "0", "60", "2.5"},
		"stacked":  {"Stages", "time (ms)", "hydee", "rbml", "detection", "restart", "40"}}
	for kind, f := range figures() {
		dir := t.TempDir()
		if err := f.Save(dir, kind); err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		picture, err := os.Open(filepath.Join(dir, kind+".png"))
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := png.Decode(picture)
		picture.Close()
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		seen := map[color.Color]bool{}
		for y := range decoded.Bounds().Dy() {
			for x := range decoded.Bounds().Dx() {
				seen[decoded.At(x, y)] = true
			}
		}
		if b := decoded.Bounds(); b.Dx() < 800 || b.Dy() < 300 || len(seen) < 10 {
			t.Errorf("%s: %v with %d colours", kind, b, len(seen))
		}
		text, err := os.ReadFile(filepath.Join(dir, kind+".svg"))
		if err != nil {
			t.Fatal(err)
		}
		for d := xml.NewDecoder(strings.NewReader(string(text))); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
		}
		for _, w := range words[kind] {
			if !strings.Contains(string(text), ">"+w+"<") {
				t.Errorf("%s: no text %q", kind, w)
			}
		}
		if strings.Contains(string(text), "left out") {
			t.Errorf("%s: a line without points is in the legend", kind)
		}
	}
}

// TestSaveFails draws nothing, and draws where nothing can be written.
func TestSaveFails(t *testing.T) {
	for _, f := range []interface{ Save(dir, name string) error }{&chart.Lines{},
		&chart.Lines{Lines: []chart.Line{{Points: []chart.Point{{X: 1}}}}}, &chart.Bars{},
		&chart.Bars{Groups: []string{"bt"}, Series: []chart.Series{
			{Values: []float64{math.NaN()}}}}, &chart.Stacked{}} {
		if err := f.Save(t.TempDir(), "x"); !errors.Is(err, chart.ErrNothing) {
			t.Errorf("%+v: %v, want %v", f, err, chart.ErrNothing)
		}
	}
	for kind, f := range figures() {
		if err := f.Save(t.TempDir()+"/nowhere", "x"); err == nil ||
			!strings.Contains(err.Error(), "nowhere/x.png") {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// TestBytes pins units.
func TestBytes(t *testing.T) {
	for x, want := range map[float64]string{1: "1 B", 1000: "1000 B", 1024: "1 KiB",
		1536: "1.5 KiB", 64 << 20: "64 MiB", 1 << 30: "1 GiB"} {
		if got := chart.Bytes(x); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func ExampleBytes() {
	fmt.Println(chart.Bytes(8), chart.Bytes(64<<10))
	// Output: 8 B 64 KiB
}

// TestLongTitle: no line of a title that is wider than the figure begins left of it, no word of it
// is lost, and a short one is one line.
func TestLongTitle(t *testing.T) {
	lines := regexp.MustCompile(`(?s)<text [^>]*x="([^"]+)"[^>]*>(word[^<]*)<`)
	for _, tt := range []struct{ words, lines int }{{3, 1}, {20, 2}, {40, 3}} {
		title := strings.Repeat("word ", tt.words)
		b, err := chart.SVG(&chart.Bars{Title: title, Groups: []string{"bt"},
			Series: []chart.Series{{Name: "a", Values: []float64{2}}}})
		if err != nil {
			t.Fatal(err)
		}
		found := lines.FindAllStringSubmatch(string(b), -1)
		words := 0
		for _, line := range found {
			words += strings.Count(line[2], "word")
			if strings.HasPrefix(line[1], "-") {
				t.Errorf("of %d words, %q begins at %s", tt.words, line[2], line[1])
			}
		}
		if words != tt.words || len(found) != tt.lines {
			t.Errorf("%d words in %d lines, want %d in %d", words, len(found), tt.words, tt.lines)
		}
	}
}

// TestTextWidths: every text of an SVG says how wide it is, so that no other font makes it wider.
// By the tables of Liberation Sans, W is as wide as 1933 of 2048 parts of the size of the letters.
func TestTextWidths(t *testing.T) {
	name := strings.Repeat("W", 20)
	b, err := chart.SVG(&chart.Bars{Title: "<text >", X: "&", Groups: []string{""},
		Series: []chart.Series{{Name: name, Values: []float64{2}}}})
	if err != nil {
		t.Fatal(err)
	}
	widths := regexp.MustCompile(`(?s)<text (?:textLength="([^"]+)" [^>]*)?>([^<]*)<`)
	texts, wide := strings.Count(string(b), "<text "), false
	for _, text := range widths.FindAllStringSubmatch(string(b), -1) {
		width, err := strconv.ParseFloat(text[1], 64)
		if texts--; text[2] != "" && (err != nil || width <= 0) {
			t.Errorf("%q has a width of %q", text[2], text[1])
		}
		if text[2] == name {
			wide = math.Abs(width-20*11*1933./2048) < .5
		}
	}
	if texts != 0 || !wide {
		t.Errorf("%d texts without a width, or %s has another one: %s", texts, name, b)
	}
}

// TestBesideInvents: where nothing is printed, or nothing made, there is no mark, and where nothing
// at all was made no figure.
func TestBesideInvents(t *testing.T) {
	nan := math.NaN()
	length := func(rows ...chart.Pair) int {
		b, err := chart.SVG(&chart.Beside{Rows: rows})
		if err != nil {
			t.Fatal(err)
		}
		return len(b)
	}
	both := chart.Pair{Name: "a", Printed: 3, Low: nan, High: nan, Ours: 4}
	ours, other := both, both
	ours.Printed = nan
	other.Ours = nan
	if all := length(both, both); length(both, ours) >= all || length(both, other) >= all {
		t.Error("a mark where there is no number")
	}
	if _, err := chart.SVG(&chart.Beside{Rows: []chart.Pair{other}}); !errors.Is(err,
		chart.ErrNothing) {
		t.Errorf("a figure of printed numbers alone: %v", err)
	}
}
