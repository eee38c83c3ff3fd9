package simulate_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/kernels"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/impl/protocol/hydee"
	"github.com/domino-check/domino/impl/runtime/simulate"
)

// TestSizes: at the ends of 16 bits, messages are those of the ring, each rank's first and last
// neighbour included: one for each rank and iteration, and no rank is taken for another one, or the
// digests were not those without a protocol.
func TestSizes(t *testing.T) {
	sizes := []int{4097}
	if effort.Long() {
		sizes = append(sizes, 1<<16-2, 1<<16-1, 1<<16)
	}
	for _, n := range sizes {
		if err := simulate.Fits("ring iterations=2", n); err != nil {
			t.Fatal(err)
		}
		suite, err := kernels.Build("ring iterations=2 ranks=" + strconv.Itoa(n))
		if err != nil {
			t.Fatal(err)
		}
		request := protocol.Request{}
		for r := range n {
			request.Layout.Clusters = append(request.Layout.Clusters, r*64/n)
		}
		under, base, err := simulate.Prepare(&hydee.Protocol, suite, request)
		if err != nil {
			t.Fatal(err)
		}
		m := machine(t, "ethernet-10g")
		plain := play(t, simulate.Job{Machine: m, Setup: base})
		logged := play(t, simulate.Job{Machine: m, Setup: under})
		for r := range plain.Finals {
			if plain.Finals[r] != logged.Finals[r] || plain.Finals[r] == 0 {
				t.Fatalf("%d ranks: rank %d ends in %x, and in %x without a protocol", n, r,
					logged.Finals[r], plain.Finals[r])
			}
		}
		if plain.Messages != 2*n || logged.Messages != 2*n || logged.Logs != 2*64 {
			t.Errorf("%d ranks: %d and %d messages, %d logged", n, plain.Messages, logged.Messages,
				logged.Logs)
		}
	}
}

// TestMany: so it is under every protocol that takes so many ranks.
func TestMany(t *testing.T) {
	const kernel = "ring iterations=2 ranks=4097"
	plain := play(t, simulate.Job{Machine: machine(t, "ethernet-10g"),
		Setup: setup(t, "none", kernel, 0)})
	many := 0
	for _, p := range all.Protocols() {
		if !p.Many || !effort.Long() && p.Name != "causal" && p.Name != "koo-toueg" {
			continue
		}
		many++
		out := play(t, simulate.Job{Machine: machine(t, "ethernet-10g"),
			Setup: setup(t, p.Name, kernel, 64)})
		if !slices.Equal(out.Finals, plain.Finals) || out.Sends != 2*4097 {
			t.Errorf("%s: %d messages of programs, or other digests", p.Name, out.Sends)
		}
	}
	if effort.Long() && many < 13 {
		t.Errorf("%d protocols take so many ranks", many)
	}
}

// TestTooMany: what there is no memory for is refused before anything is made.
func TestTooMany(t *testing.T) {
	for _, tt := range []struct {
		kernel string
		ranks  int
		want   string
	}{{"ring", 1<<16 + 1, "[1, 65536]"}, {"ring", 1 << 20, "[1, 65536]"},
		{"ring", -1, "[1, 65536]"}, {"ft n=4096", 4096, "8388608 such pairs"}} {
		if err := simulate.Fits(tt.kernel, tt.ranks); err == nil ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s, %d ranks: %v, want %s", tt.kernel, tt.ranks, err, tt.want)
		}
	}
	if err := simulate.Fits("matmul-dynamic", 4096); err != nil { // few send to all
		t.Error(err)
	}
	suite, err := kernels.Build("ring ranks=4097")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all.Protocols() {
		_, _, err := simulate.Prepare(&p, suite, protocol.Request{})
		refused := err != nil && strings.Contains(err.Error(), "at most 4096")
		if refused == p.Many {
			t.Errorf("%s: %v", p.Name, err)
		}
		if refused && p.Setup != nil && !strings.HasSuffix(err.Error(), ": "+p.Dense) ||
			(p.Dense == "") != (p.Many || p.Setup == nil) {
			t.Errorf("%s: %v, want the reason %q", p.Name, err, p.Dense)
		}
	}
	procs := core.Setup{Layout: core.Layout{Names: make([]string, core.MaxProcs+1)}}
	if err := procs.Validate(); err == nil || !strings.Contains(err.Error(), "131072") {
		t.Errorf("%d procs: %v", core.MaxProcs+1, err)
	}
}
