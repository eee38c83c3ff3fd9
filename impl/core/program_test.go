package core_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// Shorthand for programs.
func send(to core.Rank, label string) core.Op {
	return core.Op{Kind: core.OpSend, Peer: to, Label: label}
}
func recv(from core.Rank) core.Op { return core.Op{Kind: core.OpRecv, Peer: from} }
func loop(n int) core.Op          { return core.Op{Kind: core.OpLoop, Count: n} }

func pick(n int) core.Op { return core.Op{Kind: core.OpPick, Count: n} }

var end = core.Op{Kind: core.OpEnd}

// TestValidate gives programs of rank 1 of 3 with the exact error, "" for a good one.
func TestValidate(t *testing.T) {
	tests := []struct {
		name    string
		program core.Program
		want    string
	}{
		{"empty", nil, ""},
		{"one of each", core.Program{send(0, "x"), recv(2), {Kind: core.OpPost, Any: true},
			{Kind: core.OpWait}, {Kind: core.OpCheckpoint},
			{Kind: core.OpOutput}, {Kind: core.OpSend, Any: true}, loop(3), recv(0), end}, ""},
		{"any source ignores the rank", core.Program{{Kind: core.OpRecv, Any: true, Peer: 9}}, ""},
		{"nested loops", core.Program{loop(2), loop(3), send(0, "x"), end, end, loop(1), end}, ""},
		{"many steps", core.Program{loop(1 << 9), loop(1 << 9), send(0, ""), end, end}, ""},
		{"send to self", core.Program{send(0, ""), send(1, "")},
			"program of rank 1: operation 2: a rank can not send to or receive from itself"},
		{"receive from self", core.Program{recv(1)},
			"program of rank 1: operation 1: a rank can not send to or receive from itself"},
		{"post from self", core.Program{{Kind: core.OpPost, Peer: 1}},
			"program of rank 1: operation 1: a rank can not send to or receive from itself"},
		{"send to unknown rank", core.Program{send(3, "")},
			"program of rank 1: operation 1: rank 3 does not exist, there are 3 ranks"},
		{"receive from unknown rank", core.Program{recv(65535)},
			"program of rank 1: operation 1: rank 65535 does not exist, there are 3 ranks"},
		{"end without loop", core.Program{end}, "program of rank 1: operation 1: end without loop"},
		{"one end too many", core.Program{loop(1), end, end},
			"program of rank 1: operation 3: end without loop"},
		{"loop without end", core.Program{loop(1), loop(1), end},
			"program of rank 1: loop without end"},
		{"count zero", core.Program{loop(0), end},
			"program of rank 1: operation 1: loop count 0, want at least 1"},
		{"picks", core.Program{pick(2), loop(2), pick(core.MaxPicks), end}, ""},
		{"pick of one value", core.Program{pick(1)},
			"program of rank 1: operation 1: pick 1, want [2, 64]"},
		{"pick of too many values", core.Program{pick(core.MaxPicks + 1)},
			"program of rank 1: operation 1: pick 65, want [2, 64]"},
		{"count negative", core.Program{loop(-5), end},
			"program of rank 1: operation 1: loop count -5, want at least 1"},
		{"no operation", core.Program{{}}, "program of rank 1: operation 1: unknown operation 0"},
		{"unknown operation", core.Program{{Kind: 200}},
			"program of rank 1: operation 1: unknown operation 200"},
		{"too many steps", core.Program{loop(1 << 19), send(0, ""), send(0, ""), end},
			"program of rank 1: operation 3: more than 1048576 steps, make the loops shorter"},
		{"absurd loop", core.Program{loop(1 << 62), send(0, ""), end},
			"program of rank 1: operation 1: more than 1048576 steps, make the loops shorter"},
		{"absurd nest", core.Program{loop(1 << 40), loop(1 << 40), loop(1 << 40), send(0, ""), end,
			end, end},
			"program of rank 1: operation 1: more than 1048576 steps, make the loops shorter"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if err := tt.program.Validate(1, 3); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// TestAbsurdLoopWithoutSends checks that a loop that is too long to be unrolled is refused, also
// when it sends nothing: Sends walks through every repetition.
func TestAbsurdLoopWithoutSends(t *testing.T) {
	program := core.Program{loop(1_000_000_000_000), recv(0), end}
	if err := program.Validate(1, 2); err == nil {
		t.Error("accepted")
	}
}

// TestSends checks the order of sends with loops unrolled.
func TestSends(t *testing.T) {
	tests := []struct {
		name    string
		program core.Program
		want    string
	}{
		{"none", core.Program{recv(0)}, ""},
		{"straight", core.Program{send(0, "x"), recv(0), send(2, "y")}, "xy"},
		{"loop", core.Program{send(0, "a"), loop(3), send(0, "b"), end, send(0, "c")}, "abbbc"},
		{"nested", core.Program{loop(2), send(0, "a"), loop(2), send(0, "b"), end, send(0, "c"),
			end}, "abbcabbc"},
		{"loops in a row", core.Program{loop(2), send(0, "a"), end, loop(2), send(0, "b"), end},
			"aabb"},
		{"empty loop", core.Program{loop(4), end, send(0, "a")}, "a"},
		{"reply", core.Program{recv(0), {Kind: core.OpSend, Any: true, Label: "r"}}, "r"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			for _, op := range tt.program.Sends() {
				got += op.Label
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestLabels checks that a label used once stays, one used several times gets a number, and
// unlabelled sends have none.
func TestLabels(t *testing.T) {
	got := core.Labels([]core.Program{
		{send(1, "x"), send(1, ""), loop(2), send(1, "y"), end},
		{send(0, "x"), send(0, "x")},
		nil,
	})
	want := map[core.MsgID]string{
		{From: 0, Number: 1}: "x", {From: 0, Number: 3}: "y.1", {From: 0, Number: 4}: "y.2",
		{From: 1, Number: 1}: "x.1", {From: 1, Number: 2}: "x.2",
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(core.MsgID{})); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
}

// TestSetupValidate gives setups that lack something, with the exact error.
func TestSetupValidate(t *testing.T) {
	good := []core.Program{{send(1, "")}, {recv(0)}}
	many := make([]string, core.MaxProcs+1)
	tests := []struct {
		name  string
		setup core.Setup
		want  string
	}{
		{"good", core.Setup{Layout: trace.Layout{Ranks: 2, Names: []string{"a", "b", "RP"}},
			Programs: good}, ""},
		{"no ranks", core.Setup{Protocol: "p"}, "setup p: 0 ranks, want at least 1"},
		{"negative ranks", core.Setup{Protocol: "p", Layout: trace.Layout{Ranks: -1}},
			"setup p: -1 ranks, want at least 1"},
		{"a name is missing", core.Setup{Protocol: "p",
			Layout: trace.Layout{Ranks: 2, Names: []string{"a"}}, Programs: good},
			"setup p: 2 ranks with 1 names and 2 programs"},
		{"a program is missing", core.Setup{Protocol: "p",
			Layout: trace.Layout{Ranks: 2, Names: []string{"a", "b"}}, Programs: good[:1]},
			"setup p: 2 ranks with 2 names and 1 programs"},
		{"too many procs", core.Setup{Protocol: "p", Layout: trace.Layout{Ranks: 2, Names: many},
			Programs: good},
			"setup p: 131073 procs, at most 131072 are supported"},
		{"bad program", core.Setup{Layout: trace.Layout{Ranks: 2, Names: []string{"a", "b"}},
			Programs: []core.Program{{end}, nil}},
			"program of rank 0: operation 1: end without loop"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if err := tt.setup.Validate(); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// TestGroup checks that a proc without a group stands alone.
func TestGroup(t *testing.T) {
	s := core.Setup{Layout: trace.Layout{Groups: map[core.Proc][]core.Proc{0: {0, 1}, 1: {0, 1}}}}
	for p, want := range [][]core.Proc{{0, 1}, {0, 1}, {2}} {
		if diff := cmp.Diff(want, s.Group(core.Proc(p))); diff != "" {
			t.Errorf("group of %d (-want +got):\n%s", p, diff)
		}
	}
}

// TestDeterminismNames checks the names of the classes, which verdicts print.
func TestDeterminismNames(t *testing.T) {
	want := []string{"none", "piecewise", "send-deterministic", "deterministic"}
	for d := promise.NoDeterminism; d <= promise.Deterministic; d++ {
		if d.String() != want[d] {
			t.Errorf("class %d is %q, want %q", d, d, want[d])
		}
	}
}

// Aim: what a collective comes after is what the program receives before it in every run.
func TestReceptionsBeforeCollectives(t *testing.T) {
	contribute := core.Op{Kind: core.OpContribute, Group: 1}
	p := core.Program{recv(0), contribute, {Kind: core.OpPost, Any: true}, loop(2), contribute,
		{Kind: core.OpWait}, {Kind: core.OpEnd}, recv(0), {Kind: core.OpMulticast, Group: 1}}
	got := core.Collectives([]core.Program{p}, make([]trace.Tree, 1))
	want := map[core.MsgID]trace.Collective{{Number: 1}: {Round: 1, Past: 1},
		{Number: 2}: {Round: 2, Past: 1}, {Number: 3}: {Round: 3, Past: 2}, {Number: 4}: {Past: 3}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("collectives (-want +got):\n%s", diff)
	}
}
