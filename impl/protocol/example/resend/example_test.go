package resend_test

import (
	"context"
	"fmt"
	"strings"

	"example.com/resend"
	"github.com/domino-check/domino/fuzz"
	"github.com/domino-check/domino/impl/protocol"
)

// The first attempt at the protocol fails: a new message overtakes the copies of the ones before
// it.
func Example() {
	target, err := fuzz.TargetOf(protocol.List{resend.Protocol}, "resend", "repaired+R1")
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
	fmt.Println(f.Property + ": " + f.Message)
	fmt.Println(f.Scenario.Program + strings.Join(f.Scenario.Schedule, "\n"))
	// Output:
	// legal-order: b receives m5: no failure-free run delivers in this order
	// a: send b m1; send b m5
	// b: recv a; recv a
	// step a send m1 to b
	// crash b
	// restart b incarnation 1
	// step a send m5 to b
	// deliver a->b Data m5 (number 2)
	// step b receive m5 from a
}
