//go:build amd64 || arm64

// Package prefetch has memory ready before it is read.
package prefetch

// Line asks for the cache line of a word, so that it is there when it is wanted, and does not wait
// for it. A load instead would hold up everything after it.
//
//go:noescape
func Line(word *uint64)
