package source

import (
	"cmp"
	"slices"
	"strings"
)

// edit changes a piece of source, [start, end): wrap is given its text, with all edits within it
// made. A piece without length is an insertion.
type edit struct {
	start, end int
	group      int
	wrap       func(inner string) string
}

// apply makes the edits, which nest. Of those for the same piece a later one is around an earlier
// one.
func apply(source string, edits []edit) string {
	order := make([]int, len(edits))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := edits[i], edits[j]
		return cmp.Or(cmp.Compare(a.start, b.start), insertionsFirst(a, b),
			cmp.Compare(b.end, a.end), cmp.Compare(j, i))
	})
	sorted := make([]edit, len(edits))
	for i, at := range order {
		sorted[i] = edits[at]
	}
	return within(source, 0, len(source), sorted)
}

// insertionsFirst puts what is inserted before what begins at the same place.
func insertionsFirst(a, b edit) int {
	empty := func(e edit) int {
		if e.start == e.end {
			return 0
		}
		return 1
	}
	return cmp.Compare(empty(a), empty(b))
}

// within is the text of [start, end) with the edits made, all of which are within.
func within(source string, start, end int, edits []edit) string {
	var b strings.Builder
	for len(edits) > 0 {
		e := edits[0]
		inner := 1
		for inner < len(edits) && edits[inner].start < e.end {
			inner++
		}
		b.WriteString(source[start:e.start])
		b.WriteString(e.wrap(within(source, e.start, e.end, edits[1:inner])))
		start, edits = e.end, edits[inner:]
	}
	b.WriteString(source[start:end])
	return b.String()
}
