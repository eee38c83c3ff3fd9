//go:build unix

package cluster

import (
	"fmt"
	"syscall"
)

// enoughFiles reports when the supervisor, or one of the processes, would run out of descriptors:
// three pipes and a handle for each process, a connection and a handshake for each pair.
func enoughFiles(procs int) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return nil // it will be seen
	}
	if need := uint64(4*procs + 32); uint64(limit.Cur) < need {
		return fmt.Errorf(
			"cluster: %d processes need %d open files, the limit is %d: raise it with ulimit -n",
			procs, need, limit.Cur)
	}
	return nil
}
