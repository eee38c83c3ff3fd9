package campaign_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/domino-check/domino/checker/shard"
	"github.com/domino-check/domino/checker/shard/campaign"
)

// inBubble runs a test with workers of one slot that do the work in a memory, until it returns.
func inBubble(t *testing.T, workers int, work campaign.Work,
	do func(ctx context.Context, m *shard.Memory)) {
	synctest.Test(t, func(t *testing.T) {
		m := shard.NewMemory()
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		for i := range workers {
			w := worker(m.Process(fmt.Sprint("w", i), nil), work)
			w.Slots = 1
			group.Go(func() { _ = w.Run(ctx) })
		}
		do(ctx, m)
		cancel()
		group.Wait()
	})
}

// whole has so many squares done by a campaign of its own, and returns what it was told.
func whole(ctx context.Context, t *testing.T, e shard.Engine, jobs int,
	o campaign.Options) []string {
	c, err := campaign.Open(ctx, e, build, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := c.Each(ctx, squares(jobs, &got)); err != nil {
		t.Errorf("after %d answers: %v", len(got), err)
	}
	if err := c.Close(ctx, campaign.Done); err != nil {
		t.Error(err)
	}
	return got
}

// TestLong has jobs of which each takes longer than a silent worker is waited for: who is at work
// is not silent, so each is done once.
func TestLong(t *testing.T) {
	var begun atomic.Int32
	inBubble(t, 2, func(ctx context.Context, kind string, data []byte, told func(any)) (any, any,
		error) {
		begun.Add(1)
		wait(5 * shard.RedeliverAfter)
		return square(ctx, kind, data, told)
	}, func(ctx context.Context, m *shard.Memory) {
		got := whole(ctx, t, m.Process("c", nil), 5, campaign.Options{})
		if strings.Join(got, "\n") != wanted(5) || begun.Load() != 5 {
			t.Errorf("%d jobs were begun, want 5: %v", begun.Load(), got)
		}
	})
}

// TestLostJobs loses all jobs that wait, again and again: the coordinator hands them out again.
func TestLostJobs(t *testing.T) {
	inBubble(t, 1, square, func(ctx context.Context, m *shard.Memory) {
		own, end := context.WithCancel(ctx)
		var thief sync.WaitGroup
		thief.Go(func() {
			p := m.Process("thief", nil)
			for range 3 {
				wait(2500 * time.Millisecond)
				list, err := campaign.Headers(own, p)
				if err != nil || len(list) != 1 {
					t.Errorf("%v, %v", list, err)
					return
				}
				if err := p.Purge(own, list[0].ID); err != nil {
					t.Error(err)
				}
			}
		})
		got := whole(ctx, t, m.Process("c", nil), 12, campaign.Options{Window: 5})
		thief.Wait()
		end()
		if strings.Join(got, "\n") != wanted(12) {
			t.Errorf("%v", got)
		}
	})
}

// TestAsleep lets a coordinator sleep until another one has its campaign, and wake up: it says that
// it has lost it, and changes nothing of it.
func TestAsleep(t *testing.T) {
	inBubble(t, 1, square, func(ctx context.Context, m *shard.Memory) {
		var asleep atomic.Bool
		sleeper := m.Process("first", func(string) {
			if asleep.Load() {
				wait(time.Minute)
			}
		})
		first, err := campaign.Open(ctx, sleeper, build, nil, campaign.Options{Window: 3})
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() {
			var got []string
			ended <- first.Each(ctx, squares(200, &got))
		}()
		wait(3 * time.Second)
		asleep.Store(true)
		second, err := campaign.Reopen(ctx, m.Process("second", nil), build, first.ID(),
			campaign.Options{})
		if err != nil {
			t.Fatal(err)
		}
		wait(2 * time.Minute)
		asleep.Store(false)
		if err := <-ended; !errors.Is(err, campaign.ErrLost) {
			t.Errorf("who has slept says %v, want %v", err, campaign.ErrLost)
		}
		if err := first.Close(ctx, campaign.Cancelled); err != nil {
			t.Error(err)
		}
		h, _, err := campaign.Read(ctx, sleeper, first.ID())
		if err != nil || h.State != campaign.Running {
			t.Errorf("the campaign of somebody else is %s now: %v", h.State, err)
		}
		var got []string
		err = second.Each(ctx, squares(200, &got))
		if err != nil || strings.Join(got, "\n") != wanted(200) {
			t.Errorf("%d answers, %v", len(got), err)
		}
		if err := second.Close(ctx, campaign.Done); err != nil {
			t.Error(err)
		}
	})
}

// TestAlone has jobs that want their machine alone beside others: when one of them is at work,
// nothing else is, and none waits for ever. Not in a bubble: what waits for a lock has no time
// there.
func TestAlone(t *testing.T) {
	m := shard.NewMemory()
	ctx, cancel := context.WithCancel(t.Context())
	var alone, beside atomic.Int32
	w := worker(m.Process("w", nil), func(_ context.Context, kind string, _ []byte,
		_ func(any)) (any, any, error) {
		mine := &beside
		if kind == "alone" {
			mine = &alone
		}
		mine.Add(1)
		defer mine.Add(-1)
		wait(10 * time.Millisecond)
		if a, b := alone.Load(), beside.Load(); a > 1 || a > 0 && b > 0 {
			t.Errorf("%d jobs are alone, with %d others", a, b)
		}
		return nil, nil, nil
	})
	w.Slots, w.Classes = 3, []string{campaign.Plain, campaign.Torture}
	var workers, both sync.WaitGroup
	workers.Go(func() { _ = w.Run(ctx) })
	for _, class := range w.Classes {
		kind := map[string]string{campaign.Plain: "any", campaign.Torture: "alone"}[class]
		both.Go(func() {
			c, err := campaign.Open(ctx, m.Process(kind, nil), build, nil, campaign.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			var got []string
			b := squares(9, &got)
			b.Kind, b.Class = kind, class
			if err := c.Each(ctx, b); err != nil || len(got) != 9 {
				t.Errorf("%s: %v, %v", kind, got, err)
			}
			if err := c.Close(ctx, campaign.Done); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	cancel()
	workers.Wait()
}

// TestOddAnswers has work that panics, and work that says too much: each is the answer to its job,
// and the others are done.
func TestOddAnswers(t *testing.T) {
	inBubble(t, 2, func(ctx context.Context, kind string, data []byte, told func(any)) (any, any,
		error) {
		switch string(data) {
		case "2":
			panic("two")
		case "3":
			return strings.Repeat("x", shard.MaxValue), nil, nil
		}
		return square(ctx, kind, data, told)
	}, func(ctx context.Context, m *shard.Memory) {
		got := whole(ctx, t, m.Process("c", nil), 5, campaign.Options{})
		if len(got) != 5 || !strings.HasPrefix(got[2], "2 panic: two") ||
			!strings.HasPrefix(got[3], "3 the answer has 524") || got[4] != "4 160" {
			t.Errorf("%.80q", got)
		}
	})
}

// TestForgetOpen holds that nobody forgets a campaign under its coordinator.
func TestForgetOpen(t *testing.T) {
	inBubble(t, 1, square, func(ctx context.Context, m *shard.Memory) {
		p := m.Process("c", nil)
		c, err := campaign.Open(ctx, p, build, nil, campaign.Options{})
		if err != nil {
			t.Fatal(err)
		}
		err = campaign.Forget(ctx, m.Process("other", nil), c.ID(), nothingElse)
		if err == nil || !strings.Contains(err.Error(), "has a coordinator") {
			t.Errorf("it is forgotten: %v", err)
		}
		var got []string
		err = c.Each(ctx, squares(3, &got))
		if err != nil || strings.Join(got, "\n") != wanted(3) {
			t.Errorf("%v, %v", got, err)
		}
		if err := c.Close(ctx, campaign.Done); err != nil {
			t.Error(err)
		}
		if err := campaign.Forget(ctx, p, c.ID(), nothingElse); err != nil {
			t.Error(err)
		}
	})
}
