//go:build unix

package peers_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/domino-check/domino/checker/effort"
)

var (
	resources = flag.Int("resources", 7, "resource managers in the benchmark: 3, 5, 7 or 9")
	nodes     = flag.Int("nodes", 4, "nodes of the ring in the benchmark: 2 to 5")
	rounds    = flag.Int("rounds", 5, "alternating runs of each side in the benchmark")
	child     = flag.String("child", "",
		"for the benchmark itself: explore this example, print the figures and exit")
	size    = flag.Int("size", 0, "for -child: how large the example is")
	workers = flag.Int("workers", 1, "for -child: how many explore")
)

// figures are what one run of one side shows.
type figures struct {
	States, Transitions, Errors int
	Wall, CPU                   time.Duration // of the whole process
	Bytes                       int64         // largest resident memory
}

// TestMain makes the test binary a process that explores, so that all sides are measured in the
// same way.
func TestMain(m *testing.M) {
	flag.Parse()
	for _, e := range examples {
		if e.name != *child {
			continue
		}
		f, err := (&system{example: e, size: *size}).explore(*workers)
		if err == nil {
			err = json.NewEncoder(os.Stdout).Encode(f)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// TestSameSystem checks that the models of the peers and the checker's are the same system: as many
// states, as many steps and no violation, and a violation on all sides when it is broken on
// purpose. Each compiles a checker: all sizes and uses are tried when there is time.
func TestSameSystem(t *testing.T) {
	t.Parallel()
	for _, e := range examples {
		for _, p := range e.peers {
			if p.again && !effort.Long() {
				continue
			}
			for _, n := range effort.Of(e.small, e.sizes) {
				t.Run(fmt.Sprintf("%s=%d/%s", e.name, n, p.name), func(t *testing.T) {
					same(t, p, &system{example: e, size: n})
				})
			}
			if e.sound {
				continue
			}
			t.Run(fmt.Sprintf("%s=3/%s/broken", e.name, p.name), func(t *testing.T) {
				s := &system{example: e, size: 3, broken: true}
				ours, err := s.explore(1)
				if err != nil {
					t.Fatal(err)
				}
				if theirs := p.prepare(t, s)(1000); theirs.Errors == 0 || ours.Errors == 0 {
					t.Errorf("%d errors, the checker %d, want some on both sides",
						theirs.Errors, ours.Errors)
				}
			})
		}
	}
}

// same compares the numbers of one peer with ours, and both with published ones.
func same(t *testing.T, p *peer, s *system) {
	ours, err := s.explore(1)
	if err != nil {
		t.Fatal(err)
	}
	theirs := p.prepare(t, s)(ours.States)
	if want, known := s.published[s.size]; known && theirs.States != want {
		t.Errorf("%d states, published are %d", theirs.States, want)
	}
	if theirs.States != ours.States || theirs.Transitions != ours.Transitions ||
		theirs.Errors != 0 || ours.Errors != 0 {
		t.Errorf("%d states, %d transitions, %d errors; checker: %d, %d, %d",
			theirs.States, theirs.Transitions, theirs.Errors,
			ours.States, ours.Transitions, ours.Errors)
	}
}
