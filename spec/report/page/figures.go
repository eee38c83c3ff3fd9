package page

import (
	"bytes"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/report/figure"
)

// mostAcross is how many slots a figure has at most that begins with time to the right, as in a
// paper: a longer one is read downwards.
const mostAcross = 40

// width is that of a page on a common screen, in pixels. A figure is never shrunk but on paper, so
// that what is laid out at the same places is there.
const width = 1120

// beside is that of a figure that runs downwards, with the steps on its right.
const beside = 540

// printed is how many slots of a long figure are printed around each mark.
const printed = 60

// choice is one value of a control of the figure.
type choice struct {
	Value, Words string
	On           bool
}

// drawn is a view of the run: one layout with its legend.
type drawn struct {
	Show, As string
	HTML     template.HTML
}

// figures is what the figure of the run shows and may show.
type figures struct {
	Shows []choice // nil where all views are the same
	As    []choice // nil where there is one
	Now   drawn
}

// shows and orientations are what a reader may choose, with the words of the controls.
var (
	shows = []struct {
		value, words string
		show         figure.Show
	}{{"none", "none", figure.None}, {"relevant", "relevant", figure.Relevant},
		{"all", "all", figure.All}}
	orientations = []struct {
		value, words string
		orientation  figure.Orientation
		width        int
	}{{"across", "to the right", figure.Across, width}, {"down", "downwards", figure.Down, beside}}
)

// draw makes every view of the run: the one that a reader sees first is there at once, the others
// are packed. A long figure runs downwards only.
func (v *view) draw() error {
	slots := figure.Length(v.Model, figure.Options{})
	as, long := "across", slots > figure.InlineSlots
	if slots > mostAcross {
		as = "down"
	}
	var first, second *figure.Figure // across
	if !long || v.Second() != nil {
		first, second = v.pair()
	}
	f := &v.Figure
	views, different := map[string]template.HTML{}, map[template.HTML]bool{}
	for _, o := range orientations {
		if long && o.value != as {
			continue
		}
		f.As = append(f.As, choice{o.value, o.words, o.value == as})
		for _, s := range shows {
			if s.value != "relevant" && !v.speaks() {
				continue
			}
			layout := first
			if s.value != "relevant" || o.value != "across" {
				layout = figure.Layout(v.Model, figure.Options{Show: s.show,
					Orientation: o.orientation, Width: o.width})
			}
			html, err := v.drawing(layout, o.value, nil)
			if err != nil {
				return err
			}
			if o.value == as {
				different[html] = true
				if s.value == "relevant" {
					v.explain(layout)
					f.Now = drawn{s.value, o.value, html}
					continue
				}
			}
			views[o.value+" "+s.value] = html
		}
	}
	if len(different) > 1 {
		for _, s := range shows {
			f.Shows = append(f.Shows, choice{s.value, s.words, s.value == "relevant"})
		}
	}
	if len(f.As) == 1 {
		f.As = nil
	}
	if err := v.packJSON("views", views); err != nil { // together, as they are much alike
		return err
	}
	return v.others(second)
}

// speaks reports whether there are protocol messages, which a reader may show or hide.
func (v *view) speaks() bool {
	return slices.ContainsFunc(v.Model.Messages, func(m report.Message) bool { return !m.App() })
}

// Second is the run beside the run: another one, or that of the repaired protocol; nil for none.
func (v *view) Second() *Beside {
	if v.Other != nil {
		return v.Other
	}
	return v.Repaired
}

// pair lays out the run, and with it, at the same places as far as they agree, the second one.
func (v *view) pair() (first, second *figure.Figure) {
	o := figure.Options{Width: width}
	b := v.Second()
	if b == nil {
		return figure.Layout(v.Model, o), nil
	}
	o.Differs = max(b.Same, 0)
	if b.Same == LastStep(v.Model.Run) && b.Same == LastStep(b.Model.Run) {
		o.Differs = figure.Nowhere
	}
	return figure.Pair(v.Model, b.Model, o)
}

// chosen is by what the marks of a figure are found, and its slots, where a step is chosen.
var chosen = regexp.MustCompile(` data-(i="[0-9 ]*" data-step="[0-9]*"|slots="[^"]*")`)

// others draws the runs to compare with. Nothing is chosen in them.
func (v *view) others(second *figure.Figure) error {
	still := func(f *figure.Figure) (template.HTML, error) {
		html, err := v.drawing(f, "across", v.explained)
		return template.HTML(chosen.ReplaceAllString(string(html), "")), err
	}
	var err error
	if second != nil {
		if v.SecondFigure, err = still(second); err != nil {
			return err
		}
	}
	if v.Free != nil {
		v.FreeFigure, err = still(figure.Layout(v.Free.Model, figure.Options{Width: width}))
	}
	return err
}

// explain notes the signs that the legend of the first figure explains.
func (v *view) explain(f *figure.Figure) {
	for _, e := range f.Legend() {
		v.explained[e.Key] = true
	}
}

// legendEntry is a sign with what it means.
type legendEntry struct {
	SVG   template.HTML
	Words string
}

// band is a part of a long figure.
type band struct {
	ID     string // where it is packed
	Height float64
	Width  float64
	SVG    template.HTML // of those that are printed
	Steps  string
}

// drawing is a layout with its legend, and where its slots are. A long one is cut into bands that
// are packed, and what is near its marks is there for print. What is explained above it is not
// explained again.
func (v *view) drawing(f *figure.Figure, as string, explained map[string]bool) (template.HTML,
	error) {
	at := slotsOf(f)
	data := struct {
		Slots, As     string
		SVG, Header   template.HTML
		Bands, Prints []band
		Legend        []legendEntry
		Idle          string
	}{Slots: at, As: as}
	for _, e := range f.Legend() {
		if explained[e.Key] {
			continue
		}
		data.Legend = append(data.Legend, legendEntry{template.HTML(e.SVG), e.Words})
	}
	down := as == "down" // then the names of the lanes stay in view
	if down || f.Long() {
		data.Header, data.Idle = template.HTML(f.Header()), idle(f.Hidden)
	}
	switch {
	case f.Long():
		data.Slots = v.part([]byte(at))
		data.Bands, data.Prints = v.bands(f, as)
	case down && len(f.Slots) > 0:
		data.SVG = template.HTML(f.Around([]int{0}, 2*len(f.Slots))[0].SVG)
	default:
		var svg bytes.Buffer
		if err := f.SVG(&svg); err != nil {
			return "", err
		}
		data.SVG = template.HTML(svg.String()) // package figure escapes
	}
	t, err := template.ParseFS(assets, "asset/drawing.html")
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	err = t.ExecuteTemplate(&b, "drawing.html", data)
	return template.HTML(b.String()), err
}

// idle says whose lanes are not there.
func idle(names []string) string {
	const most = 20
	if n := len(names) - most; n > 0 {
		names = append(slices.Clone(names[:most]), fmt.Sprintf("and %d more", n))
	}
	return strings.Join(names, ", ")
}

// slotsOf says where the slots are, as JSON: first step, last step, from, to.
func slotsOf(f *figure.Figure) string {
	var b strings.Builder
	for i, s := range f.Slots {
		b.WriteString([]string{"[", ","}[min(i, 1)])
		fmt.Fprintf(&b, "[%d,%d,%s,%s]", s.First, s.Last, tenths(s.From), tenths(s.To))
	}
	return strings.TrimPrefix(b.String()+"]", "]")
}

// tenths writes a coordinate with one decimal at most.
func tenths(v float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") }

// bands packs the bands of a long figure, and cuts out what is printed of it.
func (v *view) bands(f *figure.Figure, as string) (list, prints []band) {
	size := func(b figure.Band) band {
		if as == "down" {
			return band{Width: f.Width, Height: b.To - b.From}
		}
		return band{Width: b.To - b.From, Height: f.Height}
	}
	for _, b := range f.Bands() {
		one := size(b)
		one.ID = v.part([]byte(b.SVG))
		list = append(list, one)
	}
	for _, b := range f.Around(f.Marks(), printed) {
		one := size(b)
		one.SVG = template.HTML(b.SVG)
		one.Steps = fmt.Sprintf("Steps %d to %d", f.Slots[b.First].First, f.Slots[b.Last].Last)
		prints = append(prints, one)
	}
	return list, prints
}
