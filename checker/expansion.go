package checker

// Step is one transition out of a state.
type Step struct {
	// Code names the event among all that are enabled in the state, reduced or not; an event that
	// is independent of the ones between keeps its code in later states.
	Code      uint64
	Violation int  // number of a violation that the transition shows, 0 for none
	Fault     bool // made by the environment and not required to happen: it is no progress
}

// Expansion holds the successors of one state, each as the words in which it differs. Use: Begin,
// then for each successor Add and any number of Set.
type Expansion struct {
	Steps []Step
	// Reduced says that other steps are enabled but left out: they stay enabled in the successors.
	// The system promises that no cycle of states consists of reduced ones, or an event could be
	// put off for ever.
	Reduced bool
	LeftOut Savings // steps that are left out here because a successor has one to the same state

	mixers Mixers
	base   []uint32 // the state that is expanded
	print  Fingerprint
	now    []uint32 // the successor under construction
	prints []Fingerprint
	deltas []Delta
	starts []int // first delta of each successor
	marked bool  // see Mark
	mark   Delta
}

// Delta is one word that changes.
type Delta struct {
	Word  int
	Value uint32
}

// NewExpansion is empty, for states of so many words.
func NewExpansion(words int) *Expansion {
	return &Expansion{mixers: NewMixers(words), base: make([]uint32, words),
		now: make([]uint32, words)}
}

// Begin empties the expansion and makes it that of a copy of the state.
func (x *Expansion) Begin(state []uint32) {
	x.Steps, x.prints, x.deltas, x.starts = x.Steps[:0], x.prints[:0], x.deltas[:0], x.starts[:0]
	x.Reduced, x.LeftOut, x.marked = false, Savings{}, false
	copy(x.base, state)
	copy(x.now, state)
	x.print = x.mixers.Fingerprint(state)
}

// Add begins a successor that is equal to the state so far.
func (x *Expansion) Add(s Step) {
	if n := len(x.starts); n > 0 {
		for _, d := range x.deltas[x.starts[n-1]:] {
			x.now[d.Word] = x.base[d.Word]
		}
	}
	x.Steps = append(x.Steps, s)
	x.starts = append(x.starts, len(x.deltas))
	x.prints = append(x.prints, x.print)
	if x.marked {
		x.Set(x.mark.Word, x.mark.Value)
	}
}

// Mark changes a word of every successor that is added from now on.
func (x *Expansion) Mark(word int, value uint32) {
	x.mark, x.marked = Delta{word, value}, true
}

// At is a word of the successor that was added last.
func (x *Expansion) At(word int) uint32 { return x.now[word] }

// Set changes a word of the successor that was added last.
func (x *Expansion) Set(word int, value uint32) {
	before := x.now[word]
	if before == value {
		return
	}
	x.now[word] = value
	x.deltas = append(x.deltas, Delta{word, value})
	m, p := &x.mixers[word], &x.prints[len(x.prints)-1]
	hi, lo := m.mix(before)
	p.Hi, p.Lo = p.Hi-hi, p.Lo-lo
	hi, lo = m.mix(value)
	p.Hi, p.Lo = p.Hi+hi, p.Lo+lo
}

// Now is the successor that was added last; it is valid until the next Add.
func (x *Expansion) Now() []uint32 { return x.now }

// State appends successor i to the buffer.
func (x *Expansion) State(i int, buf []uint32) []uint32 {
	n := len(buf)
	buf = append(buf, x.base...)
	for _, d := range x.Deltas(i) {
		buf[n+d.Word] = d.Value
	}
	return buf
}

// Deltas are the words in which successor i differs, the latest value last; they are valid until
// the next Begin.
func (x *Expansion) Deltas(i int) []Delta {
	end := len(x.deltas)
	if i+1 < len(x.starts) {
		end = x.starts[i+1]
	}
	return x.deltas[x.starts[i]:end]
}

// Print is the fingerprint of the state that is expanded.
func (x *Expansion) Print() Fingerprint { return x.print }

// Prints are the fingerprints of the successors, in the order of the steps; they are valid until
// the next Begin.
func (x *Expansion) Prints() []Fingerprint { return x.prints }

// Fingerprint is that of any state of the same system.
func (x *Expansion) Fingerprint(state []uint32) Fingerprint { return x.mixers.Fingerprint(state) }

// Progress reports whether some step of the expansion is not a fault.
func (x *Expansion) Progress() bool {
	for i := range x.Steps {
		if !x.Steps[i].Fault {
			return true
		}
	}
	return false
}
