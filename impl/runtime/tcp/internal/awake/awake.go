// Package awake counts time for limits of patience: only the time in which this process itself has
// run. One that was stopped (SIGSTOP, Ctrl-Z), or whose machine slept, must not conclude from the
// clock on the wall that the others have done nothing: it has not looked, and most likely they were
// stopped with it.
package awake

import "time"

// Bounds of what two looks at a clock tell.
const (
	// Look is how often whoever waits must look at his clock, at least.
	Look = 250 * time.Millisecond
	// Most is the most that the time between two looks counts. It is not zero: a process that is
	// always late must come to its limits, too.
	Most = 4 * Look
)

// Clock counts from when it is first looked at. One goroutine uses it.
type Clock struct {
	last   time.Time // it was looked at
	passed time.Duration
}

// Passed is how long this process has run, as far as somebody has looked.
func (c *Clock) Passed() time.Duration {
	now := time.Now()
	if !c.last.IsZero() {
		c.passed += min(max(0, now.Sub(c.last)), Most)
	}
	c.last = now
	return c.passed
}
