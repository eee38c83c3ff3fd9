package figure_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/report/figure"
	"github.com/domino-check/domino/spec/trace"
)

// crowd is a run of many ranks that send so many messages to others, with failures.
func crowd(procs, messages int) *report.Model {
	r := &report.Run{Title: "crowd"}
	l := &r.Trace.Layout
	l.Ranks, l.Labels = procs, map[trace.MsgID]string{}
	for p := range procs {
		l.Names = append(l.Names, fmt.Sprintf("p%d", p))
		l.Clusters = append(l.Clusters, p/8)
	}
	x, step := uint64(1), 0
	next := func(n int) int {
		x = x*6364136223846793005 + 1442695040888963407
		return int(x>>33) % n
	}
	sends := make([]uint32, procs)
	say := func(e trace.Event) { e.Step = step; r.Trace.Events = append(r.Trace.Events, e) }
	for n := range messages {
		from, to := trace.Proc(next(procs)), trace.Proc(next(procs))
		sends[from]++
		id := trace.MsgID{From: trace.Rank(from), Number: sends[from]}
		step++
		say(trace.Event{Kind: trace.Sent, Proc: from, Peer: to, ID: id})
		say(trace.Event{Kind: trace.Emitted, Proc: from, Peer: to, ID: id, Text: "App"})
		step++
		say(trace.Event{Kind: trace.Arrived, Proc: to, Peer: from, ID: id, Text: "App"})
		step++
		say(trace.Event{Kind: trace.Delivered, Proc: to, Peer: from, ID: id})
		if n%1000 == 999 {
			step++
			say(trace.Event{Kind: trace.Crashed, Proc: to})
			step++
			say(trace.Event{Kind: trace.Restored, Proc: to, Incarnation: 1})
			sends[to] = 0
		}
	}
	return report.Understand(r)
}

// TestBands: the bands of a long figure are well formed, lie side by side, and have all events; a
// part around the marks has those.
func TestBands(t *testing.T) {
	m := crowd(16, 1000)
	for _, o := range []figure.Orientation{figure.Across, figure.Down} {
		f := figure.Layout(m, figure.Options{Orientation: o})
		if !f.Long() {
			t.Fatal("the figure is not long")
		}
		next := 0
		bands := f.Bands()
		for i, b := range bands {
			if b.First != next || i > 0 && b.From != bands[i-1].To {
				t.Errorf("band %d begins at slot %d, %g, want %d", i, b.First, b.From, next)
			}
			next = b.Last + 1
			seen := map[string]bool{}
			list, err := elements(b.SVG)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range f.Slots[b.First : b.Last+1] {
				if !slices.ContainsFunc(list, func(e element) bool {
					return e.name == "text" && e.words == fmt.Sprint(s.First)
				}) {
					t.Fatalf("the band from slot %d on lacks step %d", b.First, s.First)
				}
			}
			for part := range strings.SplitSeq(b.SVG, `data-i="`) {
				list, _, _ := strings.Cut(part, `"`)
				for event := range strings.FieldsSeq(list) {
					seen[event] = true
				}
			}
			for i := range m.Events { // arrivals are drawn where their messages are received
				slot := f.SlotOf(m.Events[i].Step)
				if slot >= b.First && slot <= b.Last && !seen[fmt.Sprint(i)] {
					t.Fatalf("band %d lacks event %d", b.First, i)
				}
			}
		}
		if next != len(f.Slots) {
			t.Errorf("the bands end at slot %d of %d", next, len(f.Slots))
		}
		if header, err := elements(f.Header()); err != nil || len(header) < 16 {
			t.Errorf("header of %d elements, %v", len(header), err)
		}
		marks := f.Marks()
		parts := f.Around(append(marks, 3), 60)
		if len(marks) != 2 || len(parts) != 2 || parts[0].First != 0 || parts[0].Last != 33 ||
			parts[1].First != marks[0]-30 || parts[1].Last != len(f.Slots)-1 {
			t.Errorf("marks %v of %d give parts %v", marks, len(f.Slots), parts)
		}
	}
}

// BenchmarkBands draws ten thousand messages of 64 procs.
func BenchmarkBands(b *testing.B) {
	m := crowd(64, 10_000)
	for b.Loop() {
		size := 0
		for _, band := range figure.Layout(m, figure.Options{Orientation: figure.Down}).Bands() {
			size += len(band.SVG)
		}
		b.ReportMetric(float64(size)/1e6, "MB/op")
	}
}

// TestPair: two runs that begin alike are drawn alike so far, at the same places, and then each as
// it is; nothing is lost of either.
func TestPair(t *testing.T) {
	a, b := crowd(4, 30), crowd(4, 30)
	run := *b.Run
	for i, e := range run.Trace.Events {
		if e.Step == 41 {
			run.Trace.Events = append(run.Trace.Events[:i:i], trace.Event{Step: 41,
				Kind: trace.Crashed, Proc: 2}, trace.Event{Step: 42, Kind: trace.Restored, Proc: 2,
				Incarnation: 1})
			break
		}
	}
	run.Trace.Layout.Labels = map[trace.MsgID]string{}
	for _, e := range run.Trace.Events { // its words need more room
		run.Trace.Layout.Labels[e.ID] = fmt.Sprintf("a long name, %s", b.Layout.Label(e.ID))
	}
	b = report.Understand(&run)
	for _, o := range []figure.Orientation{figure.Across, figure.Down} {
		f, g := figure.Pair(a, b, figure.Options{Orientation: o, Width: 1800, Differs: 40})
		turned, _ := figure.Pair(b, a, figure.Options{Orientation: o, Width: 1800, Differs: 40})
		if document(t, turned) != document(t, g) {
			t.Error("it matters which of two runs is the first")
		}
		shared := 0
		for i := range min(len(f.Slots), len(g.Slots)) {
			if f.Slots[i].Last > 40 {
				break
			}
			shared++
			if f.Slots[i].From != g.Slots[i].From || f.Slots[i].To != g.Slots[i].To {
				t.Errorf("slot %d: %v and %v", i, f.Slots[i], g.Slots[i])
			}
		}
		if shared < 20 || len(g.Slots) != shared+2 {
			t.Errorf("%d slots are shared of %d and %d", shared, len(f.Slots), len(g.Slots))
		}
		for _, h := range []*figure.Figure{f, g} {
			if !strings.Contains(document(t, h), "from here on different") {
				t.Error("no line says where they differ")
			}
		}
	}
}

// TestDiffers: no slot lies on both sides of the step behind which runs differ.
func TestDiffers(t *testing.T) {
	f := figure.Layout(stored(t, "h10"), figure.Options{Differs: 25})
	folds := 0
	for _, s := range f.Slots {
		if s.First <= 25 && s.Last > 25 {
			t.Errorf("a slot of steps %d to %d", s.First, s.Last)
		}
		if s.Fold != nil {
			folds++
		}
	}
	if folds != 1 {
		t.Errorf("%d folds, want the one of steps 13 to 25", folds)
	}
}

// TestHides: kinds of messages and procs that are hidden are not there, and the others are.
func TestHides(t *testing.T) {
	m := stored(t, "h3-lost")
	rp := slices.Index(m.Layout.Names, "RP")
	count := func(o figure.Options) map[string]int {
		o.Show = figure.All
		list, err := elements(document(t, figure.Layout(m, o)))
		if err != nil {
			t.Fatal(err)
		}
		said := map[string]int{}
		for _, e := range list {
			if e.name == "text" {
				said[e.words]++
			}
		}
		return said
	}
	all, kinds := count(figure.Options{}), count(figure.Options{HideKinds: []string{"Status"}})
	procs := count(figure.Options{HideProcs: []trace.Proc{trace.Proc(rp)}})
	if all["Status"] == 0 || kinds["Status"] != 0 || kinds["Report"] != all["Report"] ||
		all["RP"] != 1 || procs["RP"] != 0 || procs["Report"] != 0 || procs["Begin"] != 0 ||
		procs["Status"] != all["Status"] {
		t.Errorf("all %v, without Status %v, without RP %v", all, kinds, procs)
	}
}
