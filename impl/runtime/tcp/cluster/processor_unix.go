//go:build unix

package cluster

import (
	"syscall"
	"time"
)

// processor is how long processors have worked for this process, the system's work for it included.
func processor() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0 // it does not fail for oneself
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
