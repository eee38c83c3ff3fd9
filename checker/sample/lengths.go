package sample

// Lengths is what earlier runs tell of the length of the next one.
type Lengths struct {
	lengths [][]int        // by faults that struck, by proc: the longest history
	codes   map[uint64]int // how often the first run, which has no faults, took each code
}

// Length is how long the history of a proc gets in a run in which so many faults strike, 0 when
// nothing is known yet. Where only runs with fewer faults are known, each further one is taken to
// double it: at worst a recovery repeats everything.
func (e *Lengths) Length(struck, proc int) int {
	for n := min(struck, len(e.lengths)-1); n >= 0; n-- {
		if l := e.lengths[n]; proc < len(l) && l[proc] > 0 {
			return l[proc] << min(struck-n, 8)
		}
	}
	return 0
}

// Code is how often the first run took steps with the code.
func (e *Lengths) Code(code uint64) int { return e.codes[code] }

// note learns from a run that came to its end.
func (e *Lengths) note(struck int, taken []int) {
	for len(e.lengths) <= struck {
		e.lengths = append(e.lengths, nil)
	}
	l := &e.lengths[struck]
	for p, n := range taken {
		if p == len(*l) {
			*l = append(*l, 0)
		}
		(*l)[p] = max((*l)[p], n)
	}
}
