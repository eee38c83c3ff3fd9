package level

import "github.com/domino-check/domino/checker"

// prints is a set of fingerprints, each with a number: open addressing, at most three quarters
// full. A fingerprint is a sum of hashes, so its bits are as good as those of another hash.
type prints struct {
	slots  []checker.Digest // zero = empty
	values []uint32         // nil when nobody asks for numbers
	count  int
	zero   bool // the fingerprint zero is there
	first  uint32
	sum    checker.Digest
}

// newPrints is an empty set, with numbers or without.
func newPrints(numbered bool) *prints {
	p := &prints{slots: make([]checker.Digest, 64)}
	if numbered {
		p.values = make([]uint32, 64)
	}
	return p
}

// home is the slot where the search for a fingerprint begins. The first bits are those of the
// partition, so the last ones count.
func (p *prints) home(d checker.Digest) int { return int(d.Lo) & (len(p.slots) - 1) }

// place is the slot of a fingerprint, or the empty one where it belongs.
func (p *prints) place(d checker.Digest) (i int, there bool) {
	for i = p.home(d); ; i = (i + 1) & (len(p.slots) - 1) {
		switch p.slots[i] {
		case d:
			return i, true
		case checker.Digest{}:
			return i, false
		}
	}
}

// has reports whether a fingerprint is there.
func (p *prints) has(d checker.Digest) bool {
	if d == (checker.Digest{}) {
		return p.zero
	}
	_, there := p.place(d)
	return there
}

// add adds a fingerprint with a number, unless it is there: then it returns the number that it has.
func (p *prints) add(d checker.Digest, value uint32) (known uint32, fresh bool) {
	if d == (checker.Digest{}) {
		if !p.zero {
			p.zero, p.first, fresh = true, value, true
			p.count++
		}
		return p.first, fresh
	}
	i, there := p.place(d)
	if there {
		if p.values != nil {
			known = p.values[i]
		}
		return known, false
	}
	p.slots[i], p.sum = d, p.sum.Add(d)
	if p.values != nil {
		p.values[i] = value
	}
	if p.count++; 4*p.count > 3*len(p.slots) {
		p.grow()
	}
	return value, true
}

// grow makes room for as many again.
func (p *prints) grow() {
	slots, values := p.slots, p.values
	p.slots = make([]checker.Digest, 2*len(slots))
	if values != nil {
		p.values = make([]uint32, 2*len(slots))
	}
	for from, d := range slots {
		if d == (checker.Digest{}) {
			continue
		}
		i, _ := p.place(d)
		if p.slots[i] = d; values != nil {
			p.values[i] = values[from]
		}
	}
}

// all visits the fingerprints in no order.
func (p *prints) all(visit func(checker.Digest)) {
	if p.zero {
		visit(checker.Digest{})
	}
	for _, d := range p.slots {
		if d != (checker.Digest{}) {
			visit(d)
		}
	}
}

// clear empties the set; it keeps its memory.
func (p *prints) clear() {
	clear(p.slots)
	p.count, p.zero, p.sum = 0, false, checker.Digest{}
}

// bytes is what the set takes.
func (p *prints) bytes() int64 {
	return int64(len(p.slots))*checker.DigestBytes + int64(len(p.values))*4
}

// tally is how many fingerprints there are, and their sum: two sets that have the same one are
// taken for equal.
type tally struct {
	Count int
	Sum   checker.Digest
}

func (t *tally) add(d checker.Digest) { t.Count, t.Sum = t.Count+1, t.Sum.Add(d) }

func (t *tally) join(u tally) { t.Count, t.Sum = t.Count+u.Count, t.Sum.Add(u.Sum) }

func (p *prints) tally() tally { return tally{p.count, p.sum} }
