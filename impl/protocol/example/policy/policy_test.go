package policy_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/core"
	mine "github.com/domino-check/domino/impl/protocol/example/policy"

	"github.com/domino-check/domino/impl/protocol/errmgr/policy"
)

// TestScenarios explores a job with one failure under the policy: every run ends well.
func TestScenarios(t *testing.T) { verify.Test(t, "testdata/*.txtar", mine.Protocol()) }

// TestWalk asks the policy in a stack, with and without a snapshot.
func TestWalk(t *testing.T) {
	stack, err := policy.Parse("anew autor", append(policy.House(), mine.Maker()))
	if err != nil {
		t.Fatal(err)
	}
	for snapshots, want := range map[int]string{0: "anew", 1: "autor"} {
		v := &policy.View{Ranks: []policy.RankView{{Node: 2}, {Node: 3, Alive: true}},
			FromStart: true, MostTries: 1, Snapshots: make([]policy.SnapView, snapshots)}
		s := &policy.Status{Stable: true, Group: policy.Fault{Lost: []policy.Lost{{Rank: 0}}}}
		order, _ := stack.Walk(v, s, nil)
		if s.Owner != want || order.Kind != policy.RestoreAll {
			t.Errorf("with %d snapshots %s owns the fault, order %d", snapshots, s.Owner,
				order.Kind)
		}
	}
}

// TestPlace starts a rank on the node that the policy suggests first and that is legal.
func TestPlace(t *testing.T) {
	stack, err := policy.Parse("anew", append(policy.House(), mine.Maker()))
	if err != nil {
		t.Fatal(err)
	}
	v := &policy.View{Ranks: []policy.RankView{{Node: 2}}, Nodes: []policy.NodeView{
		{Node: 2, Alive: true, Room: 1}, {Node: 3, Alive: true, Room: 1},
		{Node: 4, Alive: true, Room: 1}, {Node: 5, Room: 1}}}
	placed, ok := stack.Place(v, []core.Rank{0}, nil)
	if d := cmp.Diff([]policy.Placement{{Rank: 0, Node: 4}}, placed); d != "" || !ok {
		t.Errorf("ok %v\n%s", ok, d)
	}
}
