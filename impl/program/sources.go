package program

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// look lists the sources that the receives which may complete now can take from: those that they
// name, if the layer can tell, otherwise all.
func (h *Host) look(posted []posted) {
	h.sources = h.sources[:0]
	var op *core.Op
	if h.app.PC < len(h.program) && h.program[h.app.PC].Kind == core.OpRecv {
		op = &h.program[h.app.PC]
	}
	all := h.sourced == nil || op != nil && op.Any
	for i := range posted {
		all = all || posted[i].Any
	}
	if all {
		h.sources = h.layer.Sources(h.sources)
		checkSources(h.rank, h.sources)
		return
	}
	for i := range posted {
		h.name(posted[i].Peer)
	}
	if op != nil {
		h.name(op.Peer)
	}
}

// name adds a source to the list, in its place, if something of it has arrived.
func (h *Host) name(source core.Rank) {
	if at, there := slices.BinarySearch(h.sources, source); !there && h.sourced.Has(source) {
		h.sources = slices.Insert(h.sources, at, source)
	}
}

// checkSources panics if the sources that a layer names are not in the order that makes the
// choices of its host the same in every run.
func checkSources(rank core.Rank, list []core.Rank) {
	for i := 1; i < len(list); i++ {
		if list[i] <= list[i-1] {
			panic(fmt.Sprintf("Sources of rank %d names %d behind %d, want each once and in "+
				"ascending order: sort them", rank, list[i], list[i-1]))
		}
	}
}
