package scenarios_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/domino-check/domino/scenarios"
)

// named are the names of ranks in the tests; two have a dash.
var named = []string{"r0", "r1", "r2", "r3", "b-1", "r5", "a-b-1", "r7"}

// TestReadClusters reads lines by hand.
func TestReadClusters(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []int
		err  string
	}{
		{text: "", want: []int{0, 1, 2, 3, 4, 5, 6, 7}},
		{text: "r0-r7", want: []int{0, 0, 0, 0, 0, 0, 0, 0}},
		{text: "r0 r3|r1-r2 | b-1-r7", want: []int{0, 1, 1, 0, 2, 2, 2, 2}},
		{text: "r0-b-1 r5 | a-b-1-r7", want: []int{0, 0, 0, 0, 0, 0, 1, 1}},
		{text: "r0-r0 b-1 a-b-1 | r1-r3 r5-r5 r7", want: []int{0, 1, 1, 1, 0, 1, 0, 1}},
		{text: "r3-r1", err: "r3-r1: r3 comes behind r1"},
		{text: "r0-r8", err: "rank r0-r8 does not exist, there are r0 r1"},
		{text: "-r3", err: "rank -r3 does not exist"},
		{text: "r0-r5 | r2", err: "rank r2 is in two clusters"},
		{text: "r0-r2 r1", err: "rank r1 is in two clusters, or twice in one"},
		{text: "r0-r5", err: "rank a-b-1 is in no cluster"},
		{text: "r0-r7 | ", err: `cluster 2 of "r0-r7 | " is empty`},
	} {
		got, err := scenarios.ReadClusters(tt.text, named)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q: %v, want %s", tt.text, err, tt.err)
			}
		} else if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%q: %v, %v, want %v", tt.text, got, err, tt.want)
		}
	}
}

// TestFormatClusters: what is written is read as it was, and stretches are of numbered ranks.
func TestFormatClusters(t *testing.T) {
	name := func(r int) string { return named[r] }
	got := scenarios.FormatClusters([]int{0, 0, 0, 1, 1, 1, 0, 0}, name)
	if want := "r0-r2 a-b-1 r7 | r3-r5"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	letters := []string{"x", "y", "c"}
	got = scenarios.FormatClusters([]int{0, 0, 0}, func(r int) string { return letters[r] })
	if want := "x y c"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		of := rapid.SliceOfN(rapid.IntRange(0, 2), len(named), len(named)).Draw(t, "clusters")
		for k := range 3 {
			of[k] = k // none is empty
		}
		text := scenarios.FormatClusters(of, name)
		if got, err := scenarios.ReadClusters(text, named); err != nil || !slices.Equal(got, of) {
			t.Errorf("%v, %v from %q, want %v", got, err, text, of)
		}
	})
}
