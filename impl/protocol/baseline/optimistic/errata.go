package optimistic

import (
	_ "embed" // of the texts
	"strings"

	"github.com/domino-check/domino/impl/core"
)

// The errata.
const (
	OP1 core.Switch = iota
	OP2
	OP3
	OP4
	OP5
	OP6
	OP7
	OP8
	OP9
	OP10
	OP11
	OP12
	OP13
	VA1
	VA2
	VA3
	VA4
)

//go:embed errata.txt
var entries string

var errata = core.MustErrata(0, entries)

// flat are those that units of one rank can have, and between those that only larger ones can.
var flat, between = split()

func split() (flat, between core.Errata) {
	for _, e := range errata {
		if strings.HasPrefix(e.ID, "VA") {
			between, flat = append(between, e), append(flat, core.Erratum{})
		} else {
			flat = append(flat, e)
		}
	}
	return flat, between
}

// mutants are ways to break it, as package checker/mutate reads them.
//
//go:embed mutants.txt
var mutants string

// unitMutants are ways to break what only units of several ranks do.
//
//go:embed unitmutants.txt
var unitMutants string
