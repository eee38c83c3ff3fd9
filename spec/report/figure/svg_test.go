package figure_test

import (
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/report/figure"
	"github.com/domino-check/domino/spec/trace"
)

// element is a piece of a document with where it stands.
type element struct {
	name, class, words string
	x, y               float64
	in                 string // classes of the groups around it
	events, role       string // data-i, data-role
	title              string // of a group
	moved              bool   // it has a transform, or a group around it has
}

// elements reads a document as any reader of XML does; the error is what is not well formed.
func elements(document string) (list []element, err error) {
	d := xml.NewDecoder(strings.NewReader(document))
	var open []*element
	for {
		token, err := d.Token()
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := &element{name: token.Name.Local}
			if n := len(open); n > 0 {
				e.in, e.moved = open[n-1].in+" "+open[n-1].class, open[n-1].moved
			}
			for _, a := range token.Attr {
				switch a.Name.Local {
				case "class":
					e.class = a.Value
				case "x", "cx":
					e.x, _ = strconv.ParseFloat(a.Value, 64)
				case "y", "cy":
					e.y, _ = strconv.ParseFloat(a.Value, 64)
				case "data-i":
					e.events = a.Value
				case "data-role":
					e.role = a.Value
				case "transform":
					e.moved = true
				case "id", "href", "src", "onload", "onclick":
					return nil, fmt.Errorf("attribute %s", a.Name.Local)
				}
			}
			open = append(open, e)
		case xml.CharData:
			if n := len(open); n > 0 {
				open[n-1].words += string(token)
			}
		case xml.EndElement:
			e := open[len(open)-1]
			open = open[:len(open)-1]
			if e.name == "title" && len(open) > 0 {
				open[len(open)-1].title = e.words
			}
			list = append(list, *e)
		}
	}
}

// layouts are the ways to look at one run.
var layouts = map[string]figure.Options{
	"relevant":      {},
	"none":          {Show: figure.None},
	"all":           {Show: figure.All},
	"relevant down": {Orientation: figure.Down},
	"all down":      {Show: figure.All, Orientation: figure.Down},
}

// TestLabels: no text of a figure lies on another. What a text covers is computed here from the
// document, with a font that is as wide as the widest usual one of fixed width.
func TestLabels(t *testing.T) {
	type rectangle struct{ x1, y1, x2, y2 float64 }
	for _, name := range names(t) {
		m := stored(t, name)
		for way, options := range layouts {
			list, err := elements(document(t, figure.Layout(m, options)))
			if err != nil {
				t.Fatalf("%s, %s: %v", name, way, err)
			}
			var covered []rectangle
			var words []string
			for _, e := range list {
				if e.name != "text" || e.moved {
					continue
				}
				size := 11.0
				classes := " " + e.class + " "
				if strings.Contains(classes, " x ") || strings.Contains(classes, " i ") {
					size = 9.5
				} else if strings.Contains(classes, " n ") {
					size = 12
				}
				w := float64(utf8.RuneCountInString(e.words)) * size * 0.602
				x := e.x - w/2
				if strings.Contains(classes, " e ") {
					x = e.x - w
				} else if strings.Contains(classes, " st ") {
					x = e.x
				}
				r := rectangle{x, e.y - 0.72*size, x + w, e.y + 0.1*size}
				for i, o := range covered {
					if r.x1 < o.x2 && o.x1 < r.x2 && r.y1 < o.y2 && o.y1 < r.y2 {
						t.Errorf("%s, %s: %q lies on %q", name, way, e.words, words[i])
					}
				}
				covered, words = append(covered, r), append(words, e.words)
			}
		}
	}
}

// TestNamed: every message that is drawn is named, in words that are drawn, not in a title.
func TestNamed(t *testing.T) {
	for _, name := range names(t) {
		m := stored(t, name)
		for way, options := range layouts {
			list, err := elements(document(t, figure.Layout(m, options)))
			if err != nil {
				t.Fatal(err)
			}
			said := map[string]int{}
			for _, e := range list {
				if e.name == "text" {
					word, _, _ := strings.Cut(e.words, " ")
					said[word]++
				}
			}
			drawn := map[string]int{}
			for _, e := range list {
				if e.name == "title" && (strings.HasSuffix(e.in, " m") ||
					strings.Contains(e.in+" ", " m ")) {
					word, _, _ := strings.Cut(e.words, " ")
					drawn[word]++
				}
			}
			for word, n := range drawn {
				if said[word] < n {
					t.Errorf("%s, %s: %d messages %s are drawn, %d named", name, way, n, word,
						said[word])
				}
			}
		}
	}
}

// TestAbout: whatever a violation is about is marked: its event, or the message that is not there,
// or the copy that it means, or the lane of the proc.
func TestAbout(t *testing.T) {
	for _, name := range names(t) {
		m := stored(t, name)
		for way, options := range layouts {
			list, err := elements(document(t, figure.Layout(m, options)))
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range m.About {
				label, proc := m.Layout.Label(r.Message), m.Layout.Name(r.Proc)
				marked := slices.ContainsFunc(list, func(e element) bool {
					if e.name != "g" || !slices.Contains(strings.Fields(e.class), "v") {
						return false
					}
					switch {
					case e.role != "" && r.Event != report.Never &&
						e.events == fmt.Sprint(r.Event):
						return true
					case !r.Message.IsZero():
						return r.Event == report.Never && strings.HasPrefix(e.title, label+" ")
					case r.Event == report.Never || m.Run.Violation.Step <= 0:
						return e.role != "" && strings.HasPrefix(e.title, proc+": ")
					}
					return false
				})
				if other := r.Role == spec.Holder && slices.ContainsFunc(m.About,
					func(o spec.Ref) bool {
						return o.Event != report.Never && m.Events[o.Event].Proc == r.Proc ||
							o.Role == spec.Missing && o.Message.From.Proc() == r.Proc
					}); !marked && !other {
					t.Errorf("%s, %s: nothing marks %s %s of %s, event %d", name, way, r.Role,
						label, proc, r.Event)
				}
			}
		}
	}
}

// TestHostile: whatever procs and messages are called, the document is well formed, has no other
// elements, and its words stay in their places.
func TestHostile(t *testing.T) {
	for _, evil := range []string{`</script><script>alert(1)</script>`, `"><svg onload=x>`,
		`' onclick='x`, "]]>", "a\x00b\x1b[31m\n", "\xff\xfe", strings.Repeat("long", 50),
		"\u202eשלום\u202c", "日本語の名前がとても長い場合", "&amp;&#x3c;", "{{.}}%s%d",
		"\ufffe\uffff"} {
		id := trace.MsgID{From: 0, Number: 1}
		r := &report.Run{Title: evil, Violation: &spec.Violation{Property: evil, Message: evil},
			Trace: trace.Trace{
				Layout: trace.Layout{Names: []string{evil, evil + "2", "idle" + evil}, Ranks: 2,
					Clusters: []int{0, 1}, Labels: map[trace.MsgID]string{id: evil}},
				Events: []trace.Event{
					{Step: 1, Kind: trace.Sent, Peer: 1, ID: id},
					{Step: 1, Kind: trace.Emitted, Peer: 1, ID: id, Text: evil},
					{Step: 2, Kind: trace.Arrived, Proc: 1, ID: id, Text: evil},
					{Step: 3, Kind: trace.Delivered, Proc: 1, ID: id},
					{Step: 4, Kind: trace.Halted, Proc: 1, Text: evil},
				}}}
		for way, options := range layouts {
			f := figure.Layout(report.Understand(r), options)
			list, err := elements(document(t, f))
			if err != nil {
				t.Errorf("%q, %s: %v", evil, way, err)
				continue
			}
			for _, e := range list {
				switch e.name {
				case "svg", "style", "g", "title", "text", "path", "rect", "circle":
				default:
					t.Errorf("%q, %s: an element %s", evil, way, e.name)
				}
				if e.name == "text" && utf8.RuneCountInString(e.words) > 60 {
					t.Errorf("%q, %s: %q is long", evil, way, e.words)
				}
			}
		}
	}
}

// TestOdd: any events in any order give a figure.
func TestOdd(t *testing.T) {
	for seed := range uint64(150) {
		x := seed*2862933555777941757 + 3037000493
		next := func(n uint64) uint64 {
			x = x*6364136223846793005 + 1442695040888963407
			return (x >> 33) % n
		}
		r := &report.Run{Trace: trace.Trace{Layout: trace.Layout{Names: []string{"a", "b", "c"},
			Ranks: 2}}}
		step := 0
		for range next(30) {
			step += int(next(2))
			e := trace.Event{Step: step, Kind: trace.Kind(next(34)), Proc: trace.Proc(next(4)),
				Peer: trace.Proc(next(4)), Incarnation: trace.Incarnation(next(3)),
				Sent: uint32(next(3)), Received: uint32(next(3)), Again: next(2) == 0}
			if next(3) > 0 {
				e.ID = trace.MsgID{From: trace.Rank(next(3)), Number: uint32(next(3))}
			}
			e.Text = []string{"App", "a b", "taken", ""}[next(4)]
			r.Trace.Events = append(r.Trace.Events, e)
		}
		if next(2) == 0 {
			r.Violation = &spec.Violation{Property: "p", Message: "a lacks b#1", Step: int(next(9))}
		}
		for way, options := range layouts {
			document := document(t, figure.Layout(report.Understand(r), options))
			if _, err := elements(document); err != nil {
				t.Fatalf("seed %d, %s: %v", seed, way, err)
			}
			if strings.Contains(document, "NaN") || strings.Contains(document, "Inf") {
				t.Fatalf("seed %d, %s: a coordinate is no number", seed, way)
			}
		}
	}
}

// TestLegend: together the golden figures explain every sign, and each figure explains those that
// it has and no others: what a run must have is said by hand here.
func TestLegend(t *testing.T) {
	all := map[string]bool{}
	for _, tt := range []struct {
		name       string
		show       figure.Show
		with, less string
	}{
		{"h10", figure.Relevant, "sent,received,arrived,waits,on its way,logged,orphan,crash," +
			"down,restart,undone,line,told,fold,missing,violation", ""},
		{"h10", figure.All, "control", "fold"},
		{"h13-clock", figure.Relevant, "committed,pruned,control,fold,concerned",
			"crash,line,orphan"},
		{"causal-s12", figure.None, "replayed,lost,orphan", "control,told"},
		{"camel-c14", figure.Relevant, "held,control,ends,committed", "orphan,sent"},
		{"m28-rejoin", figure.Relevant, "adopts,host,control", "orphan,ends"},
		{"m10", figure.Relevant, "image,pruned", "ends"},
		{"koo-toueg-both", figure.Relevant, "dropped,orphan", "told"},
		{"coordinated-one-short", figure.Relevant, "halts,saved", "sent"},
		{"op8", figure.Relevant, "output", "halts"},
		{"torn", figure.Relevant, "torn,crash", "violation"},
		{"duplicate", figure.Relevant, "duplicate", "held"},
		{"causal-s9", figure.Relevant, "expected", "missing"},
	} {
		f := figure.Layout(stored(t, tt.name), figure.Options{Show: tt.show})
		has := map[string]bool{}
		for _, e := range f.Legend() {
			has[e.Key], all[e.Key] = true, true
			if _, err := elements(e.SVG); err != nil || e.Words == "" {
				t.Errorf("%s: %q, %v", e.Key, e.Words, err)
			}
		}
		for key := range strings.SplitSeq(tt.with, ",") {
			if !has[key] {
				t.Errorf("%s: the legend lacks %q", tt.name, key)
			}
		}
		for key := range strings.SplitSeq(tt.less, ",") {
			if has[key] {
				t.Errorf("%s: the legend has %q", tt.name, key)
			}
		}
	}
	if len(all) != 34 {
		t.Errorf("the runs show %d signs, want all 34: %v", len(all),
			slices.Sorted(maps.Keys(all)))
	}
}
