package world_test

import (
	"context"
	"fmt"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/example/subject"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/spec/fault"
)

// A question has a protocol that is set up for programs, the same programs without it, and what may
// fail. Scenarios are turned into such questions by checker/verify.
func ExampleCheck() {
	layout := core.Layout{Names: []string{"a", "b"}, Ranks: 2}
	programs := []core.Program{
		{{Kind: core.OpSend, Peer: 1}, {Kind: core.OpRecv, Peer: 1}},
		{{Kind: core.OpRecv, Peer: 0}, {Kind: core.OpSend, Peer: 0}},
	}
	setup, err := subject.Setup(layout, programs, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	baseline, err := none.NewSetup(layout, programs)
	if err != nil {
		fmt.Println(err)
		return
	}
	for failures := range 3 {
		out, err := world.Check(context.Background(), world.Case{Setup: setup, Baseline: baseline,
			Model: fault.Model{Failures: failures}}, checker.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%d failures: %s, %d states\n", failures, out.Verdict, out.States)
	}
	// Output:
	// 0 failures: holds, 12 states
	// 1 failures: holds, 171 states
	// 2 failures: holds, 1423 states
}
