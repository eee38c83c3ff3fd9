package awake_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/domino-check/domino/impl/runtime/tcp/internal/awake"
)

// TestClock: it counts what passes between looks, of a long time without a look at most Most, and
// begins with the first look.
func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c awake.Clock
		<-time.After(time.Hour)
		for _, tt := range []struct{ pass, want time.Duration }{
			{0, 0}, {awake.Look, awake.Look}, {awake.Most, awake.Look + awake.Most},
			{time.Hour, awake.Look + 2*awake.Most}, {1, awake.Look + 2*awake.Most + 1},
		} {
			<-time.After(tt.pass)
			if got := c.Passed(); got != tt.want {
				t.Errorf("after %v more: %v, want %v", tt.pass, got, tt.want)
			}
		}
	})
}
