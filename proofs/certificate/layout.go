package certificate

import "slices"

// layout packs a state into a few numbers of 64 bits, so that states are ordered as these are.
type layout struct {
	fields []place
	stride int // numbers a state
}

// place is where a word lies.
type place struct {
	number int
	shift  uint8
	limit  uint32 // values that it has
}

// newLayout is one for words of so many values each.
func newLayout(counts []int) *layout {
	l := &layout{stride: 1}
	left := 64
	for _, n := range counts {
		bits := width(n)
		if bits > left {
			l.stride, left = l.stride+1, 64
		}
		left -= bits
		l.fields = append(l.fields, place{l.stride - 1, uint8(left), uint32(n)})
	}
	return l
}

// pack writes a state into numbers; ok says that each word has such a value.
func (l *layout) pack(state []uint32, numbers []uint64) (ok bool) {
	clear(numbers)
	ok = true
	for i := range l.fields {
		f := &l.fields[i]
		numbers[f.number] |= uint64(state[i]) << f.shift
		ok = ok && state[i] < f.limit
	}
	return ok
}

// unpack writes the state of numbers.
func (l *layout) unpack(numbers []uint64, state []uint32) {
	for i := range l.fields {
		f := &l.fields[i]
		state[i] = uint32(numbers[f.number]>>f.shift) & (1<<width(int(f.limit)) - 1)
	}
}

// sort sorts states in place, number by number and in each byte by byte, the first ones first.
func (l *layout) sort(data []uint64) { l.sortFrom(data, 0) }

// fewStates are sorted by comparison.
const fewStates = 32

func (l *layout) sortFrom(data []uint64, digit int) {
	n := len(data) / l.stride
	if n <= fewStates {
		l.insertionSort(data)
		return
	}
	for ; digit < 8*l.stride; digit++ {
		ends := l.distribute(data, digit)
		if ends == nil {
			continue // all have the same one
		}
		from := 0
		for _, to := range ends {
			if to-from > 1 {
				l.sortFrom(data[from*l.stride:to*l.stride], digit+1)
			}
			from = to
		}
		return
	}
}

// distribute puts states into an order by a digit, and returns where each value of it ends; nil
// when there is only one value.
func (l *layout) distribute(data []uint64, digit int) []int {
	s, number, shift := l.stride, digit/8, 56-8*(digit%8)
	of := func(i int) int { return int(data[i*s+number] >> shift & 255) }
	var next, ends [256]int
	n := len(data) / s
	for i := range n {
		ends[of(i)]++
	}
	if ends[of(0)] == n {
		return nil
	}
	for b, sum := 0, 0; b < 256; b++ {
		next[b] = sum
		sum += ends[b]
		ends[b] = sum
	}
	for b := range 256 {
		for next[b] < ends[b] {
			i := next[b]
			to := of(i)
			if to != b {
				j := next[to]
				for k := range s {
					data[i*s+k], data[j*s+k] = data[j*s+k], data[i*s+k]
				}
			}
			next[to]++
		}
	}
	return ends[:]
}

func (l *layout) insertionSort(data []uint64) {
	s := l.stride
	for i := s; i < len(data); i += s {
		for j := i; j > 0 && slices.Compare(data[j:j+s], data[j-s:j]) < 0; j -= s {
			for k := range s {
				data[j+k], data[j-s+k] = data[j-s+k], data[j+k]
			}
		}
	}
}
