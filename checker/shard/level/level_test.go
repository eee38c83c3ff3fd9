package level

import (
	"context"
	"errors"

	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/checker/shard"
	"github.com/domino-check/domino/spec"
)

// numbersOf is what two searches have in common.
type numbersOf struct {
	Verdict                               string
	States, Transitions, Terminals, Depth int
	Broken                                []string // with the lengths of their runs
	Seen                                  []string
	Steps                                 int
	Covered, Frontier, Singletons, PutOff int
	Shortest                              int
}

// local explores with the search in one process.
func local(t *toy, o checker.Options) numbersOf {
	u := t.fresh()
	o.Order = checker.BreadthFirst
	r := search.Explore(context.Background(), u, o)
	n := numbersIn(r, o.All)
	n.Seen, n.Steps = u.Shown().Seen, len(u.steps)
	return n
}

func numbersIn(r checker.Result, all bool) numbersOf {
	n := numbersOf{Verdict: r.Verdict.String(), States: r.States, Transitions: r.Transitions,
		Terminals: r.Terminals, Depth: r.Depth, Shortest: -1}
	for _, f := range r.Found {
		if all {
			n.Broken = append(n.Broken, fmt.Sprintf("%s in %d", f.Property, len(f.Path)))
		}
		n.Shortest = max(n.Shortest, len(f.Path))
	}
	slices.Sort(n.Broken)
	return n
}

// turning is a worker that takes a job when the one before it in a ring has taken one.
type turning struct {
	*shard.Process
	mine, next chan struct{}
}

func (p *turning) Next(ctx context.Context, topic string) (shard.Delivery, error) {
	select {
	case <-p.mine:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { p.next <- struct{}{} }()
	return p.Process.Next(ctx, topic)
}

// ring makes workers take jobs in turn.
func ring(workers int) func(i int, p *shard.Process) shard.Engine {
	var turns []chan struct{}
	for range workers {
		turns = append(turns, make(chan struct{}, 1))
	}
	turns[0] <- struct{}{}
	return func(i int, p *shard.Process) shard.Engine {
		return &turning{p, turns[i], turns[(i+1)%workers]}
	}
}

// sharded explores with some workers, each a process of its own, which take jobs in turn.
func sharded(ctx context.Context, t *toy, c Config, workers int) (Outcome, error) {
	m := shard.NewMemory()
	c.ID, c.Subject = "x", fmt.Sprint(t.seed)
	c.Make = func() (checker.Portable, error) { return t.fresh(), nil }
	ctx, stop := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer stop()
	engine := ring(workers)
	for i := range workers {
		w := c
		w.Life = fmt.Sprint("w", i)
		w.Engine = engine(i, m.Process(w.Life, nil))
		group.Go(func() { _ = Work(ctx, w) })
	}
	c.Life, c.Workers = "lead", workers
	c.Engine = m.Process("lead", nil)
	u := t.fresh()
	out, err := Lead(ctx, c, u)
	if err == nil {
		err = walked(u, out, c.Options)
	}
	return out, err
}

// walked repeats the runs that were found.
func walked(t *toy, out Outcome, o checker.Options) error {
	for _, f := range out.Found {
		state, x, last := make([]uint32, t.Words()), checker.NewExpansion(t.Words()), 0
		t.Initial(state)
		for _, code := range f.Path {
			t.Expand(state, o.Reduce, x)
			i := slices.IndexFunc(x.Steps, func(s checker.Step) bool { return s.Code == code })
			if i < 0 || last != 0 {
				return fmt.Errorf("the run that breaks %s can not be repeated", f.Property)
			}
			last, state = x.Steps[i].Violation, x.State(i, nil)
		}
		if last == 0 {
			last = t.Terminal(state)
		}
		if last == 0 || t.Violation(last).Property != f.Property {
			return fmt.Errorf("the run breaks nothing, want %s", f.Property)
		}
	}
	return nil
}

func numbersOut(out Outcome, all bool) numbersOf {
	n := numbersIn(out.Result, all)
	n.Seen, n.Steps = out.Shown.Seen, out.LocalSteps
	return n
}

// toys are random systems: some hold, some do not.
func toys(seed uint64) *toy {
	t := &toy{seed: seed, words: 3 + int(seed%3), content: 5 + int(seed%6), fanout: 3}
	if seed%3 == 1 {
		t.bad = 50 + seed%7*100
	}
	return t
}

// TestLikeLocal explores random systems with 1, 2 and 4 workers and 1, 8 and 256 partitions: all
// numbers are those of the search in one process, each level comes to its end at once, and the runs
// can be repeated.
func TestLikeLocal(t *testing.T) {
	t.Parallel()
	sizes := 0
	for seed := range uint64(effort.Cases(3, 7)) {
		toy := toys(seed)
		toy.content = effort.Of(min(toy.content, 5), toy.content)
		o := checker.Options{All: seed%2 == 0}
		want := local(toy, o)
		sizes = max(sizes, want.States)
		for i, workers := range []int{1, 2, 4} {
			synctest.Test(t, func(t *testing.T) {
				c := Config{Options: o, Partitions: []int{1, 8, 256}[(i+int(seed))%3], Block: 20}
				out, err := sharded(t.Context(), toy, c, workers)
				if err != nil {
					t.Fatalf("toy %d, %d workers: %v", seed, workers, err)
				}
				if out.Again > 0 {
					t.Errorf("toy %d, %d workers: %d attempts came to nothing, undisturbed", seed,
						workers, out.Again)
				}
				if d := cmp.Diff(want, numbersOut(out, o.All)); d != "" {
					t.Errorf("toy %d, %d workers, %d partitions (-local +here):\n%s", seed,
						workers, c.Partitions, d)
				}
			})
		}
	}
	if sizes < 300 {
		t.Errorf("the largest system has %d states: want more", sizes)
	}
}

// TestRivals explores systems in which two runs must not differ: what two processes have seen
// differently breaks them, in a run as short as the one in one process.
func TestRivals(t *testing.T) {
	t.Parallel()
	apart := 0
	for seed := range uint64(effort.Cases(10, 50)) {
		toy := toys(3 * seed)
		toy.rivals = true
		want := local(toy, checker.Options{})
		synctest.Test(t, func(t *testing.T) {
			out, err := sharded(t.Context(), toy, Config{Block: 3}, 3)
			if err != nil {
				t.Fatalf("toy %d: %v", toy.seed, err)
			}
			if out.Again > 0 {
				apart++
			}
			got := numbersOut(out, false)
			if got.Verdict != want.Verdict || got.Shortest != want.Shortest {
				t.Errorf("toy %d: %s in %d steps, want %s in %d", toy.seed, got.Verdict,
					got.Shortest, want.Verdict, want.Shortest)
			}
		})
	}
	if apart == 0 {
		t.Error("no two processes have seen different things")
	}
}

// TestBounds leads a search in parts, each as far as a bound lets it go, by other coordinators and
// workers each time: the numbers at the end are those of a search that was not interrupted, and
// until then nobody says that anything holds. A search of something else is refused.
func TestBounds(t *testing.T) {
	t.Parallel()
	toy := toys(6)
	want := local(toy, checker.Options{})
	synctest.Test(t, func(t *testing.T) {
		m := shard.NewMemory()
		c := Config{ID: "x", Subject: "toy", Partitions: 8, Block: 10,
			Make: func() (checker.Portable, error) { return toy.fresh(), nil }}
		for part := 1; ; part++ {
			ctx, stop := context.WithCancel(t.Context())
			var group sync.WaitGroup
			for i := range part%3 + 1 {
				w := c
				w.Life = fmt.Sprintf("w%d-%d", part, i)
				w.Engine = m.Process(w.Life, nil)
				group.Go(func() { _ = Work(ctx, w) })
			}
			l := c
			l.Life, l.Workers = fmt.Sprint("l", part), part%3+1
			l.Engine, l.Options.MaxStates = m.Process(l.Life, nil), part*want.States/4
			out, err := Lead(ctx, l, toy.fresh())
			stop()
			group.Wait()
			if err != nil {
				t.Fatal(err)
			}
			if out.Bound != "" {
				if out.Verdict != spec.Unknown || out.States > l.Options.MaxStates {
					t.Errorf("part %d: %v after %d states", part, out.Verdict, out.States)
				}
				continue
			}
			if d := cmp.Diff(want, numbersOut(out, false)); d != "" || part < 3 {
				t.Errorf("after %d parts (-local +here):\n%s", part, d)
			}
			break
		}
		l := c
		l.Life, l.Subject, l.Engine = "other", "other", m.Process("other", nil)
		if _, err := Lead(t.Context(), l, toy.fresh()); !errors.Is(err, ErrRefused) {
			t.Errorf("a search of something else: %v, want %v", err, ErrRefused)
		}
	})
}
