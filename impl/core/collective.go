package core

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/domino-check/domino/spec/trace"
)

// The ways to combine contributions, all associative, so that the shape of the tree never shows;
// Concat shows the order of the members.
const (
	Sum    = "sum"
	Xor    = "xor"
	Max    = "max"
	Concat = "concat"
)

// CheckCombine reports whether contributions can be combined in this way along a tree.
func CheckCombine(kind string) error {
	switch kind {
	case Sum, Xor, Max, Concat:
		return nil
	case "mean", "average", "minus", "difference", "divide", "quotient", "power":
		return fmt.Errorf(
			"combine %s is not associative: the shape of the tree would show in the result; want "+
				"sum, xor, max or concat", kind)
	}
	return fmt.Errorf("unknown combine %q, want sum, xor, max or concat", kind)
}

// Combine combines contributions, in the order given: numbers of eight bytes, big-endian, one by
// one. All have the same size; bytes behind the last whole number are those of the first.
func Combine(kind string, parts [][]byte) []byte {
	if kind == Concat {
		return slices.Concat(parts...)
	}
	all := slices.Clone(parts[0])
	for _, p := range parts[1:] {
		CombineInto(kind, all, p)
	}
	return all
}

// CombineInto combines one more contribution with what the others have come to, in its place.
func CombineInto(kind string, all, part []byte) {
	for len(all) >= MinBytes && len(part) >= MinBytes {
		v, w := binary.BigEndian.Uint64(all), binary.BigEndian.Uint64(part)
		switch kind {
		case Sum:
			v += w
		case Xor:
			v ^= w
		case Max:
			v = max(v, w)
		}
		binary.BigEndian.PutUint64(all, v)
		all, part = all[MinBytes:], part[MinBytes:]
	}
}

// ValidateGroups reports the first operation of rank self that uses a group in a way that its tree
// does not allow.
func (p Program) ValidateGroups(self Rank, trees []trace.Tree, names []string) error {
	if len(trees) > 0 {
		if i := slices.IndexFunc(p, func(op Op) bool { return op.Kind == OpFlush }); i >= 0 {
			return fmt.Errorf("operation %d sends what its kernel decides: which sends are to "+
				"groups would not be known", i+1)
		}
	}
	for i, op := range p {
		g := op.Group
		switch op.Kind {
		case OpRecv, OpPost:
			var group bool
			if g, group = SourceGroup(op.Peer); !group || op.Any {
				continue
			}
		case OpMulticast, OpContribute:
		default:
			continue
		}
		if int(g) > len(trees) {
			return fmt.Errorf("operation %d: group %d does not exist, there are %d groups", i+1, g,
				len(trees))
		}
		t := &trees[g-1]
		switch {
		case !t.Has(self):
			return fmt.Errorf("operation %d: %s is not a member of group %s", i+1, names[self],
				t.Name)
		case op.Kind == OpMulticast && t.Root() != self:
			return fmt.Errorf("operation %d: only the root %s of group %s can multicast to it", i+1,
				names[t.Root()], t.Name)
		}
	}
	return nil
}

// Collectives says which sends of the programs are multicasts and contributions.
func Collectives(programs []Program, trees []trace.Tree) map[MsgID]trace.Collective {
	found := map[MsgID]trace.Collective{}
	if len(trees) == 0 {
		return nil
	}
	for r, p := range programs {
		rounds, past := make([]uint32, len(trees)), p.receptions()
		for k, op := range p.Sends() {
			id := MsgID{From: Rank(r), Number: uint32(k + 1)}
			c := trace.Collective{Tree: int(op.Group) - 1, Past: past[k]}
			switch op.Kind {
			case OpMulticast:
				found[id] = c
			case OpContribute:
				rounds[op.Group-1]++
				c.Round = rounds[op.Group-1]
				found[id] = c
			}
		}
	}
	return found
}

// receptions are, for each send, how many receptions the program has before it in every run: those
// that it has posted count when it has waited for them. What a kernel decides does not count.
func (p Program) receptions() (before []uint32) {
	var done, posted uint32
	for _, op := range p.Unrolled() {
		kind := op.Kind
		if op.OnError && kind != OpSend {
			kind = OpNone
		}
		switch kind {
		case OpRecv:
			done++
		case OpPost:
			posted++
		case OpWait:
			done, posted = done+posted, 0
		case OpSend, OpMulticast, OpContribute:
			before = append(before, done)
		}
	}
	return before
}
