package level_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/checker/shard"
	"github.com/domino-check/domino/checker/shard/level"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/scenarios"
)

// outcome is everything that must be the same in one process and in several.
type outcome struct {
	Verdict                               string
	States, Transitions, Terminals, Depth int
	Saved                                 checker.Savings
	Seen                                  []string
	LocalSteps, LocalStates, Shortest     int
}

func outcomeOf(w *world.World, r checker.Result) (o outcome) {
	o = outcome{Verdict: r.Verdict.String(), States: r.States, Transitions: r.Transitions,
		Terminals: r.Terminals, Depth: r.Depth, Saved: r.Saved, Shortest: -1}
	o.Seen, _ = w.Seen()
	o.LocalSteps, o.LocalStates = w.LocalSteps()
	if len(r.Found) > 0 {
		o.Shortest = len(r.Found[0].Path)
	}
	return o
}

// explore explores a case in several processes, in a world for the coordinator.
func explore(ctx context.Context, w *world.World, c level.Config, workers int) (outcome,
	level.Outcome, error) {
	m := shard.NewMemory()
	ctx, stop := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer stop()
	c.ID, c.Life, c.Workers = "x", "lead", workers
	c.Engine = m.Process("lead", nil)
	for i := range workers {
		v := c
		v.Life = fmt.Sprint("w", i)
		v.Engine = m.Process(v.Life, nil)
		group.Go(func() { _ = level.Work(ctx, v) })
	}
	out, err := level.Lead(ctx, c, w)
	w.Account(out.LocalSteps, out.LocalStates)
	return outcomeOf(w, out.Result), out, err
}

// TestEmbedded explores embedded scenarios, the large ones in part, in several processes and with
// the search of one process: all numbers are the same, and the run of a violation can be repeated.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	list, err := scenarios.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	every, most := effort.Of(150, 12), effort.Of(300, 1500)
	if effort.Huge() {
		every, most = 1, 3000
	}
	tried, whole, broken := 0, 0, 0
	for i, s := range list {
		if i%every != 0 && s.Name != "paxos-stale" && (s.Expect != "violated" || i%10 != 0) {
			continue
		}
		q, err := verify.Resolve(all.Protocols(), s)
		if err != nil {
			t.Fatal(s.Name, err)
		}
		made := func() (*world.World, error) {
			w, _, err := world.Open(t.Context(), q.Case, checker.Options{MaxStates: 5_000})
			return w, err
		}
		if _, err := made(); errors.Is(err, checker.ErrBound) {
			continue // its failure-free runs are too many for a test
		}
		o := checker.Options{Order: checker.BreadthFirst, MaxStates: most}
		if i%2 == 1 {
			o.Reduce = checker.Singletons | checker.Crashes
		}
		tried++
		synctest.Test(t, func(t *testing.T) {
			defer func() { <-time.After(time.Hour) }() // goroutines wait for more steps
			w, err := made()
			if err != nil {
				t.Fatal(s.Name, err)
			}
			workers, partitions := []int{1, 2, 4}[i%3], []int{1, 8, 256}[i/3%3]
			got, out, err := explore(t.Context(), w, level.Config{Options: o, Block: 50,
				Partitions: partitions,
				Make:       func() (checker.Portable, error) { return made() }}, workers)
			if err != nil {
				t.Fatal(s.Name, err)
			}
			for _, f := range out.Found {
				broken++
				if _, err := w.FollowFound(f); err != nil {
					t.Errorf("%s: the run can not be repeated: %v", s.Name, err)
				}
			}
			here, err := made()
			if err != nil {
				t.Fatal(s.Name, err)
			}
			if o.MaxStates = 0; out.Bound != "" {
				o.MaxStates = out.States // whole levels
			} else {
				whole++
			}
			want := outcomeOf(here, search.Explore(t.Context(), here, o))
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s, %d workers, %d partitions, reduced %v (-one process +several):\n%s",
					s.Name, workers, partitions, o.Reduce, d)
			}
		})
	}
	t.Logf("%d scenarios, %d of them whole, %d broken", tried, whole, broken)
	if whole == 0 || whole == tried || broken == 0 {
		t.Errorf("%d scenarios, %d of them whole, %d broken: the test is of all sorts", tried,
			whole, broken)
	}
}
