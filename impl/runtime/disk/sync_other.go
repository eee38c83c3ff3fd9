//go:build !linux

package disk

import "os"

// syncData makes a file stable.
func syncData(f *os.File) error { return f.Sync() }
