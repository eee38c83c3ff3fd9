package buffer

import (
	"os"
	"syscall"
	"unsafe"
)

// huge asks for large pages, of which a log that no cache holds needs few. The system may not have
// any, which is no error.
func huge(b []byte) {
	if len(b) > 0 {
		syscall.Madvise(b, syscall.MADV_HUGEPAGE)
	}
}

// pages are so many bytes of addresses that are memory from their first use on, in large pages if
// the system has them; nil where it gives none. They are never unmapped.
func pages(bytes int) []byte {
	b, err := syscall.Mmap(-1, 0, bytes, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		return nil
	}
	huge(b)
	return b
}

// forget gives pages of which nobody needs the content back to the system: all that are in b as a
// whole. It can be used as before.
func forget(b []byte) {
	page := uintptr(os.Getpagesize())
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	first, end := (at+page-1)&^(page-1), (at+uintptr(len(b)))&^(page-1)
	if first < end {
		syscall.Madvise(b[first-at:end-at], syscall.MADV_DONTNEED)
	}
}
