package core_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
)

// Aim: a program that says something about errors where there are none is refused, with what to
// write instead. Method: each mistake, and its neighbour that is none.
func TestValidateErrors(t *testing.T) {
	try := func(op core.Op) core.Op { op.Try = true; return op }
	after := func(op core.Op) core.Op { op.OnError = true; return op }
	group := recv(core.Group(1).Source())
	cancel := core.Op{Kind: core.OpCancel}
	tests := []struct {
		name    string
		program core.Program
		want    string
	}{
		{"all", core.Program{try(recv(0)), after(try(send(2, ""))), {Kind: core.OpAcknowledge},
			after(cancel), try(core.Op{Kind: core.OpWait}), try(group)}, ""},
		{"post", core.Program{try(core.Op{Kind: core.OpPost, Peer: 0})}, "operation 1: a post " +
			"never ends in an error, the wait for it does: want try wait"},
		{"output", core.Program{send(0, ""), try(core.Op{Kind: core.OpOutput})},
			"operation 2: output never ends in an error, want try with send, reply, recv, wait " +
				"or an operation on a group"},
		{"nothing tried", core.Program{after(send(0, ""))},
			"operation 1: onerror with nothing tried before it"},
		{"loop", core.Program{try(send(0, "")), after(loop(2)), end}, "operation 2: a loop is " +
			"never done on an error alone, the operations in it may be"},
		{"group", core.Program{try(send(0, "")), after(group)}, "operation 2: an operation on a " +
			"group is done by every member, whatever each has seen: want it without onerror"},
		{"cancel", core.Program{try(send(0, "")), cancel}, "operation 2: want onerror cancel: " +
			"what is received must not depend on who comes first where nothing fails"},
	}
	for _, tt := range tests {
		want := tt.want
		if want != "" {
			want = "program of rank 1: " + want
		}
		if err := tt.program.Validate(1, 3); fmt.Sprint(err) != want && (err != nil || want != "") {
			t.Errorf("%s: %v, want %q", tt.name, err, want)
		}
	}
}

// Aim: sends keep their numbers whether errors come or not, and a program that can see none has
// numbers without gaps. Method: one program with a send after an error, as it is and blind.
func TestBlind(t *testing.T) {
	p := core.Program{send(1, "x"), {Kind: core.OpRecv, Peer: 1, Try: true},
		{Kind: core.OpSend, Peer: 2, Label: "y", OnError: true}, {Kind: core.OpAcknowledge},
		send(1, "z")}
	id := func(n uint32) core.MsgID { return core.MsgID{From: 0, Number: n} }
	want := map[core.MsgID]string{id(1): "x", id(2): "y", id(3): "z"}
	if diff := cmp.Diff(want, core.Labels([]core.Program{p})); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(core.Program{send(1, "x"), recv(1), send(1, "z")}, p.Blind()); diff != "" {
		t.Errorf("blind (-want +got):\n%s", diff)
	}
	if !p.Sees() || p.Blind().Sees() {
		t.Errorf("sees: %t, blind %t", p.Sees(), p.Blind().Sees())
	}
}
