//go:build unix

package peers_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/protocol/example/twophase"
	"github.com/domino-check/domino/spec/fault"
)

var (
	resources = flag.Int("resources", 7, "resource managers of the benchmark: 3, 5, 7 or 9")
	rounds    = flag.Int("rounds", 5, "alternating runs of each side in the benchmark")
	child     = flag.Int("child", 0,
		"for the benchmark itself: explore with so many workers, print the figures and exit")
)

// published are the numbers of states, by the number of resource managers.
var published = map[int]int{3: 288, 5: 8_832, 7: 296_448, 9: 10_340_352}

// figures are what one run of one side shows.
type figures struct {
	States, Transitions, Errors int
	Wall, CPU                   time.Duration // of the whole process
	Bytes                       int64         // largest resident memory
}

// explore is the checker's side.
func explore(s system, workers int) (figures, error) {
	setup, err := twophase.NewSetup(twophase.Options{Resources: s.resources, Hasty: s.hasty})
	if err != nil {
		return figures{}, err
	}
	m := fault.Model{Set: true}
	w, err := world.New(world.Config{Setup: setup, Model: m, Facts: world.FactsOf(setup, &m, nil),
		Twice: true})
	if err != nil {
		return figures{}, err
	}
	r := search.Explore(context.Background(), w, checker.Options{Workers: workers})
	return figures{States: r.States, Transitions: r.Transitions, Errors: len(r.Found)}, nil
}

// TestMain makes the test binary a process that explores, so that all sides are measured in the
// same way.
func TestMain(m *testing.M) {
	flag.Parse()
	if *child == 0 {
		os.Exit(m.Run())
	}
	f, err := explore(system{resources: *resources}, *child)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(f)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// TestSameSystem checks that the models of the peers and the checker's are the same system: as many
// states, as many steps and no violation, and a violation on all sides when the transaction manager
// does not wait for everybody. Each compiles a checker: all sizes and uses are tried when there is
// time.
func TestSameSystem(t *testing.T) {
	t.Parallel()
	for _, p := range peers {
		if p.again && !effort.Long() {
			continue
		}
		for _, n := range effort.Of([]int{5}, []int{1, 3, 5, 7}) {
			t.Run(fmt.Sprintf("%s/resources=%d", p.name, n), func(t *testing.T) {
				s := system{resources: n}
				ours, err := explore(s, 1)
				if err != nil {
					t.Fatal(err)
				}
				theirs := p.prepare(t, s)(ours.States)
				if want, known := published[n]; known && theirs.States != want {
					t.Errorf("%s has %d states, published are %d", p.name, theirs.States, want)
				}
				if theirs.States != ours.States || theirs.Transitions != ours.Transitions ||
					theirs.Errors != 0 || ours.Errors != 0 {
					t.Errorf("%s: %d states, %d transitions, %d errors; checker: %d, %d, %d",
						p.name, theirs.States, theirs.Transitions, theirs.Errors,
						ours.States, ours.Transitions, ours.Errors)
				}
			})
		}
		t.Run(p.name+"/hasty", func(t *testing.T) {
			s := system{resources: 3, hasty: true}
			ours, err := explore(s, 1)
			if err != nil {
				t.Fatal(err)
			}
			if theirs := p.prepare(t, s)(1000); theirs.Errors == 0 || ours.Errors == 0 {
				t.Errorf("%s finds %d errors, the checker %d, want some on both sides", p.name,
					theirs.Errors, ours.Errors)
			}
		})
	}
}
