package protocol

import (
	"fmt"

	"github.com/domino-check/domino/scenarios/spelling"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/promise"
)

// Shapes says which random scenarios are meant for a protocol: those inside its promises. What it
// leaves out is not drawn; what it lets in and the protocol refuses, or calls out of its model, is
// counted and never a bug of it: a program that gets stuck without failures, or is not as
// deterministic as it was drawn to be, is one of the house. The zero value draws two to four ranks
// that each fail alone, of programs that are as deterministic as the protocol needs.
type Shapes struct {
	MinRanks, MaxRanks int // 0 = 2 and 4
	// communications, checkpoints and so on in one program, at most; 0 = 8
	Items       int
	Clusters    Partition           // which ranks fail or roll back together
	MinClusters int                 // at least so many
	Needs       promise.Determinism // of the programs, at least; see also Wildcards
	Wildcards   bool                // receives from anyone
	Posts       bool                // receives that are posted and completed later
	// sends while a posted receive is open; only below promise.SendDeterministic
	Overlapping bool
	Collectives Collectives // multicasts and reductions along trees
	Checkpoints Checkpoints // that the programs take
	// what is sent before a checkpoint that all take, or a contribution of its receiver, may be
	// received behind it
	Crossing    bool
	Spontaneous int // checkpoints of the environment, at most
	Outputs     bool
	Picks       bool // values that nothing replays; only where Needs is promise.NoDeterminism
	Loops       bool
	Errors      bool // ranks that see the errors in which their operations end
	// crashes, at most; 0 = 2. What the protocol does not survive at a time is spaced out (fit)
	Failures int
	// where the protocol chooses how many failures at a time it survives: at most; 0 = it does not
	// choose
	Tolerates  int
	Settings   []string // keys of the failure model that may be other than the default
	Variations []Variation
	// properties that random scenarios are not judged by, because they say more than the protocol
	// promises there; each needs a proof in words
	Unjudged []string
}

// Partition says how ranks are put into clusters.
type Partition uint8

// The partitions.
const (
	Unclustered Partition = iota // the scenario names no clusters
	AnyClusters                  // at random
)

// String is the partition in a word.
func (p Partition) String() string { return [...]string{"none", "any"}[p] }

// Collectives says whether programs use groups.
type Collectives uint8

// The answers.
const (
	NoCollectives Collectives = iota
	// the protocol has none: they become sends and receives, and nobody receives from anyone
	ExpandedCollectives
	NativeCollectives
)

// String is the answer in a word.
func (c Collectives) String() string { return [...]string{"none", "expanded", "native"}[c] }

// Checkpoints says where programs take checkpoints.
type Checkpoints uint8

// The answers.
const (
	NoCheckpoints       Checkpoints = iota
	OwnCheckpoints                  // each rank where it likes
	TogetherCheckpoints             // all ranks, as many each
)

// String is the answer in a word.
func (c Checkpoints) String() string { return [...]string{"none", "own", "together"}[c] }

// Variation is one way to set a protocol up. Where there are some, each scenario uses one of them.
type Variation struct {
	Options       string
	Policies      string
	Clusters      Partition
	MinRanks      int
	MinClusters   int
	NoCheckpoints bool
	Weight        int // among the variations; 0 = 1
}

// MostRanks is how many ranks a random scenario may have.
const MostRanks = 17

// Validate reports shapes of which nothing can be drawn.
func (s *Shapes) Validate() error {
	least, most := s.Ranks()
	switch {
	case least < 1 || most < least || most > MostRanks:
		return fmt.Errorf("random scenarios: ranks in [%d, %d], want a range within [1, %d]", least,
			most,
			MostRanks)
	case s.Items < 0 || s.Items > 64:
		return fmt.Errorf("random scenarios: %d items in a program, want [0, 64]", s.Items)
	case s.Failures < 0 || s.Failures > fault.Max || s.Spontaneous < 0 || s.Spontaneous > fault.Max:
		return fmt.Errorf("random scenarios: %d failures and %d checkpoints, want [0, %d]",
			s.Failures,
			s.Spontaneous, fault.Max)
	case s.MinClusters < 0 || s.MinClusters > most:
		return fmt.Errorf("random scenarios: at least %d clusters of at most %d ranks",
			s.MinClusters, most)
	case s.Picks && s.Needs > promise.NoDeterminism:
		return fmt.Errorf("random scenarios: programs that pick are not %v", s.Needs)
	case s.Tolerates < 0 || s.Tolerates > fault.Max:
		return fmt.Errorf("random scenarios: tolerates %d failures at a time, want [0, %d]",
			s.Tolerates, fault.Max)
	case s.Clusters > AnyClusters || s.Needs > promise.Deterministic ||
		s.Collectives > NativeCollectives || s.Checkpoints > TogetherCheckpoints:
		return fmt.Errorf("random scenarios: Clusters %d, Needs %d, Collectives %d or "+
			"Checkpoints %d is none of the answers", s.Clusters, s.Needs, s.Collectives,
			s.Checkpoints)
	}
	for i, v := range s.Variations {
		if v.MinRanks < 0 || v.MinRanks > most || v.MinClusters < 0 || v.MinClusters > most ||
			v.Weight < 0 || v.Clusters > AnyClusters {
			return fmt.Errorf("random scenarios: variation %d wants %d ranks and %d clusters, "+
				"with weight %d; there are at most %d ranks", i+1, v.MinRanks, v.MinClusters,
				v.Weight, most)
		}
	}
	for _, name := range s.Settings {
		if fault.Find(name) == nil {
			return fmt.Errorf("random scenarios: %q is no key of the failure model%s", name,
				spelling.Guess(name, settings()))
		}
	}
	return nil
}

// Ranks are how many ranks a random scenario has.
func (s *Shapes) Ranks() (least, most int) {
	least, most = s.MinRanks, s.MaxRanks
	if least == 0 {
		least = 2
	}
	if most == 0 {
		most = max(least, 4)
	}
	return least, most
}

// Crashes is how many failures a random scenario has at most.
func (s *Shapes) Crashes() int {
	if s.Failures == 0 {
		return 2
	}
	return s.Failures
}

// Length is how many items a random program has at most.
func (s *Shapes) Length() int {
	if s.Items == 0 {
		return 8
	}
	return s.Items
}

// settings are the keys of the failure model.
func settings() []string {
	var names []string
	for _, k := range fault.Keys {
		names = append(names, k.Name)
	}
	return names
}
