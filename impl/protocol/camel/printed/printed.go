package printed

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/causal/printed"
	"github.com/domino-check/domino/spec/trace"
)

// Form is CAMEL as the paper prints it.
var Form = protocol.Printed{Variant: "published", Paper: "[CAMEL] Alg. 1 to 3", Setup: setup}

func setup(r protocol.Request) (*core.Setup, error) {
	for _, t := range r.Layout.Trees {
		if len(t.Members) < 2 {
			return nil, fmt.Errorf("camel: group %s has one member", t.Name)
		}
	}
	trees := r.Layout.Trees
	var results [][]result
	for i := range trees {
		list, err := resultsOf(core.Group(i+1), &trees[i], r.Layout.Names, r.Programs)
		if err != nil {
			return nil, err
		}
		results = append(results, list)
	}
	s, err := printed.NewSetup("camel", r, func(l *printed.Layer) printed.Extension {
		return &layer{l, trees, results}
	})
	if err != nil {
		return nil, err
	}
	s.Promises.Minimal = true
	return s, nil
}

// layer is what Algorithms 2 and 3 add to Algorithm 1.
type layer struct {
	*printed.Layer
	trees   []trace.Tree // rootMap, parentMap and childrenMap of Table 2
	results [][]result   // by group and reduction; evidence
}

// result is where the program of a root is at a reduction: the message that its own contribution
// is, deliveries before that, and as which delivery it takes the result.
type result struct {
	id          core.MsgID
	past, index uint32
}

func (l *layer) tree(g core.Group) *trace.Tree         { return &l.trees[g-1] }
func (l *layer) state(g core.Group) *printed.Group     { return &l.S.Groups[g-1] }
func (l *layer) rootMap(g core.Group) core.Rank        { return l.tree(g).Root() }
func (l *layer) parentMap(g core.Group) core.Rank      { return l.tree(g).Parent(l.Rank) }
func (l *layer) childrenMap(g core.Group) []core.Rank  { return l.tree(g).Children(l.Rank) }
func (l *layer) member(g core.Group, r core.Rank) bool { return l.tree(g).Has(r) }

// resultsOf are the reductions of a group at its root. The reception of contributions is recorded
// and not that of results, so a program must say when it takes one; and a contribution is a
// message, so none may be on its way while all take a checkpoint (section 2.3).
func resultsOf(g core.Group, t *trace.Tree, names []string,
	programs []core.Program) (list []result, err error) {
	var lines [][]int // by member and checkpoint: contributions
	for _, m := range t.Members {
		line, n := []int(nil), 0
		for _, op := range programs[m].Unrolled() {
			switch {
			case op.Kind == core.OpContribute && op.Group == g:
				n++
			case op.Kind == core.OpCheckpoint:
				line = append(line, n)
			}
		}
		lines = append(lines, append(line, n))
	}
	root := t.Root()
	blame := func(format string, args ...any) error {
		return &core.ChoiceError{Key: "program", Rank: root, Err: fmt.Errorf(
			"camel as printed: group %s: "+format, append([]any{t.Name}, args...)...)}
	}
	if lines[0][len(lines[0])-1] == 0 {
		return nil, nil
	}
	taken, sends, past := 0, uint32(0), uint32(0)
	checkpoint := 0
	for _, op := range programs[root].Unrolled() {
		switch op.Kind {
		case core.OpPost, core.OpBegin, core.OpFlush:
			return nil, blame("%s may take a result at any moment, which no determinant records",
				names[root])
		case core.OpRecv:
			if op.Any {
				return nil, blame("%s receives from anyone, and so may take a result or something "+
					"else, which no determinant records", names[root])
			}
			past++
			if of, ok := core.SourceGroup(op.Peer); ok && of == g && taken < len(list) {
				list[taken].index = past
				taken++
			}
		case core.OpContribute:
			if sends++; op.Group == g {
				list = append(list, result{id: core.MsgID{From: root, Number: sends}, past: past})
			}
		case core.OpSend, core.OpMulticast:
			sends++
		case core.OpCheckpoint:
			for i := range lines {
				if checkpoint < len(lines[i]) && lines[i][checkpoint] != taken {
					return nil, blame("contributions are on their way at checkpoint %d",
						checkpoint+1)
				}
			}
			checkpoint++
		}
	}
	return list, nil
}

// Request implements printed.Extension: the flag that lets the runtime decide which method to call
// (section 3.2).
func (l *layer) Request(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Multicast:
		return l.sendMulticastMsg(in, out)
	case core.Contribute:
		return l.sendReductionMsg(in, out)
	}
	return append(out, core.DropInput(in.From, core.MsgID{}, "no handler"))
}

// Received implements printed.Extension.
func (l *layer) Received(from core.Rank, m *printed.Message, out []core.Effect) []core.Effect {
	if m.Group == 0 || int(m.Group) > len(l.trees) {
		return printed.Drop(m, from, "no handler", out)
	}
	switch m.Kind {
	case printed.Multicast:
		return l.receiveMulticastMsg(from, m, out)
	case printed.Reduction:
		return l.receiveReductionMsg(from, m, out)
	case printed.MsgAck:
		return l.receiveMsgAck(from, m, out)
	}
	return printed.Drop(m, from, "no handler", out)
}

// Bound implements printed.Extension: "the original sender of the multicast message, R, will be the
// only one retaining a copy of the message and it will provide it directly to W" (section 3.1). A
// multicast has no recver, as [CAMEL] Alg. 1 l. 39 asks for, so it is the group that tells (C1).
func (l *layer) Bound(m *printed.Message, to core.Rank) bool {
	if m.Kind == printed.Multicast {
		return l.member(m.Group, to)
	}
	return m.Recver == to
}

// Tell implements printed.Extension: "to recover any process, the root of every group will provide
// a reduction number that will determine which reduction messages are old and should be discarded"
// (section 3.1). No line does. A reduction that is not complete is not old, whoever has contributed
// (C8).
func (l *layer) Tell(m *printed.Message) {
	m.Numbers = make([]uint32, len(l.trees))
	for i := range l.trees {
		if g := core.Group(i + 1); l.rootMap(g) == l.Rank {
			m.Numbers[i] = l.state(g).Done
		}
	}
}

// Told implements printed.Extension. Lemma 1 has the process "advance its current reduction
// sequence number for each group to the latest". That number is Done, and not redSsnMap, which
// counts its own contributions as the program makes them again (C7).
func (l *layer) Told(m *printed.Message) {
	for i, number := range m.Numbers {
		if g := core.Group(i + 1); l.rootMap(g) != l.Rank && l.member(g, l.Rank) {
			l.state(g).Done = max(l.state(g).Done, number)
		}
	}
}

// Advanced implements printed.Extension: what was out of order may have its turn.
func (l *layer) Advanced(out []core.Effect) []core.Effect {
	for i := range l.trees {
		g := l.state(core.Group(i + 1))
		for at := 0; at < len(g.Waiting); at++ {
			m := g.Waiting[at]
			if l.Behind(&m) || slices.ContainsFunc(g.Waiting[:at], func(w printed.Message) bool {
				return w.Sender == m.Sender
			}) {
				continue
			}
			g.Waiting = slices.Delete(slices.Clone(g.Waiting), at, at+1)
			return l.Advanced(l.accept(&m, out))
		}
	}
	return out
}
