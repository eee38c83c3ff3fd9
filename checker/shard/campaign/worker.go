package campaign

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/domino-check/domino/checker/shard"
)

// Classes of jobs.
const (
	Plain   = "plain"
	Torture = "torture" // has its machine alone
)

// Work does a job. An error is an answer, too: it is the same each time. What is returned after the
// context has ended is not looked at.
type Work func(ctx context.Context, kind string, data []byte,
	progress func(any)) (answer, aside any, err error)

// Worker takes jobs, one at a time in each slot.
type Worker struct {
	Engine  shard.Engine
	Build   string
	Classes []string // that it takes
	Slots   int
	Work    Work
	// Log is told what a user should know; nil = nobody is told.
	Log func(format string, args ...any)

	name  string
	done  atomic.Int64
	alone sync.RWMutex // held for writing by a job that has its machine alone
}

// The beats of a worker at work.
const (
	aliveEvery  = shard.RedeliverAfter / 3
	stateEvery  = time.Second
	toldEvery   = 500 * time.Millisecond
	farewell    = 2 * time.Second // for what is said after the end
	othersEvery = 20              // renewals of the lease between looks for campaigns of others
)

// Run works until the context ends: then it gives back what it has not done.
func (w *Worker) Run(ctx context.Context) error {
	if w.Log == nil {
		w.Log = func(string, ...any) {}
	}
	w.name = fmt.Sprintf("%s-%d-%s", host(), os.Getpid(), strings.ToLower(rand.Text()[:4]))
	var group sync.WaitGroup
	group.Go(func() { w.report(ctx) })
	for _, class := range w.Classes {
		slots := w.Slots
		if class == Torture {
			slots = 1
		}
		for range slots {
			group.Go(func() { w.slot(ctx, class) })
		}
	}
	group.Wait()
	return nil
}

// report says every few seconds that the worker is there, and looks for campaigns that it can not
// help.
func (w *Worker) report(ctx context.Context) {
	key := "lease.worker." + w.name
	m := Member{Name: w.name, Host: host(), Build: w.Build, Slots: w.Slots, Classes: w.Classes}
	revision, err := w.Engine.Create(ctx, key, encode(m))
	for i := 0; ; i++ {
		if i%othersEvery == 0 {
			w.others(ctx)
		}
		if !pause(ctx, renewEvery) {
			break
		}
		if err != nil {
			revision, err = w.Engine.Create(ctx, key, encode(m))
			continue
		}
		m.Done = int(w.done.Load())
		revision, err = w.Engine.Update(ctx, key, encode(m), revision)
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	_ = w.Engine.Delete(end, key, revision) // else it ends by itself
}

// others tells of open campaigns of another build.
func (w *Worker) others(ctx context.Context) {
	list, err := Headers(ctx, w.Engine)
	if err != nil {
		return // a worker needs it for nothing else
	}
	for _, h := range list {
		if h.State == Running && h.Build != w.Build {
			w.Log("campaign %s is of build %.12s: this is %.12s, it gets no job of it", h.ID,
				h.Build, w.Build)
		}
	}
}

// slot does one job after the other.
func (w *Worker) slot(ctx context.Context, class string) {
	for ctx.Err() == nil {
		d, err := w.Engine.Next(ctx, topic(w.Build, class))
		if errors.Is(err, shard.ErrCrashed) {
			return
		}
		if err != nil {
			if ctx.Err() == nil {
				w.Log("wait for a job: %v", err)
			}
			pause(ctx, time.Second)
			continue
		}
		w.take(ctx, class, d)
	}
}

// take does a job with the right that its class has to the machine.
func (w *Worker) take(ctx context.Context, class string, d shard.Delivery) {
	working, stop := context.WithCancel(ctx)
	var beats sync.WaitGroup
	beats.Go(func() { // also while it waits for the others
		for pause(working, aliveEvery) {
			_ = d.Working(working) // it is tried again soon
		}
	})
	if class == Torture {
		w.alone.Lock()
		defer w.alone.Unlock()
	} else {
		w.alone.RLock()
		defer w.alone.RUnlock()
	}
	w.do(ctx, d)
	stop()
	beats.Wait()
}

// do does a job, puts the answer, and lets go of it.
func (w *Worker) do(ctx context.Context, d shard.Delivery) {
	job := d.Job()
	a := &Answer{Worker: w.name}
	var what Job
	switch err := Decode(job.Data, &what); {
	case err != nil:
		a.Failed = "a job that is none: " + err.Error()
	case d.Attempt() > what.Deliveries && w.deaths(ctx, d) >= what.Deliveries:
		a.Spent = w.deaths(ctx, d)
	default:
		a.Job = digest(what.Kind, what.Data)
		// the campaign may be cancelled, or its machine have no time any more
		own, cancel := context.WithCancel(ctx)
		watched := w.watch(own, cancel, job.Campaign)
		w.perform(own, &what, job, a)
		ended := own.Err() != nil
		cancel()
		if watched(); ended && ctx.Err() == nil {
			w.release(ctx, d.Ack) // nobody wants it
			return
		}
	}
	if ctx.Err() != nil {
		w.giveBack(ctx, d)
		return
	}
	w.put(ctx, d, a, what.Loose)
}

// deaths is how many workers a job has ended: who gives a job back is not dead.
func (w *Worker) deaths(ctx context.Context, d shard.Delivery) int {
	deaths := d.Attempt() - 1
	var returned int
	e, err := w.Engine.Get(ctx, "returned."+d.Job().Campaign+"."+d.Job().ID)
	if err == nil && json.Unmarshal(e.Value, &returned) == nil {
		deaths -= returned
	}
	return deaths
}

// giveBack lets somebody else do a job, because this worker ends.
func (w *Worker) giveBack(ctx context.Context, d shard.Delivery) {
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	key := "returned." + d.Job().Campaign + "." + d.Job().ID
	var returned int
	e, err := w.Engine.Get(end, key)
	if err == nil && json.Unmarshal(e.Value, &returned) == nil {
		_, err = w.Engine.Update(end, key, encode(returned+1), e.Revision)
	} else {
		_, err = w.Engine.Create(end, key, encode(1))
	}
	if err = errors.Join(err, d.Return(end)); err != nil {
		w.Log("give back job %s: %v; somebody gets it in %v", d.Job(), err, shard.RedeliverAfter)
	}
}

// release says the last word about a job, which gets lost at worst.
func (w *Worker) release(ctx context.Context, say func(context.Context) error) {
	if err := say(ctx); err != nil {
		w.Log("%v", err) // the job comes again, and its answer is there
	}
}

// watch ends the context when the campaign is not open any more.
func (w *Worker) watch(ctx context.Context, cancel func(), campaign string) (wait func()) {
	var group sync.WaitGroup
	group.Go(func() {
		for pause(ctx, stateEvery) {
			e, err := w.Engine.Get(ctx, "campaign."+campaign)
			var h Header
			if errors.Is(err, shard.ErrMissing) ||
				err == nil && json.Unmarshal(e.Value, &h) == nil && h.State != Running {
				cancel()
			}
		}
	})
	return group.Wait
}

// perform fills the answer.
func (w *Worker) perform(ctx context.Context, what *Job, job shard.Job, a *Answer) {
	defer func() {
		if p := recover(); p != nil {
			a.Failed = fmt.Sprintf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	var last time.Time
	var mu sync.Mutex
	progress := func(v any) {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(last) < toldEvery {
			return
		}
		last = time.Now()
		short, cancel := context.WithTimeout(ctx, toldEvery)
		defer cancel()
		_, _ = w.Engine.Request(short, "progress."+job.Campaign,
			encode(Progress{w.name, job.ID, encode(v)})) // nobody may listen
	}
	answer, aside, err := w.Work(ctx, what.Kind, what.Data, progress)
	if err != nil {
		a.Failed = err.Error()
		return
	}
	a.Data, a.Aside = encode(answer), encode(aside)
	if n := len(encode(a)); n > shard.MaxValue {
		a.Data, a.Aside = nil, nil
		a.Failed = fmt.Sprintf("the answer has %d bytes, the most is %d", n, shard.MaxValue)
	}
}

// put puts an answer, and compares it where there is one.
func (w *Worker) put(ctx context.Context, d shard.Delivery, a *Answer, loose bool) {
	key := "result." + d.Job().Campaign + "." + d.Job().ID
	err := persist(ctx, w.Log, 0, "put the answer to "+d.Job().String(), func() error {
		_, err := w.Engine.Create(ctx, key, encode(a))
		if !errors.Is(err, shard.ErrExists) || loose || a.Spent > 0 {
			return err
		}
		e, err := w.Engine.Get(ctx, key)
		if err != nil {
			return err
		}
		var first Answer
		if err := Decode(e.Value, &first); err != nil || first.Spent > 0 || first.same(a) {
			return nil
		}
		w.Log("job %s: %v, of %s and of this worker", d.Job(), ErrTwoAnswers, first.Worker)
		_, err = w.Engine.Create(ctx, key+otherMark, encode(a))
		return err
	})
	if err != nil && !errors.Is(err, shard.ErrExists) && !errors.Is(err, shard.ErrMissing) {
		w.Log("put the answer to %s: %v", d.Job(), err)
		return
	}
	w.done.Add(1)
	w.release(ctx, d.Ack)
}
