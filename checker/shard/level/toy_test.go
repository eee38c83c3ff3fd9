package level

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"
	"sync"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/spec"
)

// toy is a random transition system of a few words, in which each process numbers the contents of
// the words as it meets them.
type toy struct {
	seed           uint64
	words, content int
	fanout         uint64
	bad            uint64 // one in so many steps breaks something; 0 = none
	rivals         bool   // two processes may see different things
	ends           []end  // in the place of all that: a step to each, and how it goes on from there

	mu      sync.Mutex
	numbers []map[uint32]uint32 // by word: content -> number
	things  [][]uint32          // by word: number -> content
	steps   []checker.Digest
	seen    map[string]bool
	first   map[string]string
	found   []spec.Violation
}

// fresh is the same system in another process.
func (t *toy) fresh() *toy {
	u := &toy{seed: t.seed, words: t.words, content: t.content, fanout: t.fanout, bad: t.bad,
		rivals: t.rivals, ends: t.ends, seen: map[string]bool{}, first: map[string]string{},
		things: make([][]uint32, t.words)}
	for range t.words {
		u.numbers = append(u.numbers, map[uint32]uint32{})
	}
	return u
}

// hash is a random number that depends on some others alone.
func (t *toy) hash(of ...uint64) uint64 {
	h := fnv.New64a()
	for _, v := range append(of, t.seed) {
		_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, v)) // it does not fail
	}
	x := h.Sum64()
	x ^= x >> 31
	return x * 0x9e3779b97f4a7c15 >> 8
}

func (t *toy) number(word int, content uint32) uint32 {
	n, ok := t.numbers[word][content]
	if !ok {
		n = uint32(len(t.things[word]))
		t.numbers[word][content] = n
		t.things[word] = append(t.things[word], content)
	}
	return n
}

func (t *toy) Words() int { return t.words }

func (t *toy) Initial(state []uint32) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	for w := range state {
		state[w] = t.number(w, 0)
	}
	return 0
}

func (t *toy) violation(v spec.Violation) int {
	if v.Property == "" {
		return 0
	}
	i := slices.Index(t.found, v)
	if i < 0 {
		t.found, i = append(t.found, v), len(t.found)
	}
	return i + 1
}

func (t *toy) Expand(state []uint32, _ checker.Reduction, x *checker.Expansion) {
	t.mu.Lock()
	defer t.mu.Unlock()
	x.Begin(state)
	if t.ends != nil {
		t.fork(int(t.things[0][state[0]]), x)
		return
	}
	contents := make([]uint64, t.words)
	for w, n := range state {
		contents[w] = uint64(t.things[w][n])
	}
	for i := range t.hash(contents...) % (t.fanout + 1) {
		draw := t.hash(append(contents, 1+i)...)
		s := checker.Step{Code: i}
		if t.bad > 0 && draw>>20%t.bad == 0 {
			s.Violation = t.violation(spec.Violation{Property: fmt.Sprint("p", draw%3)})
		}
		step := checker.DigestOf(binary.LittleEndian.AppendUint64(nil, draw))
		if !slices.Contains(t.steps, step) {
			t.steps = append(t.steps, step)
		}
		t.seen[fmt.Sprint("s", draw>>9%40)] = true
		if t.rivals {
			key, value := fmt.Sprint("k", draw>>13%300), fmt.Sprint(draw>>33%2)
			if t.first[key] == "" {
				t.first[key] = value
			}
			if t.first[key] != value {
				s.Violation = t.violation(spec.Violation{Property: "rivals"})
			}
		}
		x.Add(s)
		for k := range 1 + draw>>40%2 {
			w := int(draw>>(3*k)) % t.words
			x.Set(w, t.number(w, uint32(draw>>(8+8*k))%uint32(t.content)))
		}
	}
}

// Terminal breaks one of the properties that steps break in some of the dead ends: of two runs that
// break it in one level, that to the end is the shorter one.
func (t *toy) Terminal(state []uint32) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	contents := make([]uint64, t.words)
	for w, n := range state {
		contents[w] = uint64(t.things[w][n])
	}
	if t.ends != nil {
		return t.violation(t.endsIn(int(contents[0])))
	}
	draw := t.hash(append(contents, 99)...)
	if t.bad == 0 || draw%4 > 0 {
		return 0
	}
	return t.violation(spec.Violation{Property: fmt.Sprint("p", draw>>4%3)})
}

func (t *toy) Violation(number int) spec.Violation {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.found[number-1]
}

func toyContent(word int, content uint32) []byte {
	return binary.LittleEndian.AppendUint32([]byte{byte(word)}, content)
}

func (t *toy) Digest(word int, number uint32) checker.Digest {
	t.mu.Lock()
	defer t.mu.Unlock()
	return checker.DigestOf(toyContent(word, t.things[word][number]))
}

func (t *toy) Contents(word int, number uint32, known func(checker.Digest) bool,
	tell func(checker.Digest, []byte)) {
	d := t.Digest(word, number)
	if t.mu.Lock(); !known(d) {
		tell(d, toyContent(word, t.things[word][number]))
	}
	t.mu.Unlock()
}

func (t *toy) Number(word int, d checker.Digest,
	find func(checker.Digest) ([]byte, bool)) (uint32, error) {
	b, err := checker.CheckContent(d, find)
	if err != nil {
		return 0, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.number(word, binary.LittleEndian.Uint32(b[1:])), nil
}

func (t *toy) Shown() (s checker.Shown) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for name := range t.seen {
		s.Seen = append(s.Seen, name)
	}
	slices.Sort(s.Seen)
	s.Witnesses = map[string]string{}
	for key, value := range t.first {
		s.Witnesses[key] = value
	}
	return s
}

func (t *toy) Learn(s checker.Shown) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for key, value := range s.Witnesses {
		if had := t.first[key]; had != "" && had != value {
			return false
		}
	}
	for key, value := range s.Witnesses {
		t.first[key] = value
	}
	for _, name := range s.Seen {
		t.seen[name] = true
	}
	return true
}

func (t *toy) Met(steps, _ int) (newSteps, newStates []checker.Digest) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.steps[steps:]), nil
}

func (t *toy) Ended() error { return nil }
