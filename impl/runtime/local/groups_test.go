package local_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/impl/runtime/local"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// ofKernel is a kernel over a protocol.
func ofKernel(t *testing.T, protocol, kernel string) *core.Setup {
	t.Helper()
	s, err := scenarios.Parse("k.txtar", []byte("t\n-- scenario --\nprotocol: "+protocol+
		"\nprogram: kernel "+kernel+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := verify.Resolve(all.Protocols(), s)
	if err != nil {
		t.Fatal(err)
	}
	return r.Setup
}

// outcome is what a run shows of its ranks: the digest in which each has ended last, 0 for one that
// has not, and what is kept for others, determinants aside, by rank.
type outcome struct {
	Digests []uint64
	Copies  int // of messages from rank to rank, and of multicasts
	Parts   int // of reductions
	Struck  int // failures
}

func outcomeOf(t *testing.T, setup *core.Setup, c local.Config) outcome {
	t.Helper()
	r := run(t, setup, c)
	if !r.Complete || r.Panic != "" {
		t.Fatalf("%s: complete %t %s %s", setup.Protocol, r.Complete, r.Panic, r.Bound)
	}
	n := setup.Layout.Ranks
	o := outcome{Digests: make([]uint64, n), Struck: r.Failures}
	kept := make([]map[trace.Item]int, n)
	for i := range kept {
		kept[i] = map[trace.Item]int{}
	}
	for _, e := range r.Trace.Events {
		item := trace.Item{Sort: e.Text, ID: e.ID, Peer: e.Peer, Number: e.Received}
		switch p := int(e.Proc); e.Kind {
		case trace.Finished:
			o.Digests[p] = e.Digest
		case trace.Restored:
			clear(kept[p])
		case trace.Kept:
			kept[p][item]++
		case trace.Forgotten:
			if kept[p][item]--; kept[p][item] == 0 {
				delete(kept[p], item)
			}
		}
	}
	for _, items := range kept {
		for item, k := range items { // a sum: the order does not matter
			switch item.Sort {
			case trace.Copy:
				o.Copies += k
			case trace.Part:
				o.Parts += k
			}
		}
	}
	return o
}

// TestGroupsLogged counts what both protocols keep of kernels with groups at the end of a run as
// goroutines. By hand: in leanmd on two ranks, two cells each with a root and one other rank: SCMEL
// keeps two messages a cell and step, CAMEL the multicast, and the contribution at its sender and
// at the root. In a row of four with arity two the root has two children: of three multicasts SCMEL
// keeps three, CAMEL one, of three contributions SCMEL three, CAMEL two, and two at the root. With
// more cells it is the enumeration of impl/program/script, which was written apart.
func TestGroupsLogged(t *testing.T) {
	const steps = 3
	lean, err := script.LeanMD([3]int{4, 2, 2}, 1, 7, 2)
	if err != nil {
		t.Fatal(err)
	}
	plain, aware := lean.Plain(false), lean.Aware()
	for _, tt := range []struct {
		kernel       string
		scmel, camel [2]int // copies, parts
	}{
		{"leanmd ranks=2 iterations=3", [2]int{4 * steps, 0}, [2]int{2 * steps, 4 * steps}},
		{"openatom ranks=4 row=4 iterations=3", [2]int{6 * steps, 0},
			[2]int{steps, 4 * steps}},
		{"leanmd ranks=7 cx=4 cy=2 cz=2 iterations=3", [2]int{plain.Logged * steps, 0},
			[2]int{len(lean.Groups) * steps,
				(aware.Logged - len(lean.Groups) + aware.Seeds) * steps}},
	} {
		want := outcomeOf(t, ofKernel(t, "none", tt.kernel), local.Config{MaxSteps: 1 << 20})
		for protocol, kept := range map[string][2]int{"causal": tt.scmel, "camel": tt.camel} {
			got := outcomeOf(t, ofKernel(t, protocol, tt.kernel), local.Config{MaxSteps: 1 << 20})
			want.Copies, want.Parts = kept[0], kept[1]
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s over %s (-want +got):\n%s", tt.kernel, protocol, diff)
			}
		}
	}
}

// failing are runs with one failure each: of every rank behind so many of its effects, the first
// and the last among them.
func failing(t *testing.T, setup *core.Setup, effects int) (list []outcome) {
	t.Helper()
	free := run(t, setup, local.Config{MaxSteps: 1 << 20})
	for victim, last := range free.Performed {
		for k := range effects {
			f := plan.Failure{Victims: []core.Proc{core.Proc(victim)}, By: core.Proc(victim),
				After: 1 + k*(last-1)/(effects-1), Survive: fault.Prefix}
			list = append(list, outcomeOf(t, setup, local.Config{Seed: uint64(k),
				MaxSteps: 1 << 20, Model: fault.Model{Failures: 1},
				Plan: plan.Plan{Failures: []plan.Failure{f}}}))
		}
	}
	return list
}

// TestGroupsRecover: whenever a rank of a kernel with groups fails, all end in the state of a run
// without failures. A failure behind the end of the program is one, too: what others need of it
// must come back.
func TestGroupsRecover(t *testing.T) {
	for _, kernel := range []string{"leanmd ranks=4 cx=2 cy=2 iterations=2",
		"openatom ranks=8 row=4 iterations=2 checkpoint=1"} {
		want := outcomeOf(t, ofKernel(t, "none", kernel), local.Config{MaxSteps: 1 << 20})
		for _, protocol := range []string{"camel", "causal"} {
			list, struck := failing(t, ofKernel(t, protocol, kernel), effort.Of(4, 40)), 0
			for i, got := range list {
				if struck += got.Struck; !cmp.Equal(got.Digests, want.Digests) {
					t.Errorf("%s over %s: failure %d: digests %x, want %x", kernel, protocol, i,
						got.Digests, want.Digests)
				}
			}
			if struck < len(list)*3/4 {
				t.Errorf("%s over %s: %d of %d failures strike", kernel, protocol, struck,
					len(list))
			}
		}
	}
}

// TestGroupsErrata: with an error of the paper that a failure shows, runs of the kernels end wrong,
// or not at all: a multicast that a member does not get again (C1), a contribution that is counted
// twice (C4), rounds that are skipped (C7), a round that waits for ever (C8).
func TestGroupsErrata(t *testing.T) {
	const kernel = "leanmd ranks=5 cx=3 cy=2 iterations=2"
	want := outcomeOf(t, ofKernel(t, "none", kernel), local.Config{MaxSteps: 1 << 20})
	for i, erratum := range []string{"C1", "C4", "C7", "C8"} {
		if i%2 > 0 && !effort.Long() {
			t.Log(erratum + ": " + effort.More)
			continue
		}
		wrong := 0
		for _, got := range failing(t, ofKernel(t, "camel\nvariant: repaired+"+erratum, kernel),
			10) {
			if !cmp.Equal(got.Digests, want.Digests) {
				wrong++
			}
		}
		if wrong == 0 {
			t.Errorf("%s: all runs end as they should", erratum)
		}
	}
}
