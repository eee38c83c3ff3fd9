//go:build !unix

package app

import "time"

var started = time.Now()

// usedTime is the time that has gone by, where processes do not say what they use.
func usedTime() time.Duration { return time.Since(started) }
