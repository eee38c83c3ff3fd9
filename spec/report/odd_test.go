package report_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/trace"
)

// TestOdd draws traces that no driver should record: it checks that each is printed without a
// panic.
func TestOdd(t *testing.T) {
	id := trace.MsgID{From: 7, Number: 1}
	all := func(e trace.Event) []trace.Event {
		var events []trace.Event
		for k := trace.Kind(0); k <= trace.Halted+3; k++ {
			e.Kind = k
			events = append(events, e)
		}
		return events
	}
	tests := []struct {
		name string
		run  report.Run
	}{
		{"no names", report.Run{Trace: trace.Trace{Events: all(trace.Event{})}}},
		{"unknown procs",
			report.Run{Trace: trace.Trace{Layout: trace.Layout{Names: []string{"a"}, Ranks: 9},
				Events: all(trace.Event{Proc: 65535, Peer: 4000, ID: id, Step: -3})}}},
		{"every kind without an id", report.Run{
			Trace: trace.Trace{Layout: trace.Layout{Names: []string{"a", "b"}, Ranks: 2,
				Clusters: []int{-1}},
				Events: all(trace.Event{Peer: 1, Step: 1})}}},
		{"messages to oneself",
			report.Run{Trace: trace.Trace{Layout: trace.Layout{Names: []string{"a"}, Ranks: 1},
				Events: all(trace.Event{ID: id})}}},
		{"violation without a trace", report.Run{
			Violation: &spec.Violation{Property: "p", Message: "m", Step: 9}}},
		{"violation at a step that is not there", report.Run{Violation: &spec.Violation{Step: 5},
			Trace: trace.Trace{Layout: trace.Layout{Names: []string{"a"}, Ranks: 1},
				Events: []trace.Event{{Step: 1, Kind: trace.Crashed},
					{Step: 9, Kind: trace.Restored}}}}},
		{"empty property", report.Run{Property: &spec.Property{}, Violation: &spec.Violation{}}},
		{"steps without events", report.Run{Steps: []report.Step{{},
			{Event: "x", Changes: []string{"", "no colon", ": ", "a: b: c"}}}}},
		{"many procs, nothing happens", report.Run{
			Trace: trace.Trace{Layout: trace.Layout{Names: make([]string, 1<<13), Ranks: 1 << 13},
				Events: []trace.Event{{Kind: trace.Stored}}}}},
		{"names that break lines", report.Run{Title: "a\nb\x1b[31m", Command: "x\ny",
			Trace: trace.Trace{
				Layout: trace.Layout{Names: []string{"a\nb", "\xff\xfe", ""}, Ranks: 3,
					Labels: map[trace.MsgID]string{id: "\r\n"}},
				Events: all(trace.Event{ID: id, Text: "\n\t"})}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { draw(t, &tt.run, true) })
	}
}

// draw prints a run in every way and checks what holds for all of them. Widths are checked where
// the run has few procs.
func draw(t *testing.T, r *report.Run, crowded bool) {
	t.Helper()
	understood(t, r)
	for _, o := range []report.Options{{}, {Width: 1, Control: true},
		{Width: 60, Unicode: true, Control: true}, {Color: true}, {Width: 250}} {
		var b strings.Builder
		if err := report.Text(&b, r, o); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		if !utf8.ValidString(text) || !strings.HasSuffix(text, "\n") {
			t.Errorf("the text is not UTF-8, or does not end in a line break: %q", text)
		}
		for k, l := range strings.Split(text, "\n") {
			if strings.ContainsAny(l, "\r\t\v\f") || strings.HasSuffix(l, " ") ||
				strings.Contains(l, "\x1b") && !o.Color {
				t.Errorf("line %d has control characters or space at its end: %q", k+1, l)
			}
			if n := utf8.RuneCountInString(l); o == (report.Options{}) && !crowded && n > 100 {
				t.Errorf("line %d has %d columns, want at most 100: %s", k+1, n, l)
			}
		}
		if v := r.Violation; v != nil && len(r.Trace.Layout.Names) > 0 &&
			!strings.Contains(text, "== here") && !strings.Contains(text, "══ here") {
			t.Errorf("the violation %+v is marked nowhere:\n%s", v, text)
		}
	}
	var b strings.Builder
	if err := report.JSON(&b, r); err != nil || !json.Valid([]byte(b.String())) {
		t.Errorf("JSON: %v, or not valid: %s", err, b.String())
	}
}

// TestRandom draws traces of events that are thrown together: 3 to 9 procs at 100 columns.
func TestRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		r := throw(random.IntN)
		draw(t, r, false)
		if t.Failed() {
			report.Text(t.Output(), r, report.Options{})
			return
		}
	}
}

// FuzzText draws traces that the fuzzer chooses.
func FuzzText(f *testing.F) {
	f.Add([]byte("any bytes choose a run"))
	f.Fuzz(func(t *testing.T, choices []byte) {
		draw(t, throw(func(n int) int {
			if len(choices) == 0 {
				return 0
			}
			c := int(choices[0]) % n
			choices = choices[1:]
			return c
		}), false)
	})
}

// throw makes a run of random events; many fit together, many do not.
func throw(choose func(n int) int) *report.Run {
	n := 3 + choose(7)
	r := &report.Run{Title: "random"}
	l := &r.Trace.Layout
	l.Ranks = n - choose(2)
	for p := range n {
		l.Names = append(l.Names, fmt.Sprintf("p%d", p))
		l.Clusters = append(l.Clusters, choose(3))
	}
	if choose(3) == 0 {
		l.Clusters = nil
	}
	l.Labels = map[trace.MsgID]string{}
	for range choose(60) {
		e := trace.Event{Step: len(r.Steps) + 1, Kind: trace.Kind(1 + choose(int(trace.Halted))),
			Proc: trace.Proc(choose(n)),
			Peer: trace.Proc(choose(n)), Incarnation: trace.Incarnation(choose(3)),
			Sent: uint32(choose(3)), Received: uint32(choose(3)),
			Again: choose(4) == 0, Text: []string{"App", "Status"}[choose(2)]}
		if choose(3) > 0 {
			e.ID = trace.MsgID{From: trace.Rank(e.Proc), Number: uint32(1 + choose(3))}
			if e.Kind == trace.Arrived || e.Kind == trace.Delivered || e.Kind == trace.Dropped {
				e.ID.From = trace.Rank(e.Peer)
			}
			l.Labels[e.ID] = fmt.Sprintf("m%d%d", e.ID.From, e.ID.Number)
		}
		r.Trace.Events = append(r.Trace.Events, e)
		if choose(3) > 0 {
			r.Steps = append(r.Steps, report.Step{Event: "step"})
		}
	}
	if choose(2) == 0 {
		r.Violation = &spec.Violation{Property: "p",
			Message: fmt.Sprintf("m%d1 is wrong", choose(n)), Step: choose(len(r.Steps) + 1)}
	}
	return r
}

// BenchmarkText measures a long trace: go test -bench Text ./spec/report
func BenchmarkText(b *testing.B) {
	random := rand.New(rand.NewPCG(3, 4))
	r := throw(random.IntN)
	for len(r.Trace.Events) < 20000 {
		for _, e := range throw(random.IntN).Trace.Events {
			e.Step += len(r.Trace.Events)
			r.Trace.Events = append(r.Trace.Events, e)
		}
	}
	for b.Loop() {
		if err := report.Text(io.Discard, r, report.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(r.Trace.Events)), "events")
}

// TestStopped prints who stops others on purpose: that is no crash. Method: N1 stops a; N2, which
// fails, has given it up before.
func TestStopped(t *testing.T) {
	var b strings.Builder
	if err := report.Text(&b, &report.Run{Trace: trace.Trace{
		Layout: trace.Layout{Names: []string{"a", "N1", "N2"}, Ranks: 1}, Events: []trace.Event{
			{Step: 1, Kind: trace.Disowned, Proc: 2}, {Step: 1, Kind: trace.Crashed, Proc: 2},
			{Step: 2, Kind: trace.Crashed}, {Step: 2, Kind: trace.Disowned, Proc: 1}}}},
		report.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"N2 crashes", "a is stopped by N1"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// understood makes the model of a run, and checks that every index in it is one.
func understood(t *testing.T, r *report.Run) {
	t.Helper()
	m := report.Understand(r)
	index := func(what string, i, n int) {
		if i < report.Never || i >= n {
			t.Errorf("%s %d of %d", what, i, n)
		}
	}
	for i, e := range m.Events {
		index("life", e.Life, len(m.Lives))
		index("message", e.Message, len(m.Messages))
		for _, c := range m.Causes[i] {
			index("cause", c, i)
		}
	}
	for _, l := range m.Lives {
		for _, i := range []int{l.From, l.To, l.UndoneFrom, l.Point.Event, l.Point.Saved} {
			index("moment of a life", i, len(m.Events))
		}
		index("the life that undoes", l.UndoneBy, len(m.Lives))
	}
	for _, c := range m.Messages {
		index("life of a sender", c.FromLife, len(m.Lives))
		index("life of a receiver", c.ToLife, len(m.Lives))
		for _, i := range []int{c.Sent, c.Arrived, c.Delivered, c.Dropped} {
			index("moment of a message", i, len(m.Events))
		}
	}
	for _, a := range m.About {
		index("event of what is accused", a.Event, len(m.Events))
	}
}
