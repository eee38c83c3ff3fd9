package errmgr_test

import (
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/sample"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/errmgr"
	"github.com/domino-check/domino/scenarios"
)

// TestHeads draws runs of three heads, too many to explore, in which a node and the leading head
// fail: every program ends as if nothing had failed.
func TestHeads(t *testing.T) {
	s, err := scenarios.Load("testdata/heads.txtar")
	if err != nil {
		t.Fatal(err)
	}
	list := protocol.List{errmgr.Protocol}
	r, err := verify.Resolve(list, s)
	if err != nil {
		t.Fatal(err)
	}
	runs := effort.Of(40, 150)
	for _, strategy := range []sample.Strategy{&sample.PCTCP{}, &sample.RandomWalk{}} {
		out, err := world.Sample(t.Context(), r.Case, strategy, sample.Options{Runs: runs})
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Runs) > 0 || out.Samples == nil || out.Samples.Runs != runs {
			t.Errorf("%s %s: %+v, broken are %d", out.Verdict, out.Reason, out.Samples,
				len(out.Runs))
		}
	}
}
