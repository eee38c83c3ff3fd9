package campaign

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/domino-check/domino/checker/shard"
)

// Stall is after how much silence all jobs that have no answer are published again: what carries
// them may have lost them. Those that are there are not added.
const Stall = 15 * time.Second

// Batch is a list of jobs of one kind.
type Batch struct {
	Kind, Class string
	Loose       bool // not deterministic: done once, and not compared
	// Job is the data of the i-th job, from 0; false when there are no more. It is asked in order,
	// once for each.
	Job func(i int) (data []byte, ok bool, err error)
	// Take gets the answers in the order of the jobs. It says whether it wants more.
	Take func(i int, a *Answer) (more bool, err error)
}

// handed is a job that was made.
type handed struct {
	name  string
	job   shard.Job
	about string // digest
	again bool   // it is done twice
}

// Each has the jobs done. It returns the error of Job or Take, ErrTwoAnswers, ErrLost, ErrEngine,
// or that of the context.
func (c *Campaign) Each(ctx context.Context, b Batch) error {
	if err := c.each(ctx, b); errors.Is(err, ErrEngine) {
		c.lost(err) // Close does not try it once more
		return fmt.Errorf("campaign %s: %w; nothing that was answered is lost, it is kept there: "+
			"make room for the engine, or start it again, and farm resume %s goes on",
			c.header.ID, err, c.header.ID)
	} else if err != errAll {
		// what is left of them is of no use to who has ended early
		return errors.Join(err, c.engine.Purge(context.WithoutCancel(ctx), c.header.ID))
	}
	return c.second()
}

// errAll says that all jobs of a batch are taken.
var errAll = errors.New("all jobs are taken")

func (c *Campaign) each(ctx context.Context, b Batch) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.whole, func() { cancel(context.Cause(c.whole)) })()
	c.stage++
	var open []handed // made, and not taken; the first one is the next to take
	made, taken, ended := 0, 0, false
	for {
		var fresh []shard.Job
		for !ended && len(open) < c.options.Window {
			h, ok, err := c.make(&b, made)
			if err != nil {
				return err
			}
			if ended = !ok; ended {
				break
			}
			made++
			open = append(open, h)
			fresh = append(fresh, c.copies(h)...)
		}
		if len(open) == 0 {
			return errAll
		}
		if err := c.publish(ctx, fresh); err != nil {
			return err
		}
		a, err := c.await(ctx, b.Class, open)
		if err != nil {
			return err
		}
		more, err := b.Take(taken, a)
		if err != nil || !more {
			return err
		}
		open = open[1:]
		taken++
	}
}

// make makes the i-th job of the batch.
func (c *Campaign) make(b *Batch, i int) (h handed, ok bool, err error) {
	data, ok, err := b.Job(i)
	if err != nil || !ok {
		return h, false, err
	}
	h.name = c.name(i)
	h.job = shard.Job{Topic: topic(c.header.Build, b.Class), Campaign: c.header.ID, ID: h.name,
		Data: encode(Job{b.Kind, c.options.Deliveries, b.Loose, data})}
	h.about = digest(b.Kind, data)
	h.again = !b.Loose && c.audited(h.name)
	return h, true, h.job.Check()
}

// copies are the jobs to publish for one: none where the answer is there, two for an audit.
func (c *Campaign) copies(h handed) (list []shard.Job) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.answers[h.name] == nil {
		list = append(list, h.job)
	}
	if again := h.job; h.again && c.answers[h.name+againMark] == nil {
		again.ID += againMark
		list = append(list, again)
	}
	return list
}

// mostTries is how often jobs are handed to an engine that does not take them: about two minutes
// where it refuses at once.
const mostTries = 60

// publish hands jobs out, as long as there is hope that the engine takes them.
func (c *Campaign) publish(ctx context.Context, jobs []shard.Job) error {
	if len(jobs) == 0 {
		return nil
	}
	return persist(ctx, c.options.Log, mostTries, "hand out jobs", func() error {
		return c.engine.Publish(ctx, jobs...)
	})
}

// await waits for the answer to the first of the open jobs.
func (c *Campaign) await(ctx context.Context, class string, open []handed) (*Answer, error) {
	for {
		if a, err := c.answered(open[0]); a != nil || err != nil {
			return a, err
		}
		select {
		case <-c.arrived:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(Stall):
			c.complain(ctx, class)
			c.look(ctx, open)
			var missing []shard.Job
			for _, h := range open {
				missing = append(missing, c.copies(h)...)
			}
			if err := c.publish(ctx, missing); err != nil {
				return nil, err
			}
		}
	}
}

// looks is at how many answers a coordinator looks itself that has heard of none for a while.
const looks = 64

// look asks for answers that may be there although nobody has told: a watch may die in silence.
func (c *Campaign) look(ctx context.Context, open []handed) {
	for _, h := range open[:min(len(open), looks)] {
		for _, job := range []string{h.name, h.name + againMark, h.name + otherMark} {
			if job == h.name+againMark && !h.again {
				continue
			}
			short, cancel := context.WithTimeout(ctx, stateEvery)
			e, err := c.engine.Get(short, "result."+c.header.ID+"."+job)
			cancel()
			if err == nil {
				c.note(job, e.Value)
			} else if !errors.Is(err, shard.ErrMissing) {
				return // the engine has other troubles
			}
		}
	}
}

// answered is the answer to a job, compared with the second one where there is to be one; nil when
// there is none yet.
func (c *Campaign) answered(h handed) (*Answer, error) {
	if err := c.second(); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	value, again := c.answers[h.name], c.answers[h.name+againMark]
	if value == nil || h.again && again == nil {
		return nil, nil
	}
	a, err := c.read(h, value)
	if err != nil {
		return nil, err
	}
	if h.again {
		b, err := c.read(h, again)
		if err != nil {
			return nil, err
		}
		if a.Spent == 0 && b.Spent == 0 {
			if !a.same(b) {
				return nil, c.differ(h.name, a, b)
			}
			c.sums.Audited++
		}
	}
	delete(c.answers, h.name)
	delete(c.answers, h.name+againMark)
	c.sums.Jobs++
	c.sums.By[a.Worker]++
	if a.Spent > 0 {
		c.sums.Spent++
	}
	return a, nil
}

// read is an answer, if it is one to the job.
func (c *Campaign) read(h handed, value []byte) (*Answer, error) {
	var a Answer
	if err := Decode(value, &a); err != nil {
		return nil, fmt.Errorf("campaign %s: the answer to job %s: %w", c.header.ID, h.name, err)
	}
	if a.Spent == 0 && a.Job != h.about {
		return nil, fmt.Errorf("campaign %s: job %s was another one when it was answered (%.12s, "+
			"now %.12s): a scenario or a file has changed since, begin a new campaign: %w",
			c.header.ID, h.name, a.Job, h.about, ErrOther)
	}
	return &a, nil
}

// differ is the error about a job with two answers.
func (c *Campaign) differ(job string, a, b *Answer) error {
	return fmt.Errorf("campaign %s: job %s has %w, of %s and %s: %s: %.200s against %.200s",
		c.header.ID, job, ErrTwoAnswers, a.Worker, b.Worker, suspects, a.summary(), b.summary())
}

// suspects are the reasons for which a deterministic job has two answers.
const suspects = "a machine reads a clock, a worker is broken, or one lies"

// summary is an answer for a message.
func (a *Answer) summary() string {
	if a.Failed != "" {
		return a.Failed
	}
	return string(a.Data)
}

// second reports a job that somebody has answered in another way, after the first answer.
func (c *Campaign) second() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.other == "" {
		return nil
	}
	return fmt.Errorf("campaign %s: job %s has %w: %s", c.header.ID, c.other, ErrTwoAnswers,
		suspects)
}
