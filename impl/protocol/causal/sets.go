package causal

import (
	"encoding/json"
	"iter"
	"math/bits"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// RankSet is any set of ranks, 64 to a word, without zeros at the end; nil is empty. A set never
// changes: its methods return others.
type RankSet []uint64

// first is the set of the first so many ranks.
func first(n int) RankSet {
	var s RankSet
	for ; n >= 64; n -= 64 {
		s = append(s, ^uint64(0))
	}
	if n > 0 {
		s = append(s, 1<<n-1)
	}
	return s
}

func (s RankSet) has(r core.Rank) bool {
	return int(r/64) < len(s) && s[r/64]>>(r%64)&1 > 0
}

// with is the set and one more rank.
func (s RankSet) with(r core.Rank) RankSet {
	if s.has(r) {
		return s
	}
	t := make(RankSet, max(len(s), int(r/64)+1))
	copy(t, s)
	t[r/64] |= 1 << (r % 64)
	return t
}

// less is the set without a rank.
func (s RankSet) less(r core.Rank) RankSet {
	if !s.has(r) {
		return s
	}
	t := slices.Clone(s)
	for t[r/64] &^= 1 << (r % 64); len(t) > 0 && t[len(t)-1] == 0; {
		t = t[:len(t)-1]
	}
	if len(t) == 0 {
		return nil
	}
	return t
}

// without is the set without the ranks of another one.
func (s RankSet) without(others RankSet) RankSet {
	for i, word := range others {
		for ; word != 0; word &= word - 1 {
			s = s.less(core.Rank(64*i + bits.TrailingZeros64(word)))
		}
	}
	return s
}

func (s RankSet) count() int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// MarshalJSON implements json.Marshaler: of up to 64 ranks a set is a number.
func (s RankSet) MarshalJSON() ([]byte, error) {
	switch len(s) {
	case 0:
		return []byte("0"), nil
	case 1:
		return json.Marshal(s[0])
	}
	return json.Marshal([]uint64(s))
}

// Lives are incarnations by rank. With more than MaxRanks ranks they are pairs of a rank and its
// life, by rank, of those that have another one than their first: most never fail.
type Lives []core.Incarnation

// noLives are the first lives of so many ranks.
func (h holders) noLives(ranks int) Lives {
	if h.many {
		return nil
	}
	return make(Lives, ranks)
}

// at is the place of the pair of a rank.
func (s Lives) at(q core.Rank) (at int, found bool) {
	end := len(s) / 2
	for at < end {
		if middle := (at + end) / 2; core.Rank(s[2*middle]) < q {
			at = middle + 1
		} else {
			end = middle
		}
	}
	return 2 * at, 2*at < len(s) && core.Rank(s[2*at]) == q
}

// life is that of a rank.
func (h holders) life(s Lives, q core.Rank) core.Incarnation {
	if !h.many {
		return s[q]
	}
	if at, found := s.at(q); found {
		return s[at+1]
	}
	return 0
}

// live notes the life of a rank.
func (h holders) live(s *Lives, q core.Rank, life core.Incarnation) {
	if !h.many {
		(*s)[q] = life
		return
	}
	switch at, found := s.at(q); {
	case found:
		(*s)[at+1] = life
	case life > 0:
		*s = slices.Insert(*s, at, core.Incarnation(q), life)
	}
}

// lives are those that are known, by rank.
func (h holders) lives(s Lives) iter.Seq2[core.Rank, core.Incarnation] {
	return func(yield func(core.Rank, core.Incarnation) bool) {
		if !h.many {
			for q, life := range s {
				if !yield(core.Rank(q), life) {
					return
				}
			}
			return
		}
		for i := 0; i+1 < len(s); i += 2 {
			if !yield(core.Rank(s[i]), s[i+1]) {
				return
			}
		}
	}
}
