//go:build !unix

package cluster

// enoughFiles knows no limit.
func enoughFiles(int) error { return nil }
