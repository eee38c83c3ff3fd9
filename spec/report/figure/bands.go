package figure

import (
	"fmt"
	"slices"
	"strings"
)

// Band is a part of a figure: a document of its own, that a page shows when it comes into view.
type Band struct {
	First, Last int     // indexes into Slots
	From, To    float64 // along the time
	SVG         string  // an element, without names of lanes: see Header
}

// BandSlots is how many slots a band of Bands has.
const BandSlots = 64

// Long reports whether the figure is better shown in bands than in one piece.
func (f *Figure) Long() bool { return len(f.Slots) > InlineSlots }

// Bands cuts the figure into parts of BandSlots slots, which side by side, or one below the other,
// are the whole of it. What reaches over an end is in both parts, cut there.
func (f *Figure) Bands() []Band {
	var list []Band
	for i := 0; i < len(f.Slots); i += BandSlots {
		list = append(list, Band{First: i, Last: min(i+BandSlots, len(f.Slots)) - 1})
	}
	return f.cut(list)
}

// Around cuts out the slots near the marked ones, so many around each: what is left of a figure
// that is too long to be printed. Marks are indexes into Slots; parts that would touch are one.
func (f *Figure) Around(marks []int, slots int) []Band {
	var list []Band
	for _, i := range slices.Sorted(slices.Values(marks)) {
		if i < 0 || i >= len(f.Slots) {
			continue
		}
		first, last := max(i-slots/2, 0), min(i+slots/2, len(f.Slots)-1)
		if n := len(list); n > 0 && list[n-1].Last >= first-1 {
			list[n-1].Last = max(list[n-1].Last, last)
			continue
		}
		list = append(list, Band{First: first, Last: last})
	}
	return f.cut(list)
}

// Marks are the slots that a reader wants to see first: failures, restarts, what the violation is
// about.
func (f *Figure) Marks() []int {
	var list []int
	for i := range f.Slots {
		if f.Slots[i].Here {
			list = append(list, i)
		}
	}
	for _, c := range f.cells {
		if c.sign == crash || c.sign == ring || c.sign == halts || f.accused(c) {
			list = append(list, c.slot)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// SlotOf is the slot that shows a step, or the next one that is shown behind it; -1 when there is
// none.
func (f *Figure) SlotOf(step int) int {
	for i := range f.Slots {
		if s := &f.Slots[i]; s.End || s.Last >= step {
			return i
		}
	}
	return -1
}

// cut draws ascending parts. Everything is looked at once, so that many parts take no longer than
// few.
func (f *Figure) cut(list []Band) []Band {
	bodies := make([][layers]strings.Builder, len(list))
	for k := range list {
		b := &list[k]
		b.From, b.To = f.Slots[b.First].From, f.Slots[b.Last].To
		if b.First == 0 {
			b.From = f.start
		}
		if b.Last == len(f.Slots)-1 {
			b.To = f.end
		}
	}
	for l := range f.nodes {
		for i := range f.nodes[l] {
			n := &f.nodes[l][i]
			k, _ := slices.BinarySearchFunc(list, n.from, func(b Band, t float64) int {
				if b.To < t {
					return -1
				}
				return 1
			})
			for ; k < len(list) && list[k].From <= n.to; k++ {
				bodies[k][l].WriteString(f.within(n, list[k].From, list[k].To) + "\n")
			}
		}
	}
	for k := range list {
		b := &list[k]
		part := box{b.From, 0, b.To, f.Height}
		if f.options.Orientation == Down {
			part = box{0, b.From, f.Width, b.To}
		}
		var all strings.Builder
		all.WriteString(f.opening(fmt.Sprintf("%s, steps %s", f.verdict(), f.stepsOf(b)), part, 0))
		for l := range bodies[k] {
			all.WriteString(bodies[k][l].String())
		}
		b.SVG = all.String() + "</svg>"
	}
	return list
}

func (f *Figure) stepsOf(b *Band) string {
	s := Slot{First: f.Slots[b.First].First, Last: f.Slots[b.Last].Last, End: f.Slots[b.Last].End}
	if s.End {
		return itoa(s.First) + " to the end"
	}
	return s.name()
}

// Header is an element with the names of the lanes, to stand before the bands, or above them.
func (f *Figure) Header() string {
	part := box{0, 0, f.start, f.Height}
	if f.options.Orientation == Down {
		part = box{0, 0, f.Width, f.start}
	}
	var all strings.Builder
	all.WriteString(f.opening("names of procs", part, 0))
	for _, l := range []layer{grounds, labels} {
		for _, n := range f.nodes[l] {
			if n.from < f.start {
				all.WriteString(n.text + "\n")
			}
		}
	}
	return all.String() + "</svg>"
}
