package report

import (
	"slices"

	"github.com/domino-check/domino/spec/trace"
)

// Wait is something that a proc waits for when the run has come to its end.
type Wait struct {
	Proc trace.Proc `json:"proc"`
	What string     `json:"what"`
	// who could end it; empty where nobody in particular could
	From []trace.Proc `json:"from"`
	// the step from which on it has waited, without a break; 0 = from the start, Never where nobody
	// has looked
	Since int `json:"since"`
}

// cycle is a shortest circle of procs each of which waits for the next one, from the lowest on; nil
// if there is none.
func cycle(waits []Wait) (best []trace.Proc) {
	next := map[trace.Proc][]trace.Proc{}
	var procs []trace.Proc
	for _, w := range waits {
		next[w.Proc] = append(next[w.Proc], w.From...)
		procs = append(procs, w.Proc)
	}
	slices.Sort(procs)
	for _, start := range slices.Compact(procs) {
		paths := [][]trace.Proc{{start}}
		seen := map[trace.Proc]bool{}
		for len(paths) > 0 && (best == nil || len(paths[0]) < len(best)) {
			path := paths[0]
			paths = paths[1:]
			for _, p := range next[path[len(path)-1]] {
				switch {
				case p == start:
					best, paths = path, nil
				case !seen[p]:
					seen[p] = true
					paths = append(paths, append(slices.Clone(path), p))
				}
				if paths == nil {
					break
				}
			}
		}
	}
	return best
}
