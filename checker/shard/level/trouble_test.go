package level

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/shard"
	"github.com/domino-check/domino/spec"
)

// cramped has room for some blobs, and damages one.
type cramped struct {
	shard.Blobs
	room    *atomic.Int64
	damaged string // part of the name of those in which a bit is flipped
}

func (b cramped) Put(ctx context.Context, name string, data []byte) error {
	if b.room.Add(-1) < 0 {
		return errors.New("no space left")
	}
	return b.Blobs.Put(ctx, name, data)
}

func (b cramped) Range(ctx context.Context, name string, offset, length int64) ([]byte, error) {
	data, err := b.Blobs.Range(ctx, name, offset, length)
	if b.damaged != "" && strings.Contains(name, b.damaged) && len(data) > 0 {
		data[len(data)-1] ^= 1
	}
	return data, err
}

// led has two workers and a coordinator explore a toy in a memory, as often as asked for.
func led(t *testing.T, m *shard.Memory, toy *toy, blobs func(p *shard.Process) shard.Blobs,
	lead func(l Config)) {
	c := Config{ID: "x", Subject: "toy", Block: 5, Partitions: 8,
		Make: func() (checker.Portable, error) { return toy.fresh(), nil }}
	ctx, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for i := range 2 {
		w := c
		w.Life = fmt.Sprint("w", i)
		p := m.Process(w.Life, nil)
		w.Engine, w.Blobs = p, blobs(p)
		group.Go(func() { _ = Work(ctx, w) })
	}
	p := m.Process("l", nil)
	c.Life, c.Workers, c.Engine, c.Blobs = "l", 2, p, blobs(p)
	lead(c)
	stop()
	group.Wait()
}

// TestFull has no more room for levels at many moments: nothing is said to hold, why is said, and
// with room again the same search goes on to the numbers of one that was not disturbed.
func TestFull(t *testing.T) {
	t.Parallel()
	toy := toys(6)
	want := local(toy, checker.Options{})
	times := 0
	for room, whole := int64(2), false; !whole; room++ {
		synctest.Test(t, func(t *testing.T) {
			var left atomic.Int64
			left.Store(room)
			led(t, shard.NewMemory(), toy, func(p *shard.Process) shard.Blobs {
				return cramped{Blobs: p.Blobs(), room: &left}
			}, func(l Config) {
				out, err := Lead(t.Context(), l, toy.fresh())
				if whole = err == nil && out.Bound == ""; whole {
					if d := cmp.Diff(want, numbersOut(out, false)); d != "" {
						t.Errorf("room for %d (-local +here):\n%s", room, d)
					}
					return
				}
				times++
				if err != nil || out.Verdict != spec.Unknown ||
					!strings.Contains(out.Bound, "no space left") {
					t.Fatalf("room for %d: %v, %q, %v", room, out.Verdict, out.Bound, err)
				}
				left.Store(1 << 30)
				l.Life = "next"
				out, err = Lead(t.Context(), l, toy.fresh())
				if d := cmp.Diff(want, numbersOut(out, false)); err != nil || d != "" {
					t.Errorf("room for %d, then more: %v (-local +here):\n%s", room, err, d)
				}
			})
		})
	}
	if times < 6 {
		t.Errorf("there was no room at %d moments, want more", times)
	}
}

// TestDamaged reads levels in which a bit is flipped: that is an error, and no verdict. Who leads
// is told why a level is done again.
func TestDamaged(t *testing.T) {
	t.Parallel()
	toy := toys(6)
	synctest.Test(t, func(t *testing.T) {
		var left atomic.Int64
		left.Store(1 << 30)
		led(t, shard.NewMemory(), toy, func(p *shard.Process) shard.Blobs {
			return cramped{Blobs: p.Blobs(), room: &left, damaged: "objects/3-"}
		}, func(l Config) {
			var told []string
			l.Log = func(format string, args ...any) {
				told = append(told, fmt.Sprintf(format, args...))
			}
			out, err := Lead(t.Context(), l, toy.fresh())
			if err == nil {
				t.Fatalf("%v, %q: %q", out.Verdict, out.Bound, told)
			}
			if !strings.Contains(err.Error(), "objects/3-") {
				t.Errorf("%v: it does not name the object", err)
			}
		})
	})
}
