package export_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/report/export"
	"github.com/domino-check/domino/spec/trace"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// catalogue is what replay files are resolved with.
var catalogue = sync.OnceValues(func() (*verify.Catalogue, error) {
	return verify.NewCatalogue(all.Protocols()...)
})

// found are the models of the runs that the checker has found and the package of figures keeps, by
// name, and of the runs that are made here.
func found(t testing.TB) map[string]*report.Model {
	t.Helper()
	files, err := filepath.Glob("../figure/testdata/runs/*.txtar")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d runs, %v", len(files), err)
	}
	models := map[string]*report.Model{"hostile": hostile(),
		"none": report.Understand(&report.Run{}), "long": long(100)}
	for _, file := range files {
		models[strings.TrimSuffix(filepath.Base(file), ".txtar")] = stored(t, file)
	}
	return models
}

// stored is the model of the run in a replay file.
func stored(t testing.TB, file string) *report.Model {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	c, err := catalogue()
	must(err)
	s, err := scenarios.Load(file)
	must(err)
	r, err := c.Resolve(s)
	must(err)
	r.Case.Cuts = true
	w, _, err := world.Open(t.Context(), r.Case, checker.Options{})
	must(err)
	if w.Relates(s.Breaks) {
		w.Attempt(nil, "")
	}
	run, err := w.Replay(s.Schedule)
	must(err)
	return report.Understand(verify.Story(s, w, run, run.Violation))
}

// evil is a name that means something to every format.
const evil = "end\n%%{init}%%; #quot; \"<b>`x`</b>` ```\n```\tA->>B: x\\ {1} \x00\xff box rgb(1)"

// hostile is a run whose names are evil, in which one message is lost and one received twice, and
// an arrival has no send.
func hostile() *report.Model {
	a, b := trace.Proc(0), trace.Proc(1)
	m, n := trace.MsgID{From: 0, Number: 1}, trace.MsgID{From: 0, Number: 2}
	return report.Understand(&report.Run{Title: evil,
		Property:  &spec.Property{Name: evil, Doc: evil, Source: evil},
		Violation: &spec.Violation{Property: evil, Message: evil, Step: 5},
		Steps: []report.Step{{Event: evil, Changes: []string{evil}}, {Event: evil}, {Event: evil},
			{Event: evil}, {Event: evil}},
		Reading: []string{evil}, Command: evil,
		Trace: trace.Trace{
			Layout: trace.Layout{Names: []string{evil, evil, ""}, Ranks: 2, Clusters: []int{0, 0},
				Labels: map[trace.MsgID]string{m: evil, n: evil}},
			Events: []trace.Event{
				{Step: 1, Kind: trace.Sent, Proc: a, Peer: b, ID: m},
				{Step: 1, Kind: trace.Emitted, Proc: a, Peer: b, ID: m, Text: evil},
				{Step: 2, Kind: trace.Sent, Proc: a, Peer: b, ID: n},
				{Step: 2, Kind: trace.Emitted, Proc: a, Peer: b, ID: n, Text: evil},
				{Step: 3, Kind: trace.Arrived, Proc: b, Peer: a, ID: m, Text: evil},
				{Step: 3, Kind: trace.Delivered, Proc: b, Peer: a, ID: m},
				{Step: 4, Kind: trace.Crashed, Proc: a},
				{Step: 4, Kind: trace.Restored, Proc: a, Incarnation: 1},
				{Step: 5, Kind: trace.Arrived, Proc: b, Peer: a, ID: m, Text: evil},
				{Step: 5, Kind: trace.Delivered, Proc: b, Peer: a, ID: m},
				{Step: 5, Kind: trace.Dropped, Proc: 2, Peer: a, ID: n, Text: evil},
			},
		}})
}

// long is a run of so many messages.
func long(n int) *report.Model {
	r := &report.Run{Title: "long", Command: "domino replay long.txtar",
		Trace: trace.Trace{Layout: trace.Layout{Names: []string{"a", "b"}, Ranks: 2}}}
	for i := range n {
		id := trace.MsgID{From: 0, Number: uint32(i + 1)}
		r.Steps = append(r.Steps, report.Step{Event: "a sends",
			Changes: []string{fmt.Sprintf("a: sent: %d -> %d", i, i+1)}}, report.Step{
			Event: "b receives"})
		r.Trace.Events = append(r.Trace.Events,
			trace.Event{Step: 2*i + 1, Kind: trace.Sent, Proc: 0, Peer: 1, ID: id},
			trace.Event{Step: 2*i + 1, Kind: trace.Emitted, Proc: 0, Peer: 1, ID: id, Text: "App"},
			trace.Event{Step: 2*i + 2, Kind: trace.Arrived, Proc: 1, Peer: 0, ID: id, Text: "App"},
			trace.Event{Step: 2*i + 2, Kind: trace.Delivered, Proc: 1, Peer: 0, ID: id})
	}
	return report.Understand(r)
}

// written is what a writer writes, twice the same.
func written(t testing.TB, write func(io.Writer, *report.Model) error, m *report.Model) string {
	t.Helper()
	var b, again bytes.Buffer
	if err := write(&b, m); err != nil {
		t.Fatal(err)
	}
	if err := write(&again, m); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Fatalf("the second time it differs: %v", err)
	}
	return b.String()
}

// ofSummary writes Markdown as long as a summary may be.
func ofSummary(w io.Writer, m *report.Model) error {
	return export.Markdown(w, m, export.MarkdownBytes)
}

// TestGolden compares what is written of a run with two lives undone, and of one with names that
// are evil.
func TestGolden(t *testing.T) {
	models := found(t)
	for _, tt := range []struct {
		run, ending string
		write       func(io.Writer, *report.Model) error
	}{
		{"h10", "mmd", export.Mermaid}, {"h10", "md", ofSummary}, {"h10", "shiviz", export.ShiViz},
		{"hostile", "mmd", export.Mermaid}, {"hostile", "md", ofSummary},
		{"hostile", "shiviz", export.ShiViz}, {"hostile", "trace.json", export.ChromeTrace},
	} {
		t.Run(tt.run+"."+tt.ending, func(t *testing.T) {
			got := written(t, tt.write, models[tt.run])
			file := filepath.Join("testdata", tt.run+"."+tt.ending)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// TestShiViz reads each log by the expression on its first line, as ShiViz does: every event is
// read, the own entry of a clock counts the events of its host, no entry goes back, and what is
// received knows as much as what was sent.
func TestShiViz(t *testing.T) {
	for name, m := range found(t) {
		text := written(t, export.ShiViz, m)
		first, log, _ := strings.Cut(text, "\n\n")
		var clocks []map[string]int
		last := map[string]map[string]int{}
		for _, match := range regexp.MustCompile(first).FindAllStringSubmatch(log, -1) {
			host, clock := match[1], map[string]int{}
			if err := json.Unmarshal([]byte(match[2]), &clock); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			before := last[host]
			if clock[host] != before[host]+1 {
				t.Errorf("%s: %s has %d after %d", name, host, clock[host], before[host])
			}
			for other, n := range before {
				if clock[other] < n {
					t.Errorf("%s: the entry of %s goes back at %s", name, other, host)
				}
			}
			last[host] = clock
			clocks = append(clocks, clock)
		}
		if len(clocks) != len(m.Events) {
			t.Fatalf("%s: %d of %d events are read", name, len(clocks), len(m.Events))
		}
		for _, f := range m.Messages {
			if f.Sent == report.Never || f.Arrived == report.Never {
				continue
			}
			for host, n := range clocks[f.Sent] {
				if clocks[f.Arrived][host] < n {
					t.Errorf("%s: %s arrives and does not know %d events of %s", name, f.Name(), n,
						host)
				}
			}
		}
	}
}

// TestChromeTrace checks each trace: slices of a thread nest, every flow has one start and one end,
// not before it and both within a slice, and each life and each message between procs is there.
func TestChromeTrace(t *testing.T) {
	type event struct {
		Name, Ph      string
		Ts, Dur       float64
		Pid, Tid, ID  int
		begins, ended bool
	}
	models := found(t)
	for name, m := range maps.Clone(models) {
		models[name+", timed"] = timed(m)
	}
	for name, m := range models {
		var log struct{ TraceEvents []event }
		if err := json.Unmarshal([]byte(written(t, export.ChromeTrace, m)), &log); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		slices, flows := map[int][]event{}, map[int][]event{}
		for _, e := range log.TraceEvents {
			switch e.Ph {
			case "X":
				slices[e.Tid] = append(slices[e.Tid], e)
			case "s", "f":
				flows[e.ID] = append(flows[e.ID], e)
			}
		}
		const least = 0.0005 // half a nanosecond
		for tid, list := range slices {
			for i, a := range list {
				for _, b := range list[i+1:] {
					apart := a.Ts+a.Dur <= b.Ts+least || b.Ts+b.Dur <= a.Ts+least
					in := a.Ts <= b.Ts+least && b.Ts+b.Dur <= a.Ts+a.Dur+least ||
						b.Ts <= a.Ts+least && a.Ts+a.Dur <= b.Ts+b.Dur+least
					if !apart && !in {
						t.Errorf("%s: slices of %d cross: %v, %v", name, tid, a, b)
					}
				}
			}
		}
		pairs := 0
		for _, f := range m.Messages {
			if f.Sent != report.Never && f.Arrived != report.Never {
				pairs++
			}
		}
		if len(flows) != pairs {
			t.Errorf("%s: %d flows of %d messages", name, len(flows), pairs)
		}
		for id, f := range flows {
			if len(f) != 2 || f[0].Ph != "s" || f[1].Ph != "f" || f[1].Ts <= f[0].Ts {
				t.Errorf("%s: flow %d is %v", name, id, f)
			}
			for _, end := range f {
				inside := false
				for _, s := range slices[end.Tid] {
					inside = inside || s.Ts <= end.Ts && end.Ts <= s.Ts+s.Dur && s.Pid == end.Pid
				}
				if !inside {
					t.Errorf("%s: flow %d is in no slice at %v", name, id, end)
				}
			}
		}
	}
}

// timed is a run with times that are as bad as those of clocks: many are equal, some go backwards.
func timed(m *report.Model) *report.Model {
	run := *m.Run
	run.Trace.At = nil
	for i := range run.Trace.Events {
		run.Trace.At = append(run.Trace.At, max(0, int64(i/3*400-i*i%7*500)))
	}
	return report.Understand(&run)
}

// TestChromeTimes compares the slices of a run with clocks with what they are by hand. The send and
// its message have a microsecond each; y's clock is behind, so the arrival begins where the
// message has left, and lasts until the next step of y; at 9 us x does two things at once.
func TestChromeTimes(t *testing.T) {
	id := trace.MsgID{Number: 1}
	run := &report.Run{Steps: []report.Step{{}, {}, {}, {}, {}}, Trace: trace.Trace{
		Layout: trace.Layout{Names: []string{"x", "y"}, Ranks: 2},
		At:     []int64{5000, 5000, 2000, 7200, 9000, 9000},
		Events: []trace.Event{
			{Step: 1, Kind: trace.Sent, Peer: 1, ID: id},
			{Step: 1, Kind: trace.Emitted, Peer: 1, ID: id, Text: "App"},
			{Step: 2, Kind: trace.Arrived, Proc: 1, ID: id, Text: "App"},
			{Step: 3, Kind: trace.Delivered, Proc: 1, ID: id},
			{Step: 4, Kind: trace.Stored, Text: "image"},
			{Step: 5, Kind: trace.Finished},
		}}}
	var log struct {
		TraceEvents []struct {
			Ph, Cat, Name string
			Ts, Dur       float64
		}
	}
	text := written(t, export.ChromeTrace, report.Understand(run))
	if err := json.Unmarshal([]byte(text), &log); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range log.TraceEvents {
		if e.Cat == "step" || e.Ph == "s" || e.Ph == "f" {
			got = append(got, fmt.Sprintf("%s %.4g +%.4g", e.Ph, e.Ts, e.Dur))
		}
	}
	want := []string{"X 5 +2", "X 7 +0.2", "X 7.2 +1", "X 9 +0.001", "X 9.001 +1",
		"s 6.5 +0", "f 7.1 +0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// grammar is what a line of a diagram may be. A block that begins ends.
var grammar = regexp.MustCompile(`^ *(sequenceDiagram|participant p\d+ as ` + words +
	`|box transparent cluster \d+|rect rgba\(128, 128, 128, 0\.15\)|end|Note over p\d+(,p\d+)?: ` +
	words + `|p\d+(->>|-->>|-\)|--\)|-x|--x)p\d+: ` + words + `)$`)

// words are characters that mean nothing to Mermaid, and numbers of others.
const words = `(?:[\p{L}\p{Nd} .,_()+:/=-]|#\d+;)+`

// TestMermaid checks each line of each diagram against the grammar that is meant, and that blocks
// nest. TestMermaidParser asks Mermaid itself, where it is.
func TestMermaid(t *testing.T) {
	for name, m := range found(t) {
		depth := 0
		for l := range strings.Lines(written(t, export.Mermaid, m)) {
			l = strings.TrimSuffix(l, "\n")
			if !grammar.MatchString(l) {
				t.Errorf("%s: %q", name, l)
			}
			switch first, _, _ := strings.Cut(strings.TrimSpace(l), " "); first {
			case "box", "rect":
				depth++
			case "end":
				depth--
			}
			if depth < 0 || depth > 1 {
				t.Errorf("%s: depth %d at %q", name, depth, l)
			}
		}
		if depth != 0 {
			t.Errorf("%s: a block is open", name)
		}
	}
}

// TestMarkdownRoom writes in less and less room: the verdict stays, nothing is longer than it may
// be, and changes of states go before steps, these before the diagram.
func TestMarkdownRoom(t *testing.T) {
	m := found(t)["h10"]
	verdict := "**breaks " // what follows is escaped
	before := 4
	for most := 60_000; most > 1500; most = most * 9 / 10 {
		text := written(t, func(w io.Writer, m *report.Model) error {
			return export.Markdown(w, m, most)
		}, m)
		if len(text) > most || !strings.Contains(text, verdict) ||
			!strings.Contains(text, "Repeat it: ") && m.Run.Command != "" {
			t.Errorf("%d bytes of %d:\n%s", len(text), most, text)
		}
		level := 0
		for _, part := range []string{"```mermaid", "<details>", " -> "} {
			if !strings.Contains(text, part) {
				break
			}
			level++
		}
		if level > before {
			t.Errorf("more is shown in %d bytes", most)
		}
		before = level
	}
	if before == 3 {
		t.Error("nothing was left out")
	}
	text := written(t, ofSummary, long(100))
	if strings.Contains(text, "```mermaid") || !strings.Contains(text, "o--") {
		t.Errorf("a diagram of 100 messages:\n%.2000s", text)
	}
}
