package kernels

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// leanmd is a periodic grid of cells with a compute object for every pair of cells that are near
// each other. In a step a cell sends its particles down the tree of the ranks that have its
// computes, and gets the sum of their contributions back up. This is its form that sends messages:
// everybody acts on arrival, so what is sent when depends on the order of arrivals: piecewise
// deterministic, but not send-deterministic. See leanGroups for the other one.
type leanmd struct {
	grid     [3]int
	ranks    int
	steps    int
	words    int // of data in a message, behind its head
	members  []leanMember
	slot     map[int]int // of a cell in members
	computes []leanPair
}

// leanMember is a cell whose group the rank is in.
type leanMember struct {
	cell     int
	root     bool
	size     int // of the group
	parent   int
	children []int
	own      int   // contributions of computes at the rank
	pairs    []int // those computes
}

// leanPair is a compute: the slots of its two cells.
type leanPair struct{ a, c int }

// Kinds of messages; the first word holds kind, cell and step.
const (
	leanDown = iota
	leanUp
	leanFace
)

const leanFaceBytes = 64

// The counts: a digest of what was not expected, then for each member what follows, then what is to
// be sent: receiver, kind, slot, 0; of a face receiver, kind and the cell that it is for, exchange,
// value.
const (
	leanStep    = iota // that its data are of; -1 before the first
	leanWaiting        // contributions that are missing; at the root -1 while it waits for faces
	// how many faces have come for the present and the next exchange, by its number modulo 2
	leanFaces
	leanSums = leanFaces + 2
	leanHead = leanSums + 2 // data and sum follow
)

func (k *leanmd) member(n *core.Numbers, slot int) []int64 {
	size := leanHead + 2*k.words
	return n.Counts[1+slot*size:][:size]
}
func (k *leanmd) data(n *core.Numbers, slot int) []int64 {
	return k.member(n, slot)[leanHead:][:k.words]
}
func (k *leanmd) sum(n *core.Numbers, slot int) []int64 {
	return k.member(n, slot)[leanHead+k.words:]
}
func (k *leanmd) outbox(n *core.Numbers) []int64 {
	return n.Counts[1+len(k.members)*(leanHead+2*k.words):]
}

func (k *leanmd) Begin() core.Numbers {
	n := k.zero()
	for s := range k.members {
		k.member(&n, s)[leanStep] = -1
	}
	for s, m := range k.members {
		if m.root {
			k.initial(&n, s)
			k.begin(&n, s)
		}
	}
	return n
}

// zero is the state with all numbers zero, and nothing to be sent.
func (k *leanmd) zero() core.Numbers {
	return core.Numbers{Counts: make([]int64, 1+len(k.members)*(leanHead+2*k.words))}
}

// initial puts the data of a cell at its root in place.
func (k *leanmd) initial(n *core.Numbers, slot int) {
	m := &k.members[slot]
	for i := range k.words {
		if m.root {
			k.data(n, slot)[i] = int64(core.Mix(uint64(m.cell)<<32 + uint64(i)))
		}
	}
}

func (k *leanmd) put(n *core.Numbers, to, kind, slot int) {
	n.Counts = append(n.Counts, int64(to), int64(kind), int64(slot), 0)
}

// begin starts the next step of a cell at its root.
func (k *leanmd) begin(n *core.Numbers, slot int) {
	if m := k.member(n, slot); int(m[leanStep])+1 < k.steps {
		m[leanStep]++
		k.arrived(n, slot)
	}
}

// arrived goes on when the data of a step are here.
func (k *leanmd) arrived(n *core.Numbers, slot int) {
	m := &k.members[slot]
	clear(k.sum(n, slot))
	k.member(n, slot)[leanWaiting] = int64(len(m.children) + m.own)
	for _, to := range m.children {
		k.put(n, to, leanDown, slot)
	}
	step := k.member(n, slot)[leanStep]
	for _, p := range m.pairs {
		pair := k.computes[p]
		if k.member(n, pair.a)[leanStep] == step && k.member(n, pair.c)[leanStep] == step {
			k.fire(n, pair)
		}
	}
}

// fire carries out a compute and contributes to the sums of its cells.
func (k *leanmd) fire(n *core.Numbers, pair leanPair) {
	k.force(n, pair)
	k.contributed(n, pair.a)
	if pair.a != pair.c {
		k.contributed(n, pair.c)
	}
}

// force adds what a compute makes of the data of its cells to their sums.
func (k *leanmd) force(n *core.Numbers, pair leanPair) {
	a, c := k.data(n, pair.a), k.data(n, pair.c)
	for i := range k.words {
		f := int64(core.Mix(uint64(a[i])*3 + uint64(c[i])))
		k.sum(n, pair.a)[i] += f
		if pair.a != pair.c {
			k.sum(n, pair.c)[i] += f ^ 0x55
		}
	}
}

// contributed counts a contribution; with the last one the sum goes up, or at the root the step
// ends.
func (k *leanmd) contributed(n *core.Numbers, slot int) {
	m := k.member(n, slot)
	if m[leanWaiting]--; m[leanWaiting] > 0 {
		return
	}
	if !k.members[slot].root {
		k.put(n, k.members[slot].parent, leanUp, slot)
		return
	}
	for i, s := range k.sum(n, slot) {
		k.data(n, slot)[i] = int64(core.Mix(uint64(k.data(n, slot)[i]) + uint64(s)))
	}
	if (m[leanStep]+1)%10 != 0 {
		k.begin(n, slot)
		return
	}
	exchange, value := k.exchange(n, slot), k.data(n, slot)[0]
	for _, cell := range k.neighbours(k.members[slot].cell) {
		if to, ok := k.slot[cell]; ok && k.members[to].root {
			k.faced(n, to, exchange, value)
		} else { // unlike other data these may change before the message leaves
			n.Counts = append(n.Counts, int64(cell%k.ranks), int64(leanFace+cell<<8), exchange,
				value)
		}
	}
	k.member(n, slot)[leanWaiting] = -1 // not m: the counts may have moved
	k.allFaces(n, slot)
}

// exchange is the number of the exchange of faces that a cell is in or comes to next.
func (k *leanmd) exchange(n *core.Numbers, slot int) int64 {
	return (k.member(n, slot)[leanStep] + 1) / 10
}

// faced takes a face for a cell.
func (k *leanmd) faced(n *core.Numbers, slot int, exchange, value int64) {
	m := k.member(n, slot)
	m[leanFaces+exchange%2]++
	m[leanSums+exchange%2] += int64(core.Mix(uint64(value)))
	k.allFaces(n, slot)
}

// allFaces goes on when the six faces of an exchange are here.
func (k *leanmd) allFaces(n *core.Numbers, slot int) {
	m, parity := k.member(n, slot), k.exchange(n, slot)%2
	if m[leanWaiting] != -1 || m[leanFaces+parity] < 6 {
		return
	}
	k.data(n, slot)[0] += m[leanSums+parity]
	m[leanFaces+parity], m[leanSums+parity], m[leanWaiting] = 0, 0, 0
	k.begin(n, slot)
}

// neighbours are the cells across the six faces of a cell.
func (k *leanmd) neighbours(cell int) (list []int) {
	at := [3]int{cell % k.grid[0], cell / k.grid[0] % k.grid[1], cell / (k.grid[0] * k.grid[1])}
	for a := range 3 {
		for _, by := range []int{1, k.grid[a] - 1} {
			other := at
			other[a] = (at[a] + by) % k.grid[a]
			list = append(list, other[0]+k.grid[0]*(other[1]+k.grid[1]*other[2]))
		}
	}
	return list
}

func (k *leanmd) Compute(int, *core.Numbers) {}

func (k *leanmd) Size(_ int, n *core.Numbers) int {
	if k.outbox(n)[1]&0xff == leanFace {
		return leanFaceBytes
	}
	return 8 * (k.words + 1)
}

// Fill writes the first message that waits. The data of a step can not change before they leave:
// who changes them waits for an answer to them.
func (k *leanmd) Fill(_ int, n *core.Numbers, to []byte) {
	out := k.outbox(n)
	kind, cell, slot := int(out[1]&0xff), int(out[1]>>8), int(out[2])
	clear(to)
	var step int64
	switch kind {
	case leanFace:
		step = out[2]
		binary.LittleEndian.PutUint64(to[8:], uint64(out[3]))
	case leanUp:
		step, cell = k.member(n, slot)[leanStep], k.members[slot].cell
		putCounts(k.sum(n, slot), to[8:])
	default:
		step, cell = k.member(n, slot)[leanStep], k.members[slot].cell
		putCounts(k.data(n, slot), to[8:])
	}
	binary.LittleEndian.PutUint64(to, uint64(kind)<<56|uint64(cell)<<32|uint64(step))
	n.Counts = append(n.Counts[:len(n.Counts)-len(out)], out[4:]...)
}

func (k *leanmd) Take(_ int, n *core.Numbers, _ core.Rank, data []byte) {
	head := binary.LittleEndian.Uint64(data)
	kind, cell, step := int(head>>56), int(head>>32&0xffffff), int64(head&0xffffffff)
	slot, ok := k.slot[cell]
	m := n.Counts[:leanHead]
	if ok {
		m = k.member(n, slot)
	}
	switch {
	case ok && kind == leanDown && step == m[leanStep]+1 && !k.members[slot].root:
		m[leanStep] = step
		for i := range k.words {
			k.data(n, slot)[i] = int64(binary.LittleEndian.Uint64(data[8*i+8:]))
		}
		k.arrived(n, slot)
	case ok && kind == leanUp && step == m[leanStep] && m[leanWaiting] > 0:
		for i := range k.words {
			k.sum(n, slot)[i] += int64(binary.LittleEndian.Uint64(data[8*i+8:]))
		}
		k.contributed(n, slot)
	case ok && kind == leanFace && k.members[slot].root:
		k.faced(n, slot, step, int64(binary.LittleEndian.Uint64(data[8:])))
	default: // stale or twice: it shows in the end
		n.Counts[0] = int64(core.Mix(uint64(n.Counts[0]) + ends(data)))
	}
}

func (k *leanmd) Next(_ int, n *core.Numbers) (core.Rank, bool) {
	if out := k.outbox(n); len(out) > 0 {
		return core.Rank(out[0]), true
	}
	return 0, false
}

// Flushes is what the rank sends in a run, whenever it does: data of every step to its children,
// sums to its parents, and faces after every tenth step.
func (k *leanmd) Flushes(send func(to core.Rank, messages, bytes int64)) {
	steps, bytes, faces := int64(k.steps), int64(8*(k.words+1)), int64(k.steps/10)
	for _, m := range k.members {
		for _, child := range m.children {
			send(core.Rank(child), steps, steps*bytes)
		}
		if !m.root {
			send(core.Rank(m.parent), steps, steps*bytes)
			continue
		}
		for _, cell := range k.neighbours(m.cell) {
			if to := cell % k.ranks; to != m.cell%k.ranks {
				send(core.Rank(to), faces, faces*leanFaceBytes)
			}
		}
	}
}

// receives counts the messages that the rank gets in a run.
func (k *leanmd) receives(rank int) (count int) {
	for _, m := range k.members {
		count += k.steps * len(m.children)
		if !m.root {
			count += k.steps
			continue
		}
		for _, cell := range k.neighbours(m.cell) {
			if cell%k.ranks != rank {
				count += k.steps / 10
			}
		}
	}
	return count
}

// leanShape is what all ranks have in common.
type leanShape struct {
	grid   [3]int
	pairs  [][2]int
	groups [][]int // by cell: the root, then the ranks of its computes
}

func newLeanShape(grid [3]int, reach, ranks int) *leanShape {
	s := &leanShape{grid: grid}
	cells := grid[0] * grid[1] * grid[2]
	at := func(c int) [3]int {
		return [3]int{c % grid[0], c / grid[0] % grid[1], c / (grid[0] * grid[1])}
	}
	near := func(a, c int) bool {
		p, q := at(a), at(c)
		for i := range 3 {
			if d := (p[i] - q[i] + grid[i]) % grid[i]; min(d, grid[i]-d) > reach {
				return false
			}
		}
		return true
	}
	members := make([]map[int]bool, cells)
	for c := range members {
		members[c] = map[int]bool{}
	}
	for a := range cells {
		for c := a; c < cells; c++ {
			if near(a, c) {
				r := len(s.pairs) % ranks
				s.pairs = append(s.pairs, [2]int{a, c})
				members[a][r], members[c][r] = true, true
			}
		}
	}
	for c := range cells {
		root := c % ranks
		delete(members[c], root)
		s.groups = append(s.groups, append([]int{root}, slices.Sorted(maps.Keys(members[c]))...))
	}
	return s
}

// at makes the part of one rank.
func (s *leanShape) at(rank, ranks, arity, words, steps int) *leanmd {
	k := &leanmd{grid: s.grid, ranks: ranks, steps: steps, words: words, slot: map[int]int{}}
	for cell, group := range s.groups {
		p := slices.Index(group, rank)
		if p < 0 {
			continue
		}
		m := leanMember{cell: cell, root: p == 0, size: len(group),
			parent: group[max(p-1, 0)/arity]}
		for c := arity*p + 1; c <= arity*p+arity && c < len(group); c++ {
			m.children = append(m.children, group[c])
		}
		k.slot[cell] = len(k.members)
		k.members = append(k.members, m)
	}
	for i := rank; i < len(s.pairs); i += ranks {
		pair := leanPair{k.slot[s.pairs[i][0]], k.slot[s.pairs[i][1]]}
		for _, slot := range slices.Compact([]int{pair.a, pair.c}) {
			k.members[slot].own++
			k.members[slot].pairs = append(k.members[slot].pairs, len(k.computes))
		}
		k.computes = append(k.computes, pair)
	}
	return k
}

func buildLeanMD(c *config) error {
	grid := [3]int{c.of("cx"), c.of("cy"), c.of("cz")}
	cells, steps, bytes := grid[0]*grid[1]*grid[2], c.of("iterations"), c.of("size")
	if bytes%8 != 0 {
		return fmt.Errorf("size=%d, want a multiple of 8", bytes)
	}
	groups, most := c.choices["form"] == "groups", 1<<14
	if groups {
		most = core.MaxGroups
	}
	if cells > most {
		return fmt.Errorf("%d cells, want at most %d", cells, most)
	}
	shape := newLeanShape(grid, c.of("reach"), c.ranks)
	if groups {
		shape.writeGroups(c, bytes/8-1, steps)
		return nil
	}
	c.each(func(rank int) core.Kernel {
		return shape.at(rank, c.ranks, c.of("arity"), bytes/8-1, steps)
	}, func(w *writer) {
		flush := core.Op{Kind: core.OpFlush}
		w.add(flush)
		w.loop(w.ops[0].Kernel.(*leanmd).receives(w.rank), func() {
			w.add(core.Op{Kind: core.OpRecv, Any: true})
			w.add(flush)
		})
	})
	return nil
}
