package spec

import (
	"fmt"
	"slices"
	"strings"

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

func writeShown(list []shown) string {
	var b strings.Builder
	for _, s := range list {
		fmt.Fprintf(&b, "%d %d %d %d ", s.rank, s.at, len(s.digests), len(s.images))
		for _, d := range s.digests {
			fmt.Fprintf(&b, "%x ", d)
		}
		for _, i := range s.images {
			fmt.Fprintf(&b, "%d %d %d ", i.snap.Epoch, i.snap.Seq, i.at)
		}
	}
	return b.String()
}

func readShown(memory string) (list []shown) {
	r := strings.NewReader(memory)
	scan := func(format string, to ...any) {
		if _, err := fmt.Fscanf(r, format, to...); err != nil {
			panic("invariant: a memory of outputs-agree is what it wrote: " + memory)
		}
	}
	for r.Len() > 0 {
		var s shown
		var digests, images int
		scan("%d %d %d %d ", &s.rank, &s.at, &digests, &images)
		s.digests, s.images = make([]uint64, digests), make([]shownAt, images)
		for i := range s.digests {
			scan("%x ", &s.digests[i])
		}
		for i := range s.images {
			scan("%d %d %d ", &s.images[i].snap.Epoch, &s.images[i].snap.Seq, &s.images[i].at)
		}
		list = append(list, s)
	}
	return list
}

// OutputsAgree: the outside world is told one story. An output may come again, as the same one.
var OutputsAgree = register(Property{
	Name: "outputs-agree", Kind: Monitor, Source: "[ErrMgr] section V-A; P5",
	Applies: snapshots,
	Needs:   bySnapshots + ", and outputs (Output)",
	Watched: []trace.Kind{trace.Released, trace.Snapped},
	Doc: "an output that comes after a rank has gone back is the one that was there at its place " +
		"before, as long as there was one",
	Observe: func(f *Facts, memory string, e trace.Event) (next, broken string) {
		list := readShown(memory)
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
		return writeShown(list), broken
	},
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
