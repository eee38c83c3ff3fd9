package spec

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// When an output may leave is a promise (promise.Release); that it must not be taken back is the
// same for all of them, and judged by what happens: an output leaves, the rank goes back behind it,
// and does not come to the same one again.

// output is one that has left.
type output struct {
	at     point
	digest uint64
	// an image that is declared later stands at the same point, so it may hold the output
	inside bool
	// the rank has restarted there since: the output may come again
	again bool
}

// released is what outputs-kept remembers of a rank.
type released struct {
	rank trace.Proc
	kept []output // along its surviving past
	owed []output // that it has gone back behind, in order
}

// put adds an output. What has been there comes first, in its order. One that an image may hold, or
// not, may come again or not: it is not known whether the image was taken before or after it, so a
// value that is picked between the two is not judged.
func (s *released) put(f *Facts, e trace.Event) string {
	o := output{at: place(e), digest: e.Digest}
	again := func(k output) bool { return k.again && k.at == o.at && k.digest == o.digest }
	switch i := slices.IndexFunc(s.kept, again); {
	case len(s.owed) > 0 && s.owed[0].digest == o.digest:
		s.owed = s.owed[1:]
	case i >= 0:
		s.kept[i].again = false
		return ""
	case len(s.owed) > 0 && s.owed[0].at.within(o.at):
		return fmt.Sprintf("%s puts out %x at %s, where it had put out %x before it went back",
			f.name(s.rank), o.digest, o.at, s.owed[0].digest)
	}
	s.kept = append(s.kept, o)
	return ""
}

// restart takes out what is behind where a rank restarts.
func (s *released) restart(at point) {
	var kept, gone []output
	for _, o := range s.kept {
		switch {
		case !o.at.within(at), o.at == at && !o.inside:
			o.inside, o.again = false, false
			gone = append(gone, o)
		default:
			o.again = o.at == at
			kept = append(kept, o)
		}
	}
	s.kept, s.owed = kept, append(gone, s.owed...)
}

func releases(f *Facts) bool { return f.Outputs != promise.NoOutputs && f.Outputting }

// OutputsKept: the outside world is not told what did not happen.
var OutputsKept = register(Property{
	Name: "outputs-kept", Kind: Monitor, Source: "[SY]",
	Applies: releases,
	Needs:   "Outputs: when they may leave; and outputs in the scenario (Output)",
	Watched: []trace.Kind{trace.Released, trace.Imaged, trace.Committed, trace.Restored,
		trace.Resumed},
	Doc: "a rank that goes back behind an output comes to the same one again, before any other " +
		"one and before its end",
	Memory: &Remembers[[]released]{Observe: observeOutputs, Look: judgeOwed},
})

// observeOutputs follows the outputs of each rank that has had one.
func observeOutputs(f *Facts, m *[]released, e trace.Event) (broken string) {
	list := *m
	i, found := slices.BinarySearchFunc(list, e.Proc, func(s released, p trace.Proc) int {
		return int(s.rank) - int(p)
	})
	begins := e.Kind == trace.Restored || e.Kind == trace.Resumed
	switch {
	case !found && e.Kind != trace.Released, begins && e.Kind != lineReached(f):
		return ""
	case !found:
		list = slices.Insert(list, i, released{rank: e.Proc})
	}
	switch s := &list[i]; e.Kind {
	case trace.Released:
		broken = s.put(f, e)
	case trace.Restored, trace.Resumed:
		s.restart(place(e))
	default:
		for k := range s.kept {
			s.kept[k].inside = s.kept[k].inside || s.kept[k].at == place(e)
		}
	}
	*m = list
	return broken
}

// judgeOwed looks for a rank that has ended without an output that it owes.
func judgeOwed(f *Facts, v View, list *[]released, _ trace.Event) string {
	for _, s := range *list {
		if h := v.Observed(s.rank).History; h != nil && h.Done && len(s.owed) > 0 {
			return fmt.Sprintf("%s has ended without the output %x at %s, which it had put "+
				"out before it went back", f.name(s.rank), s.owed[0].digest, s.owed[0].at)
		}
	}
	return ""
}

// OutputInLine: what waits for the next line is in it.
var OutputInLine = register(Property{
	Name: "output-in-line", Kind: Always, Global: true, Source: "[Tamir]",
	Applies: func(f *Facts) bool { return f.Outputs == promise.WithTheLine },
	Needs:   "Outputs WithTheLine (Output, Commit)",
	Doc:     "an output leaves when the recovery line of its rank holds everything before it",
	Event: func(f *Facts, v View, e trace.Event) string {
		if e.Kind != trace.Released {
			return ""
		}
		at := point{}
		if line := v.Observed(e.Proc).Line; line != nil {
			at = here(line)
		}
		if !place(e).within(at) {
			return fmt.Sprintf("%s puts out something at %s, and its recovery line is at %s",
				f.name(e.Proc), place(e), at)
		}
		return ""
	},
})
