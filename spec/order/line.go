package order

import (
	"slices"

	"github.com/domino-check/domino/spec/trace"
)

// Rollback-dependency graphs [Wang] on the pasts of ranks, as a judge sees them. The points of a
// rank are pasts to which it may go back, each a part of the next one: the beginning, its images
// and, of a rank that lives, its present state, which is like a last image. A line has one point of
// each rank, given by its place. It is consistent if nobody has received in it what another one has
// not sent in it.

// Lines are the points of all ranks.
type Lines struct {
	points [][]*trace.History
	// of each rank and point, for each rank the place of the first of its points that has sent all
	// that is received: there is an edge of the graph from every point before it
	needs [][][]int
}

// NewLines finds what each point needs of the others.
func NewLines(l *trace.Layout, points [][]*trace.History) *Lines {
	lines := &Lines{points: points}
	for r := range points {
		var needs [][]int
		for _, past := range points[r] {
			need := make([]int, len(points))
			for q := range points {
				for q != r && need[q] < len(points[q]) &&
					!Orphan(l, past, trace.Rank(q), points[q][need[q]]).IsZero() {
					need[q]++
				}
			}
			needs = append(needs, need)
		}
		lines.needs = append(lines.needs, needs)
	}
	return lines
}

// Consistent reports whether a line has no orphan.
func (s *Lines) Consistent(line []int) bool {
	for r := range line {
		for q, need := range s.needs[r][line[r]] {
			if need > line[q] {
				return false
			}
		}
	}
	return true
}

// RecoveryLine is the maximal consistent line with no point behind the given ones; nil if there is
// none. That there is one such line, and not several, each farther for another rank, follows from
// the form of what is needed: of two consistent lines the later point of each rank makes a line
// that is consistent, too. So whoever needs what a line before the maximal one does not have goes
// back (rollback propagation), and nobody else ever has to.
func (s *Lines) RecoveryLine(from []int) []int {
	line := slices.Clone(from)
	for again := true; again; {
		again = false
		for r := range line {
			for line[r] >= 0 && slices.ContainsFunc(s.unmet(line, r), func(short bool) bool {
				return short
			}) {
				line[r]--
				again = true
			}
			if line[r] < 0 {
				return nil
			}
		}
	}
	return line
}

// unmet says for each rank whether the line has less of it than the point of rank r needs.
func (s *Lines) unmet(line []int, r int) (short []bool) {
	for q, need := range s.needs[r][line[r]] {
		short = append(short, need > line[q])
	}
	return short
}

// Useless reports whether a point of a rank is part of no consistent line. A line with it has to
// have none of its points behind it at the rank, and all that is needed by it: the maximal one
// among those is found as the recovery line is, and has it or not.
func (s *Lines) Useless(rank trace.Rank, place int) bool {
	from := make([]int, len(s.points))
	for r := range from {
		from[r] = len(s.points[r]) - 1
	}
	from[rank] = place
	line := s.RecoveryLine(from)
	return line == nil || line[rank] != place
}

// Last is the line of the last points of all ranks.
func (s *Lines) Last() (line []int) {
	for r := range s.points {
		line = append(line, len(s.points[r])-1)
	}
	return line
}
