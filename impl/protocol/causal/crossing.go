package causal

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// traffic is what one rank has sent, and what it has received at least, up to one of its
// checkpoints.
type traffic struct {
	sent        []int // by rank, then multicasts by group
	contributed []int // by group
	received    []int // by rank, then by group
	anyone      int   // receives from anyone
}

func (t *traffic) clone() traffic {
	return traffic{slices.Clone(t.sent), slices.Clone(t.contributed), slices.Clone(t.received),
		t.anyone}
}

// backwards reports a message that a rank waits for before its checkpoint and that is sent behind
// the checkpoint of its sender: all wait at a checkpoint for all, so nobody would go on, and no
// line could have that message. Those that cross it the other way are in images. Programs of which
// it is not known before they run are accepted.
func backwards(name string, layout *trace.Layout, programs []core.Program) error {
	return crossing(layout, programs, func(k int, r trace.Rank, early, _ string) error {
		if early == "" {
			return nil
		}
		return blame("program", core.Rank(r),
			"%s: %s waits before its checkpoint %d for %s, sent behind it, and all wait there for "+
				"all: receive it behind the checkpoint, or send it before", name, layout.Names[r],
			k+1, early)
	})
}

// Refuse reports programs that the protocol does not carry as [CAMEL] has it: of its checkpoints,
// section 2.3 says that no message is on its way, and of what a process sends while a receive is
// posted, no determinant tells what it had received.
func Refuse(name string, layout *trace.Layout, programs []core.Program) error {
	if err := suitable(name, layout.Names, programs); err != nil {
		return err
	}
	for r, p := range programs {
		open := false
		for _, op := range p.Unrolled() {
			switch op.Kind {
			case core.OpPost:
				open = true
			case core.OpWait:
				open = false
			case core.OpSend, core.OpFlush, core.OpOutput, core.OpMulticast, core.OpContribute:
				if open {
					return blame("program", core.Rank(r),
						"%s: %s sends while a posted receive is open: the moment of that "+
							"reception is not recorded; wait first", name, layout.Names[r])
				}
			}
		}
	}
	return crossing(layout, programs, func(k int, r trace.Rank, early, late string) error {
		at, sent := "before", "behind"
		switch {
		case early == "" && late == "":
			return nil
		case early == "":
			early, at, sent = late, "behind", "before"
		}
		return blame("program", core.Rank(r),
			"%s: %s receives %s its checkpoint %d %s, sent %s it: it must be where nothing is on "+
				"its way", name, layout.Names[r], at, k+1, early, sent)
	})
}

// replies reports whether it is not known, before the programs run, how much each rank has sent to
// each other one at its checkpoints.
func replies(layout *trace.Layout, programs []core.Program) bool {
	return slices.ContainsFunc(programs, func(p core.Program) bool {
		_, known := trafficOf(p, len(programs), len(layout.Trees))
		return !known
	})
}

// crossing asks about each checkpoint of each rank: what is received before it and sent behind it,
// and the other way round, as far as it is known, "" where there is no such thing.
func crossing(layout *trace.Layout, programs []core.Program,
	problem func(k int, r trace.Rank, early, late string) error) error {
	var lines [][]traffic
	for _, p := range programs {
		list, known := trafficOf(p, len(programs), len(layout.Trees))
		if !known {
			return nil
		}
		lines = append(lines, list)
	}
	for k := range lines[0] {
		for r := range trace.Rank(len(programs)) {
			early, late := across(layout, lines, k, r)
			if err := problem(k, r, early, late); err != nil {
				return err
			}
		}
	}
	return nil
}

// across names what rank r receives before checkpoint k and is sent behind it, and the other way
// round.
func across(layout *trace.Layout, lines [][]traffic, k int, r trace.Rank) (early, late string) {
	at := &lines[r][k]
	spare := 0 // for receives from anyone
	for s, received := range at.received {
		var sent int
		var what string
		if g := s - len(lines); g < 0 {
			sent, what = lines[s][k].sent[r], "a message of "+layout.Names[s]
		} else if tree := &layout.Trees[g]; !tree.Has(r) {
			continue
		} else if root := tree.Root(); root != r {
			sent, what = lines[root][k].sent[s], "a multicast to "+tree.Name
		} else {
			what, sent = "a result of "+tree.Name, lines[root][k].contributed[g]
			for _, m := range tree.Members {
				sent = min(sent, lines[m][k].contributed[g])
			}
		}
		if received > sent {
			return what, late
		}
		if sent-received > at.anyone {
			late = what
		}
		spare += sent - received
	}
	switch {
	case at.anyone > spare:
		early = "a message"
	case at.anyone < spare && late == "":
		late = "a message"
	}
	return early, late
}

// trafficOf adds up a program, up to each checkpoint; known is false if not all is known before it
// runs.
func trafficOf(p core.Program, ranks, groups int) (list []traffic, known bool) {
	now := traffic{make([]int, ranks+groups), make([]int, groups), make([]int, ranks+groups), 0}
	var posted []core.Op
	var last core.Op // the receive that a reply answers
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
				_, group := core.SourceGroup(last.Peer)
				if last.Kind == core.OpNone || last.Any || group {
					return nil, false
				}
				op.Peer = last.Peer
			}
			now.sent[op.Peer]++
		case core.OpMulticast:
			now.sent[ranks+int(op.Group)-1]++
		case core.OpContribute:
			now.contributed[op.Group-1]++
		case core.OpRecv:
			// what was posted before for the same source is first
			posted = slices.DeleteFunc(posted, func(o core.Op) bool {
				first := o.Any || !op.Any && o.Peer == op.Peer
				if first {
					receive(o)
				}
				return first
			})
			receive(op)
			last = op
		case core.OpPost:
			posted = append(posted, op)
		case core.OpWait:
			for _, o := range posted {
				receive(o)
			}
			posted, last = nil, core.Op{}
		case core.OpCheckpoint:
			list = append(list, now.clone())
		case core.OpBegin:
			return nil, false // only the kernel knows
		}
	}
	return list, true
}
