package level

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/domino-check/domino/checker/shard"
)

// errEngine is about a call that the engine has not answered, or not as it should: it may be well
// again soon, so the call is no reason to end a search.
var errEngine = errors.New("the engine is in trouble")

// How often a coordinator begins anew at one level because of that, and after what time.
const (
	mostTroubles = 60
	calmDown     = time.Second
)

// marked is an engine whose errors say whether they are of that kind.
type marked struct{ shard.Engine }

// mark marks an error, unless it says what has happened.
func mark(err error) error {
	for _, known := range []error{nil, shard.ErrExists, shard.ErrMissing, shard.ErrConflict,
		shard.ErrTooLarge, shard.ErrNobody, shard.ErrCrashed, context.Canceled} {
		if errors.Is(err, known) {
			return err
		}
	}
	return fmt.Errorf("%w: %w", errEngine, err)
}

func (m marked) Publish(ctx context.Context, jobs ...shard.Job) error {
	return mark(m.Engine.Publish(ctx, jobs...))
}

func (m marked) Purge(ctx context.Context, campaign string) error {
	return mark(m.Engine.Purge(ctx, campaign))
}

func (m marked) Create(ctx context.Context, key string, value []byte) (uint64, error) {
	revision, err := m.Engine.Create(ctx, key, value)
	return revision, mark(err)
}

func (m marked) Get(ctx context.Context, key string) (shard.Entry, error) {
	e, err := m.Engine.Get(ctx, key)
	return e, mark(err)
}

func (m marked) Update(ctx context.Context, key string, value []byte, revision uint64) (uint64,
	error) {
	next, err := m.Engine.Update(ctx, key, value, revision)
	return next, mark(err)
}

func (m marked) List(ctx context.Context, prefix string) ([]shard.Entry, error) {
	list, err := m.Engine.List(ctx, prefix)
	return list, mark(err)
}

func (m marked) Watch(ctx context.Context, prefix string) iter.Seq2[shard.Entry, error] {
	return func(yield func(shard.Entry, error) bool) {
		for e, err := range m.Engine.Watch(ctx, prefix) {
			if !yield(e, mark(err)) {
				return
			}
		}
	}
}

// patient reports whether a coordinator begins anew after an error, a while later.
func (l *lead) patient(ctx context.Context, err error) bool {
	if !errors.Is(err, errEngine) {
		return false
	}
	if l.head.Level != l.troubledAt {
		l.troubles, l.troubledAt = 0, l.head.Level
	}
	if l.troubles++; l.troubles > mostTroubles {
		return false
	}
	l.Log("search %s, level %d: %v; trying again", l.ID, l.head.Level, err)
	return pause(ctx, calmDown) == nil
}
