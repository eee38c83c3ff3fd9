package checker

import (
	"errors"
	"math/bits"
	"slices"
)

// Packing turns states into codes and codes into states, one to one. Each word of a vector is a
// dense number, so it gets as many bits as its largest value so far needs, and a part of those that
// are to spare. A value that needs more makes the packing too narrow: Extended, if there is one, or
// Widened is the next one.
//
// Vectors for which the bits of a code do not suffice are folded first: a few neighbouring words
// together become one dense number, a node, and again nodes until the code has room. A packing does
// not change but for its nodes; it is safe for concurrent use.
type Packing struct {
	words  int
	places [][]uint8 // where the bits of what lies on top are: the words, or the last layer's nodes
	fields []field   // the same: the first bits of each
	more   []further // and the bits that do not lie beside those
	layers [][]group
	bits   int
}

// further are bits of a word that do not lie beside those before them.
type further struct {
	top int
	field
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

// Ordered reports whether codes are ordered as vectors.
func (p *Packing) Ordered() bool { return !p.Folded() && len(p.more) == 0 }

// Encode is the code of a state; ok says that the packing has room for it.
func (p *Packing) Encode(state []uint32) (c Code, ok bool) {
	ok = true
	for i := range p.fields {
		value := p.fold(len(p.layers), i, state)
		ok = p.flip(&c, i, value, value) && ok
	}
	return c, ok
}

// flip gives a word on top of a code another value, given the bits in which it differs; it reports
// whether there is room.
func (p *Packing) flip(c *Code, top int, difference, value uint32) bool {
	f := &p.fields[top]
	f.flip(c, difference)
	if max(difference, value) <= f.max {
		return true
	}
	for i := range p.more {
		if p.more[i].top == top {
			p.more[i].flip(c, difference)
		}
	}
	return bits.Len32(value) <= len(p.places[top])
}

// Decode writes the state of a code into a vector.
func (p *Packing) Decode(c Code, state []uint32) {
	if p.Folded() {
		for i := range p.fields {
			p.unfold(len(p.layers), i, p.of(c, i), state)
		}
		return
	}
	for i := range p.fields {
		state[i] = p.fields[i].of(c)
	}
	for i := range p.more {
		state[p.more[i].top] |= p.more[i].of(c)
	}
}

// of is a word on top of a code.
func (p *Packing) of(c Code, top int) uint32 {
	value := p.fields[top].of(c)
	for i := range p.more {
		if p.more[i].top == top {
			value |= p.more[i].of(c)
		}
	}
	return value
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

// place puts words of the widths side by side.
func (p *Packing) place(widths []int) {
	p.places = make([][]uint8, len(widths))
	shift := 0
	for i := len(widths) - 1; i >= 0; i-- {
		for range widths[i] {
			p.places[i] = append(p.places[i], uint8(shift))
			shift++
		}
	}
	p.settle()
}

// settle makes the fields from where the bits lie.
func (p *Packing) settle() {
	p.fields, p.more, p.bits = make([]field, len(p.places)), nil, 0
	for i, places := range p.places {
		for from := 0; from < len(places); {
			to := from + 1
			for to < len(places) && places[to] == places[to-1]+1 {
				to++
			}
			f := newField(from, to-from, int(places[from]))
			if from == 0 {
				p.fields[i] = f
			} else {
				p.more = append(p.more, further{i, f})
			}
			p.bits = max(p.bits, int(places[to-1])+1)
			from = to
		}
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
	for _, places := range p.places {
		list = append(list, uint32(len(places)))
	}
	if len(p.more) > 0 {
		for _, places := range p.places {
			for _, place := range places {
				list = append(list, uint32(place))
			}
		}
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
	if len(list) < len(widths) {
		return nil, errPacking
	}
	total := 0
	for i, width := range list[:len(widths)] {
		widths[i] = int(min(width, CodeBits))
		total += widths[i]
	}
	if total > CodeBits || slices.ContainsFunc(widths, func(w int) bool { return w > 32 }) {
		return nil, errPacking
	}
	p.place(widths)
	switch list = list[len(widths):]; len(list) {
	case 0:
		return p, nil
	case total:
		return p, p.scatter(list)
	}
	return nil, errPacking
}

// scatter puts the bits where a list says.
func (p *Packing) scatter(list []uint32) error {
	var taken [CodeBits]bool
	for _, places := range p.places {
		for i := range places {
			if list[0] >= CodeBits || taken[list[0]] {
				return errPacking
			}
			taken[list[0]] = true
			places[i], list = uint8(list[0]), list[1:]
		}
	}
	p.settle()
	return nil
}
