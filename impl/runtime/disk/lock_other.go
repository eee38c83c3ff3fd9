//go:build !unix

package disk

import (
	"errors"
	"os"
)

// lock fails: without locks, two processes could write one store.
func lock(*os.File, bool, bool) error { return errors.ErrUnsupported }
