//go:build !linux

package launch

import "syscall"

// Elsewhere nothing is stopped: signal 0 does nothing.
const (
	stopSignal     = syscall.Signal(0)
	continueSignal = syscall.Signal(0)
)

// stopped reports nothing.
func stopped(int) bool { return true }
