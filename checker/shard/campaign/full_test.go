package campaign_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/domino-check/domino/checker/shard"
	"github.com/domino-check/domino/checker/shard/campaign"
)

// errNoSpace is what an engine says whose disk is full.
var errNoSpace = errors.New("no space left on device")

// filling is an engine that writes nothing while its disk is full; what is there can be read.
type filling struct {
	*shard.Process
	full *atomic.Bool
	jobs bool // it takes jobs
	keys bool // it takes values
}

func (f filling) room(takes bool) error {
	if f.full.Load() && !takes {
		return errNoSpace
	}
	return nil
}

func (f filling) Publish(ctx context.Context, jobs ...shard.Job) error {
	if err := f.room(f.jobs); err != nil {
		return err
	}
	return f.Process.Publish(ctx, jobs...)
}

func (f filling) Purge(ctx context.Context, campaign string) error {
	if err := f.room(f.jobs); err != nil {
		return err
	}
	return f.Process.Purge(ctx, campaign)
}

func (f filling) Create(ctx context.Context, key string, value []byte) (uint64, error) {
	if err := f.room(f.keys); err != nil {
		return 0, err
	}
	return f.Process.Create(ctx, key, value)
}

func (f filling) Update(ctx context.Context, key string, value []byte, revision uint64) (uint64,
	error) {
	if err := f.room(f.keys); err != nil {
		return 0, err
	}
	return f.Process.Update(ctx, key, value, revision)
}

// inFilling runs a test with a worker, over an engine that may be full, but for jobs or values.
func inFilling(t *testing.T, work campaign.Work, jobs, keys bool,
	do func(ctx context.Context, full *atomic.Bool, engine func(name string) shard.Engine)) {
	synctest.Test(t, func(t *testing.T) {
		m, full := shard.NewMemory(), &atomic.Bool{}
		engine := func(name string) shard.Engine {
			return filling{m.Process(name, nil), full, jobs, keys}
		}
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() { _ = worker(engine("w"), work).Run(ctx) })
		do(ctx, full, engine)
		cancel()
		group.Wait()
	})
}

// squaresUntilFull are squares of a campaign whose engine is full when so many are taken.
func squaresUntilFull(full *atomic.Bool, jobs, after int, got *[]string) campaign.Batch {
	b := squares(jobs, got)
	take := b.Take
	b.Take = func(i int, a *campaign.Answer) (bool, error) {
		more, err := take(i, a)
		full.Store(full.Load() || len(*got) > after)
		return more, err
	}
	full.Store(after == 0)
	return b
}

// TestFullEngine fills the disk of the engine when so many answers were taken: the coordinator ends
// within minutes, says why and what to do, and whoever does it gets all answers, with no job done
// twice: those that were at work meanwhile are kept by their worker.
func TestFullEngine(t *testing.T) {
	const jobs = 40
	for _, o := range []struct {
		after, window int
		jobs, keys    bool // still taken
	}{{0, 4, false, false}, {5, 1, false, false}, {7, 30, false, false}, {9, 5, true, false},
		{9, 5, false, true}} {
		var begun atomic.Int32
		slowly := func(ctx context.Context, kind string, data []byte, told func(any)) (any, any,
			error) {
			begun.Add(1)
			wait(time.Second)
			return square(ctx, kind, data, told)
		}
		inFilling(t, slowly, o.jobs, o.keys, func(ctx context.Context, full *atomic.Bool,
			engine func(string) shard.Engine) {
			c, err := campaign.Open(ctx, engine("c"), build, nil,
				campaign.Options{Window: o.window})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			began := time.Now()
			err = c.Each(ctx, squaresUntilFull(full, jobs, o.after, &got))
			if took := time.Since(began); !errors.Is(err, campaign.ErrEngine) ||
				!errors.Is(err, errNoSpace) || took > 10*time.Minute ||
				!strings.Contains(err.Error(), "farm resume "+c.ID()) {
				t.Fatalf("full after %d: %v after %v, want %v", o.after, err, took,
					campaign.ErrEngine)
			}
			if err := c.Close(ctx, campaign.Cancelled); err != nil {
				t.Errorf("who has said that the engine is full says more: %v", err)
			}
			full.Store(false)
			wait(time.Minute)
			next, err := campaign.Reopen(ctx, engine("next"), build, c.ID(), campaign.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got = nil
			if err := next.Each(ctx, squares(jobs, &got)); err != nil ||
				strings.Join(got, "\n") != wanted(jobs) || begun.Load() != jobs {
				t.Errorf("full after %d: %d answers of %d jobs that were begun, %v", o.after,
					len(got), begun.Load(), err)
			}
			if err := next.Close(ctx, campaign.Done); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestFarewell ends a campaign while the engine writes nothing: with room again soon, it is told of
// the end; else the error says that it was not, and what to do, and the answers are there.
func TestFarewell(t *testing.T) {
	for _, after := range []time.Duration{10 * time.Second, time.Hour} {
		inFilling(t, square, false, false, func(ctx context.Context, full *atomic.Bool,
			engine func(string) shard.Engine) {
			e := engine("c")
			c, err := campaign.Open(ctx, e, build, nil, campaign.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			if err := c.Each(ctx, squares(20, &got)); err != nil {
				t.Fatal(err)
			}
			full.Store(true)
			room := time.AfterFunc(after, func() { full.Store(false) })
			began := time.Now()
			err = c.Close(ctx, campaign.Done)
			room.Stop()
			full.Store(false)
			if took := time.Since(began); took > time.Minute {
				t.Errorf("the end took %v", took)
			}
			h, _, failed := campaign.Read(ctx, e, c.ID())
			if after < time.Minute {
				if err != nil || failed != nil || h.State != campaign.Done {
					t.Errorf("with room again: %v, state %s, %v", err, h.State, failed)
				}
				return
			}
			if !errors.Is(err, errNoSpace) || h.State != campaign.Running || failed != nil {
				t.Fatalf("without room: %v, state %s, %v", err, h.State, failed)
			}
			for _, way := range []string{"resume", "cancel", "forget"} {
				if !strings.Contains(err.Error(), "farm "+way+" "+c.ID()) {
					t.Errorf("%v: it does not name farm %s", err, way)
				}
			}
			wait(shard.LeaseTime)
			next, err := campaign.Reopen(ctx, engine("next"), build, c.ID(), campaign.Options{})
			if err != nil {
				t.Fatal(err)
			}
			again := []string(nil)
			if err := next.Each(ctx, squares(20, &again)); err != nil ||
				strings.Join(again, "\n") != wanted(20) || next.Sums().Found != 20 {
				t.Errorf("%d answers, %d of before: %v", len(again), next.Sums().Found, err)
			}
			if err := next.Close(ctx, campaign.Done); err != nil {
				t.Error(err)
			}
		})
	}
}
