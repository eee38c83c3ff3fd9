package checker

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSpread hashes all vectors of six small numbers, which is what states are made of, and counts
// how many share 32 bits: as many as of random numbers, within six standard deviations, in four
// windows of the fingerprint (pitfall P7 of the design).
func TestSpread(t *testing.T) {
	const words, values = 6, 8
	n := 1
	for range words {
		n *= values
	}
	mixers := NewMixers(words)
	windows := [4]map[uint32]bool{}
	for i := range windows {
		windows[i] = make(map[uint32]bool, n)
	}
	shared := [4]int{}
	state := make([]uint32, words)
	for k := range n {
		for i, rest := 0, k; i < words; i, rest = i+1, rest/values {
			state[i] = uint32(rest % values)
		}
		f := mixers.Fingerprint(state)
		for i, w := range [4]uint32{uint32(f.Lo), uint32(f.Lo >> 32), uint32(f.Hi),
			uint32(f.Hi >> 32)} {
			if windows[i][w] {
				shared[i]++
			}
			windows[i][w] = true
		}
	}
	const expected, most = 8, 25 // n²/2³³ = 8, six deviations are 17
	for i, s := range shared {
		if s > most {
			t.Errorf(
				"window %d: %d of %d vectors share 32 bits with another one, about %d are expected",
				i, s, n, expected)
		}
	}
	if got, want := Collision(1<<20), 0x1p-89; got != want {
		t.Errorf("odds of 2^20 states: %g, want %g", got, want)
	}
}

// TestDifferences compares successors that are kept as differences with plain copies: vectors, and
// fingerprints that are updated with those of whole vectors.
func TestDifferences(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		words := 1 + r.IntN(9)
		x := NewExpansion(words)
		base := make([]uint32, words)
		for i := range base {
			base[i] = r.Uint32N(4)
		}
		x.Begin(base)
		var want [][]uint32
		for range r.IntN(6) {
			x.Add(Step{})
			next := append([]uint32(nil), base...)
			for range r.IntN(8) {
				w, v := r.IntN(words), r.Uint32N(4)
				x.Set(w, v)
				next[w] = v
				if x.At(w) != v || !slices.Equal(x.Now(), next) {
					t.Fatalf("after setting word %d to %d: %v, want %v", w, v, x.Now(), next)
				}
			}
			want = append(want, next)
		}
		for i := range want {
			if got := x.State(i, nil); !slices.Equal(got, want[i]) {
				t.Errorf("successor %d is %v, want %v", i, got, want[i])
			}
			if got := x.Fingerprint(want[i]); x.Prints()[i] != got {
				t.Errorf("successor %d has fingerprint %x, its vector %x", i, x.Prints()[i], got)
			}
		}
	}
}
