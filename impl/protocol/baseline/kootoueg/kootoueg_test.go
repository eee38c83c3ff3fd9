package kootoueg_test

import (
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/baseline/kootoueg"
	"github.com/domino-check/domino/impl/protocol/part/roundtrip"
	"github.com/domino-check/domino/spec/trace"
)

func parse(t *testing.T, text string) (trace.Layout, []core.Program) {
	t.Helper()
	names, programs, err := script.Parse(text, 1)
	if err != nil {
		t.Fatal(err)
	}
	return trace.Layout{Names: names, Ranks: len(names)}, programs
}

// setup prepares two ranks that send each other messages.
func setup(t *testing.T) *core.Setup {
	t.Helper()
	layout, programs := parse(t, "a: send b; recv b\nb: recv a; send a")
	p := kootoueg.Protocol
	s, err := p.Make(protocol.Request{Layout: layout, Programs: programs})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestNoAllocation: a round trip allocates nothing in the layers once their queues are warm. The
// host around them is left out: it makes the payloads of programs without numbers.
func TestNoAllocation(t *testing.T) {
	n, err := roundtrip.Allocations(setup(t), 2000)
	if err != nil || n != 0 {
		t.Errorf("%v allocations, want 0; %v", n, err)
	}
}
