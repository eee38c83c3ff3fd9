package report_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/spec/report"
)

// TestDiff lists pairs of documents with the lines that a reader gets.
func TestDiff(t *testing.T) {
	long := strings.Repeat("abcdefghij", 20)
	tests := []struct {
		name, before, after string
		want                []string
	}{
		{"equal", `{"a":1,"b":[1,2]}`, `{ "b":[1, 2], "a":1 }`, nil},
		{"number", `{"a":1}`, `{"a":2}`, []string{"p: a: 1 -> 2"}},
		{"large numbers that floating point would not tell apart", `{"a":9007199254740993}`,
			`{"a":9007199254740992}`,
			[]string{"p: a: 9007..0993 -> 9007..0992"}},
		{"a digest is shortened", `{"a":0}`, `{"a":15281184326155754297}`,
			[]string{"p: a: 0 -> 1528..4297"}},
		{"no bound", `{"a":18446744073709551615}`, `{"a":3}`, []string{"p: a: max -> 3"}},
		{"text", `{"a":"x"}`, `{"a":"two words"}`, []string{`p: a: x -> "two words"`}},
		{"type", `{"a":{"b":1}}`, `{"a":[1]}`, []string{"p: a: {b 1} -> [1]"}},
		{"null inside", `{"a":null,"b":true}`, `{"a":1,"b":false}`,
			[]string{"p: a: null -> 1", "p: b: true -> false"}},
		{"order of paths", `{"b":{"d":1,"c":1},"a":1}`, `{"b":{"d":2,"c":2},"a":2}`,
			[]string{"p: a: 1 -> 2", "p: b.c: 1 -> 2", "p: b.d: 1 -> 2"}},
		{"field added and removed", `{"a":1}`, `{"b":[1,"x"]}`,
			[]string{"p: a: - 1", "p: b: + [1, x]"}},
		{"element appended", `{"q":[1]}`, `{"q":[1,2,3]}`, []string{"p: q: + 2", "p: q: + 3"}},
		{"element taken from the front", `{"q":[1,2,3]}`, `{"q":[2,3]}`, []string{"p: q: - 1"}},
		{"queue moved on", `{"q":[1,2,3]}`, `{"q":[2,3,4]}`, []string{"p: q: - 1", "p: q: + 4"}},
		{"element in place", `{"q":[{"n":0},{"n":0},{"n":0}]}`, `{"q":[{"n":0},{"n":5},{"n":0}]}`,
			[]string{"p: q[1].n: 0 -> 5"}},
		{"all elements in place", `{"q":[1,2]}`, `{"q":[3,4]}`,
			[]string{"p: q[0]: 1 -> 3", "p: q[1]: 2 -> 4"}},
		{"inserted in the middle", `{"q":[1,2,3]}`, `{"q":[1,9,2,3]}`, []string{"p: q: + 9"}},
		{"array filled at once", `{"q":[]}`, `{"q":[0,0,0]}`, []string{"p: q: [] -> [0, 0, 0]"}},
		{"array emptied at once", `{"q":[1,2]}`, `{"q":[]}`, []string{"p: q: [1, 2] -> []"}},
		{"array filled with objects", `{"q":[]}`, `{"q":[{"a":1},{"b":2}]}`,
			[]string{"p: q: + {a 1}", "p: q: + {b 2}"}},
		{"long value", `{"a":""}`, `{"a":"` + long + `"}`,
			[]string{`p: a: "" -> abcdefghijabcdefghijabcdefghij...fghijabcdefghij`}},
		{"long values that differ where they are cut", `{"a":"` + long + "x" + long + `"}`,
			`{"a":"` + long + "y" + long + `"}`,
			[]string{`p: a: "` + long + "x" + long + `" -> "` + long + "y" + long + `"`}},
		{"whole document", `1`, `2`, []string{"p: 1 -> 2"}},
		{"proc goes down", `{"a":1}`, `null`, []string{"p: state lost"}},
		{"proc comes up", ``, `{"a":1}`, []string{"p: new state {a 1}"}},
		{"down all the time", ``, `null`, nil},
		{"not JSON", `{`, `{"a":1}`, []string{`p: "{" -> "{\"a\":1}"`}},
		{"not JSON, equal", `{`, `{`, nil},
		{"two documents", `1 2`, `1`, []string{`p: "1 2" -> 1`}},
		{"control characters", "{\"a\":\"x\"}", "{\"a\":\"\\u001b[31m\\n\"}",
			[]string{`p: a: x -> "\x1b[31m\n"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := report.Changes("p", []byte(tt.before), []byte(tt.after))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Diff(%s, %s) (-want +got):\n%s", tt.before, tt.after, diff)
			}
		})
	}
}

// TestDiffLongArrays checks that arrays too long for a full comparison still give lines.
func TestDiffLongArrays(t *testing.T) {
	before := "[" + strings.Repeat("1,", 2000) + "1]"
	after := "[0," + strings.Repeat("2,", 2000) + "1]"
	if got := report.Diff("p", []byte(before), []byte(after)); len(got) != 2000+2001 {
		t.Errorf("%d changes, want 2000 elements removed and 2001 added", len(got))
	}
}

// FuzzDiff feeds any two documents: it must not panic, and must be silent only about equal ones.
func FuzzDiff(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":null}]}`), []byte(`{"a":[{"b":null},1,2]}`))
	f.Add([]byte(``), []byte(`{`))
	f.Fuzz(func(t *testing.T, before, after []byte) {
		report.Changes("p", before, after)
		if got := report.Diff("p", before, before); got != nil {
			t.Errorf("a document differs from itself: %v", got)
		}
	})
}
