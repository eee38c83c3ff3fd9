//go:build !linux

package buffer

func huge([]byte) {}
