package checker

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// LookEvery is how many steps a search takes between looks at the clock and the limits.
const LookEvery = 512

// ErrBound is why there is no answer to what only a complete search can tell: a limit, or the
// caller, has ended it.
var ErrBound = errors.New("ended early")

// Bounds are what ends a search early: its caller, or a limit, of which 0 is none.
type Bounds struct {
	Context   context.Context
	Began     time.Time
	MaxTime   time.Duration
	MaxBytes  int64
	MaxStates int
}

// Bounds are those of the options for a search that begins now.
func (o *Options) Bounds(ctx context.Context) Bounds {
	return Bounds{Context: ctx, Began: time.Now(), MaxTime: o.MaxTime, MaxBytes: o.MaxBytes,
		MaxStates: o.MaxStates}
}

// Over names the bound that a search has hit of which the tables take so many bytes, or is "".
func (b *Bounds) Over(bytes int64) string {
	switch {
	case b.Context.Err() != nil:
		return "interrupted"
	case b.MaxTime > 0 && time.Since(b.Began) > b.MaxTime:
		return fmt.Sprintf("time limit %v", b.MaxTime)
	case b.Full(bytes):
		return "memory limit " + Memory(b.MaxBytes)
	}
	return ""
}

// Full reports whether so many bytes are too many.
func (b *Bounds) Full(bytes int64) bool { return b.MaxBytes > 0 && bytes > b.MaxBytes }

// States names the bound that keeps a search from so many states, or is "".
func (b *Bounds) States(n int) string {
	if b.MaxStates == 0 || n <= b.MaxStates {
		return ""
	}
	return fmt.Sprintf("limit of %d states", b.MaxStates)
}

// TableBytes is the memory of the system's own tables.
func TableBytes(sys System) int64 {
	if sized, ok := sys.(Sizer); ok {
		return sized.Bytes()
	}
	return 0
}

// Memory writes a size in the largest unit that divides it, or in MiB.
func Memory(bytes int64) string {
	switch {
	case bytes < 1<<20 && bytes%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", bytes>>10)
	case bytes < 1<<20:
		return fmt.Sprintf("%d bytes", bytes)
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}
