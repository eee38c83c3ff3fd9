package radic_test

import (
	"testing"

	"github.com/domino-check/domino/checker/sample"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/radic"
	"github.com/domino-check/domino/scenarios"
)

// TestJoinedIsFound draws runs of a scenario that is too large to explore. With a chase that asks
// nodes of the start alone (chase.go, ask), the 25th run breaks buffers-drain.
func TestJoinedIsFound(t *testing.T) {
	s, err := scenarios.Load("testdata/found.txtar")
	if err != nil {
		t.Fatal(err)
	}
	r, err := verify.Resolve(protocol.List(radic.Protocols()), s)
	if err != nil {
		t.Fatal(err)
	}
	out, err := world.Sample(t.Context(), r.Case, &sample.PCTCP{}, sample.Options{Runs: 500})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Runs) > 0 || out.Samples == nil || out.Samples.Runs != 500 {
		t.Errorf("%s %s: %+v, broken are %d", out.Verdict, out.Reason, out.Samples, len(out.Runs))
	}
}
