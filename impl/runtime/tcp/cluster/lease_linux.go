package cluster

import (
	"fmt"
	"syscall"
	"time"
	"unsafe"
)

// killer is a timer of the kernel that kills this process (timer_create(2)): stopped or hung, it
// dies as well. Its clock goes on while the host sleeps.
type killer struct{ timer int32 }

// bootTime is CLOCK_BOOTTIME.
const bootTime = 7

// signalEvent is struct sigevent.
type signalEvent struct {
	value  uintptr
	signal int32
	notify int32 // 0: SIGEV_SIGNAL
	_      [64 - 8 - unsafe.Sizeof(uintptr(0))]byte
}

func newKiller() (k killer, err error) {
	event := signalEvent{signal: int32(syscall.SIGKILL)}
	_, _, errno := syscall.Syscall(syscall.SYS_TIMER_CREATE, bootTime,
		uintptr(unsafe.Pointer(&event)), uintptr(unsafe.Pointer(&k.timer)))
	if errno != 0 {
		return k, fmt.Errorf("timer_create: %w", errno)
	}
	return k, nil
}

// now is the time by the clock of the timer.
func (killer) now() time.Duration {
	var t syscall.Timespec
	_, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, bootTime,
		uintptr(unsafe.Pointer(&t)), 0)
	if errno != 0 {
		panic(fmt.Sprintf("invariant: the clock of a timer can be read: %v", errno))
	}
	return time.Duration(t.Nano())
}

// killAt sets the time when this process ends; one that is over ends it now.
func (k killer) killAt(at time.Duration) error {
	const absolute = 1 // TIMER_ABSTIME
	var when struct{ interval, value syscall.Timespec }
	when.value = syscall.NsecToTimespec(int64(max(1, at)))
	_, _, errno := syscall.Syscall6(syscall.SYS_TIMER_SETTIME, uintptr(k.timer), absolute,
		uintptr(unsafe.Pointer(&when)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("timer_settime: %w", errno)
	}
	return nil
}
