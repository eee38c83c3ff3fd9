package farm

import (
	"errors"
	"syscall"
)

// sharingViolation is what opening a file gives that somebody has for himself.
const sharingViolation = syscall.Errno(32)

// lock holds a file that ends with this process, however that does: it is opened for nobody else.
func lock(name string) (unlock func(), err error) {
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	h, err := syscall.CreateFile(path, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, sharingViolation) {
		err = errTaken
	}
	if err != nil {
		return nil, err
	}
	return func() { _ = syscall.CloseHandle(h) }, nil // nothing was written
}
