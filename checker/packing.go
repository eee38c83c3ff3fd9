package checker

import (
	"errors"
	"iter"
	"math/bits"
	"slices"
)

// Packing turns states into codes and codes into states, one to one. Each word of a vector is a
// dense number, so it gets as many bits as its largest value so far needs, and a part of those that
// are to spare. A value that needs more makes the packing too narrow: Widened is the next one.
//
// Vectors for which the bits of a code do not suffice are folded first: a few neighbouring words
// together become one dense number, a node, and again nodes until the code has room. A packing does
// not change but for its nodes; it is safe for concurrent use.
type Packing struct {
	words  int
	fields []field // of what lies on top: the words, or the nodes of the last layer
	layers [][]group
	bits   int
}

// group is one word on top of a layer: the node of the words [from, to) below it. A word alone
// stays what it is.
type group struct {
	from, to int
	nodes    *nodes
}

// NewPacking is one for states of so many words, of which nothing is known.
func NewPacking(words int) *Packing {
	p := &Packing{words: words}
	p.assign(make([]uint32, words))
	return p
}

// Bits is how many bits the codes have.
func (p *Packing) Bits() int { return p.bits }

// Folded reports whether codes are made of nodes.
func (p *Packing) Folded() bool { return len(p.layers) > 0 }

// Encode is the code of a state; ok says that the packing has room for it.
func (p *Packing) Encode(state []uint32) (c Code, ok bool) {
	ok = true
	if !p.Folded() {
		for i, value := range state {
			f := &p.fields[i]
			ok = ok && value <= f.max
			f.flip(&c, value)
		}
		return c, ok
	}
	for i := range p.fields {
		value := p.fold(len(p.layers), i, state)
		ok = ok && value <= p.fields[i].max
		p.fields[i].flip(&c, value)
	}
	return c, ok
}

// Decode writes the state of a code into a vector.
func (p *Packing) Decode(c Code, state []uint32) {
	if !p.Folded() {
		for i := range p.fields {
			state[i] = p.fields[i].of(c)
		}
		return
	}
	for i := range p.fields {
		p.unfold(len(p.layers), i, p.fields[i].of(c), state)
	}
}

// fold is a word above so many layers.
func (p *Packing) fold(layers, word int, state []uint32) uint32 {
	if layers == 0 {
		return state[word]
	}
	g := &p.layers[layers-1][word]
	if g.nodes == nil {
		return p.fold(layers-1, g.from, state)
	}
	var key tuple
	for i := g.from; i < g.to; i++ {
		key[i-g.from] = p.fold(layers-1, i, state)
	}
	return g.nodes.number(key)
}

// unfold writes the words that a word above so many layers stands for.
func (p *Packing) unfold(layers, word int, value uint32, state []uint32) {
	if layers == 0 {
		state[word] = value
		return
	}
	g := &p.layers[layers-1][word]
	if g.nodes == nil {
		p.unfold(layers-1, g.from, value, state)
		return
	}
	key := g.nodes.at(value)
	for i := g.from; i < g.to; i++ {
		p.unfold(layers-1, i, key[i-g.from], state)
	}
}

// above is the word on top that has a word of the vector below it.
func (p *Packing) above(word int) int {
	for _, layer := range p.layers {
		word = slices.IndexFunc(layer, func(g group) bool { return word < g.to })
	}
	return word
}

// Widened is a packing with room for the given states, which are all that are of interest.
func (p *Packing) Widened(states iter.Seq[[]uint32]) *Packing {
	q := &Packing{words: p.words, layers: slices.Clone(p.layers)}
	for {
		seen := make([]uint32, q.tops())
		for state := range states {
			for i := range seen {
				seen[i] |= q.fold(len(q.layers), i, state)
			}
		}
		if q.assign(seen) {
			return q
		}
		q.addLayer()
	}
}

// tops is how many words lie on top.
func (p *Packing) tops() int {
	if n := len(p.layers); n > 0 {
		return len(p.layers[n-1])
	}
	return p.words
}

// addLayer folds what lies on top, in groups of about the same size.
func (p *Packing) addLayer() {
	words := p.tops()
	layer := make([]group, (words+len(tuple{})-1)/len(tuple{}))
	for i := range layer {
		g := group{from: i * words / len(layer), to: (i + 1) * words / len(layer)}
		if g.to-g.from > 1 {
			g.nodes = newNodes()
		}
		layer[i] = g
	}
	p.layers = append(p.layers, layer)
}

// assign gives each word on top a width, from all bits that were seen set in it; it reports whether
// there is room. Word 0 comes first, so that codes are ordered as vectors.
func (p *Packing) assign(seen []uint32) bool {
	widths := make([]int, len(seen))
	need := 0
	for i, value := range seen {
		widths[i] = bits.Len32(value)
		need += widths[i]
	}
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

// place makes the fields from their widths.
func (p *Packing) place(widths []int) {
	p.fields, p.bits = make([]field, len(widths)), 0
	for i := len(widths) - 1; i >= 0; i-- {
		p.fields[i] = newField(p.bits, widths[i])
		p.bits += widths[i]
	}
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

// Bytes is the size of the nodes.
func (p *Packing) Bytes() (total int64) {
	for _, layer := range p.layers {
		for i := range layer {
			total += layer[i].nodes.bytes()
		}
	}
	return total
}

// Save makes the packing a list of words, Restored a packing of such a list.
func (p *Packing) Save() []uint32 {
	list := []uint32{uint32(len(p.layers))}
	for _, layer := range p.layers {
		for i := range layer {
			if layer[i].nodes != nil {
				list = layer[i].nodes.save(list)
			}
		}
	}
	for i := range p.fields {
		list = append(list, uint32(p.fields[i].width()))
	}
	return list
}

var errPacking = errors.New("the packing of the states makes no sense")

// Restored is the packing that was saved as a list, of states of so many words.
func Restored(words int, list []uint32) (*Packing, error) {
	p := &Packing{words: words}
	if len(list) == 0 || list[0] > 32 {
		return nil, errPacking
	}
	layers, list := list[0], list[1:]
	for range layers {
		p.addLayer()
		for _, g := range p.layers[len(p.layers)-1] {
			if g.nodes == nil {
				continue
			}
			if list = g.nodes.restore(list); list == nil {
				return nil, errPacking
			}
		}
	}
	widths := make([]int, p.tops())
	total := 0
	if len(list) != len(widths) {
		return nil, errPacking
	}
	for i, width := range list {
		widths[i] = int(min(width, CodeBits))
		total += widths[i]
	}
	if total > CodeBits || slices.ContainsFunc(widths, func(w int) bool { return w > 32 }) {
		return nil, errPacking
	}
	p.place(widths)
	return p, nil
}
