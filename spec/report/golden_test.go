package report_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/trace"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// TestText compares what is printed for runs that show one thing each with golden files. The runs
// are built by hand (runs_test.go), but for h10, which is a run of the checker that was kept as
// JSON.
func TestText(t *testing.T) {
	tests := []struct {
		name    string
		run     *report.Run
		options report.Options
	}{
		{"clean", clean(), report.Options{}},
		{"orphan", orphan(), report.Options{}},
		{"narrow", orphan(), report.Options{Width: 50}},
		{"unicode", orphan(), report.Options{Unicode: true}},
		{"color", orphan(), report.Options{Color: true}},
		{"control", orphan(), report.Options{Control: true}},
		{"lost", lost(), report.Options{}},
		{"checkpoint", checkpoint(), report.Options{}},
		{"fifo", fifo(), report.Options{}},
		{"prune", prune(), report.Options{}},
		{"gate", gate(), report.Options{}},
		{"nine", ring(9, []int{0, 0, 0, 1, 1, 1, 2, 2, 2}), report.Options{}},
		{"crowd", ring(30, nil), report.Options{}},
		{"few-of-many", fewOfMany(), report.Options{}},
		{"nothing", &report.Run{}, report.Options{}},
		{"h10", load(t, "h10.json"), report.Options{}},
		{"h10-control", load(t, "h10.json"), report.Options{Control: true, Unicode: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var first, second bytes.Buffer
			if err := report.Text(&first, tt.run, tt.options); err != nil {
				t.Fatal(err)
			}
			golden(t, tt.name, first.Bytes())
			if err := report.Text(&second, tt.run, tt.options); err != nil ||
				!bytes.Equal(first.Bytes(), second.Bytes()) {
				t.Errorf("the second time the text differs, or fails: %v", err)
			}
		})
	}
}

// TestJSON compares the data form of one run with a golden file, and checks that it is JSON which
// holds the whole run: reading it back gives the same text.
func TestJSON(t *testing.T) {
	var b bytes.Buffer
	if err := report.JSON(&b, orphan()); err != nil {
		t.Fatal(err)
	}
	golden(t, "orphan-json", b.Bytes())
	file := filepath.Join(t.TempDir(), "run.json")
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	var want, got strings.Builder
	if err := report.Text(&want, orphan(), report.Options{Control: true}); err != nil {
		t.Fatal(err)
	}
	if err := report.Text(&got, read(t, file), report.Options{Control: true}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.String(), got.String()); diff != "" {
		t.Errorf("text of the run read back (-want +got):\n%s", diff)
	}
}

// TestNoRun checks the error for a nil run and that of a writer.
func TestNoRun(t *testing.T) {
	if err := report.Text(&bytes.Buffer{}, nil, report.Options{}); err != report.ErrNoRun {
		t.Errorf("Text(nil) = %v, want ErrNoRun", err)
	}
	if err := report.JSON(&bytes.Buffer{}, nil); err != report.ErrNoRun {
		t.Errorf("JSON(nil) = %v, want ErrNoRun", err)
	}
	if err := report.Text(full{}, clean(), report.Options{}); err != os.ErrClosed {
		t.Errorf("Text to a closed writer = %v, want ErrClosed", err)
	}
	if err := report.JSON(full{}, clean()); err != os.ErrClosed {
		t.Errorf("JSON to a closed writer = %v, want ErrClosed", err)
	}
}

// full is a writer that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, os.ErrClosed }

// golden compares with a golden file, or writes it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got); rewrite with -update:\n%s", file, diff)
	}
}

// load reads a run that JSON wrote, from testdata.
func load(t *testing.T, name string) *report.Run {
	t.Helper()
	return read(t, filepath.Join("testdata", name))
}

// event is a trace.Event as JSON has it: the kind is a word.
type event struct {
	trace.Event
	Kind   string `json:"kind"`
	Digest any    `json:"digest"` // a number in h10.json, which nobody reads
}

func read(t *testing.T, file string) *report.Run {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Title     string          `json:"title"`
		Property  *spec.Property  `json:"-"`
		About     json.RawMessage `json:"property"`
		Violation *spec.Violation `json:"violation"`
		Reading   []string        `json:"reading"`
		Command   string          `json:"command"`
		Layout    trace.Layout    `json:"layout"`
		Labels    []struct {
			ID    trace.MsgID `json:"id"`
			Label string      `json:"label"`
		} `json:"labels"`
		Steps []struct {
			Event   string   `json:"event"`
			Changes []string `json:"changes"`
		} `json:"steps"`
		Events []event `json:"events"`
	}
	if err := json.Unmarshal(b, &d); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	var about struct{ Name, Doc, Source string }
	if err := json.Unmarshal(d.About, &about); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	r := &report.Run{Title: d.Title, Violation: d.Violation, Reading: d.Reading, Command: d.Command,
		Trace:    trace.Trace{Layout: d.Layout},
		Property: &spec.Property{Name: about.Name, Doc: about.Doc, Source: about.Source}}
	r.Trace.Layout.Labels = map[trace.MsgID]string{}
	for _, l := range d.Labels {
		r.Trace.Layout.Labels[l.ID] = l.Label
	}
	for _, s := range d.Steps {
		r.Steps = append(r.Steps, report.Step{Event: s.Event, Changes: s.Changes})
	}
	for _, e := range d.Events {
		for k := trace.Sent; k <= trace.Halted; k++ {
			if k.String() == e.Kind {
				e.Event.Kind = k
			}
		}
		r.Trace.Events = append(r.Trace.Events, e.Event)
	}
	return r
}
