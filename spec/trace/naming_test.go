package trace_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/spec/trace"
)

// TestProcsOf: the list of names says whom it is about, also where names have spaces, as long as no
// two lists are written alike.
func TestProcsOf(t *testing.T) {
	l := trace.Layout{Names: []string{"a", "a b", "b c", "", "N1", "N10", "é x"}}
	for _, tt := range []struct {
		text string
		want []trace.Proc
	}{
		{"a", []trace.Proc{0}},
		{"N10 N1", []trace.Proc{5, 4}},
		{"a b c", []trace.Proc{0, 2}}, // "a b" leaves "c", which nobody is called
		{"é x a b", []trace.Proc{6, 1}},
		{"nobody", nil},
		{"a nobody", nil},
		{"N1 ", []trace.Proc{4, 3}},
	} {
		if got := l.ProcsOf(tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %v, want %v", tt.text, got, tt.want)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	plain := trace.Layout{}
	for i := range 40 {
		plain.Names = append(plain.Names, strings.Repeat("x", i+1))
	}
	for range 200 {
		var want []trace.Proc
		for range 1 + rng.IntN(6) {
			want = append(want, trace.Proc(rng.IntN(len(plain.Names))))
		}
		if got := plain.ProcsOf(plain.NamesOf(want)); !slices.Equal(got, want) {
			t.Errorf("%v is read as %v", want, got)
		}
	}
}
