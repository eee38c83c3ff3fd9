//go:build unix

package peers_test

import (
	"context"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/example/paxos"
	"github.com/domino-check/domino/impl/protocol/example/twophase"
	"github.com/domino-check/domino/spec/fault"
)

// example is a system that all explore, in any size.
type example struct {
	name, of  string      // of: what there are so many of
	published map[int]int // numbers of states by size
	small     []int       // sizes that are tried in any test
	sizes     []int       // those that are tried when there is time
	sound     bool        // there is no broken one
	peers     []*peer     // the others, first that with which the rest is compared
	// setup prepares it for the checker; broken on purpose or not
	setup func(size int, broken bool) (*core.Setup, fault.Model, error)
}

// examples are all.
var examples = []*example{
	{name: "two-phase", of: "resource managers",
		published: map[int]int{3: 288, 5: 8_832, 7: 296_448, 9: 10_340_352},
		small:     []int{5}, sizes: []int{1, 7},
		peers: []*peer{
			spin("SPIN, one process", "twophase.pml", nil),
			spin("SPIN, a process each", "twophase.pml", []string{"-DPROCESSES"}),
			spin("SPIN, the same, collapsed", "twophase.pml", []string{"-DPROCESSES"},
				"-DCOLLAPSE"),
			rumur("Rumur", "twophase.murphi", 1),
			rumur("Rumur, two threads", "twophase.murphi", 2),
		},
		setup: func(size int, broken bool) (*core.Setup, fault.Model, error) {
			s, err := twophase.NewSetup(twophase.Options{Resources: size, Hasty: broken})
			return s, fault.Model{Set: true}, err
		}},
	{name: "paxos", of: "clients",
		published: map[int]int{2: 16_668, 3: 1_194_428},
		small:     []int{2}, sizes: []int{1, 2},
		peers: []*peer{
			spin("SPIN", "paxos.pml", nil),
			spin("SPIN, collapsed", "paxos.pml", nil, "-DCOLLAPSE"),
			rumur("Rumur", "paxos.murphi", 1),
			rumur("Rumur, two threads", "paxos.murphi", 2),
		},
		setup: func(size int, broken bool) (*core.Setup, fault.Model, error) {
			s, err := paxos.NewSetup(paxos.Options{Servers: 3, Clients: size, Deaf: broken})
			return s, fault.Model{Unordered: true, Selective: true}, err
		}},
	{name: "ring", of: "nodes", sound: true,
		small: []int{3}, sizes: []int{2, 3},
		peers: []*peer{
			spin("SPIN", "ring.pml", nil),
			spin("SPIN, collapsed", "ring.pml", nil, "-DCOLLAPSE"),
			rumur("Rumur", "ring.murphi", 1),
		},
		setup: func(size int, _ bool) (*core.Setup, fault.Model, error) { return ring(size) }},
}

// system is an example in one size.
type system struct {
	*example
	size   int
	broken bool // on purpose
	fast   bool // worth compiling well
}

// explore is the checker's side.
func (s *system) explore(workers int) (figures, error) {
	setup, m, err := s.setup(s.size, s.broken)
	if err != nil {
		return figures{}, err
	}
	w, err := world.New(world.Config{Setup: setup, Model: m, Facts: world.FactsOf(setup, &m, nil),
		Twice: true})
	if err != nil {
		return figures{}, err
	}
	r := search.Explore(context.Background(), w, checker.Options{Workers: workers})
	return figures{States: r.States, Transitions: r.Transitions, Errors: len(r.Found)}, nil
}
