package checker

import (
	"iter"
	"math/bits"
	"slices"
)

// Widened is a packing with room for the given states, which are all that are of interest.
func (p *Packing) Widened(states iter.Seq[[]uint32]) *Packing {
	q := &Packing{words: p.words, layers: slices.Clone(p.layers)}
	for {
		seen := make([]uint32, q.tops())
		q.see(seen, states)
		if q.assign(seen) {
			return q
		}
		q.addLayer()
	}
}

// Extended is a packing with room for the given states, too, in which every state that has a code
// of none but the used bits keeps it: words that need more bits get some that were to spare in
// others, wherever they lie. It is nil when there are too few. Nobody may use this packing any
// more.
func (p *Packing) Extended(used Code, states iter.Seq[[]uint32]) *Packing {
	seen := make([]uint32, len(p.places))
	for i := range seen {
		seen[i] = p.of(used, i)
	}
	p.see(seen, states)
	need, total := needs(seen)
	if total > p.room() {
		return nil
	}
	want := slices.Clone(need)
	spare(want, p.room()-total)
	q := &Packing{words: p.words, layers: p.layers}
	for _, places := range p.places {
		q.places = append(q.places, slices.Clone(places))
	}
	free := q.unowned()
	for i := range q.places {
		for len(q.places[i]) < need[i] || len(q.places[i]) < want[i] && need[i] > len(p.places[i]) {
			if len(free) == 0 {
				free = append(free, q.cede(need, want))
			}
			q.places[i] = append(q.places[i], free[0])
			free = free[1:]
		}
	}
	q.settle()
	return q
}

// room is how many bits codes may have without taking more room in a table.
func (p *Packing) room() int {
	if p.bits > NarrowBits {
		return CodeBits
	}
	return NarrowBits
}

// unowned are the places in which no word has a bit.
func (p *Packing) unowned() (free []uint8) {
	for i := range p.room() {
		if !slices.ContainsFunc(p.places, func(places []uint8) bool {
			return slices.Contains(places, uint8(i))
		}) {
			free = append(free, uint8(i))
		}
	}
	return free
}

// cede takes the last bit, which is not used, from the word that has the most to spare.
func (p *Packing) cede(need, want []int) uint8 {
	best := -1
	for i, places := range p.places {
		if len(places) > need[i] &&
			(best < 0 || len(places)-want[i] > len(p.places[best])-want[best]) {
			best = i
		}
	}
	last := len(p.places[best]) - 1
	place := p.places[best][last]
	p.places[best] = p.places[best][:last]
	return place
}

// see notes all bits that states have set in the words on top.
func (p *Packing) see(seen []uint32, states iter.Seq[[]uint32]) {
	for state := range states {
		for i := range seen {
			seen[i] |= p.fold(len(p.layers), i, state)
		}
	}
}

// needs are how many bits words need, and how many all do.
func needs(seen []uint32) (need []int, total int) {
	for _, value := range seen {
		need = append(need, bits.Len32(value))
		total += bits.Len32(value)
	}
	return need, total
}

// assign gives each word on top a width, from all bits that were seen set in it; it reports whether
// there is room. Word 0 comes first, so that codes are ordered as vectors.
func (p *Packing) assign(seen []uint32) bool {
	widths, need := needs(seen)
	switch {
	case need > CodeBits:
		return false
	case need > NarrowBits:
		spare(widths, CodeBits-need)
	default:
		spare(widths, NarrowBits-need)
	}
	p.place(widths)
	return true
}

// NarrowBits is up to how many bits codes take half the room in a table.
const NarrowBits = 67

// spare shares bits out among the words, in proportion to what they need: a word with large numbers
// is the next to get larger ones.
func spare(widths []int, rest int) {
	need := slices.Clone(widths)
	for ; rest > 0; rest-- {
		best := -1
		for i := range widths {
			if widths[i] < 32 && (best < 0 || (widths[i]-need[i]+1)*(need[best]+1) <
				(widths[best]-need[best]+1)*(need[i]+1)) {
				best = i
			}
		}
		if best < 0 {
			return
		}
		widths[best]++
	}
}
