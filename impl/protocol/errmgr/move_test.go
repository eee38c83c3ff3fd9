package errmgr

import (
	"slices"
	"testing"

	"github.com/domino-check/domino/impl/core"
)

// TestTwoMoversOneNode moves both ranks to one node, each by an order of its own, their images
// packed in the store: both go on there.
func TestTwoMoversOneNode(t *testing.T) {
	want := reference(t, pingPong)
	for _, options := range []string{"path=direct", "path=store codec=gzip", "path=store"} {
		g := newTestRig(t, options, "crmig autor", pingPong)
		g.work(0, 1)
		g.run()
		list := g.order(&Message{Kind: Quiesce, Move: 1, Ranks: ranks}, 0, 1)
		for i, node := range []core.Proc{2, 3} {
			list = append(list, g.order(&Message{Kind: Carry, Move: 1, Ranks: ranks[i : i+1],
				Nodes: []core.Proc{4}}, node)...)
		}
		if len(only(list, Carried)) != 2 {
			t.Fatalf("%s: the images are not at the new node: %v", options, list)
		}
		for i, node := range []core.Proc{2, 3} {
			g.order(&Message{Kind: Release, Move: 1, Ranks: ranks[i : i+1], Missing: true}, node)
		}
		list = nil
		for i := range ranks {
			list = append(list, g.order(&Message{Kind: Release, Move: 1, Ranks: ranks[i : i+1]},
				4)...)
		}
		if len(only(list, Restored)) != 2 {
			t.Fatalf("%s: the movers do not run at their new node: %v", options, list)
		}
		g.order(&Message{Kind: Resume, Move: 1, Ranks: ranks, Lives: g.lives[:2]}, 0, 1)
		if got := g.finish(); !slices.Equal(got, want) {
			t.Errorf("%s: ends in %x, want %x", options, got, want)
		}
		if len(g.machines[4].(*daemon).s.Images) > 0 {
			t.Errorf("%s: the new node has an image left", options)
		}
	}
}
