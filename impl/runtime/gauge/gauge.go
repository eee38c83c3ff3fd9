package gauge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/domino-check/domino/impl/runtime/disk"
)

// tries is how often everything is measured.
const tries = 7

// block is what is copied at once, and region where to: more than caches have.
const (
	block  = 64 << 10
	region = 64 << 20
)

// Memory is how many bytes a second one processor copies into memory that has been used before, but
// is in no cache: as a log that has wrapped round its buffers.
func Memory() float64 {
	from, to := make([]byte, block), make([]byte, region)
	for i := range to {
		to[i] = 1
	}
	least := time.Duration(1 << 62)
	for range tries {
		began := time.Now()
		for at := 0; at < region; at += block {
			copy(to[at:at+block], from)
		}
		least = min(least, time.Since(began))
	}
	return region / max(least, 1).Seconds()
}

// Write is a record that was made stable.
type Write struct {
	Bytes int64
	Nanos float64
}

// Store is how long records of some sizes take to be stable in a folder, as a rank keeps them: the
// median of each size. What it writes is gone afterwards.
func Store(folder string) (list []Write, err error) {
	dir, err := os.MkdirTemp(folder, "domino-gauge-")
	if err != nil {
		return nil, fmt.Errorf("gauge: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	store, err := disk.Open(disk.System{}, dir, disk.Identity{Run: "gauge"})
	if err != nil {
		return nil, fmt.Errorf("gauge: %w", err)
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	for _, bytes := range []int64{1 << 10, 1 << 20, 8 << 20} {
		var nanos []float64
		for range tries {
			began := time.Now()
			if err := errors.Join(store.Put("gauge", make([]byte, bytes)),
				store.Commit()); err != nil {
				return nil, fmt.Errorf("gauge: a record of %d bytes: %w", bytes, err)
			}
			nanos = append(nanos, float64(time.Since(began)))
		}
		slices.Sort(nanos)
		list = append(list, Write{bytes, nanos[tries/2]})
	}
	return list, nil
}

// Process is how long it takes until a command has run and ended, and until the death of another
// one that waits for its input, killed from here, is known.
func Process(ctx context.Context, runs, waits func(context.Context) *exec.Cmd) (start,
	death time.Duration, err error) {
	start, death = 1<<62, 1<<62
	for range tries {
		began := time.Now()
		if err := runs(ctx).Run(); err != nil {
			return 0, 0, fmt.Errorf("gauge: %w", err)
		}
		start = min(start, time.Since(began))
		c := waits(ctx)
		input, err := c.StdinPipe()
		if err != nil {
			return 0, 0, fmt.Errorf("gauge: %w", err)
		}
		if err := c.Start(); err != nil {
			return 0, 0, fmt.Errorf("gauge: %w", err)
		}
		began = time.Now()
		killed := c.Process.Kill()
		c.Wait() // its error is that it was killed
		death = min(death, time.Since(began))
		input.Close() // Wait has, unless it could not
		if killed != nil {
			return 0, 0, fmt.Errorf("gauge: %w", killed)
		}
	}
	return start, death, nil
}
