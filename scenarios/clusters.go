package scenarios

import (
	"fmt"
	"slices"
	"strings"
)

// ReadClusters reads "a | b c | d": every rank exactly once. Empty text puts every rank into a
// cluster of its own.
func ReadClusters(text string, names []string) ([]int, error) {
	of := make([]int, len(names))
	if text == "" {
		for r := range of {
			of[r] = r
		}
		return of, nil
	}
	given := map[string]bool{}
	for k, part := range strings.Split(text, "|") {
		members := strings.Fields(part)
		if len(members) == 0 {
			return nil, fmt.Errorf("cluster %d of %q is empty", k+1, text)
		}
		for _, m := range members {
			r := slices.Index(names, m)
			if r < 0 {
				return nil, fmt.Errorf("rank %s does not exist, there are %s", m,
					strings.Join(names, " "))
			}
			if given[m] {
				return nil, fmt.Errorf("rank %s is in two clusters", m)
			}
			given[m], of[r] = true, k
		}
	}
	for _, n := range names {
		if !given[n] {
			return nil, fmt.Errorf("rank %s is in no cluster", n)
		}
	}
	return of, nil
}
