package soak_test

import (
	"context"
	"fmt"

	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/protocol/all"

	"github.com/domino-check/domino/checker/soak"
	"github.com/domino-check/domino/checker/world"

	"github.com/domino-check/domino/scenarios"
)

// A scenario is run as goroutines until a run breaks a property.
func ExampleSoak() {
	s, err := scenarios.Parse("example.txtar",
		[]byte(`Two messages to one receiver, which depends on their order
-- scenario --
protocol: causal
variant: published
failures: 1
-- program --
y: recv * ordered; reply; recv * ordered; reply
a: send y a; recv y
b: send y b; recv y
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := verify.Resolve(all.Protocols(), s)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := soak.Soak(context.Background(),
		world.Case{Setup: r.Setup, Baseline: r.Baseline, Model: r.Model},
		soak.Options{Runs: 500, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out.Verdict, out.Found.Violation.Property, out.Found.Stale)
	// Output: violated no-orphan <nil>
}
