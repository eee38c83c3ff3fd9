package cluster_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
)

// TestBare makes the same run with and without evidence: final digests and what the program sends
// are the same, and the bare run leaves no evidence and yet says how long the programs took.
func TestBare(t *testing.T) {
	for _, protocol := range []string{"hydee", "rbml", "none", "hmpl"}[:effort.Of(1, 4)] {
		text := strings.Replace(example(protocol, ring), "failures: 2", "failures: 0", 1)
		c, _ := config(t, text, plan.Plan{})
		full, err := cluster.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		c.Dir, c.Bare = t.TempDir(), true
		bare, err := cluster.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if !bare.Complete || !slices.Equal(bare.Digests, full.Digests) ||
			!slices.Equal(bare.Done, full.Done) {
			t.Errorf("%s: bare %+v, with evidence %+v", protocol, bare, full)
		}
		if files, err := filepath.Glob(c.Dir + "/*/evidence-*"); err != nil || len(files) > 0 ||
			len(bare.Trace.Events) > 0 || len(full.Trace.Events) == 0 {
			t.Errorf("%s: evidence %v, %d events, %v; with evidence %d events", protocol, files,
				len(bare.Trace.Events), err, len(full.Trace.Events))
		}
		sends, payload := uint64(0), uint64(0)
		for r, ended := range bare.Ended {
			sends, payload = sends+bare.Counts[r].Sends, payload+bare.Counts[r].Payload
			if ended <= 0 || ended > bare.Elapsed || full.Ended[r] <= 0 ||
				full.Ended[r] > full.Elapsed {
				t.Errorf("%s: rank %d ended after %v of %v, with evidence after %v of %v", protocol,
					r, ended, bare.Elapsed, full.Ended[r], full.Elapsed)
			}
		}
		if sends != 6 || payload == 0 || bare.Begun <= 0 {
			t.Errorf("%s: %d sends of %d bytes, begun after %v; want 6", protocol, sends, payload,
				bare.Begun)
		}
	}
}

// TestBareFails refuses what a bare run can not do, and kills one of its processes from outside,
// after which nobody knows where it was.
func TestBareFails(t *testing.T) {
	c, _ := config(t, example("hydee", ring),
		plan.Plan{Failures: []plan.Failure{{Victims: []core.Proc{0}, By: 0, After: 1}}})
	c.Bare = true
	if _, err := cluster.Run(t.Context(), c); err == nil ||
		!strings.Contains(err.Error(), "evidence") {
		t.Errorf("a plan of failures: %v", err)
	}
	c, _ = config(t,
		"A test\n-- scenario --\nprotocol: hydee\nprogram: kernel ring ranks=3 iterations=100000\n",
		plan.Plan{})
	c.Bare = true
	started := 0
	c.Started = func(_ core.Proc, process int) {
		if started++; started == 3 {
			// long before the end of 100,000 rounds
			time.AfterFunc(300*time.Millisecond, func() { syscall.Kill(process, syscall.SIGKILL) })
		}
	}
	if _, err := cluster.Run(t.Context(), c); err == nil ||
		!strings.Contains(err.Error(), "has ended: signal: killed") {
		t.Errorf("killed by somebody else: %v", err)
	}
	if entries, err := os.ReadDir(c.Dir); err != nil || len(entries) == 0 {
		t.Errorf("the folder stays: %v %v", entries, err)
	}
}
