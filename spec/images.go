package spec

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/domino-check/domino/spec/order"
	"github.com/domino-check/domino/spec/trace"
)

// point is where a rank stands: after so many sends and deliveries.
type point struct{ sent, received uint32 }

// within reports whether a past that goes to another point goes past this one.
func (p point) within(q point) bool { return p.sent <= q.sent && p.received <= q.received }

func (p point) compare(q point) int {
	return cmp.Or(cmp.Compare(p.received, q.received), cmp.Compare(p.sent, q.sent))
}

// of is the past of a history up to the point.
func (p point) of(h *trace.History) *trace.History {
	return &trace.History{Sent: p.sent, Delivered: h.Delivered[:p.received]}
}

// here is where a rank is.
func here(h *trace.History) point { return point{h.Sent, uint32(len(h.Delivered))} }

// place is where an event says that a rank stands.
func place(e trace.Event) point { return point{e.Sent, e.Received} }

// String is for messages.
func (p point) String() string {
	return fmt.Sprintf("%d sent and %d delivered", p.sent, p.received)
}

// image is one that a rank has declared, on its surviving past.
type image struct {
	rank  trace.Proc
	at    point
	index uint64
}

// unknown is the index of what a rank restarts from: an image may have become stable there that it
// has not declared yet.
const unknown = math.MaxUint64

// addImage adds an image that is declared; one of a rank at one point is one.
func addImage(list []image, i image) []image {
	at, found := slices.BinarySearchFunc(list, i, func(a, b image) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), a.at.compare(b.at))
	})
	if found {
		list[at].index = max(list[at].index, i.index)
		return list
	}
	return slices.Insert(list, at, i)
}

// cutImages removes those of a rank that are behind where it restarts.
func cutImages(list []image, e trace.Event) []image {
	return slices.DeleteFunc(list, func(i image) bool {
		return i.rank == e.Proc && !i.at.within(place(e))
	})
}

// imagesOf are those of one rank, in order.
func imagesOf(list []image, rank trace.Proc) (own []image) {
	for _, i := range list {
		if i.rank == rank {
			own = append(own, i)
		}
	}
	return own
}

// observeImages follows the images on the surviving pasts of ranks.
func observeImages(f *Facts, list *[]image, e trace.Event) string {
	switch {
	case int(e.Proc) >= f.Layout.Ranks:
	case e.Kind == trace.Imaged:
		*list = addImage(*list, image{e.Proc, place(e), e.Stamp.Phase})
	case e.Kind == trace.Restored:
		*list = addImage(cutImages(*list, e), image{e.Proc, place(e), unknown})
	}
	return ""
}

func indexed(f *Facts) bool { return f.Undo.Indexed }

const withIndices = "Undo.Indexed: images and messages have indices (Imaged)"

// ForcedBeforeDelivery: what keeps every image useful. That an image is stable may be known later
// than what is delivered behind it, so the places of both count, and not when they are declared: a
// delivery is judged by the next image, and at the end.
var ForcedBeforeDelivery = register(Property{
	Name: "forced-before-delivery", Kind: Monitor, Source: "[BCS]",
	Applies: indexed, Needs: withIndices,
	Watched: []trace.Kind{trace.Imaged, trace.Restored},
	Looked:  []trace.Kind{trace.Imaged},
	Doc: "the indices of the images of a rank ascend, and each message is delivered behind an " +
		"image with its index or a higher one, as far as its index is not that of the beginning",
	Memory: &Remembers[[]image]{Observe: observeImages, Look: judgeForced},
})

// judgeForced looks at the images of the rank that declares one, in the end at all.
func judgeForced(f *Facts, v View, list *[]image, e trace.Event) string {
	for r := range f.ranks() {
		h := v.Observed(r.Proc()).History
		if h == nil || e.Kind != 0 && r.Proc() != e.Proc {
			continue
		}
		own, last := imagesOf(*list, r.Proc()), uint64(0)
		for _, i := range own {
			switch {
			case i.index == unknown:
			case i.index <= last:
				return fmt.Sprintf("%s has an image with the index %d, and has had %d before",
					f.name(r.Proc()), i.index, last)
			default:
				last = i.index
			}
		}
		upTo := len(h.Delivered)
		if e.Kind != 0 { // of what is behind it the image may still be under way
			upTo = min(upTo, int(e.Received))
		}
		if m := unforced(f, r.Proc(), h.Delivered[:upTo], own); m != "" {
			return m
		}
	}
	return ""
}

// unforced says which delivery of a rank has a higher index than every image before it.
func unforced(f *Facts, rank trace.Proc, list []trace.Delivery, images []image) string {
	at, highest := 0, uint64(0)
	for k, d := range list {
		for at < len(images) && int(images[at].at.received) <= k {
			highest = images[at].index
			at++
		}
		if d.Stamp.Phase > highest {
			return fmt.Sprintf("%s has received %s, of index %d, and its last image before that "+
				"has the index %d", f.name(rank), f.label(d.ID), d.Stamp.Phase, highest)
		}
	}
	return ""
}

// NoUselessImage: no work of taking images is in vain.
var NoUselessImage = register(Property{
	Name: "no-useless-image", Kind: Monitor, Source: "[BCS]; [Wang]",
	Applies: indexed, Needs: withIndices,
	Watched: []trace.Kind{trace.Imaged, trace.Restored},
	Doc: "at the end each image of a rank is part of a consistent cut, of images and of where " +
		"the other ranks are",
	Memory: &Remembers[[]image]{Observe: observeImages, Look: judgeUseless},
})

// judgeUseless looks for an image that is in no cut.
func judgeUseless(f *Facts, v View, list *[]image, _ trace.Event) string {
	var places [][]point
	for r := range f.ranks() {
		h := v.Observed(r.Proc()).History
		if h == nil {
			return "" // nobody knows what its images hold
		}
		places = append(places, pointsOf(imagesOf(*list, r.Proc()), h))
	}
	lines := linesOf(f, v, places)
	for r := range f.ranks() {
		for k := 1; k < len(places[r])-1; k++ { // not the beginning, nor where it is
			if lines.Useless(r, k) {
				return fmt.Sprintf("the image of %s at %s is in no consistent cut",
					f.name(r.Proc()), places[r][k])
			}
		}
	}
	return ""
}

// pointsOf are the points to which a rank may go back, in order: the beginning, its images, and
// where it is.
func pointsOf(images []image, h *trace.History) []point {
	list := []point{{}}
	for _, i := range images {
		if i.at.within(here(h)) {
			list = append(list, i.at)
		}
	}
	list = append(list, here(h))
	slices.SortFunc(list, point.compare)
	return slices.Compact(list)
}

// linesOf are the lines of the points of all ranks, which are all up.
func linesOf(f *Facts, v View, places [][]point) *order.Lines {
	var points [][]*trace.History
	for r := range places {
		var pasts []*trace.History
		for _, p := range places[r] {
			pasts = append(pasts, p.of(v.Observed(trace.Proc(r)).History))
		}
		points = append(points, pasts)
	}
	return order.NewLines(f.Layout, points)
}
