package spec

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/spec/trace"
)

// shown is what outputs-agree remembers: of each rank the digests of its outputs in their order,
// and how many of them its present past contains, in all and at each image.
type shown struct {
	rank    trace.Proc
	at      int
	digests []uint64
	images  []shownAt
}

type shownAt struct {
	snap trace.Snap
	at   int
}

// OutputsAgree: the outside world is told one story. An output may come again, as the same one.
var OutputsAgree = register(Property{
	Name: "outputs-agree", Kind: Monitor, Source: "[ErrMgr] section V-A; P5",
	Applies: snapshots,
	Needs:   bySnapshots + ", and outputs (Output)",
	Watched: []trace.Kind{trace.Released, trace.Snapped},
	Doc: "an output that comes after a rank has gone back is the one that was there at its place " +
		"before, as long as there was one",
	Memory: &Remembers[[]shown]{Observe: func(f *Facts, m *[]shown, e trace.Event) (broken string) {
		list := *m
		i := slices.IndexFunc(list, func(s shown) bool { return s.rank == e.Proc })
		s := e.Snap()
		switch {
		case e.Kind == trace.Released && i < 0:
			list = append(list, shown{rank: e.Proc, at: 1, digests: []uint64{e.Digest}})
			slices.SortFunc(list, func(a, b shown) int { return int(a.rank) - int(b.rank) })
		case e.Kind == trace.Released:
			broken = list[i].put(f, e.Digest)
		case e.Text == trace.SnapTaken && i >= 0:
			list[i].images = append(list[i].images, shownAt{snap: s, at: list[i].at})
		case e.Text == trace.SnapRestored && i >= 0:
			list[i].at = 0
			for _, image := range list[i].images {
				if image.snap == s {
					list[i].at = image.at
				}
			}
		case e.Text == trace.SnapVoid || e.Text == trace.SnapRetired || e.Text == trace.SnapBad:
			for j := range list {
				list[j].images = slices.DeleteFunc(list[j].images, func(at shownAt) bool {
					return at.snap == s
				})
			}
		}
		*m = list
		return broken
	}},
})

// put adds an output, or compares it with the one at its place.
func (s *shown) put(f *Facts, digest uint64) string {
	s.at++
	if s.at > len(s.digests) {
		s.digests = append(s.digests, digest)
		return ""
	}
	if was := s.digests[s.at-1]; was != digest {
		return fmt.Sprintf("output %d of %s is %x, and %x has been seen outside", s.at,
			f.name(s.rank), digest, was)
	}
	return ""
}
