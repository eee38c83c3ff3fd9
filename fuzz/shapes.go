package fuzz

import (
	"fmt"

	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// Shapes says which random scenarios are meant for a protocol: those inside its promises. What it
// leaves out is not drawn; what it lets in and the protocol refuses, or calls out of its model, is
// counted and never a bug. The zero value draws two to four ranks that each fail alone, of programs
// that are as deterministic as the protocol needs.
type Shapes struct {
	MinRanks, MaxRanks int // 0 = 2 and 4
	// communications, checkpoints and so on in one program, at most; 0 = 8
	Items       int
	Clusters    Partition        // which ranks fail or roll back together
	MinClusters int              // at least so many
	Needs       core.Determinism // of the programs, at least; see also Wildcards
	Wildcards   bool             // receives from anyone
	Posts       bool             // receives that are posted and completed later
	// sends while a posted receive is open; only below core.SendDeterministic
	Overlapping bool
	Collectives Collectives // multicasts and reductions along trees
	Checkpoints Checkpoints // that the programs take
	Spontaneous int         // checkpoints of the environment, at most
	Outputs     bool
	Loops       bool
	// crashes, at most; 0 = 2. What the protocol does not survive at a time is spaced out (fit)
	Failures int
	// where the protocol chooses how many failures at a time it survives: at most; 0 = it does not
	// choose
	Tolerates  int
	Settings   []Setting // of the environment that may be other than the default
	Variations []Variation
}

// Partition says how ranks are put into clusters.
type Partition uint8

// The partitions.
const (
	Unclustered Partition = iota // the scenario names no clusters
	AnyClusters                  // at random
)

// Collectives says whether programs use groups.
type Collectives uint8

// The answers.
const (
	NoCollectives Collectives = iota
	// the protocol has none: they become sends and receives, and nobody receives from anyone
	ExpandedCollectives
	NativeCollectives
)

// Checkpoints says where programs take checkpoints.
type Checkpoints uint8

// The answers.
const (
	NoCheckpoints       Checkpoints = iota
	OwnCheckpoints                  // each rank where it likes
	TogetherCheckpoints             // all ranks, as many each
)

// Setting is one thing about the environment that may be other than the default.
type Setting = *fault.Key

// Variation is one way to set a protocol up. Where there are some, each scenario uses one of them.
type Variation struct {
	Options       string
	Clusters      Partition
	MinRanks      int
	MinClusters   int
	NoCheckpoints bool
	Weight        int // among the variations; 0 = 1
}

// Settings are those with the names, as scenario files have them; it panics on a name that it does
// not know.
func Settings(names ...string) (list []Setting) {
	for _, name := range names {
		k := fault.Find(name)
		if k == nil {
			panic(fmt.Sprintf("invariant: settings of the environment have known names, not %q",
				name))
		}
		list = append(list, k)
	}
	return list
}

// Validate reports shapes of which nothing can be drawn.
func (s *Shapes) Validate() error {
	least, most := s.ranks()
	switch {
	case least < 1 || most < least || most > len(rankNames):
		return fmt.Errorf("fuzz: ranks in [%d, %d], want a range within [1, %d]", least, most,
			len(rankNames))
	case s.Items < 0 || s.Items > 64:
		return fmt.Errorf("fuzz: %d items in a program, want [0, 64]", s.Items)
	case s.Failures < 0 || s.Failures > fault.Max || s.Spontaneous < 0 || s.Spontaneous > fault.Max:
		return fmt.Errorf("fuzz: %d failures and %d checkpoints, want [0, %d]", s.Failures,
			s.Spontaneous, fault.Max)
	case s.MinClusters > most:
		return fmt.Errorf("fuzz: at least %d clusters of at most %d ranks", s.MinClusters, most)
	}
	return nil
}

func (s *Shapes) ranks() (least, most int) {
	least, most = s.MinRanks, s.MaxRanks
	if least == 0 {
		least = 2
	}
	if most == 0 {
		most = max(least, 4)
	}
	return least, most
}

func (s *Shapes) failures() int {
	if s.Failures == 0 {
		return 2
	}
	return s.Failures
}

func (s *Shapes) items() int {
	if s.Items == 0 {
		return 8
	}
	return s.Items
}

// fit lowers what a failure model asks for to what a protocol promises to survive, as far as the
// model can say so.
func fit(m *fault.Model, setup *core.Setup) {
	p := &setup.Promises
	for i := range fault.Keys {
		k, alone := &fault.Keys[i], fault.Model{}
		k.Set(&alone, k.Get(m))
		alone.Failures = min(alone.Failures, 1) // how many is a matter of spacing, too
		if world.Beyond(setup, &alone) != "" {
			k.Clear(m)
		}
	}
	most := p.MaxFailures
	if most <= 0 || m.AtATime() <= most {
		return
	}
	if m.OneInstant {
		m.Failures = min(m.Failures, most)
	}
	m.AtOnce = min(m.AtOnce, most)
	if p.Recovers {
		m.Overlap = most
	} else if m.Together() <= most {
		m.Settled = true
	}
	if m.AtATime() > most {
		m.Failures = most
	}
}
