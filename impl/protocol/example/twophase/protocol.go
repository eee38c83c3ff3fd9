package twophase

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
)

// Protocol is two-phase commit.
var Protocol = protocol.Protocol{
	Name:     "two-phase",
	Doc:      "an example outside recovery: two-phase commit [Commit]",
	Roles:    []string{"resources"},
	Variants: []string{"hasty"},
	Mutants:  mutants,
	Build: func(counts []int, variant string) (*core.Setup, error) {
		return NewSetup(Options{Resources: counts[0], Hasty: variant == "hasty"})
	},
}
