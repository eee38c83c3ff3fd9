//go:build unix

package disk

import (
	"errors"
	"syscall"
)

// noRoom reports whether the system says that there is no space, or that a quota is used up.
func noRoom(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
