package shard

import (
	"context"
	"slices"
	"time"
)

// waiting is a job in the memory.
type waiting struct {
	Job
	attempts int
	worker   *Process  // whose it is; nil = nobody's
	silent   time.Time // when it goes to somebody else
}

// same reports whether two jobs are one.
func same(a, b Job) bool {
	return a.Topic == b.Topic && a.Campaign == b.Campaign && a.ID == b.ID
}

// Publish is that of Queue.
func (p *Process) Publish(ctx context.Context, jobs ...Job) error {
	for _, j := range jobs {
		if err := j.Check(); err != nil {
			return err
		}
	}
	return p.call(ctx, "publish", func() error {
		for _, j := range jobs {
			if !slices.ContainsFunc(p.jobs, func(w *waiting) bool { return same(w.Job, j) }) {
				j.Data = slices.Clone(j.Data)
				p.jobs = append(p.jobs, &waiting{Job: j})
			}
		}
		p.notify()
		return nil
	})
}

// Next is that of Queue.
func (p *Process) Next(ctx context.Context, topic string) (d Delivery, err error) {
	err = p.call(ctx, "next", func() error {
		for {
			var until time.Time
			for _, w := range p.jobs {
				switch {
				case w.Topic != topic:
				case w.worker == nil || !w.silent.After(time.Now()):
					w.attempts++
					w.worker, w.silent = p, time.Now().Add(RedeliverAfter)
					d = &delivery{w, p, w.attempts}
					return nil
				default:
					until = sooner(until, w.silent)
				}
			}
			if err := p.wait(ctx, until); err != nil {
				return err
			}
		}
	})
	return d, err
}

// Purge is that of Queue.
func (p *Process) Purge(ctx context.Context, campaign string) error {
	return p.call(ctx, "purge", func() error {
		p.jobs = slices.DeleteFunc(p.jobs,
			func(w *waiting) bool { return w.Campaign == campaign })
		return nil
	})
}

// delivery is a job in the hands of a process. That somebody else has it meanwhile changes nothing:
// a late Ack is one, too.
type delivery struct {
	*waiting
	process *Process
	attempt int
}

// Job is that of Delivery.
func (d *delivery) Job() Job { return d.waiting.Job }

// Attempt is that of Delivery.
func (d *delivery) Attempt() int { return d.attempt }

// Working is that of Delivery.
func (d *delivery) Working(ctx context.Context) error {
	return d.process.call(ctx, "working", func() error {
		if d.worker == d.process {
			d.silent = time.Now().Add(RedeliverAfter)
		}
		return nil
	})
}

// Ack is that of Delivery.
func (d *delivery) Ack(ctx context.Context) error {
	return d.process.call(ctx, "ack", func() error {
		d.process.jobs = slices.DeleteFunc(d.process.jobs,
			func(w *waiting) bool { return w == d.waiting })
		return nil
	})
}

// Return is that of Delivery.
func (d *delivery) Return(ctx context.Context) error {
	return d.process.call(ctx, "return", func() error {
		if d.worker == d.process {
			d.worker = nil
			d.process.notify()
		}
		return nil
	})
}
