package causal

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/spec/trace"
)

// TestHolders does the same to sets of holders and to lists: with few ranks nobody is forgotten,
// with many all but those that became known first. Equal sets are equal words.
func TestHolders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := holders{many: rapid.Bool().Draw(t, "many")}
		rank, most := rapid.IntRange(0, MaxRanks-1), MaxRanks
		if h.many {
			rank, most = rapid.SampledFrom([]int{0, 1, 63, 64, 4095, 65_535, 1<<17 - 1}), MaxHolders
		}
		var twins [2][]core.Rank
		var sets [2]Ranks
		add := func(i int, r core.Rank) {
			if !slices.Contains(twins[i], r) && len(twins[i]) < most {
				twins[i] = append(twins[i], r)
				slices.Sort(twins[i])
			}
		}
		for range rapid.IntRange(0, 8).Draw(t, "events") {
			i := rapid.IntRange(0, 1).Draw(t, "set")
			if rapid.Bool().Draw(t, "one") {
				r := core.Rank(rank.Draw(t, "rank"))
				sets[i] = h.add(sets[i], r)
				add(i, r)
			} else {
				sets[i] = h.all(sets[i], sets[1-i])
				for _, r := range twins[1-i] {
					add(i, r)
				}
			}
			if got := h.count(sets[i]); got != len(twins[i]) {
				t.Fatalf("%d holders, want %v", got, twins[i])
			}
			if h.many && !slices.Equal(h.list(sets[i]), twins[i]) {
				t.Fatalf("holders %v, want %v", h.list(sets[i]), twins[i])
			}
		}
		if (sets[0] == sets[1]) != slices.Equal(twins[0], twins[1]) {
			t.Fatalf("%x and %x, of %v and %v", sets[0], sets[1], twins[0], twins[1])
		}
	})
}

// TestManyRanks: with more ranks than a word has bits, failures are survived, but no more at a time
// than holders are kept for, and checkpoints are taken as long as there is memory for them.
func TestManyRanks(t *testing.T) {
	for _, tt := range []struct {
		kernel string
		f      int
		want   string
	}{{"ring ranks=65", 2, ""}, {"ring ranks=65", 3, "want [0, 2] with more than 64 ranks"},
		{"heat ranks=65 checkpoint=2 n=130", 1, ""},
		{"heat ranks=8193 checkpoint=2 n=16386", 1, "checkpoints of 8193 ranks in 0 groups"}} {
		suite, err := kernels.Build(tt.kernel)
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewSetup(trace.Layout{Names: suite.Names, Ranks: len(suite.Names)},
			suite.Programs, Options{F: tt.f})
		if (err == nil) != (tt.want == "") ||
			err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s, %d failures: %v, want %q", tt.kernel, tt.f, err, tt.want)
		}
		if err == nil && s.MaxFailures != tt.f {
			t.Errorf("%s: %d failures are survived, want %d", tt.kernel, s.MaxFailures, tt.f)
		}
	}
}
