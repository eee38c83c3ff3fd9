package app

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/simulate"
)

// namedFailure is a failure that the flag --fail names.
type namedFailure struct {
	rank string
	at   time.Duration
}

// readFailures reads --fail.
func readFailures(texts []string) (list []namedFailure, err error) {
	for _, text := range texts {
		rank, moment, ok := strings.Cut(text, "@")
		var at elapsing
		if !ok || rank == "" || moment == "" {
			return nil, fmt.Errorf("--fail %s: want a rank and a moment, e.g. r3@1.5s", text)
		}
		if err := at.Set(moment); err != nil {
			return nil, fmt.Errorf("--fail %s: %w", text, err)
		}
		if at > 4e6 {
			return nil, fmt.Errorf("--fail %s: want at most 4e6 s: emulated time ends after 53 "+
				"days", text)
		}
		list = append(list, namedFailure{rank, at.duration()})
	}
	slices.SortStableFunc(list, func(a, b namedFailure) int { return cmp.Compare(a.at, b.at) })
	return list, nil
}

// ofRanks are failures of ranks with these names.
func ofRanks(list []namedFailure, names []string) (failures []simulate.Failure, err error) {
	for _, f := range list {
		r := slices.Index(names, f.rank)
		if r < 0 {
			return nil, fmt.Errorf("--fail %s@%v: there is no rank %s among %d, from %s to %s",
				f.rank, f.at, f.rank, len(names), names[0], names[len(names)-1])
		}
		failures = append(failures, simulate.Failure{At: f.at, Rank: core.Rank(r)})
	}
	return failures, nil
}

// moments are how many moments there are at which named failures strike.
func (s *simulation) moments() int {
	n := 0
	for i, f := range s.named {
		if i == 0 || f.at != s.named[i-1].at {
			n++
		}
	}
	return n
}
