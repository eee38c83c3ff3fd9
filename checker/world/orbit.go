package world

import (
	"slices"
	"sync"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/impl/core"
)

// Of all states that differ by the names of procs that are alike, an orbit, one stands for them:
//
// Each alike proc has a list of colours, which say what it is to the others and to itself, whatever
// it is called: for each proc that is not alike, the orbit of the pair (configuration of that proc,
// the alike one); and the orbit of its own configuration. A state of the orbit in which the lists
// ascend is found by exchanging neighbours. Any two such states differ by exchanges of procs with
// equal lists; mostly these change nothing, and there is one such state. Otherwise all of them are
// made, and the least one stands for the orbit.
//
// Colours and numbers of configurations are handed out as they are met and never change, so what
// stands for an orbit is the same from the moment when it was asked for first.
//
// All configurations of an orbit are met, and the local steps of all: what does not become less is
// what one proc goes through. So it pays where many states are made of few configurations. One
// worker, depth first (BenchmarkOrbits; AMD EPYC, on a busy machine), all states and orbits:
//
//	                                states              CPU s
//	two-phase commit, resources 5       8,832     314    0.015  0.014
//	                            7     296,448     920    0.29   0.08
//	                            9  10,340,352   2,232   10.4    0.61
//	Paxos, a client, servers    5      39,649   7,505    0.047  0.036
//	                            6     205,825  12,893    0.20   0.14
//	                            7   7,273,825  99,513    6.0    1.2

// colours are the orbits of pairs (configuration of a proc, alike proc), by the proc.
type colours struct {
	swaps []*swap
	alike []core.Proc
	each  []table // by proc: (configuration, index of the alike proc) -> colour
	mu    sync.Mutex
	used  uint32
}

// of is the colour that an alike proc has for the configuration of a proc.
func (c *colours) of(p core.Proc, number uint32, alike int) uint32 {
	if colour, ok := c.each[p].get(pair(uint32(alike), number)); ok {
		return colour
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.each[p].get(pair(0, number)); !ok {
		c.paint(p, number)
	}
	colour, _ := c.each[p].get(pair(uint32(alike), number))
	return colour
}

// node is a configuration of a proc.
type node struct {
	proc   core.Proc
	number uint32
}

// paint gives all pairs with a configuration of the orbit their colours.
func (c *colours) paint(p core.Proc, number uint32) {
	nodes, place := []node{{p, number}}, map[node]int{{p, number}: 0}
	var links [][]int // by node, then swap
	for at := 0; at < len(nodes); at++ {
		n := nodes[at]
		links = append(links, make([]int, len(c.swaps)))
		for i, s := range c.swaps {
			image := node{s.to(n.proc), s.configuration(n.proc, n.number)}
			if _, met := place[image]; !met {
				place[image] = len(nodes)
				nodes = append(nodes, image)
			}
			links[at][i] = place[image]
		}
	}
	k := len(c.alike)
	painted := make([]uint32, len(nodes)*k) // 0 = not yet
	for first := range painted {
		if painted[first] != 0 {
			continue
		}
		c.used++
		painted[first] = c.used
		for todo := []int{first}; len(todo) > 0; {
			from := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for i, s := range c.swaps {
				to := links[from/k][i]*k + slices.Index(c.alike, s.to(c.alike[from%k]))
				if painted[to] == 0 {
					painted[to] = c.used
					todo = append(todo, to)
				}
			}
		}
	}
	// who finds the colour of the first alike proc finds all of them
	for at := len(painted) - 1; at >= 0; at-- {
		n := nodes[at/k]
		c.each[n.proc].put(pair(uint32(at%k), n.number), painted[at])
	}
}

// bytes is about what they take.
func (c *colours) bytes() (total int64) {
	for i := range c.each {
		total += c.each[i].bytes()
	}
	return total
}

// orbiter is room to make states those that stand for their orbits.
type orbiter struct {
	*quotient
	state, room []uint32
	colours     []uint32 // a list for each alike proc
	x           *checker.Expansion
}

func (q *quotient) newOrbiter() *orbiter {
	words := q.world.Words()
	return &orbiter{quotient: q, state: make([]uint32, words), room: make([]uint32, words),
		colours: make([]uint32, len(q.alike)*q.width()), x: checker.NewExpansion(words)}
}

// width is how many colours a list has.
func (q *quotient) width() int { return len(q.others) + 1 }

// list is that of the i-th alike proc.
func (c *orbiter) list(i int) []uint32 { return c.colours[i*c.width():][:c.width()] }

// make makes the state at hand the one that stands for its orbit, and says how many states are in
// that.
func (c *orbiter) make() (size int) {
	for i, p := range c.alike {
		list := c.list(i)
		list[0] = c.paints.of(p, c.state[procWord(p)], i)
		for j, o := range c.others {
			list[j+1] = c.paints.of(o, c.state[procWord(o)], i)
		}
	}
	for end := 1; end < len(c.alike); end++ {
		for i := end; i > 0 && slices.Compare(c.list(i), c.list(i-1)) < 0; i-- {
			c.swaps[i-1].state(c.state, c.room)
			for j, colour := range c.list(i) {
				c.list(i)[j], c.list(i - 1)[j] = c.list(i - 1)[j], colour
			}
		}
	}
	size, equal, moved := 1, 1, false // the orders of the lists, n!/(a!b!...)
	for i, s := range c.swaps {
		if equal++; !slices.Equal(c.list(i), c.list(i+1)) {
			equal = 1
		} else if !moved {
			moved = !s.keeps(c.state)
		}
		size = size * (i + 2) / equal
	}
	if moved {
		size *= c.least()
	}
	return size
}

// least makes the state at hand the least of those that exchanges of procs with equal lists make
// of it, and says how many these are.
func (c *orbiter) least() int {
	var key []byte
	states := [][]uint32{slices.Clone(c.state)}
	met := map[string]bool{string(checker.Key(c.state, &key)): true}
	for at := 0; at < len(states); at++ {
		for i, s := range c.swaps {
			if !slices.Equal(c.list(i), c.list(i+1)) {
				continue
			}
			copy(c.state, states[at])
			s.state(c.state, c.room)
			if !met[string(checker.Key(c.state, &key))] {
				met[string(key)] = true
				states = append(states, slices.Clone(c.state))
			}
		}
	}
	copy(c.state, slices.MinFunc(states, slices.Compare))
	return len(states)
}
