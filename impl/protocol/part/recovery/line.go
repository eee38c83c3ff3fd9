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
			for i := range reports {
				back := j
				switch {
				case i == j:
					continue
				case orphan(reports, line, j, i):
				case strict && lost(reports, line, j, i):
					back = i
				default:
					continue
				}
				if line[back]--; line[back] < 0 {
					return nil, false
				}
				again = true
			}
		}
	}
	return line, true
}

// orphan reports whether rank j has received from an interval of rank i that the line does not
// hold. The present state holds all there is.
func orphan(reports []Report, line []int, j, i int) bool {
	sender := &reports[i]
	return !sender.stays(line[i]) &&
		reports[j].at(line[j]).Vector[i] > sender.Images[line[i]].Number
}

// lost reports whether something that rank i has sent to rank j is on its way through the line.
func lost(reports []Report, line []int, j, i int) bool {
	return reports[i].at(line[i]).Sent[j] > reports[j].at(line[j]).Taken[i]
}

// Grouped is the maximal line of groups whose images have one number for all members. Only what all
// members have is an image of the group, and its present state is lost with that of any member.
// Between members there are no orphans: what is sent inside has no interval.
func Grouped(mates [][]core.Rank) Rule {
	return func(reports []Report) (line []int, ok bool) {
		list := make([]Report, len(reports))
		for i := range reports {
			list[i] = reports[i]
			for _, q := range mates[i] {
				list[i].Lost = list[i].Lost || reports[q].Lost
			}
			list[i].Images = slices.DeleteFunc(slices.Clone(reports[i].Images),
				func(image Image) bool {
					return slices.ContainsFunc(mates[i], func(q core.Rank) bool {
						return reports[q].find(image.Number) < 0
					})
				})
		}
		line, ok = Maximal(list)
		for again := ok; again; {
			again = false
			for i := range line {
				for _, q := range mates[i] {
					if line[q] < line[i] { // members go back together
						line[i], again = line[q], true
						list[i].cut(line[i])
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
