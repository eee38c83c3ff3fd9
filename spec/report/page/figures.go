package page

import (
	"bytes"
	"encoding/json"
	"html/template"

	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/report/figure"
)

// mostAcross is how many slots a figure has at most that begins with time to the right, as in a
// paper: a longer one is read downwards.
const mostAcross = 40

// width is that of a page on a common screen, in pixels; narrower ones shrink a figure somewhat.
const width = 1120

// choice is one value of a control of the figure.
type choice struct {
	Value, Words string
	On           bool
}

// drawn is a view of the run in the page: one layout with its legend.
type drawn struct {
	Show, As string
	HTML     template.HTML // "" where it is packed
	ID       string
}

// figures is what the figure of the run shows and may show.
type figures struct {
	Views    []drawn
	Shows    []choice // nil where all views are the same
	As       []choice
	Now      drawn
	Describe string
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
	}{{"across", "to the right", figure.Across, width}, {"down", "downwards", figure.Down, 0}}
)

// draw makes every view of the run: the one that a reader sees first is there at once, the others
// are packed. Views that look like another are not made twice.
func (v *view) draw() error {
	f := &v.Figure
	now := figure.Layout(v.Model, figure.Options{Width: width})
	as := "across"
	if len(now.Slots) > mostAcross {
		as = "down"
	}
	seen := map[template.HTML]string{}
	different := map[string]bool{}
	for _, o := range orientations {
		f.As = append(f.As, choice{o.value, o.words, o.value == as})
		for _, s := range shows {
			html, err := drawing(v.Model, figure.Options{Show: s.show,
				Orientation: o.orientation, Width: o.width})
			if err != nil {
				return err
			}
			d := drawn{Show: s.value, As: o.value, ID: "figure-" + s.value + "-" + o.value}
			if known, ok := seen[html]; ok {
				d.ID = known
			} else {
				seen[html] = d.ID
				v.pack(d.ID, []byte(html))
			}
			if o.value == as {
				different[d.ID] = true
			}
			if s.value == "relevant" && o.value == as {
				f.Now = drawn{Show: s.value, As: o.value, HTML: html, ID: d.ID}
			}
			f.Views = append(f.Views, d)
		}
	}
	if len(different) > 1 {
		for _, s := range shows {
			f.Shows = append(f.Shows, choice{s.value, s.words, s.value == "relevant"})
		}
	}
	return nil
}

// drawing is a layout with its legend, and where its slots are.
func drawing(m *report.Model, o figure.Options) (template.HTML, error) {
	f := figure.Layout(m, o)
	slots := [][4]float64{}
	for _, s := range f.Slots {
		slots = append(slots, [4]float64{float64(s.First), float64(s.Last), s.From, s.To})
	}
	at, err := json.Marshal(slots)
	if err != nil {
		return "", err
	}
	var svg bytes.Buffer
	if err := f.SVG(&svg); err != nil {
		return "", err
	}
	type entry struct {
		SVG   template.HTML
		Words string
	}
	var legend []entry
	for _, e := range f.Legend() {
		legend = append(legend, entry{template.HTML(e.SVG), e.Words})
	}
	t, err := template.ParseFS(assets, "asset/drawing.html")
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	err = t.ExecuteTemplate(&b, "drawing.html", struct {
		Slots  string
		SVG    template.HTML
		Legend []entry
	}{string(at), template.HTML(svg.String()), legend}) // package figure escapes
	return template.HTML(b.String()), err
}
