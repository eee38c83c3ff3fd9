package script

import (
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// parseGroup reads "group NAME [COMBINE]: parent > child child; parent > child".
func parseGroup(head, body string, names []string) (trace.Tree, error) {
	words := strings.Fields(head)[1:]
	if len(words) == 0 || len(words) > 2 {
		return trace.Tree{},
			fmt.Errorf("want \"group NAME [COMBINE]: parent > child child; ...\", got %q", head)
	}
	name, combine := words[0], core.Sum
	if len(words) == 2 {
		combine = words[1]
	}
	if err := core.CheckCombine(combine); err != nil {
		return trace.Tree{}, fmt.Errorf("group %s: %w", name, err)
	}
	var parents []core.Rank
	var children [][]core.Rank
	for _, part := range strings.Split(body, ";") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		above, below, ok := strings.Cut(part, ">")
		if !ok || len(strings.Fields(below)) == 0 {
			return trace.Tree{}, fmt.Errorf("group %s: want \"parent > child child\", got %q", name,
				strings.TrimSpace(part))
		}
		p, err := parseRank(strings.TrimSpace(above), names)
		if err != nil {
			return trace.Tree{}, fmt.Errorf("group %s: %w", name, err)
		}
		var list []core.Rank
		for _, word := range strings.Fields(below) {
			c, err := parseRank(word, names)
			if err != nil {
				return trace.Tree{}, fmt.Errorf("group %s: %w", name, err)
			}
			list = append(list, c)
		}
		parents, children = append(parents, p), append(children, list)
	}
	return trace.NewTree(name, combine, names, parents, children)
}

// parseCollective reads an operation on a group. What MPI calls broadcast, reduce, allreduce and
// barrier consist of multicasts, contributions and receives, by the role of the rank; a barrier is
// an allreduce of which nobody wants the result.
func (s *Suite) parseCollective(verb string, args []string, self core.Rank) (core.Program, error) {
	if len(args) == 0 {
		return nil, fmt.Errorf("%s needs a group", verb)
	}
	i := slices.IndexFunc(s.Trees, func(t trace.Tree) bool { return t.Name == args[0] })
	if i < 0 {
		return nil, fmt.Errorf("group %s does not exist", args[0])
	}
	g, label := core.Group(i+1), ""
	if len(args) > 1 {
		label = args[1]
	}
	multicast := core.Op{Kind: core.OpMulticast, Group: g, Label: label}
	contribute := core.Op{Kind: core.OpContribute, Group: g, Label: label}
	receive := core.Op{Kind: core.OpRecv, Peer: g.Source(), Ordered: true}
	root := s.Trees[i].Root() == self
	var ops core.Program
	switch verb {
	case "multicast":
		ops = core.Program{multicast}
	case "contribute":
		ops = core.Program{contribute}
	case "broadcast":
		ops = core.Program{receive}
		if root {
			ops = core.Program{multicast}
		}
	case "reduce":
		ops = core.Program{contribute}
		if root {
			ops = append(ops, receive)
		}
	default: // allreduce, barrier
		ops = core.Program{contribute, receive}
		if root {
			multicast.Label = ""
			ops = append(ops, multicast)
		}
	}
	return ops, surplus(verb, args, 2)
}

// collectives are the operations on groups.
var collectives = verbs(true)

// Expand writes multicasts and reductions as sends and receives along the trees, for protocols
// without collectives: who receives a multicast passes it on then, and who contributes waits for
// its children first. A receive from anyone could take a part of a collective, so there must be
// none.
//
// A program with a kernel keeps the part of the operation on everything that it becomes. So the
// kernel, when asked for a multicast that it has taken, must make it again, and must add what it
// takes of a reduction to its own part, which is gone when it has been sent.
func Expand(s *Suite) ([]core.Program, error) {
	var programs []core.Program
	for r, p := range s.Programs {
		self := core.Rank(r)
		var out core.Program
		begins := false // an iteration, with the next operation
		for i, op := range p {
			g, group := core.SourceGroup(op.Peer)
			if op.Kind == core.OpMulticast || op.Kind == core.OpContribute {
				g, group = op.Group, true
			}
			if op.Any && op.Kind != core.OpSend {
				return nil,
					fmt.Errorf(
						"%s: operation %d receives from anyone, and could take a part of a "+
							"collective",
						s.Names[r], i+1)
			}
			if group && op.Kind == core.OpPost {
				return nil, fmt.Errorf("%s: operation %d posts a receive of a group", s.Names[r],
					i+1)
			}
			ops := core.Program{op}
			if group {
				ops = expand(op, &s.Trees[g-1], self)
			}
			begins = begins || op.Iteration
			if len(ops) > 0 {
				ops[0].Iteration, begins = begins, false
			}
			out = append(out, ops...)
		}
		programs = append(programs, out)
	}
	return programs, nil
}

// Unjoined names the members that contribute to fewer reductions of a group than others do.
func Unjoined(s *Suite) (words []string) {
	rounds := make([][]int, len(s.Programs)) // by rank and group
	for r, p := range s.Programs {
		rounds[r] = make([]int, len(s.Trees))
		for _, op := range p.Sends() {
			if op.Kind == core.OpContribute {
				rounds[r][op.Group-1]++
			}
		}
	}
	for i := range s.Trees {
		t, most := &s.Trees[i], 0
		for _, m := range t.Members {
			most = max(most, rounds[m][i])
		}
		for _, m := range t.Members {
			if rounds[m][i] < most {
				words = append(words, fmt.Sprintf("reduction %d of group %s waits for %s",
					rounds[m][i]+1, t.Name, s.Names[m]))
			}
		}
	}
	return words
}

// expand is one operation on a tree.
func expand(op core.Op, t *trace.Tree, self core.Rank) (out core.Program) {
	children, root := t.Children(self), t.Root() == self
	down := func(label string) {
		for _, c := range children {
			out = append(out, core.Op{Kind: core.OpSend, Peer: c, Label: label, Part: op.Part})
		}
	}
	gather := func() {
		for _, c := range children {
			out = append(out, core.Op{Kind: core.OpPost, Peer: c, Part: op.Part, Free: op.Free})
		}
		out = append(out, core.Op{Kind: core.OpWait})
	}
	switch {
	case op.Kind == core.OpMulticast:
		down(op.Label)
	case op.Kind == core.OpContribute && !root:
		gather()
		out = append(out, core.Op{Kind: core.OpSend, Peer: t.Parent(self), Label: op.Label,
			Part: op.Part})
	case op.Kind == core.OpRecv && root:
		gather()
	case op.Kind == core.OpRecv:
		out = append(out, core.Op{Kind: core.OpRecv, Peer: t.Parent(self), Ordered: op.Ordered,
			Part: op.Part, Free: op.Free})
		down("")
	}
	return out
}
