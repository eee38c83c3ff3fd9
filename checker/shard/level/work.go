package level

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/domino-check/domino/checker/shard"
)

// renewEvery is how often a lease is written again.
const renewEvery = shard.LeaseTime / 3

// again is how long a worker waits when something is not there, or somebody does not answer.
const again = 100 * time.Millisecond

// Work takes part in a search, as keeper and as expander, until it is over or the context ends. It
// uses one core.
func Work(ctx context.Context, c Config) error {
	c, err := c.filled()
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer stop()
	group.Go(func() { stopWhenOver(ctx, &c, stop) })
	if err := waitForRoom(ctx, &c); err != nil {
		return err
	}
	k := &keeper{Config: &c, ctx: ctx}
	unserve, err := c.Engine.Serve(c.keeper(c.Life), k.answer)
	if err != nil {
		return err
	}
	defer k.group.Wait()
	defer stop()
	defer unserve()
	leave, err := hold(ctx, &c, c.workersPrefix()+c.Life)
	for err != nil && !errors.Is(err, shard.ErrCrashed) {
		if err := errors.Join(pause(ctx, again), ctx.Err()); err != nil {
			return err
		}
		leave, err = hold(ctx, &c, c.workersPrefix()+c.Life)
	}
	if err != nil {
		return err
	}
	defer leave()
	l, err := newLibrary(&c)
	if err != nil {
		return err
	}
	e := newExpander(l, c.Life)
	for {
		err := e.turn(ctx)
		switch {
		case errors.Is(err, shard.ErrCrashed) || errors.Is(err, errBroken):
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
	}
}

// waitForRoom waits until there are fewer workers than there may be.
func waitForRoom(ctx context.Context, c *Config) error {
	for c.Most > 0 {
		list, err := c.Engine.List(ctx, c.workersPrefix())
		if err == nil && len(list) < c.Most {
			break
		}
		if err := errors.Join(ctx.Err(), pause(ctx, lookEvery)); err != nil {
			return err
		}
	}
	return nil
}

// errBroken is about what no other attempt makes better.
var errBroken = errors.New("the worker can not go on")

// stopWhenOver stops a worker when the search is over, or is no more. It asks: a worker may not be
// allowed to watch.
func stopWhenOver(ctx context.Context, c *Config, stop func()) {
	for begun, ok := false, true; ok; ok = pause(ctx, lookEvery) == nil {
		h, _, err := c.readHead(ctx)
		if err == nil && h.Over || begun && errors.Is(err, shard.ErrMissing) {
			stop()
			return
		}
		begun = begun || err == nil
	}
}

// turn takes one job.
func (e *expander) turn(ctx context.Context) error {
	d, err := e.Engine.Next(ctx, e.topic())
	if err != nil {
		return errors.Join(err, pause(ctx, again))
	}
	var b block
	if err := decode("job "+d.Job().String(), d.Job().Data, &b); err != nil {
		return errors.Join(err, d.Ack(ctx)) // nobody can read it
	}
	h, _, err := e.readHead(ctx)
	if err != nil {
		return errors.Join(err, pause(ctx, again), d.Return(ctx))
	}
	if h.Attempt != b.Attempt || h.Over {
		return d.Ack(ctx) // of an attempt that is no more
	}
	if err := e.fits(&h, h.Words); err != nil {
		return fmt.Errorf("%w: %w", errBroken, err)
	}
	switch err := e.explore(ctx, d, &h, &b); {
	case err == nil || errors.Is(err, shard.ErrExists):
		return d.Ack(ctx)
	case errors.Is(err, errBlock) || errors.Is(err, errFull):
		if d.Attempt() >= mostDeliveries {
			return e.giveUp(ctx, d, &b, err)
		}
		return errors.Join(err, pause(ctx, later), d.Return(ctx))
	default: // a keeper is gone, or the level is another one by now
		return errors.Join(err, pause(ctx, again), d.Return(ctx))
	}
}

// later is how long a worker waits that a folder comes back, or has room again.
const later = 2 * time.Second

// mostDeliveries is to how many workers a block is given that can not be explored.
const mostDeliveries = 4

// giveUp puts why a block can not be explored in the place of its result.
func (e *expander) giveUp(ctx context.Context, d shard.Delivery, b *block, why error) error {
	key := fmt.Sprintf("%s%d", e.results(b.Attempt), b.Block)
	_, err := e.Engine.Create(ctx, key, encode(object{Failed: why.Error(),
		Full: errors.Is(why, errFull)}))
	if err != nil && !errors.Is(err, shard.ErrExists) {
		return err
	}
	return d.Ack(ctx)
}

// hold holds a lease until the function that it returns is called. That it was lost shows where it
// counts: at what is compared and set.
func hold(ctx context.Context, c *Config, key string) (leave func(), err error) {
	revision, err := c.Engine.Create(ctx, key, []byte(c.Life))
	if errors.Is(err, shard.ErrExists) { // perhaps by a call of ours of which nothing was heard
		if e, failed := c.Engine.Get(ctx, key); failed == nil && string(e.Value) == c.Life {
			revision, err = e.Revision, nil
		}
	}
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for pause(ctx, renewEvery) == nil {
			next, err := c.Engine.Update(ctx, key, []byte(c.Life), revision)
			switch {
			case errors.Is(err, shard.ErrConflict): // it ended meanwhile
				next, err = c.Engine.Create(ctx, key, []byte(c.Life))
			case errors.Is(err, shard.ErrCrashed):
				return
			}
			if err == nil {
				revision = next
			}
		}
	}()
	return func() {
		stop()
		<-done
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer stop()
		_ = c.Engine.Delete(end, key, revision) // it ends by itself
	}, nil
}
