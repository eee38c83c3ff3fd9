package cluster

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
)

// TestHungUp tells who ended a connection before a word was said, as a process that is killed does,
// from who said a wrong one or nothing for too long.
func TestHungUp(t *testing.T) {
	reset := &net.OpError{Op: "read", Net: "tcp",
		Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	secret := errors.New("the secret of the run is not proven")
	for _, tt := range []struct {
		err  error
		want bool
	}{
		{fmt.Errorf("%w: %w", secret, reset), true}, {fmt.Errorf("%w: %w", secret, io.EOF), true},
		{io.ErrUnexpectedEOF, true}, {secret, false},
		{fmt.Errorf("%w: %w", secret, os.ErrDeadlineExceeded), false},
	} {
		if got := hungUp(tt.err); got != tt.want {
			t.Errorf("%v: %t", tt.err, got)
		}
	}
}
