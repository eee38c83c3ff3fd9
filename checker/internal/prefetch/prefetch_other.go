//go:build !(amd64 || arm64)

// Package prefetch has memory ready before it is read, where there is an instruction for that.
package prefetch

// Line has no instruction of its own here.
func Line(*uint64) {}
