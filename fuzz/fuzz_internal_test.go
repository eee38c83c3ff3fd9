package fuzz

import (
	"testing"
	"time"
)

// TestShrinkingEnds has failures found early, late, and after the time is up: they are made small
// until the time is up, and for two seconds at least; without a limit, for ever.
func TestShrinkingEnds(t *testing.T) {
	t.Parallel()
	for found, want := range map[time.Duration]time.Duration{0: time.Hour,
		time.Hour - time.Second: leastShrinking, 2 * time.Hour: leastShrinking} {
		began := time.Now().Add(-found)
		f := &fuzzer{whole: t.Context(), began: began, options: Options{Time: time.Hour}}
		ctx, cancel := f.shrinking()
		defer cancel()
		ends, ok := ctx.Deadline()
		if left := time.Until(ends); !ok || left > want || left < want-time.Second {
			t.Errorf("found after %v: %v left, want %v", found, left, want)
		}
	}
	ctx, cancel := (&fuzzer{whole: t.Context()}).shrinking()
	defer cancel()
	_, some := t.Context().Deadline()
	if _, ok := ctx.Deadline(); ok && !some {
		t.Error("no limit of time, but a deadline")
	}
}
