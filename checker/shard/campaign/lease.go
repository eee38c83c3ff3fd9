package campaign

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"sync"
	"time"

	"github.com/domino-check/domino/checker/shard"
)

// renewEvery is how often a lease is renewed, and workers say that they live.
const renewEvery = 3 * time.Second

// mostMissed is how often in a row a lease can not be renewed before its holder says that the
// engine takes nothing: two minutes where it refuses at once, five where it does not answer. It is
// counted, for who was stopped for an hour has missed nothing.
const mostMissed = 40

// hold takes a lease, for which it waits as long as a dead holder's may last, and renews it while
// the context of its use lasts. When somebody else has it, or the engine does not take it for long,
// lost is told why.
func hold(ctx, use context.Context, e shard.Engine, key string, value []byte,
	log func(string, ...any), group *sync.WaitGroup, lost func(error)) error {
	revision, err := e.Create(ctx, key, value)
	for began := time.Now(); errors.Is(err, shard.ErrExists) && time.Since(began) <
		shard.LeaseTime+2*time.Second; {
		if holder, err := e.Get(ctx, key); err == nil {
			log("%s is held by %s, waiting until that one has ended", key, holder.Value)
		}
		pause(ctx, renewEvery)
		revision, err = e.Create(ctx, key, value)
	}
	if err != nil {
		return fmt.Errorf("take %s: %w", key, err)
	}
	group.Go(func() {
		for missed := 0; pause(use, renewEvery); {
			var err error
			revision, err = renew(use, e, key, value, revision)
			if missed++; err == nil {
				missed = 0
			}
			switch {
			case errors.Is(err, shard.ErrExists):
				lost(ErrLost)
				return
			case missed >= mostMissed:
				lost(fmt.Errorf("%w, for %d times in a row: %w", ErrEngine, missed, err))
				return
			}
		}
		end, cancel := context.WithTimeout(context.WithoutCancel(use), time.Second)
		defer cancel()
		_ = e.Delete(end, key, revision) // else it ends by itself
	})
	return nil
}

// renew writes a lease again; ErrExists says that it is somebody else's. After other errors it is
// tried again, with the revision that it returns.
func renew(ctx context.Context, e shard.Engine, key string, value []byte, revision uint64) (uint64,
	error) {
	next, err := e.Update(ctx, key, value, revision)
	if err == nil {
		return next, nil
	}
	if !errors.Is(err, shard.ErrConflict) {
		return revision, err
	}
	// it has ended, or an update that has come back as an error was done
	now, failed := e.Get(ctx, key)
	switch {
	case errors.Is(failed, shard.ErrMissing):
		next, err = e.Create(ctx, key, value)
	case failed == nil && string(now.Value) == string(value):
		next, err = e.Update(ctx, key, value, now.Revision)
	case failed == nil:
		return revision, shard.ErrExists
	}
	if err != nil {
		return revision, err
	}
	return next, nil
}

// persist tries again and again, unless the error says that nothing will change, and at most so
// often; 0: until the context ends.
func persist(ctx context.Context, log func(string, ...any), most int, what string,
	do func() error) error {
	tries := 0
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		err := do()
		if err == nil || errors.Is(err, shard.ErrExists) || errors.Is(err, shard.ErrTooLarge) ||
			errors.Is(err, shard.ErrMissing) || errors.Is(err, shard.ErrConflict) ||
			errors.Is(err, shard.ErrCrashed) {
			return err
		}
		if tries++; tries == most {
			return fmt.Errorf("%w, for %d times in a row: %s: %w", ErrEngine, tries, what, err)
		}
		if ctx.Err() == nil && wait >= 400*time.Millisecond {
			log("%s: %v; trying again", what, err)
		}
		if !pause(ctx, wait) {
			return context.Cause(ctx)
		}
	}
}

// pause waits, and reports whether the context still lasts.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

var noWord = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// host is the name of this machine as a word.
func host() string {
	name, err := os.Hostname()
	if name = noWord.ReplaceAllString(name, "-"); err != nil || name == "" {
		return "host"
	}
	return name[:min(len(name), 40)]
}
