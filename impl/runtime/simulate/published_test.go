package simulate_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/impl/runtime/simulate"
)

// Aim: the repaired HydEE has as many messages about channels in a recovery as what the papers
// print. Method: both texts, as they are printed, and the repaired protocol run the same ring with
// the same failure of one of 16 clusters; the kinds are counted at the machines, and what they are
// to be is worked out by hand from the algorithms. Each member of the cluster sends Rollback to
// everybody outside ([HydEE] Alg. 2 l. 6), who answers with LastDate (Alg. 3 l. 9) and sends Log
// and Orphan to the recovery process, and everybody sends OwnPhase; in French Redemarrage, Phases
// and PhaseCourante, without an answer. Status is Rollback and LastDate together: it goes to every
// outside rank, and so do these. Neither text ends (domino errata hydee), which is of no account.
func TestPublishedCounts(t *testing.T) {
	type counts = map[string]int
	list := []struct {
		ranks   int
		variant string
		want    counts
	}{
		{64, "published", counts{"Rollback": 240, "LastDate": 240, "Log": 60, "Orphan": 60,
			"OwnPhase": 64}},
		{64, "published-fr", counts{"Redemarrage": 240, "Phases": 60, "PhaseCourante": 64}},
		{64, "repaired", counts{"Status": 480, "Begin": 64, "Report": 64}},
	}
	if effort.Long() { // of the repaired one, TestOneClusterRollsBack counts 122,880 Status
		list = append(list, list[0])
		list[3].ranks, list[3].want = 1024, counts{"Rollback": 61_440, "LastDate": 61_440,
			"Log": 960, "Orphan": 960, "OwnPhase": 1024}
	}
	for _, tt := range list {
		got, err := recoveryKinds(t, tt.ranks, tt.variant)
		if (err == nil) != (tt.variant == "repaired") || err != nil &&
			!errors.Is(err, simulate.ErrStuck) {
			t.Errorf("%s, %d ranks: %v", tt.variant, tt.ranks, err)
		}
		// how many these are depends on phases and orphans
		for _, kind := range []string{"App", "Notification", "Frontier", "OrphanDone"} {
			delete(got, kind)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s, %d ranks (-by hand +sent):\n%s", tt.variant, tt.ranks, diff)
		}
	}
}

// recoveryKinds counts the messages of a ring in 16 clusters under HydEE with one failure.
func recoveryKinds(t *testing.T, ranks int, variant string) (sum map[string]int, err error) {
	t.Helper()
	suite, err := kernels.Build(fmt.Sprintf("ring ranks=%d iterations=6", ranks))
	if err != nil {
		t.Fatal(err)
	}
	p, err := protocol.List(all.Protocols()).Find("hydee")
	if err != nil {
		t.Fatal(err)
	}
	request := protocol.Request{Variant: variant}
	if request.Errata, err = p.Switches(variant); err != nil {
		t.Fatal(err)
	}
	for r := range ranks {
		request.Layout.Clusters = append(request.Layout.Clusters, r*16/ranks)
	}
	s, _, err := simulate.Prepare(p, suite, request)
	if err != nil {
		t.Fatal(err)
	}
	sum = map[string]int{}
	own := *s
	own.New = func(p core.Proc) core.Machine { return &kinds{s.New(p), sum} }
	j := simulate.Job{Machine: machine(t, "myrinet"), Setup: &own}
	calm := play(t, j)
	clear(sum)
	j.Failures = []simulate.Failure{{At: time.Duration(calm.Completion / 2000), Rank: 5}}
	_, err = j.Run()
	return sum, err
}
