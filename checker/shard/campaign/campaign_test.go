package campaign_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/shard"
	"github.com/domino-check/domino/checker/shard/campaign"
)

const build = "97f0"

// square is the work of these tests: it takes a second, and answers n with n*n.
func square(ctx context.Context, kind string, data []byte, progress func(any)) (any, any, error) {
	var n int
	if err := json.Unmarshal(data, &n); err != nil || kind != "square" {
		return nil, nil, fmt.Errorf("%s %s: %w", kind, data, err)
	}
	progress(n)
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
		return -1, nil, nil // what nobody may look at
	}
	if n == 13 {
		return nil, nil, errors.New("thirteen")
	}
	return n * n, time.Now(), nil
}

// wait lets the time of a bubble go by.
func wait(d time.Duration) { <-time.After(d) }

// worker is one with two slots as a process of its own.
func worker(e shard.Engine, work campaign.Work) *campaign.Worker {
	return &campaign.Worker{Engine: e, Build: build, Classes: []string{campaign.Plain}, Slots: 2,
		Work: work}
}

// squares are so many jobs; what comes of them is added to a list.
func squares(n int, into *[]string) campaign.Batch {
	return campaign.Batch{Kind: "square", Class: campaign.Plain,
		Job: func(i int) ([]byte, bool, error) { return fmt.Append(nil, i), i < n, nil },
		Take: func(i int, a *campaign.Answer) (bool, error) {
			*into = append(*into, fmt.Sprint(i, " ", string(a.Data), a.Failed, a.Spent))
			return true, nil
		}}
}

// wanted is what squares bring, whatever happens to whom.
func wanted(n int) string {
	var list []string
	for i := range n {
		if i == 13 {
			list = append(list, "13 thirteen0")
		} else {
			list = append(list, fmt.Sprint(i, " ", i*i, "0"))
		}
	}
	return strings.Join(list, "\n")
}

// TestCrashes lets workers and coordinators crash at random moments before, in, and after their
// calls, and others take their places: all answers come, in order, once each.
func TestCrashes(t *testing.T) {
	const jobs = 24
	for seed := range uint64(effort.Cases(60, 1500)) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			m := shard.NewMemory()
			ctx, cancel := context.WithCancel(t.Context())
			var group sync.WaitGroup
			for i := range 3 {
				moments := make([]int, 40)
				for k := range moments {
					moments[k] = r.IntN(60)
				}
				group.Go(func() { lives(ctx, m, fmt.Sprint("w", i), moments) })
			}
			id, got := "", []string(nil)
			for life := 0; ; life++ {
				p := m.Process(fmt.Sprint("c", life), nil)
				if life < 4 {
					p.CrashAt(r.IntN(80))
				}
				var err error
				if id, got, err = coordinate(ctx, p, id, jobs); err == nil {
					break
				} else if !errors.Is(err, shard.ErrCrashed) {
					t.Fatalf("seed %d, life %d: %v", seed, life, err)
				}
			}
			cancel()
			group.Wait()
			if diff := strings.Join(got, "\n"); diff != wanted(jobs) {
				t.Fatalf("seed %d:\n%s", seed, diff)
			}
			list, err := m.Process("after", nil).List(t.Context(), "result."+id+".")
			if err != nil || len(list) != jobs {
				t.Fatalf("seed %d: %d results, %v", seed, len(list), err)
			}
		})
	}
}

// lives are workers one after another, each of which crashes, and a last one that does not.
func lives(ctx context.Context, m *shard.Memory, name string, moments []int) {
	for life := range len(moments) + 1 {
		p := m.Process(fmt.Sprint(name, "-", life), nil)
		if life < len(moments) {
			p.CrashAt(moments[life])
		}
		own, cancel := context.WithCancel(ctx)
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = worker(p, square).Run(own) // it has crashed, or is told to end
		}()
		select {
		case <-p.Crashed():
		case <-ctx.Done():
		}
		cancel()
		<-done
		if ctx.Err() != nil {
			return
		}
	}
}

// coordinate begins or resumes a campaign of squares, and hands over what it has taken.
func coordinate(ctx context.Context, p *shard.Process, id string, jobs int) (string, []string,
	error) {
	o := campaign.Options{Deliveries: 1000, Window: 7}
	if id == "" {
		list, err := campaign.Headers(ctx, p)
		if err != nil {
			return "", nil, err
		}
		if len(list) > 0 { // begun by one who has not heard of it
			id = list[0].ID
		}
	}
	var c *campaign.Campaign
	var err error
	if id == "" {
		c, err = campaign.Open(ctx, p, build, []string{"squares"}, o)
	} else {
		c, err = campaign.Reopen(ctx, p, build, id, o)
	}
	if err != nil {
		return id, nil, err
	}
	var got []string
	own, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-p.Crashed():
			cancel(shard.ErrCrashed)
		case <-own.Done():
		}
	}()
	err = c.Each(own, squares(jobs, &got))
	cancel(nil)
	if err != nil {
		_ = c.Close(ctx, campaign.Cancelled) // the dead do nothing
		return c.ID(), nil, err
	}
	return c.ID(), got, c.Close(ctx, campaign.Done)
}

// TestSpent has a job that ends each worker: it is given up after four, with the others done, and
// tried again when the campaign is resumed.
func TestSpent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := shard.NewMemory()
		ctx, cancel := context.WithCancel(t.Context())
		var deaths atomic.Int32
		var harmless atomic.Bool
		var group sync.WaitGroup
		group.Go(func() {
			for life := 0; ctx.Err() == nil; life++ {
				p := m.Process(fmt.Sprint("w", life), nil)
				own, end := context.WithCancel(ctx)
				w := worker(p, func(ctx context.Context, kind string, data []byte,
					told func(any)) (any, any, error) {
					if string(data) == "5" && !harmless.Load() {
						deaths.Add(1)
						p.Crash()
						end()
					}
					return square(ctx, kind, data, told)
				})
				w.Slots = 1
				_ = w.Run(own) // it ends by its death
				end()
			}
		})
		p := m.Process("c", nil)
		c, err := campaign.Open(ctx, p, build, nil, campaign.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		if err := c.Each(ctx, squares(9, &got)); err != nil {
			t.Fatal(err)
		}
		want := strings.Replace(wanted(9), "5 250", "5 4", 1)
		// whom a stalled coordinator hands the job again, as it is given up, dies of it, too
		if text, n := strings.Join(got, "\n"), deaths.Load(); text != want || n != 4 && n != 5 {
			t.Errorf("%d deaths:\n%s", n, text)
		}
		if err := c.Close(ctx, campaign.Done); err != nil {
			t.Error(err)
		}
		harmless.Store(true) // who resumes it has the job tried again, and nothing else
		if c, err = campaign.Reopen(ctx, m.Process("again", nil), build, c.ID(),
			campaign.Options{}); err != nil {
			t.Fatal(err)
		}
		got = nil
		if err := c.Each(ctx, squares(9, &got)); err != nil {
			t.Fatal(err)
		}
		if s := c.Sums(); strings.Join(got, "\n") != wanted(9) || s.Found != 8 || s.Spent != 0 {
			t.Errorf("resumed, %+v:\n%s", s, strings.Join(got, "\n"))
		}
		if err := c.Close(ctx, campaign.Done); err != nil {
			t.Error(err)
		}
		cancel()
		group.Wait()
	})
}

// TestGivenBack ends workers in time again and again: the job that they give back is done in the
// end, however often that was.
func TestGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := shard.NewMemory()
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() {
			for life := 0; ctx.Err() == nil; life++ {
				own, end := context.WithTimeout(ctx, 500*time.Millisecond)
				if life >= 12 {
					own, end = ctx, func() {}
				}
				p := m.Process(fmt.Sprint("w", life), nil)
				if err := worker(p, square).Run(own); err != nil {
					t.Error(err)
				}
				end()
			}
		})
		c, err := campaign.Open(ctx, m.Process("c", nil), build, nil, campaign.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		err = c.Each(ctx, squares(1, &got))
		if err != nil || strings.Join(got, "\n") != wanted(1) {
			t.Errorf("%v: %v", got, err)
		}
		if err := c.Close(ctx, campaign.Done); err != nil {
			t.Error(err)
		}
		cancel()
		group.Wait()
	})
}

// TestTwoAnswers notices a job whose answer differs the second time: by an audit, and where a job
// is done twice by accident.
func TestTwoAnswers(t *testing.T) {
	for name, audit := range map[string]float64{"audit": 1, "accident": 0} {
		synctest.Test(t, func(t *testing.T) {
			m := shard.NewMemory()
			ctx, cancel := context.WithCancel(t.Context())
			var calls atomic.Int32
			lying := func(_ context.Context, _ string, data []byte, _ func(any)) (any, any,
				error) {
				n := calls.Add(1)
				if string(data) == "2" {
					wait(2 * time.Second)
					return n, nil, nil
				}
				return 0, nil, nil
			}
			gate := func(call string) {
				if audit == 0 && call == "working" {
					wait(time.Hour) // too late: somebody else gets the job, too
				}
			}
			if audit == 0 {
				lying = slow(lying)
			}
			var group sync.WaitGroup
			for i := range 2 {
				group.Go(func() { _ = worker(m.Process(fmt.Sprint("w", i), gate), lying).Run(ctx) })
			}
			c, err := campaign.Open(ctx, m.Process("c", nil), build, nil,
				campaign.Options{Audit: audit})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			err = c.Each(ctx, squares(4, &got))
			if err == nil { // the second answer may come when all are taken
				wait(time.Minute)
				err = c.Each(ctx, squares(0, &got))
			}
			if !errors.Is(err, campaign.ErrTwoAnswers) || !strings.Contains(err.Error(), "1-2") {
				t.Errorf("%s: %v", name, err)
			}
			if err := c.Close(ctx, campaign.Cancelled); err != nil {
				t.Error(err)
			}
			cancel()
			group.Wait()
		})
	}
}

// slow is a work that takes longer than a silent worker keeps a job.
func slow(work campaign.Work) campaign.Work {
	return func(ctx context.Context, kind string, data []byte, told func(any)) (any, any, error) {
		if string(data) == "2" {
			wait(2 * shard.RedeliverAfter)
		}
		return work(ctx, kind, data, told)
	}
}

// TestAnswered: a job counts once, however many answers it has, and those of others do not.
func TestAnswered(t *testing.T) {
	e := shard.NewMemory().Process("x", nil)
	for _, key := range []string{"a.0-0", "a.0-0-again", "a.0-0-other", "a.0-1-try1",
		"a.0-1-try2-again", "a.1-1", "b.0-7"} {
		if _, err := e.Create(t.Context(), "result."+key, []byte{1}); err != nil {
			t.Fatal(err)
		}
	}
	for id, want := range map[string]int{"a": 3, "b": 1, "c": 0} {
		if n, err := campaign.Answered(t.Context(), e, id); n != want || err != nil {
			t.Errorf("campaign %s: %d jobs are answered, want %d: %v", id, n, want, err)
		}
	}
}

// TestCancel cancels a campaign from outside: its coordinator and its workers stop within two
// seconds, and it is resumed to the same end.
func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := shard.NewMemory()
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		var stopped atomic.Int64
		group.Go(func() {
			_ = worker(m.Process("w", nil), func(ctx context.Context, kind string, data []byte,
				told func(any)) (any, any, error) {
				if string(data) == "20" && stopped.Load() == 0 {
					<-ctx.Done()
					stopped.Store(time.Now().UnixNano())
					return nil, nil, nil
				}
				return square(ctx, kind, data, told)
			}).Run(ctx)
		})
		p := m.Process("c", nil)
		c, err := campaign.Open(ctx, p, build, nil, campaign.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var at time.Time
		time.AfterFunc(15*time.Second, func() {
			// once it is cancelled, its coordinator may be gone at once
			if err := campaign.Forget(ctx, m.Process("x", nil), c.ID(), nothingElse); err == nil {
				t.Error("a campaign with a coordinator is forgotten")
			}
			at = time.Now()
			if err := campaign.Cancel(ctx, m.Process("x", nil), c.ID()); err != nil {
				t.Error(err)
			}
		})
		var got []string
		if err := c.Each(ctx, squares(24, &got)); !errors.Is(err, campaign.ErrCancelled) {
			t.Errorf("cancelled: %v", err)
		}
		if took := time.Since(at); took > 2*time.Second {
			t.Errorf("the coordinator has stopped after %v", took)
		}
		if err := c.Close(ctx, campaign.Cancelled); err != nil {
			t.Error(err)
		}
		wait(2 * time.Second)
		if took := time.Duration(stopped.Load() - at.UnixNano()); took < 0 || took > 2*time.Second {
			t.Errorf("the worker has stopped after %v", took)
		}
		id, again, err := coordinate(ctx, p, c.ID(), 24)
		if err != nil || strings.Join(again, "\n") != wanted(24) {
			t.Errorf("resumed: %v\n%v", err, again)
		}
		if err := campaign.Forget(ctx, p, id, nothingElse); err != nil {
			t.Error(err)
		}
		if list, err := p.List(ctx, "result."+id+"."); len(list) > 0 || err != nil {
			t.Errorf("%v are there still, %v", list, err)
		}
		cancel()
		group.Wait()
	})
}

// deaf is an engine whose watches tell nothing.
type deaf struct{ *shard.Process }

func (deaf) Watch(ctx context.Context, _ string) iter.Seq2[shard.Entry, error] {
	return func(func(shard.Entry, error) bool) { <-ctx.Done() }
}

// TestDeaf has a coordinator whom nobody tells of answers: it looks for them itself.
func TestDeaf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := shard.NewMemory()
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() { _ = worker(m.Process("w", nil), square).Run(ctx) })
		c, err := campaign.Open(ctx, deaf{m.Process("c", nil)}, build, nil,
			campaign.Options{Audit: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		err = c.Each(ctx, squares(30, &got))
		if err != nil || strings.Join(got, "\n") != wanted(30) {
			t.Errorf("%v: %v", got, err)
		}
		if err := c.Close(ctx, campaign.Done); err != nil {
			t.Error(err)
		}
		cancel()
		group.Wait()
	})
}

// TestOther resumes a campaign with other jobs, and with another build.
func TestOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := shard.NewMemory()
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() { _ = worker(m.Process("w", nil), square).Run(ctx) })
		p := m.Process("c", nil)
		id, _, err := coordinate(ctx, p, "", 3)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := campaign.Reopen(ctx, p, "81ab", id, campaign.Options{}); !errors.Is(err,
			campaign.ErrOther) {
			t.Errorf("another build: %v", err)
		}
		c, err := campaign.Reopen(ctx, p, build, id, campaign.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		b := squares(3, &got)
		b.Job = func(i int) ([]byte, bool, error) { return fmt.Append(nil, i+1), i < 3, nil }
		if err := c.Each(ctx, b); !errors.Is(err, campaign.ErrOther) {
			t.Errorf("other jobs: %v", err)
		}
		if err := c.Close(ctx, campaign.Done); err != nil {
			t.Error(err)
		}
		cancel()
		group.Wait()
	})
}

// nothingElse is all that a campaign of the tests keeps besides.
func nothingElse(campaign.Header) error { return nil }
