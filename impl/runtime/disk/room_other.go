//go:build !unix

package disk

// noRoom reports whether the system says that there is no space. What others say of it is not
// known, so such a failure is one as any other.
func noRoom(error) bool { return false }
