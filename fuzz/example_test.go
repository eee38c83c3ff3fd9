package fuzz_test

import (
	"context"
	"fmt"

	"github.com/domino-check/domino/fuzz"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/example/subject"
)

// Random programs and failures, until a run breaks something; what it has found is made small. In a
// test it is one line: fuzz.Test(t, mine.Protocol).
func ExampleRun() {
	target, err := fuzz.TargetOf(protocol.List{subject.Protocol(true)}, "resend", "repaired")
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := fuzz.Run(context.Background(), target, fuzz.Options{Seed: 1})
	if err != nil || len(r.Failures) == 0 {
		fmt.Println("nothing found:", err)
		return
	}
	f := r.Failures[0]
	fmt.Println(f.Property, "in", len(f.Scenario.Schedule), "steps, of", f.Scenario.Model.Failures,
		"failure")
	// Output:
	// legal-order in 6 steps, of 1 failure
}
