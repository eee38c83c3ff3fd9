package emulate_test

import (
	"slices"
	"testing"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/emulate"
)

// Aim: who is asked for checkpoints faster than he makes them is behind by one at most. A step
// takes a second: he begins with the first request at 10 s, so the second one waits, and the third
// and the fourth are the second; after 12 s he has nothing to do. He fails at 20.5 s with one begun
// at 20 s and one waiting, hears nothing until he is there again at 30.5 s, and hears the next one.
func TestRequests(t *testing.T) {
	s := newStage(1, func(core.Proc, core.Input) []core.Effect { return nil })
	var heard []bool
	ask := func(r *emulate.Run, tenths ...time.Duration) {
		for _, at := range tenths {
			r.After(at*time.Second/10, func() { heard = append(heard, r.Request(0)) })
		}
	}
	got := s.play(t, emulate.Config{Costs: emulate.Costs{Step: time.Second,
		Restart: 10 * time.Second}}, func(r *emulate.Run) {
		ask(r, 100, 101, 102, 103, 200, 201, 210, 400)
		r.After(20500*time.Millisecond, func() { r.Crash(0) })
	})
	want(t, got, `11s p0 checkpoint request
		12s p0 checkpoint request
		30.5s p0 restart as incarnation 1 on p0
		41s p0 checkpoint request`)
	yes := []bool{true, true, false, false, true, true, false, true}
	if !slices.Equal(heard, yes) {
		t.Errorf("heard %v, want %v", heard, yes)
	}
}
