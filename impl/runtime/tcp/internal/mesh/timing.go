package mesh

import (
	"context"
	"math/rand/v2"
	"time"
)

// maxDials bounds how many others a mesh dials at one time.
const maxDials = 16

// How long a handshake may take: on a machine where many processes begin at once, most of the time
// they wait for a processor.
const (
	defaultTimeout = 5 * time.Second
	timeoutAProc   = 10 * time.Millisecond
	maxDoublings   = 4 // of a deadline by attempts
)

// timeout is the deadline of the handshake of an attempt, counted from 0, among so many procs.
func timeout(given time.Duration, procs, attempt int) time.Duration {
	if given == 0 {
		given = defaultTimeout + time.Duration(procs)*timeoutAProc
	}
	return given << min(attempt, maxDoublings)
}

// The pauses between attempts.
const (
	firstPause   = 5 * time.Millisecond
	longestPause = time.Second
)

// pause waits after an attempt, counted from 0: twice as long each time, and between half and one
// and a half of that, so that those who have failed together do not come together again.
func pause(ctx context.Context, attempt int) {
	d := min(firstPause<<min(attempt, 10), longestPause)
	rest(ctx, d/2+rand.N(d))
}
