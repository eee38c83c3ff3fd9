package core_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/domino-check/domino/impl/core"
)

// known is an entry of a small protocol.
type known struct {
	_    struct{}  `cbor:",toarray"`
	Rank core.Rank `cbor:"-"`
	Date uint64
	List []uint32
}

func (k *known) About() *core.Rank { return &k.Rank }

// plainKnown is the same without a rank.
type plainKnown struct {
	_    struct{} `cbor:",toarray"`
	Date uint64
	List []uint32
}

type table = core.ByRank[known, *known]

// TestByRank does the same things to a table and to a map, at few ranks and at many.
func TestByRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ranks := rapid.SampledFrom([]int{1, 5, core.Dense, core.Dense + 1, 60_000}).Draw(t, "ranks")
		s, twin := core.NewByRank[known](ranks), map[core.Rank]uint64{}
		if ranks <= core.Dense {
			for r := range ranks {
				twin[core.Rank(r)] = 0
			}
		}
		near := rapid.IntRange(0, min(ranks, 9)-1)
		for range rapid.IntRange(0, 40).Draw(t, "events") {
			r := core.Rank((near.Draw(t, "rank") * 7919) % ranks)
			if got, want := s.Find(r), twin[r]; got != nil && got.Date != want {
				t.Fatalf("rank %d has %d, want %d", r, got.Date, want)
			} else if _, there := twin[r]; there != (got != nil) {
				t.Fatalf("rank %d is there: %v, want %v", r, got != nil, there)
			}
			if rapid.Bool().Draw(t, "set") {
				date := rapid.Uint64().Draw(t, "date")
				s.At(r).Date, twin[r] = date, date
			}
		}
		if len(s) != len(twin) || !slices.IsSortedFunc(s, func(a, b known) int {
			return int(a.Rank) - int(b.Rank)
		}) {
			t.Fatalf("%v, want %v", s, twin)
		}
		var read table
		if err := core.Decode(core.Encode(s), &read); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s, read, cmp.Comparer(func(a, b known) bool {
			return a.Rank == b.Rank && a.Date == b.Date && slices.Equal(a.List, b.List)
		})); diff != "" && len(s)+len(read) > 0 {
			t.Fatalf("read back (-want +got):\n%s", diff)
		}
	})
}

// TestByRankPlain: few ranks are encoded as a slice by rank is, and so is nothing.
func TestByRankPlain(t *testing.T) {
	plain, s := make([]plainKnown, 3), core.NewByRank[known](3)
	plain[1].Date, plain[2].List = 7, []uint32{1, 2}
	s.At(1).Date, s.At(2).List = 7, []uint32{1, 2}
	if !bytes.Equal(core.Encode(plain), core.Encode(s)) {
		t.Errorf("%x, want %x", core.Encode(s), core.Encode(plain))
	}
	if !bytes.Equal(core.Encode([]plainKnown{}), core.Encode(table(nil))) {
		t.Errorf("%x is not an empty list", core.Encode(table(nil)))
	}
}

// TestByRankForeign: lists that do not ascend, or do not fit each other, are no tables.
func TestByRankForeign(t *testing.T) {
	for _, ranks := range [][]core.Rank{{5, 5}, {6, 5}, {5}, {5, 6, 7}} {
		var s table
		if err := core.Decode(core.Encode(map[string]any{"ranks": ranks,
			"entries": make([]plainKnown, 2)}), &s); err == nil {
			t.Errorf("ranks %v of two entries are read as %v", ranks, s)
		}
	}
}

// TestByRankAllocation: what is there is found without an allocation.
func TestByRankAllocation(t *testing.T) {
	for _, ranks := range []int{4, 60_000} {
		s := core.NewByRank[known](ranks)
		for _, r := range []core.Rank{0, 2, 3} {
			s.At(r)
		}
		if n := testing.AllocsPerRun(100, func() {
			s.At(3).Date++
			if s.Find(2) == nil {
				t.Fatal("not there")
			}
		}); n != 0 {
			t.Errorf("%d ranks: %v allocations", ranks, n)
		}
	}
}
