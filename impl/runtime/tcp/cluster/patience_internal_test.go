package cluster

import (
	"testing"
	"time"
)

// TestPatience: slow is not stuck. A run goes on as long as evidence is written, up to its limit.
func TestPatience(t *testing.T) {
	start := time.Unix(1000, 0)
	s := &supervisor{c: &Config{Timeout: time.Minute, Idle: 10 * time.Second}, called: start,
		progressed: start, live: true}
	at := func(seconds, progressed int) time.Duration {
		s.progressed = start.Add(time.Duration(progressed) * time.Second)
		return s.patience(start.Add(time.Duration(seconds) * time.Second))
	}
	for _, tt := range []struct {
		now, progressed int
		want            time.Duration
	}{{0, 0, 10 * time.Second}, {10, 0, 0}, {10, 9, 9 * time.Second}, {55, 54, 5 * time.Second},
		{60, 59, 0}} {
		if got := at(tt.now, tt.progressed); got != tt.want {
			t.Errorf("after %d s, something at %d s: %v, want %v", tt.now, tt.progressed, got,
				tt.want)
		}
	}
	s.live = false // nobody is late who has not begun, but it may begin at once
	for now, want := range map[int]time.Duration{0: 10 * time.Second, 30: 10 * time.Second,
		55: 5 * time.Second, 60: 0} {
		if got := at(now, 0); got != want {
			t.Errorf("before all have begun, after %d s: %v, want %v", now, got, want)
		}
	}
	if s.live, s.c.Idle = true, 0; at(30, 0) != 30*time.Second {
		t.Error("without a bound of idleness only the limit counts")
	}
}
