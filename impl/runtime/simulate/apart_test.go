package simulate_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/impl/runtime/emulate"
	"github.com/domino-check/domino/impl/runtime/simulate"
)

// Aim: a job is the same to the picosecond and the byte whether procs go on one after the other or
// event after event, under every protocol, with ranks that compute, too. Which protocols need the
// order of all events, so that this is for them a second run, is known.
func TestApart(t *testing.T) {
	kernels := []string{"ring ranks=5 iterations=4", "heat ranks=6 n=16 iterations=3",
		"matmul-dynamic ranks=5"}
	if effort.Long() {
		kernels = small(4)
	}
	ordered := map[string]bool{}
	for _, p := range all.Protocols() {
		if p.Setup == nil {
			continue
		}
		for i, k := range kernels {
			s := setup(t, p.Name, k, 2)
			if s == nil || s.Watchdogs {
				continue
			}
			j := simulate.Job{Machine: machine(t, simulate.Machines()[i%3]), Setup: s,
				Work: time.Duration(i%2) * 10 * time.Microsecond}
			got, err := j.RunApart(true)
			if errors.Is(err, emulate.ErrOrder) {
				ordered[p.Name] = true
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			want, err := j.RunApart(false)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s under %s (-event after event +apart):\n%s", k, p.Name, diff)
			}
		}
	}
	for _, name := range strings.Fields("none hydee causal camel rbml") {
		if ordered[name] {
			t.Errorf("%s needs the order of all events, which it did not", name)
		}
	}
	t.Log("for these the order of all events matters:", ordered)
}
