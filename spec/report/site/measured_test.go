package site

import (
	"math"
	"strings"
	"testing"
)

// TestAxis places values: from zero, logarithmic where they are far apart, and always on the paper.
func TestAxis(t *testing.T) {
	row := func(least, median, most float64) Measurement {
		return Measurement{Times: 5, Median: median, Spread: Spread{least, median, median, most}}
	}
	for name, tt := range map[string]struct {
		rows []Measurement
		log  bool
		// the place of 10 in parts of the whole
		ten float64
	}{
		"from zero":  {[]Measurement{row(8, 10, 20), row(15, 18, 40)}, false, 0.25},
		"far apart":  {[]Measurement{row(1, 2, 3), row(50, 70, 100)}, true, 0.5},
		"with zero":  {[]Measurement{row(0, 1, 2), row(50, 70, 100)}, false, 0.1},
		"negative":   {[]Measurement{row(-10, 1, 2), row(50, 70, 90)}, false, 0.2},
		"one value":  {[]Measurement{row(10, 10, 10)}, false, 1},
		"none":       {nil, false, math.Inf(1)},
		"not made":   {[]Measurement{row(8, 10, 40), {}}, false, 0.25},
		"all zeroes": {[]Measurement{row(0, 0, 0)}, false, 10},
	} {
		a := axisOf(tt.rows)
		if a.log != tt.log {
			t.Errorf("%s: logarithmic %v", name, a.log)
		}
		if at := (a.at(10) - boxEdge) / (boxWide - 2*boxEdge); math.Abs(at-tt.ten) > 1e-9 &&
			!math.IsInf(tt.ten, 1) {
			t.Errorf("%s: 10 is at %v, want %v", name, at, tt.ten)
		}
		for _, r := range tt.rows {
			for _, v := range []float64{r.Spread.Least, r.Median, r.Spread.Most} {
				if at := a.at(v); r.Times > 0 && (at < boxEdge || at > boxWide-boxEdge) {
					t.Errorf("%s: %v is at %v", name, v, at)
				}
			}
		}
		if s := string(a.ticks()); strings.Contains(s, "NaN") || strings.Contains(s, "Inf") {
			t.Errorf("%s: ticks %s", name, s)
		}
	}
}

// TestMeasured writes a table: of what was measured once there are no quartiles, what was not
// measured has no box, and a table without rows is left out.
func TestMeasured(t *testing.T) {
	m := &Measured{Kind: "perf", Tables: []Table{{Title: "bt", Thing: "protocol", Unit: "ms",
		Rows: []Measurement{{Name: "none", Median: 3, Spread: Spread{1, 2, 4, 5}, Times: 7},
			{Name: "once", Median: 3, Spread: Spread{3, 3, 3, 3}, Times: 1},
			{Name: "never", Wrong: "time limit"}}}, {Title: "cg"}}}
	b, err := m.Render("")
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	for text, want := range map[string]int{`class="box"`: 2, ">2 – 4<": 1, ">1 – 5<": 1,
		">3 – 3<": 0, "median 3 ms, quartiles 2 to 4, all 1 to 5": 2, "time limit": 1,
		">cg<": 0, `id="table-`: 2, "data.json": 0} {
		if got := strings.Count(page, text); got != want {
			t.Errorf("%q is there %d times, want %d", text, got, want)
		}
	}
}
