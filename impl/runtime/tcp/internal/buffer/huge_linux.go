package buffer

import "syscall"

// huge asks for large pages, of which a log that no cache holds needs few. The system may not have
// any, which is no error.
func huge(b []byte) {
	if len(b) > 0 {
		syscall.Madvise(b, syscall.MADV_HUGEPAGE)
	}
}
