package site

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/domino-check/domino/spec"
)

// answers are some rows.
func answers() []Row {
	var list []Row
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		list = append(list, Row{Scenario: name, Variant: "repaired", Verdict: spec.Holds,
			Expected: true, States: 1000, Transitions: 2000, Seconds: 10})
	}
	return list
}

// runs writes runs with labels into a folder and returns the index of the last.
func runs(t *testing.T, dir string, labels []string, rows ...[]Row) string {
	t.Helper()
	for i, label := range labels {
		f, err := Open(dir, Check)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.WriteSuite(&Suite{Head: Head{Label: label}, Rows: rows[i],
			Asked: len(rows[i])}); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(filepath.Join(dir, indexName))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestChanges compares runs: what has changed is there, and no more.
func TestChanges(t *testing.T) {
	first := answers()
	for name, tt := range map[string]struct {
		change func([]Row) []Row
		want   []string
	}{
		"nothing": {func(r []Row) []Row { return r }, nil},
		"verdict": {func(r []Row) []Row {
			r[1].Verdict, r[1].Expected = spec.Violated, false
			return r
		}, []string{"b: verdict, holds > violated"}},
		"expectation": {func(r []Row) []Row { r[0].Expected = false; return r },
			[]string{"a: as expected, yes > no"}},
		"states": {func(r []Row) []Row { r[2].States = 1001; return r },
			[]string{"c: states, 1,000 > 1,001"}},
		"flip before states": {func(r []Row) []Row {
			r[0].Transitions, r[3].Verdict = 1, spec.Unknown
			return r
		}, []string{"d: verdict, holds > unknown", "a: transitions, 2,000 > 1"}},
		"a time": {func(r []Row) []Row { r[4].Seconds = 40; return r },
			[]string{"e: time, 10.0 s > 40.0 s"}},
		"a time, less":     {func(r []Row) []Row { r[4].Seconds = 1; return r }, nil},
		"a time, in noise": {func(r []Row) []Row { r[4].Seconds = 14; return r }, nil},
		"a busy machine":   {slower(3), nil},
		"busy, and one more": {func(r []Row) []Row {
			r = slower(3)(r)
			r[0].Seconds = 200
			return r
		}, []string{"a: time, 10.0 s > 3m20s"}},
		"other order": {func(r []Row) []Row { r[0], r[1] = r[1], r[0]; return r }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := &Suite{Head: Head{Label: "now"}, Rows: tt.change(answers())}
			past := []record{*(&Suite{Head: Head{Label: "first"}, Rows: first}).record()}
			c := s.changes(past)
			var got []string
			for _, m := range c.Moved {
				got = append(got, m.Scenario+": "+m.What+", "+m.Before+" > "+m.Now)
			}
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("%q, want %q", got, tt.want)
			}
			if c.Since != "first" || c.Known != len(first) || c.NotAsked != 0 {
				t.Errorf("%+v", c)
			}
		})
	}
}

// slower is a run on a machine with much else to do.
func slower(times float64) func([]Row) []Row {
	return func(r []Row) []Row {
		for i := range r {
			r[i].Seconds *= times
		}
		return r
	}
}

// TestNoise knows times that are known well by their spread.
func TestNoise(t *testing.T) {
	for _, tt := range []struct {
		past []float64
		now  float64
		want bool
	}{
		{nil, 100, false},
		{[]float64{10, 10, 10, 10}, 14, false},
		{[]float64{10, 10, 10, 10}, 16, true},
		{[]float64{10, 10, 10, 10}, 4, true},
		{[]float64{10, 10, 10}, 16, false}, // not known well
		{[]float64{6, 8, 12, 14}, 20, false},
		{[]float64{6, 8, 12, 14}, 24, true},
		{[]float64{0.1, 0.1, 0.1, 0.1}, 1, false},
		{[]float64{0.1, 0.1, 0.1, 0.1}, 1.2, true},
	} {
		if _, got := beyondNoise(tt.past, tt.now, 0); got != tt.want {
			t.Errorf("%v after %v: beyond noise %v, want %v", tt.now, tt.past, got, tt.want)
		}
	}
}

// TestHistory appends runs: what is there stays byte by byte, runs without a label leave no trace,
// a run of other scenarios says so.
func TestHistory(t *testing.T) {
	dir := t.TempDir()
	read := func() string {
		b, err := os.ReadFile(filepath.Join(dir, historyName))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	runs(t, dir, []string{"one"}, answers())
	one := read()
	page := runs(t, dir, []string{"two"}, answers()[:3])
	two := read()
	if !strings.HasPrefix(two, one) || strings.Count(two, "\n") != 2 {
		t.Errorf("the history is %q", two)
	}
	if !strings.Contains(page, "5 scenarios of that run were not asked") ||
		!strings.Contains(page, "Since one") || !strings.Contains(page, "2 runs, at most 10.0 s") {
		t.Errorf("the page does not compare: %s", page)
	}
	page = runs(t, dir, []string{""}, answers())
	if read() != two {
		t.Error("a run without a label is in the history")
	}
	if !strings.Contains(page, "New: d, e, f, g, h.") || strings.Contains(page, ">time<") {
		t.Errorf("the page of a run without a label: %s", page)
	}
}

// TestSpoiltHistory is an error with the line, and the history stays as it is.
func TestSpoiltHistory(t *testing.T) {
	dir := t.TempDir()
	runs(t, dir, []string{"one"}, answers())
	name := filepath.Join(dir, historyName)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, spoilt := range []string{string(whole) + string(whole[:40]), string(whole) + "{}\n",
		string(whole) + "null\n"} {
		put(t, name, spoilt)
		f, err := Open(dir, Check)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.CheckHistory(); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("error %v", err)
		}
		if err := f.WriteSuite(&Suite{Head: Head{Label: "two"}, Rows: answers()}); err == nil {
			t.Error("it is written to")
		}
		if b, err := os.ReadFile(name); err != nil || string(b) != spoilt {
			t.Errorf("the history is %q, %v", b, err)
		}
	}
	// the last line without its end is a line all the same
	put(t, name, strings.TrimSpace(string(whole)))
	runs(t, dir, []string{"two"}, answers())
	if b, _ := os.ReadFile(name); strings.Count(string(b), "\n") != 2 {
		t.Errorf("the history is %q", b)
	}
}
