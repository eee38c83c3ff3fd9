package resend_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/domino-check/domino/fuzz"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/example/resend"
	"github.com/domino-check/domino/impl/protocol/none"
)

// protocol is all that has to be said about one's own protocol: how it is made, and which random
// programs it is for.
func protocol(hasty bool) fuzz.Protocol {
	return fuzz.Protocol{Name: "resend", New: resend.New(hasty), Baseline: none.NewSetup,
		Shapes: fuzz.Shapes{
			Needs: core.SendDeterministic, Wildcards: true, Posts: true, Loops: true,
			Settings: fuzz.Settings("at-once", "from-dead", "to-dead", "stop")}}
}

// TestResend is the test of the repaired protocol: small programs exhaustively, random ones beside.
func TestResend(t *testing.T) { fuzz.Test(t, protocol(false)) }

// FuzzResend is the same for go test -fuzz=FuzzResend.
func FuzzResend(f *testing.F) { fuzz.Fuzz(f, protocol(false)) }

// The first attempt at the protocol fails: a new message overtakes the copies of the ones before
// it.
func Example() {
	r, err := fuzz.Run(context.Background(), protocol(true).Target(), fuzz.Options{Seed: 1})
	if err != nil || len(r.Failures) == 0 {
		fmt.Println("nothing found:", err)
		return
	}
	f := r.Failures[0]
	fmt.Println(f.Property + ": " + f.Message)
	fmt.Println(f.Scenario.Program + strings.Join(f.Scenario.Schedule, "\n"))
	// Output:
	// legal-order: b receives m3: no failure-free run delivers in this order
	// a: send b m1; send b m3
	// b: recv a; recv a
	// step a send m1 to b
	// crash b
	// restart b incarnation 1
	// step a send m3 to b
	// deliver a->b Data m3 (number 2)
	// step b receive m3 from a
}
