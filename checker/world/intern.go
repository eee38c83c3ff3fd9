package world

import "math/bits"

// table maps pairs of numbers to a number: open addressing, no deletion, no allocation on a hit.
type table struct {
	keys   []uint64 // key+1; 0 = empty
	values []uint32
	count  int
}

func pair(a, b uint32) uint64 { return uint64(a)<<32 | uint64(b) }

func (t *table) get(key uint64) (uint32, bool) {
	if t.count == 0 {
		return 0, false
	}
	i, found := t.find(key)
	return t.values[i], found
}

func (t *table) find(key uint64) (int, bool) {
	mask := uint64(len(t.keys) - 1)
	hi, lo := bits.Mul64(key+1, 0x9e3779b97f4a7c15)
	for i := (hi ^ lo) & mask; ; i = (i + 1) & mask {
		switch t.keys[i] {
		case key + 1:
			return int(i), true
		case 0:
			return int(i), false
		}
	}
}

func (t *table) put(key uint64, value uint32) {
	if t.count*2 >= len(t.keys) {
		old := *t
		size := max(64, 2*len(old.keys))
		*t = table{keys: make([]uint64, size), values: make([]uint32, size)}
		for i, k := range old.keys {
			if k != 0 {
				t.put(k-1, old.values[i])
			}
		}
	}
	i, found := t.find(key)
	if !found {
		t.count++
	}
	t.keys[i], t.values[i] = key+1, value
}

// interner numbers distinct byte strings; number 0 is the first one that was interned.
type interner struct {
	numbers map[string]uint32
	content int64 // bytes of all strings
}

func (n *interner) number(content []byte) (number uint32, fresh bool) {
	if number, ok := n.numbers[string(content)]; ok {
		return number, false
	}
	if n.numbers == nil {
		n.numbers = map[string]uint32{}
	}
	number = uint32(len(n.numbers))
	n.numbers[string(content)] = number
	n.content += int64(len(content))
	return number, true
}
