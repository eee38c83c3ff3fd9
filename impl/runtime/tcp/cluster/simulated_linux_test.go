package cluster_test

import (
	"slices"
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/impl/runtime/simulate"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
)

// tally is what ranks send, and what they log.
type tally struct{ sends, messages, bytes, logs, logged uint64 }

// TestAsSimulated: what the simulator says of 9 and 16 ranks is what processes do: the digests of
// all ranks and what programs send, and where messages do not depend on the order of events, under
// none and hydee, all messages, their bytes, entries of logs and bytes in them.
func TestAsSimulated(t *testing.T) {
	if !effort.Long() {
		t.Skip("processes of 9 and 16 ranks: run with " + effort.Variable + "=long")
	}
	machine, err := simulate.Shipped("myrinet")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		kernel, more string
		protocols    []string
	}{{"bt ranks=9", "", []string{"none", "hydee"}}, {"heat n=32 iterations=4 ranks=16",
		" | r9 r10 r11 r12 r13 r14 r15", []string{"hydee", "rbml", "causal"}}} {
		kernel := tt.kernel
		for _, protocol := range tt.protocols {
			text := "A test\n-- scenario --\nprotocol: " + protocol +
				"\nprogram: kernel " + kernel + "\n"
			if protocol == "hydee" {
				text += "clusters: r0 r1 r2 r3 | r4 r5 r6 r7 r8" + tt.more + "\n"
			}
			c, r := config(t, text, plan.Plan{})
			c.Bare = true
			result, err := cluster.Run(t.Context(), c)
			if err != nil || !result.Complete {
				t.Fatalf("%s under %s: %v, %+v", kernel, protocol, err, result)
			}
			out, err := (&simulate.Job{Machine: machine, Setup: r.Setup}).Run()
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(result.Digests[:len(out.Finals)], out.Finals) {
				t.Errorf("%s under %s: processes end in %x, simulated in %x", kernel, protocol,
					result.Digests, out.Finals)
			}
			var got tally
			for _, n := range result.Counts {
				got.sends += n.Sends
				got.messages += n.Frames + n.Encoded
				got.bytes += n.Bytes + n.Header + n.Coded
				got.logs, got.logged = got.logs+n.Logs, got.logged+n.LogKnown
			}
			want := tally{uint64(out.Sends), uint64(out.Messages), uint64(out.Bytes),
				uint64(out.Logs), uint64(out.Logged)}
			if protocol == "rbml" || protocol == "causal" {
				got, want = tally{sends: got.sends}, tally{sends: want.sends}
			}
			if got != want || got.sends == 0 {
				t.Errorf("%s under %s: processes %+v, simulated %+v", kernel, protocol, got, want)
			}
		}
	}
}
