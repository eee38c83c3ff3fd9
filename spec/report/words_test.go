package report

import (
	"slices"
	"testing"
)

// TestFind checks that labels are found as whole words: m1 is not in m12, m1.2 or a#m1.
func TestFind(t *testing.T) {
	tests := []struct {
		text, word string
		want       int
	}{
		{"m7 leaves d", "m7", 0},
		{"it depends on m2, which", "m2", 14},
		{"m12 and m1", "m1", 8},
		{"m1.2 and m1.", "m1", 9},
		{"the message y#1 of y", "y", 19},
		{"xm1", "m1", -1},
		{"", "m1", -1},
		{"m1", "", -1},
		{"ä m1", "m1", 2},
	}
	for _, tt := range tests {
		if got := find(tt.text, tt.word); got != tt.want {
			t.Errorf("find(%q, %q) = %d, want %d", tt.text, tt.word, got, tt.want)
		}
	}
}

// TestWrap checks lines at spaces, words that are too long, and that nothing still is one line.
func TestWrap(t *testing.T) {
	tests := []struct {
		text    string
		columns int
		want    []string
	}{
		{"", 20, []string{""}},
		{"a few words", 20, []string{"a few words"}},
		{"a few words", 8, []string{"a few", "words"}},
		{"a verylongword b", 8, []string{"a", "verylong", "word b"}},
		{"12345678", 8, []string{"12345678"}},
	}
	for _, tt := range tests {
		if got := wrap(tt.text, tt.columns); !slices.Equal(got, tt.want) {
			t.Errorf("wrap(%q, %d) = %q, want %q", tt.text, tt.columns, got, tt.want)
		}
	}
}

// TestShorten checks the three ways to make a text fit.
func TestShorten(t *testing.T) {
	if got := squeeze("rank12", 3); got != "r12" {
		t.Errorf("squeeze = %q, want r12", got)
	}
	if got := middle("abcdefghijkl", 9); got != "abcd...kl" {
		t.Errorf("middle = %q, want abcd...kl", got)
	}
	if got := clip("abc", 2) + clip("abc", -1) + squeeze("abc", 0) +
		squeeze("ab", 2); got != "abab" {
		t.Errorf("clip and squeeze = %q, want abab", got)
	}
}
