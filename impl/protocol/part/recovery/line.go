package recovery

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// Rule finds the line: for each rank the place of one of its images, or the number of them where it
// keeps its present state. It reports false where there is none, which only a fault of the protocol
// can cause: the beginning, or what the garbage collection has left, is consistent.
type Rule func(reports []Report) (line []int, ok bool)

// Stays is what a line has of a rank that keeps its present state.
func (r *Report) stays(at int) bool { return at == len(r.Images) }

// at is the image at a place of the line, or the present state.
func (r *Report) at(place int) *Image {
	if r.stays(place) {
		return &r.Now
	}
	return &r.Images[place]
}

// last is the highest place that a line may have of a rank.
func (r *Report) last() int {
	if r.Lost {
		return len(r.Images) - 1
	}
	return len(r.Images)
}

// Maximal finds the componentwise maximal line without orphans by rollback propagation along the
// rollback-dependency graph [Wang]: who has received from an interval of another that the line does
// not hold goes back one more image, until nobody has. That one line is maximal in every component
// follows from the form of the condition: of two consistent lines the later component of each rank
// makes a consistent line, too.
func Maximal(reports []Report) (line []int, ok bool) { return propagate(reports, false) }

// Strict is the maximal line in which nothing is on its way, either: for channels on which nobody
// sends again. A sender goes back behind what its receiver does not have. The argument is the same.
func Strict(reports []Report) (line []int, ok bool) { return propagate(reports, true) }

func propagate(reports []Report, strict bool) (line []int, ok bool) {
	for j := range reports {
		line = append(line, reports[j].last())
	}
	for again := true; again; {
		again = false
		for j := range reports {
			for orphan(reports, line, j) || strict && lost(reports, line, j) {
				if line[j]--; line[j] < 0 {
					return nil, false
				}
				again = true
			}
		}
	}
	return line, true
}

// orphan reports whether a rank has received from an interval of another that the line does not
// hold. The present state holds all there is.
func orphan(reports []Report, line []int, j int) bool {
	for _, n := range reports[j].at(line[j]).Vector {
		i := int(n.Rank)
		if sender := &reports[i]; i != j && !sender.stays(line[i]) &&
			n.Value > sender.Images[line[i]].Number {
			return true
		}
	}
	return false
}

// lost reports whether something that a rank has sent to another is on its way through the line.
func lost(reports []Report, line []int, i int) bool {
	for _, n := range reports[i].at(line[i]).Sent {
		j := int(n.Rank)
		if i != j && n.Value > reports[j].at(line[j]).Taken.Of(core.Rank(i)) {
			return true
		}
	}
	return false
}

// Grouped is the maximal line of groups whose images have one number for all members. Only what all
// members have is an image of the group, and its present state is lost with that of any member.
// Between members there are no orphans: what is sent inside has no interval.
func Grouped(mates [][]core.Rank) Rule {
	return func(reports []Report) (line []int, ok bool) {
		list := slices.Clone(reports)
		for i, group := range mates {
			if group[0] == core.Rank(i) {
				common(list, group)
			}
		}
		line, ok = Maximal(list)
		for again := ok; again; {
			again = false
			for i, group := range mates {
				if group[0] != core.Rank(i) {
					continue
				}
				least := line[i]
				for _, q := range group {
					least = min(least, line[q])
				}
				for _, q := range group {
					if line[q] > least { // members go back together
						line[q], again = least, true
						list[q].cut(least)
					}
				}
			}
			if again {
				line, ok = Maximal(list)
				again = ok
			}
		}
		if !ok {
			return nil, false
		}
		for i := range line {
			if list[i].stays(line[i]) {
				line[i] = len(reports[i].Images)
			} else {
				line[i] = reports[i].find(list[i].Images[line[i]].Number)
			}
		}
		return line, true
	}
}

// common leaves of the reports of a group the images that all members have, and takes their present
// states away with that of any of them.
func common(list []Report, group []core.Rank) {
	lost, with := false, map[uint32]int{} // how many have it, by number
	for _, q := range group {
		lost = lost || list[q].Lost
		for i := range list[q].Images {
			with[list[q].Images[i].Number]++
		}
	}
	for _, q := range group {
		list[q].Lost = lost
		list[q].Images = slices.DeleteFunc(slices.Clone(list[q].Images), func(i Image) bool {
			return with[i.Number] < len(group)
		})
	}
}

// cut removes the candidates behind a place.
func (r *Report) cut(place int) { r.Images, r.Lost = r.Images[:place+1], true }

// find is the place of an image, -1 where it is not.
func (r *Report) find(number uint32) int {
	return slices.IndexFunc(r.Images, func(i Image) bool { return i.Number == number })
}

// FirstOfIndex is the rule of [BCS]: with the least index of the last images of those whose state
// is lost, everybody goes back to the first image with that index or a higher one, and who has none
// stays.
func FirstOfIndex(reports []Report) (line []int, ok bool) {
	least, lost := uint32(0), false
	for i := range reports {
		r := &reports[i]
		if !r.Lost {
			continue
		}
		if last := r.Images[len(r.Images)-1].Index; !lost || last < least {
			least, lost = last, true
		}
	}
	for i := range reports {
		r, at := &reports[i], 0
		for at < len(r.Images) && (!lost || r.Images[at].Index < least) {
			at++
		}
		line = append(line, at)
	}
	return line, true
}
