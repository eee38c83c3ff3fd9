package verify_test

import (
	"context"
	"fmt"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/example/subject"
	"github.com/domino-check/domino/scenarios"
)

// A scenario and a protocol in, an answer out: here of a protocol that takes a new message for the
// copy of one that was lost.
func ExampleCheck() {
	s, err := scenarios.Parse("two.txtar", []byte("Two messages\n"+
		"-- scenario --\nprotocol: resend\nfailures: 1\n"+
		"-- program --\na: send b; send b\nb: recv a; recv a\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, hasty := range []bool{false, true} {
		list := protocol.List{subject.Protocol(hasty)}
		a, err := verify.Check(context.Background(), list, s,
			verify.Options{Order: checker.BreadthFirst})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(a.Verdict, "within", a.Bounds)
		if a.Violation != nil { // a.Story() has the run, for spec/report
			fmt.Printf("in %d steps: %s\n", a.Length, a.Violation.Message)
		}
	}
	// Output:
	// holds within 1 failure
	// violated within 1 failure
	// in 6 steps: b receives a#2: no failure-free run delivers in this order
}
