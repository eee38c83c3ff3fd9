//go:build !linux

package netpipe

// bind does nothing here.
func bind(int) {}
