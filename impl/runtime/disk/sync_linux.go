package disk

import (
	"errors"
	"os"
	"syscall"
)

// syncData makes the content and the size of a file stable, but not its times: a third cheaper when
// the size stays.
func syncData(f *os.File) error {
	for {
		err := syscall.Fdatasync(int(f.Fd()))
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
