package local_test

import (
	"context"
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/impl/runtime/local"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/spec/fault"
)

// Two ranks without a protocol: when the sender fails, it starts again from the beginning.
func ExampleRun() {
	programs := []core.Program{{{Kind: core.OpSend, Peer: 1, Label: "m"}},
		{{Kind: core.OpRecv, Peer: 0}}}
	setup, err := none.NewSetup(core.Layout{Names: []string{"a", "b"}, Ranks: 2}, programs)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := local.Run(context.Background(), setup, local.Config{Model: fault.Model{Failures: 1},
		Plan: plan.Plan{Failures: []plan.Failure{
			{Victims: []core.Proc{0}, By: 0, After: 1, Survive: fault.Nothing}}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, event := range r.Schedule {
		fmt.Println(event)
	}
	fmt.Println("complete:", r.Complete)
	// Output:
	// step a send m to b
	// crash a
	// cut a->b
	// restart a incarnation 1
	// step a send m to b
	// step a end
	// deliver a.1->b App m (past [1 0])
	// step b receive m from a
	// step b end
	// complete: true
}
