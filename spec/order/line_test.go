package order_test

import (
	"slices"
	"testing"

	"github.com/domino-check/domino/spec/order"
	"github.com/domino-check/domino/spec/trace"
)

// TestLines compares recovery lines and useless points with all combinations of points: what is
// consistent is said by the order of the trace, which histories do not see. Nobody goes back in
// these runs, for histories do not tell two pasts apart.
func TestLines(t *testing.T) {
	useless := 0
	each(t, false, true, func(t tester, r *run, o *order.Order) {
		t.Helper()
		for _, stride := range []int{1, 2, 3} { // which points are images
			points, cuts := r.points(o, stride)
			lines := order.NewLines(&r.trace.Layout, points)
			all := combinations(points)
			var good [][]int
			for _, line := range all {
				var cut order.Cut
				for p, place := range line {
					cut = append(cut, cuts[p][place])
				}
				consistent := o.Consistent(cut)
				if consistent {
					good = append(good, line)
				}
				if lines.Consistent(line) != consistent {
					t.Fatalf("line %v is consistent: %t, in %+v", line, consistent, r.trace.Events)
				}
			}
			for _, from := range all { // whoever has failed begins farther back
				if got, want := lines.RecoveryLine(from), highest(good, from); !slices.Equal(got,
					want) {
					t.Fatalf("line from %v is %v, want %v, in %+v", from, got, want, r.trace.Events)
				}
			}
			for p := range points {
				for place := range points[p] {
					used := slices.ContainsFunc(good, func(line []int) bool {
						return line[p] == place
					})
					if lines.Useless(trace.Rank(p), place) == used {
						t.Fatalf("point %d of %d is in some line: %t, in %+v", place, p, used,
							r.trace.Events)
					}
					if !used {
						useless++
					}
				}
			}
		}
	})
	if useless == 0 {
		t.Error("no point was useless")
	}
}

// points are the beginning, some points between, and the end of what each rank has done, as
// histories and as nodes.
func (r *run) points(o *order.Order, stride int) (points [][]*trace.History, cuts []order.Cut) {
	for p, path := range r.paths {
		h := new(trace.History)
		list, cut := []*trace.History{h.Clone()}, order.Cut{order.None}
		for k, thing := range path {
			at := slices.Index(r.things, thing)
			h.Apply(r.trace.Events[at])
			if (k+p)%stride == 0 || k == len(path)-1 {
				list, cut = append(list, h.Clone()), append(cut, o.At(at))
			}
		}
		points, cuts = append(points, list), append(cuts, cut)
	}
	return points, cuts
}

// combinations are all lines of points.
func combinations(points [][]*trace.History) [][]int {
	all := [][]int{nil}
	for _, list := range points {
		var more [][]int
		for _, line := range all {
			for place := range list {
				more = append(more, append(slices.Clone(line), place))
			}
		}
		all = more
	}
	return all
}

// highest is the one of the lines that has, of all with no point behind the given ones, the last
// point of each rank; nil if there is none.
func highest(lines [][]int, from []int) (line []int) {
	for _, other := range lines {
		behind := false
		for p := range other {
			behind = behind || other[p] > from[p]
		}
		switch {
		case behind:
		case line == nil:
			line = slices.Clone(other)
		default:
			for p := range other {
				line[p] = max(line[p], other[p])
			}
		}
	}
	return line
}
