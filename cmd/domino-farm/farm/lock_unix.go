//go:build unix

package farm

import (
	"errors"
	"os"
	"syscall"
)

// lock holds a file that ends with this process, however that does.
func lock(name string) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close() // nothing was written
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = errTaken
		}
		return nil, err
	}
	return func() { _ = f.Close() }, nil // nothing was written
}
