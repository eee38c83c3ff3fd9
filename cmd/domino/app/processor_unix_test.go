//go:build unix

package app

import (
	"syscall"
	"time"
)

// usedTime is the processor time that the process has used: in user mode, and in the system on its
// behalf.
func usedTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic("invariant: a process knows what it uses: " + err.Error())
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
