package script

import (
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/core"
)

// Workload is a communication skeleton with collectives: groups of ranks, each with one multicast
// and one reduction a step, and messages from rank to rank. Sizes are relative to a multicast.
type Workload struct {
	Ranks  int
	Groups []Members
	// Direct is the number of messages from rank to rank in a step. Their size, and that of a
	// contribution, is relative to a multicast's.
	Direct                int
	DirectSize, Reduction float64
	direct                func(r int) (to []int)
}

// Members are the ranks of a group, root first, and the arity of its tree: position p has children
// arity*p+1 and so on.
type Members struct {
	Ranks []int
	Arity int
}

// Children are the positions of the children of a position.
func (m Members) Children(p int) (list []int) {
	for c := m.Arity*p + 1; c <= m.Arity*p+m.Arity && c < len(m.Ranks); c++ {
		list = append(list, c)
	}
	return list
}

// LeanMD is a periodic grid of cells, each with a group: its rank and the ranks of its computes.
// There is a compute for each unordered pair of cells at Chebyshev distance at most reach, a cell
// with itself included; cells and computes are dealt to the ranks in turn. A cell multicasts its
// particles, each compute contributes to the reductions of its two cells.
func LeanMD(cells [3]int, reach, ranks, arity int) (*Workload, error) {
	n := cells[0] * cells[1] * cells[2]
	if min(cells[0], cells[1], cells[2]) < 1 || reach < 0 || ranks < 2 || arity < 1 || n > 1<<16 {
		return nil,
			fmt.Errorf(
				"leanmd of %v cells, reach %d, %d ranks, arity %d: want at least 1 cell each way "+
					"(65536 in all), 2 ranks, arity 1",
				cells, reach, ranks, arity)
	}
	at := func(c int) [3]int {
		return [3]int{c % cells[0], c / cells[0] % cells[1], c / (cells[0] * cells[1])}
	}
	near := func(x, y, size int) bool {
		d := (x - y + size) % size
		return min(d, size-d) <= reach
	}
	groups := make([]map[int]bool, n)
	for c := range groups {
		groups[c] = map[int]bool{}
	}
	compute := 0
	for a := range n {
		for c := a; c < n; c++ {
			p, q := at(a), at(c)
			if near(p[0], q[0], cells[0]) && near(p[1], q[1], cells[1]) &&
				near(p[2], q[2], cells[2]) {
				groups[a][compute%ranks], groups[c][compute%ranks] = true, true
				compute++
			}
		}
	}
	w := &Workload{Ranks: ranks, Reduction: 1}
	for c := range groups {
		root := c % ranks
		delete(groups[c], root)
		m := Members{Ranks: []int{root}, Arity: arity}
		for r := range ranks {
			if groups[c][r] {
				m.Ranks = append(m.Ranks, r)
			}
		}
		if len(m.Ranks) > 1 {
			w.Groups = append(w.Groups, m)
		}
	}
	return w, nil
}

// OpenAtom is an array of rows of m ranks, each with a multicast and a reduction in a step, and a
// transpose from rank to rank between rows and columns, which makes the share direct of all bytes.
func OpenAtom(rows, m, arity int, direct float64) (*Workload, error) {
	if rows < 1 || m < 2 || arity < 1 || direct < 0 || direct >= 1 {
		return nil,
			fmt.Errorf(
				"openatom of %d rows of %d ranks, arity %d, direct share %g: want at least 1 "+
					"row of "+
					"2 ranks, arity 1, a share in [0, 1)",
				rows, m, arity, direct)
	}
	w := &Workload{Ranks: rows * m, Reduction: 0.79, direct: func(r int) (to []int) {
		if q := (r%m)*rows + r/m; q != r {
			return []int{q}
		}
		return nil
	}}
	for i := range rows {
		g := Members{Arity: arity}
		for j := range m {
			g.Ranks = append(g.Ranks, i*m+j)
		}
		w.Groups = append(w.Groups, g)
	}
	for r := range w.Ranks {
		w.Direct += len(w.direct(r))
	}
	if w.Direct > 0 {
		w.DirectSize = direct / (1 - direct) * float64(rows*(m-1)) * (1 +
			w.Reduction) / float64(w.Direct)
	}
	return w, nil
}

// Program writes the workload as the text of a program: in each step every root multicasts, every
// member receives the multicasts of its groups in order, contributes to their reductions in order,
// and the roots receive the results. In this order the program may also be expanded along the
// trees, because nobody waits for a group of a higher number.
func (w *Workload) Program(steps int) string {
	lines := make([]strings.Builder, w.Ranks)
	var text strings.Builder
	for r := range lines {
		fmt.Fprintf(&lines[r], "r%d:", r)
		if steps > 1 {
			fmt.Fprintf(&lines[r], " loop %d;", steps)
		}
	}
	each := func(verb string, root, member bool) {
		for g, m := range w.Groups {
			for p, r := range m.Ranks {
				if p == 0 && root || p > 0 && member {
					fmt.Fprintf(&lines[r], " %s g%d;", verb, g)
				}
			}
		}
	}
	each("multicast", true, false)
	each("recv", false, true)
	each("contribute", true, true)
	each("recv", true, false)
	for r := range lines {
		if w.direct == nil {
			continue
		}
		for _, to := range w.direct(r) {
			fmt.Fprintf(&lines[r], " send r%d direct;", to)
		}
	}
	for r := range lines {
		for q := range lines {
			if w.direct != nil && slices.Contains(w.direct(q), r) {
				fmt.Fprintf(&lines[r], " recv r%d;", q)
			}
		}
		if steps > 1 {
			lines[r].WriteString(" end")
		}
	}
	for r := range lines {
		text.WriteString(lines[r].String() + "\n")
	}
	for g, m := range w.Groups {
		fmt.Fprintf(&text, "group g%d %s:", g, core.Sum)
		for p := range m.Ranks {
			if children := m.Children(p); len(children) > 0 {
				fmt.Fprintf(&text, " r%d >", m.Ranks[p])
				for _, c := range children {
					fmt.Fprintf(&text, " r%d", m.Ranks[c])
				}
				text.WriteString(";")
			}
		}
		text.WriteString("\n")
	}
	return text.String()
}

// Volume is what one step of a workload costs a logging protocol.
type Volume struct {
	Messages     int     // on the network, control messages aside
	Logged       int     // entries of message logs at the end
	LoggedSize   float64 // their size, in multicasts
	Multicasts   float64 // the parts of it
	Reductions   float64
	Direct       float64
	Determinants int // created
	// contributions that roots keep beside, so that their children can get them back
	Seeds    int
	SeedSize float64
}

// Plain counts a step over point-to-point logging: each edge of a tree is a message, a log entry
// and a determinant, twice. With perNode a node stores one copy for all its children, as the paper
// counts its example, and not its measurements.
func (w *Workload) Plain(perNode bool) (v Volume) {
	for _, m := range w.Groups {
		edges := len(m.Ranks) - 1
		copies := edges
		if perNode {
			copies = 0
			for p := range m.Ranks {
				copies += min(1, len(m.Children(p)))
			}
		}
		v.Messages += 2 * edges
		v.Determinants += 2 * edges
		v.Logged += copies + edges
		v.Multicasts += float64(copies)
		v.Reductions += w.Reduction * float64(edges)
	}
	return w.addDirect(v)
}

// Aware counts a step over CAMEL: one copy of a multicast, of a reduction what the root's children
// sent, and determinants of receptions of multicasts and of the root.
func (w *Workload) Aware() (v Volume) {
	for _, m := range w.Groups {
		edges, top := len(m.Ranks)-1, len(m.Children(0))
		v.Messages += 2 * edges
		v.Determinants += edges + top
		v.Logged += 1 + top
		v.Multicasts++
		v.Reductions += w.Reduction * float64(top)
		v.Seeds += top
		v.SeedSize += w.Reduction * float64(top)
	}
	return w.addDirect(v)
}

func (w *Workload) addDirect(v Volume) Volume {
	v.Messages += w.Direct
	v.Determinants += w.Direct
	v.Logged += w.Direct
	v.Direct = float64(w.Direct) * w.DirectSize
	v.LoggedSize = v.Multicasts + v.Reductions + v.Direct
	return v
}
