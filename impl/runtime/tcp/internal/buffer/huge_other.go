//go:build !linux

package buffer

func huge([]byte) {}

func pages(int) []byte { return nil }

func forget([]byte) {}
