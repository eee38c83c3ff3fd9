package page

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"html/template"
	"io"
	"math"
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

// shows and orientations are what a reader may choose, with the words of the controls. The shows
// that are most alike stand together, as gzip remembers no more than 32 kB.
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
	first, second := v.pair()
	f := &v.Figure
	views, different := map[string]template.HTML{}, map[[sha256.Size]byte]bool{}
	for _, o := range orientations {
		if long && o.value != as {
			continue
		}
		f.As = append(f.As, choice{o.value, o.words, o.value == as})
		for i, s := range shows {
			if s.value != "relevant" && !v.speaks() {
				continue
			}
			layout := first
			if s.value != "relevant" || o.value != "across" || first == nil {
				layout = figure.Layout(v.Model, figure.Options{Show: s.show,
					Orientation: o.orientation, Width: o.width})
			}
			html, err := v.drawing(layout, o.value, i, nil)
			if err != nil {
				return err
			}
			if o.value == as {
				different[v.looks(html, i)] = true
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
	// together, as they are much alike
	if err := v.packJSON("views", views); err != nil {
		return err
	}
	for k, shows := range v.bands { // package figure writes no control characters
		v.pack(fmt.Sprintf("band-%d", k), []byte(strings.Join(shows, "\f")))
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

// looks is what a view shows, in short.
func (v *view) looks(html template.HTML, show int) (sum [sha256.Size]byte) {
	all := sha256.New()
	io.WriteString(all, string(html))
	for _, views := range v.bands {
		io.WriteString(all, views[show])
	}
	return [sha256.Size]byte(all.Sum(sum[:0]))
}

// pair lays out the run, and with it, at the same places as far as they agree, the second one. A
// long run is not laid out, as it has no view across.
func (v *view) pair() (first, second *figure.Figure) {
	b := v.Second()
	if b == nil {
		if _, o := still(v.Model); o.Orientation == figure.Across {
			first = figure.Layout(v.Model, o)
		}
		return first, nil
	}
	as, o := still(v.Model, b.Model)
	o.Differs = max(b.Same, 0)
	if b.Same == LastStep(v.Model.Run) && b.Same == LastStep(b.Model.Run) {
		o.Differs = figure.Nowhere
	}
	first, second = figure.Pair(v.Model, b.Model, o)
	if as == "down" {
		first = nil
	}
	return first, second
}

// still is how runs are drawn that are there to be compared with: across, unless one is long.
func still(runs ...*report.Model) (as string, o figure.Options) {
	for _, m := range runs {
		if figure.Length(m, figure.Options{}) > figure.InlineSlots {
			return "down", figure.Options{Width: beside, Orientation: figure.Down}
		}
	}
	return "across", figure.Options{Width: width}
}

// chosen is by what the marks of a figure are found when a step is chosen.
var chosen = regexp.MustCompile(` data-i="[0-9 ]*"( data-step="[0-9]*")?`)

// others draws the runs to compare with. Nothing is chosen in them, and of a long one there is what
// is near its marks.
func (v *view) others(second *figure.Figure) error {
	draw := func(f *figure.Figure, as string) (template.HTML, error) {
		html, err := v.drawing(f, as, -1, v.explained)
		return template.HTML(chosen.ReplaceAllString(string(html), "")), err
	}
	var err error
	if second != nil {
		as, _ := still(v.Model, v.Second().Model)
		if v.SecondFigure, err = draw(second, as); err != nil {
			return err
		}
	}
	if v.Free != nil {
		as, o := still(v.Free.Model)
		v.FreeFigure, err = draw(figure.Layout(v.Free.Model, o), as)
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
	Height float64
	Width  float64
	SVG    template.HTML // of those that are printed
	Steps  string
}

// drawing is a layout with its legend, and where its slots are. A long one is cut into bands that
// are packed, each with what the other shows have at the same place, and what is near its marks is
// there for print. One that is no view, with -1 for its show, has neither slots nor bands. What is
// explained above it is not explained again.
func (v *view) drawing(f *figure.Figure, as string, show int, explained map[string]bool) (
	template.HTML, error) {
	data := struct {
		Slots, As     string
		SVG, Header   template.HTML
		Bands, Prints []band
		Legend        []legendEntry
		Idle          string
	}{As: as}
	if show >= 0 {
		data.Slots = slotsOf(f)
	}
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
		if show >= 0 {
			data.Slots = v.part([]byte(data.Slots))
			data.Bands = v.packBands(f, as, show)
		}
		data.Prints = prints(f, as)
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

// slotsOf says where the slots are, as JSON: where the first one begins, then of each how many
// steps lie between it and the one before, how many more than one it has, and how long it is, so
// that a long list is much the same all over. Lengths are tenths of a pixel.
func slotsOf(f *figure.Figure) string {
	var b strings.Builder
	tenths := func(at float64) int { return int(math.Round(10 * at)) }
	last, at := 0, 0
	for i, s := range f.Slots {
		if i == 0 {
			at = tenths(s.From)
			fmt.Fprintf(&b, "[%d", at)
		}
		to := tenths(s.To)
		fmt.Fprintf(&b, ",[%d,%d,%d]", s.First-last, s.Last-s.First, to-at)
		last, at = s.Last, to
	}
	return cmp.Or(b.String(), "[0") + "]"
}

// packBands keeps the bands of a view of a long figure, to be packed with those of other views at
// the same place, and says how large they are.
func (v *view) packBands(f *figure.Figure, as string, show int) (list []band) {
	for k, b := range f.Bands() {
		if k == len(v.bands) {
			v.bands = append(v.bands, make([]string, len(shows)))
		}
		v.bands[k][show] = b.SVG
		list = append(list, sizeOf(f, b, as))
	}
	return list
}

// sizeOf is how much room a band takes.
func sizeOf(f *figure.Figure, b figure.Band, as string) band {
	if as == "down" {
		return band{Width: f.Width, Height: b.To - b.From}
	}
	return band{Width: b.To - b.From, Height: f.Height}
}

// prints cuts out what is printed of a long figure.
func prints(f *figure.Figure, as string) (list []band) {
	marks := f.Marks()
	if len(marks) == 0 {
		marks = []int{0}
	}
	for _, b := range f.Around(marks, printed) {
		one := sizeOf(f, b, as)
		one.SVG = template.HTML(b.SVG)
		one.Steps = fmt.Sprintf("Steps %d to %d", f.Slots[b.First].First, f.Slots[b.Last].Last)
		list = append(list, one)
	}
	return list
}
