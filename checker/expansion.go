package checker

import (
	"iter"
	"slices"
)

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
	// Complete, unless it is nil, is told the code of each successor when it is complete, so that
	// what is known of it can be fetched while the next ones are made.
	Complete func(successor int, c Code)

	packing *Packing // nil = states have no codes
	fields  []field  // of the words, nil when they are not what codes are made of
	tops    []int    // with nodes: the field of each word
	base    []uint32 // the state that is expanded
	code    Code     // its code
	coded   bool     // see Coded
	narrow  bool     // some value has no room in a code
	now     []uint32 // the successor under construction
	codes   []Code   // of the successors
	deltas  []Delta
	starts  []int // first delta of each successor
	marked  bool  // see Mark
	mark    Delta
}

// Delta is one word that changes.
type Delta struct {
	Word  int
	Value uint32
}

// NewExpansion is empty, for states of so many words.
func NewExpansion(words int) *Expansion {
	return &Expansion{base: make([]uint32, words), now: make([]uint32, words)}
}

// Pack makes the expansion give the states codes of the packing, from the next Begin on.
func (x *Expansion) Pack(p *Packing) {
	if x.coded = false; x.packing == p {
		return
	}
	x.packing, x.fields, x.tops = p, nil, x.tops[:0]
	if !p.Folded() {
		x.fields = p.fields
		return
	}
	for word := range x.base {
		x.tops = append(x.tops, p.above(word))
	}
}

// Coded says what the code of the state is that Begin gets next, to whom it knows: it need not be
// made then.
func (x *Expansion) Coded(c Code) { x.code, x.coded, x.narrow = c, true, false }

// Begin empties the expansion and makes it that of a copy of the state.
func (x *Expansion) Begin(state []uint32) {
	x.Steps, x.codes, x.deltas, x.starts = x.Steps[:0], x.codes[:0], x.deltas[:0], x.starts[:0]
	x.Reduced, x.LeftOut, x.marked = false, Savings{}, false
	copy(x.base, state)
	copy(x.now, state)
	if x.packing != nil && !x.coded {
		var ok bool
		x.code, ok = x.packing.Encode(state)
		x.narrow = !ok
	}
	x.coded = false
}

// Add begins a successor that is equal to the state so far.
func (x *Expansion) Add(s Step) {
	if n := len(x.starts); n > 0 {
		for _, d := range x.deltas[x.starts[n-1]:] {
			x.now[d.Word] = x.base[d.Word]
		}
		if x.fields != nil {
			x.complete(n - 1)
		}
	}
	x.Steps = append(x.Steps, s)
	x.starts = append(x.starts, len(x.deltas))
	x.codes = append(x.codes, x.code)
	if x.marked {
		x.Set(x.mark.Word, x.mark.Value)
	}
}

// complete hands a code over.
func (x *Expansion) complete(i int) {
	if x.Complete != nil {
		x.Complete(i, x.codes[i])
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
	if x.fields != nil {
		code := &x.codes[len(x.codes)-1]
		if f := &x.fields[word]; before|value <= f.max {
			f.flip(code, before^value)
		} else if !x.packing.flip(code, word, before^value, value) {
			x.narrow = true
		}
	}
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

// Code is that of the state that is expanded.
func (x *Expansion) Code() Code { return x.code }

// Codes are those of the successors, in the order of the steps; they are valid until the next
// Begin. Without ok the packing has no room for some of the states, and the codes are of no use.
func (x *Expansion) Codes() (codes []Code, ok bool) {
	if x.fields == nil {
		for i := range x.codes {
			x.codes[i] = x.folded(i)
			x.complete(i)
		}
	} else if n := len(x.codes); n > 0 {
		x.complete(n - 1)
	}
	return x.codes, !x.narrow
}

// folded is the code of a successor that is made of nodes: only those above a word that changes are
// other ones.
func (x *Expansion) folded(i int) Code {
	c, deltas := x.code, x.Deltas(i)
	copy(x.now, x.base)
	for _, d := range deltas {
		x.now[d.Word] = d.Value
	}
	for j, d := range deltas {
		top := x.tops[d.Word]
		if slices.ContainsFunc(deltas[:j], func(e Delta) bool { return x.tops[e.Word] == top }) {
			continue
		}
		value := x.packing.fold(len(x.packing.layers), top, x.now)
		if !x.packing.flip(&c, top, x.packing.of(x.code, top)^value, value) {
			x.narrow = true
		}
	}
	return c
}

// States are the state that is expanded, its successors, and what these were on the way: all for
// which a packing must have room. A vector is valid until the next one.
func (x *Expansion) States() iter.Seq[[]uint32] {
	return func(yield func([]uint32) bool) {
		if !yield(x.base) {
			return
		}
		var state []uint32
		for i := range x.Steps {
			state = append(state[:0], x.base...)
			for _, d := range x.Deltas(i) {
				if state[d.Word] = d.Value; !yield(state) {
					return
				}
			}
		}
	}
}

// Progress reports whether some step of the expansion is not a fault.
func (x *Expansion) Progress() bool {
	for i := range x.Steps {
		if !x.Steps[i].Fault {
			return true
		}
	}
	return false
}
