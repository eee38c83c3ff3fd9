package causal

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// traffic is what one rank has sent and received up to one of its checkpoints, by other rank and
// then by group. Receives from anyone are apart.
type traffic struct {
	sent, received []int
	anyone         int
}

// quiet reports a message that is on its way while its sender and its receiver take a checkpoint
// ([CAMEL] section 2.3): sent before it and received behind it, or the other way round. Every rank
// would wait for ever, or give up. Programs of which that is not known before they run are
// accepted. Contributions to reductions are no messages to a program.
func quiet(name string, layout *trace.Layout, programs []core.Program) error {
	var lines [][]traffic
	for _, p := range programs {
		list, known := trafficOf(p, len(programs), len(layout.Trees))
		if !known {
			return nil
		}
		lines = append(lines, list)
	}
	for k := range lines[0] {
		for r := range programs {
			if problem := quietAt(layout, lines, k, r); problem != "" {
				return blame("program", core.Rank(r),
					"%s: %s receives %s: checkpoint %d must be where nothing is on its way", name,
					layout.Names[r], problem, k+1)
			}
		}
	}
	return nil
}

// quietAt compares what rank r has received before checkpoint k with what was sent to it.
func quietAt(layout *trace.Layout, lines [][]traffic, k, r int) string {
	at := &lines[r][k]
	spare := 0 // for receives from anyone
	for s := range at.received {
		var n int
		var who string
		if g := s - len(lines); g < 0 {
			who, n = layout.Names[s], lines[s][k].sent[r]
		} else if tree := &layout.Trees[g]; tree.Members[0] != trace.Rank(r) &&
			slices.Contains(tree.Members, trace.Rank(r)) {
			who, n = tree.Name, lines[tree.Members[0]][k].sent[s]
		} else {
			continue // results of reductions
		}
		switch n -= at.received[s]; {
		case n < 0:
			return "from " + who + " before its checkpoint what is sent behind it"
		case n > at.anyone:
			return "from " + who + " behind its checkpoint what is sent before it"
		}
		spare += n
	}
	switch {
	case spare > at.anyone:
		return "behind its checkpoint what is sent before it"
	case spare < at.anyone:
		return "before its checkpoint what is sent behind it"
	}
	return ""
}

// trafficOf adds up a program, up to each checkpoint; known is false if not all is known before it
// runs.
func trafficOf(p core.Program, ranks, groups int) (list []traffic, known bool) {
	now := traffic{sent: make([]int, ranks+groups), received: make([]int, ranks+groups)}
	var posted []core.Op
	receive := func(op core.Op) {
		if g, ok := core.SourceGroup(op.Peer); ok && !op.Any {
			now.received[ranks+int(g)-1]++
		} else if op.Any {
			now.anyone++
		} else {
			now.received[op.Peer]++
		}
	}
	for _, op := range p.Unrolled() {
		switch op.Kind {
		case core.OpSend:
			if op.Any {
				return nil, false // a reply
			}
			now.sent[op.Peer]++
		case core.OpMulticast:
			now.sent[ranks+int(op.Group)-1]++
		case core.OpRecv:
			receive(op)
		case core.OpPost:
			posted = append(posted, op)
		case core.OpWait:
			for _, o := range posted {
				receive(o)
			}
			posted = nil
		case core.OpCheckpoint:
			if len(posted) > 0 {
				return nil, false
			}
			list = append(list, traffic{slices.Clone(now.sent), slices.Clone(now.received),
				now.anyone})
		case core.OpBegin:
			return nil, false // only the kernel knows
		}
	}
	return list, now.anyone == 0 || groups == 0
}

// Refuse reports programs that no form of this protocol carries.
func Refuse(name string, layout *trace.Layout, programs []core.Program) error {
	if err := suitable(name, layout.Names, programs); err != nil {
		return err
	}
	return quiet(name, layout, programs)
}
