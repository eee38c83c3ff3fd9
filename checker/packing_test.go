package checker

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// growing draws states of so many words of which the numbers become larger and larger, up to so
// many bits.
func growing(r *rand.Rand, words, bits, n int) (states [][]uint32) {
	for i := range n {
		state := make([]uint32, words)
		for w := range state {
			state[w] = uint32(r.Uint64N(1 + uint64(i)<<bits/uint64(n)))
		}
		states = append(states, state)
	}
	return states
}

// TestPacking packs random states with numbers that outgrow every width, from codes of a few bits
// to such as are folded several times. Each state comes back from its code, different states have
// different codes, codes that are not folded are ordered as the vectors, and a packing that was
// saved makes the same codes.
func TestPacking(t *testing.T) {
	for _, tt := range []struct{ words, bits, layers int }{{1, 32, 0}, {3, 20, 0}, {3, 32, 0},
		{4, 32, 1}, {6, 11, 0}, {9, 18, 1}, {16, 32, 1}, {17, 25, 1}, {40, 32, 1}, {130, 1, 2}} {
		t.Run(fmt.Sprintf("words=%d/bits=%d", tt.words, tt.bits), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(tt.words)))
			states := growing(r, tt.words, tt.bits, 2000)
			p := NewPacking(tt.words)
			codes := map[Code]string{}
			for i, state := range states {
				c, ok := p.Encode(state)
				if !ok {
					p = p.Widened(slices.Values(states[:i+1]))
					if c, ok = p.Encode(state); !ok {
						t.Fatalf("no room for %v", state)
					}
					clear(codes)
					for _, old := range states[:i] {
						c, ok := p.Encode(old)
						if !ok {
							t.Fatalf("no room any more for %v", old)
						}
						codes[c] = fmt.Sprint(old)
					}
				}
				if name, known := codes[c]; known && name != fmt.Sprint(state) {
					t.Fatalf("%s and %v have one code", name, state)
				}
				codes[c] = fmt.Sprint(state)
			}
			checkPacking(t, p, states)
			if len(p.layers) != tt.layers {
				t.Errorf("%d layers, want %d", len(p.layers), tt.layers)
			}
			q, err := Restored(tt.words, p.Save())
			if err != nil {
				t.Fatal(err)
			}
			for _, state := range states {
				a, _ := p.Encode(state)
				if b, ok := q.Encode(state); a != b || !ok {
					t.Fatalf("restored: %v has the code %x, before it was %x", state, b, a)
				}
			}
		})
	}
}

// TestExtended packs random states with numbers that outgrow every width, and extends the packing
// as often as that is possible: all codes stay as they are, each state comes back from its code,
// and a packing that was saved makes the same codes.
func TestExtended(t *testing.T) {
	for _, tt := range []struct{ words, bits, times int }{{1, 32, 0}, {3, 32, 2}, {4, 31, 2},
		{9, 18, 10}, {17, 25, 1}, {40, 32, 1}} {
		t.Run(fmt.Sprintf("words=%d/bits=%d", tt.words, tt.bits), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(tt.words)))
			states := growing(r, tt.words, tt.bits, 2000)
			for i, state := range states { // one word after another begins to grow
				clear(state[min(tt.words, 1+i*tt.words/1500):])
			}
			p, times := NewPacking(tt.words), 0
			codes := map[Code][]uint32{}
			for i, state := range states {
				c, ok := p.Encode(state)
				if !ok {
					var used Code
					for c := range codes {
						used.Hi, used.Lo = used.Hi|c.Hi, used.Lo|c.Lo
					}
					bits, q := p.Bits(), p.Extended(used, slices.Values(states[i:i+1]))
					if q == nil {
						q = p.Widened(slices.Values(states[:i+1]))
						clear(codes)
						for _, old := range states[:i] {
							c, _ := q.Encode(old)
							codes[c] = old
						}
					} else if times++; q.Bits() > NarrowBits && bits <= NarrowBits {
						t.Fatalf("extended from %d bits to %d", bits, q.Bits())
					}
					p = q
					if c, ok = p.Encode(state); !ok {
						t.Fatalf("no room for %v", state)
					}
					checkCodes(t, p, codes)
				}
				codes[c] = state
			}
			checkCodes(t, p, codes)
			if times < tt.times {
				t.Errorf("extended %d times, want %d", times, tt.times)
			}
			q, err := Restored(tt.words, p.Save())
			if err != nil {
				t.Fatal(err)
			}
			checkCodes(t, q, codes)
		})
	}
}

// checkCodes compares codes and states in both directions.
func checkCodes(t *testing.T, p *Packing, codes map[Code][]uint32) {
	t.Helper()
	for c, state := range codes {
		if d, ok := p.Encode(state); c != d || !ok {
			t.Fatalf("%v has the code %x (%t), before it was %x", state, d, ok, c)
		}
		got := make([]uint32, len(state))
		if p.Decode(c, got); !slices.Equal(got, state) {
			t.Fatalf("%v becomes %v", state, got)
		}
	}
}

// checkPacking decodes and compares.
func checkPacking(t *testing.T, p *Packing, states [][]uint32) {
	t.Helper()
	if p.Bits() > CodeBits {
		t.Errorf("%d bits", p.Bits())
	}
	got := make([]uint32, len(states[0]))
	for i, state := range states {
		c, _ := p.Encode(state)
		if c.Hi>>(CodeBits-64) != 0 {
			t.Fatalf("code %x is too large", c)
		}
		if p.Decode(c, got); !slices.Equal(got, state) {
			t.Fatalf("%v becomes %v", state, got)
		}
		if d, _ := p.Encode(states[i/2]); !p.Folded() &&
			c.Compare(d) != slices.Compare(state, states[i/2]) {
			t.Fatalf("%v and %v are ordered in another way than their codes", state, states[i/2])
		}
	}
}

// TestRestored refuses lists that no packing has saved.
func TestRestored(t *testing.T) {
	p := NewPacking(40).Widened(slices.Values(growing(rand.New(rand.NewPCG(1, 1)), 40, 32, 50)))
	list := p.Save()
	for n := range list {
		if _, err := Restored(40, list[:n]); err == nil {
			t.Fatalf("%d of %d words are enough", n, len(list))
		}
	}
	for _, list := range [][]uint32{nil, {33}, {0, 33}, {0, 1, 1, 1}, {0, 1, 127},
		{0, 2, 1, 1}, {0, 2, 0}, {1 << 31}} {
		if _, err := Restored(1, list); err == nil {
			t.Errorf("%v makes a packing", list)
		}
	}
	if _, err := Restored(5, []uint32{0, 32, 32, 32, 32, 32}); err == nil {
		t.Error("160 bits make a packing")
	}
}

// again makes the same successors by the same calls.
func (x *Expansion) again() {
	base, steps := slices.Clone(x.base), len(x.Steps)
	var calls [][]Delta
	for i := range steps {
		calls = append(calls, slices.Clone(x.Deltas(i)))
	}
	x.Begin(base)
	for _, deltas := range calls {
		x.Add(Step{})
		for _, d := range deltas {
			x.Set(d.Word, d.Value)
		}
	}
	_, _ = x.Codes() // what is of interest is noted
}

// TestDifferences compares successors that are kept as differences with plain copies: vectors, and
// codes that are made of differences with those of whole vectors, with all kinds of packings.
func TestDifferences(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	narrow := 0
	for range 600 {
		words := 1 + r.IntN(24)
		bits := 1 + r.IntN(16)
		states := growing(r, words, bits, 10)
		p := NewPacking(words).Widened(slices.Values(states))
		if more := growing(r, words, bits+2, 10); r.IntN(2) == 0 {
			used, _ := p.Encode(states[0])
			for _, state := range states {
				c, _ := p.Encode(state)
				used.Hi, used.Lo = used.Hi|c.Hi, used.Lo|c.Lo
			}
			if q := p.Extended(used, slices.Values(more)); q != nil {
				p = q
			}
		}
		x := NewExpansion(words)
		x.Pack(p)
		base := states[r.IntN(len(states))]
		if c, fits := p.Encode(states[0]); fits && r.IntN(2) == 0 {
			x.Coded(c) // of one state, and of no other
			x.Begin(states[0])
			if x.Code() != c {
				t.Errorf("the state has the code %x, want %x", x.Code(), c)
			}
		}
		x.Begin(base)
		var want [][]uint32
		room := true
		for range r.IntN(6) {
			x.Add(Step{})
			next := append([]uint32(nil), base...)
			for range r.IntN(8) {
				w, v := r.IntN(words), r.Uint32N(1<<bits)
				x.Set(w, v)
				next[w] = v
				if x.At(w) != v || !slices.Equal(x.Now(), next) {
					t.Fatalf("after setting word %d to %d: %v, want %v", w, v, x.Now(), next)
				}
				_, ok := p.Encode(next)
				room = room && ok
			}
			want = append(want, next)
		}
		codes, ok := x.Codes()
		if !ok {
			narrow++
		}
		// a value that does not stay may count
		if ok && !room && !p.Folded() || !ok && room {
			t.Errorf("room for the successors: %t, want %t", ok, room)
		}
		if c, fits := p.Encode(base); ok && (!fits || c != x.Code()) {
			t.Errorf("the state has another code than its vector %x", c)
		}
		for i := range want {
			if state := x.State(i, nil); !slices.Equal(state, want[i]) {
				t.Errorf("successor %d is %v, want %v", i, state, want[i])
			}
			if c, fits := p.Encode(want[i]); ok && (!fits || c != codes[i]) {
				t.Errorf("successor %d has another code than its vector %x", i, c)
			}
		}
		x.Pack(p.Widened(x.States()))
		if x.again(); x.narrow {
			t.Errorf("a packing that is made for all of this has no room for it: %v", want)
		}
	}
	if narrow < 15 || narrow > 500 {
		t.Errorf("%d packings are too narrow, which says little", narrow)
	}
}
