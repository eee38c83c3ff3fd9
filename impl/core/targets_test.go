package core_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
)

// TestTargets: to whom programs send, each rank once, with loops, replies and groups; and with whom
// they exchange messages.
func TestTargets(t *testing.T) {
	send := func(q core.Rank) core.Op { return core.Op{Kind: core.OpSend, Peer: q} }
	programs := []core.Program{
		{send(3), {Kind: core.OpLoop, Count: 2}, send(1), send(3), {Kind: core.OpEnd}},
		{{Kind: core.OpRecv, Any: true}, {Kind: core.OpSend, Any: true}},
		{{Kind: core.OpRecv, Peer: 3}},
		{send(2)},
		nil,
	}
	to, err := core.Targets(programs)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]core.Rank{{1, 3}, {0, 2, 3, 4}, nil, {2}, nil}, to); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
	want := [][]core.Rank{{1, 3}, {0, 2, 3, 4}, {1, 3}, {0, 1, 2}, {1}}
	if diff := cmp.Diff(want, core.Partners(to)); diff != "" {
		t.Errorf("partners (-want +got):\n%s", diff)
	}
	for _, op := range []core.Op{{Kind: core.OpFlush}, {Kind: core.OpMulticast, Group: 1},
		{Kind: core.OpContribute, Group: 1}} {
		to, err := core.Targets([]core.Program{{op}, nil, nil})
		if err != nil || len(to[0]) != 2 || len(to[1]) != 0 {
			t.Errorf("%v: %v, %v", op.Kind, to, err)
		}
	}
}

// TestTooManyTargets: what would be a table of all pairs is refused while it is still short.
func TestTooManyTargets(t *testing.T) {
	programs := make([]core.Program, core.MaxSearched+2)
	for r := range programs {
		programs[r] = core.Program{{Kind: core.OpSend, Any: true}}
	}
	_, err := core.Targets(programs)
	if err == nil || !strings.Contains(err.Error(), "4097 others each") {
		t.Errorf("%v", err)
	}
	if _, err := core.Targets(programs[:2]); err != nil {
		t.Error(err)
	}
}
