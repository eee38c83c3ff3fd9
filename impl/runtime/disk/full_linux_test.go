package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestFull fills a small file system: small and large values are refused with the error of the
// system, what was committed stays, and the store goes on.
func TestFull(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip("no file system that is small: ", err) // TestFailures injects the same
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	for _, size := range []int{100 << 10, 1 << 10} {
		t.Run(fmt.Sprintf("%d bytes", size), func(t *testing.T) {
			store := filepath.Join(dir, fmt.Sprint(size))
			s, err := Open(System{}, store, identity)
			if err != nil {
				t.Fatal(err)
			}
			value, n := make([]byte, size), 0
			for ; err == nil && n < 2000; n++ {
				if err = s.Put(fmt.Sprint("k", n), value); err == nil {
					err = s.Commit()
				}
			}
			if !errors.Is(err, syscall.ENOSPC) || !errors.Is(err, ErrFull) {
				t.Fatalf("after %d values: %v", n, err)
			}
			if err := s.Put("k0", value[:10]); err != nil {
				t.Error("no room in the place of a larger value: ", err)
			}
			if err := s.Commit(); err != nil && !errors.Is(err, ErrFull) {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			got, err := Read(System{}, store, identity)
			if len(got) != n-1 || err != nil {
				t.Errorf("%d records, want %d: %v", len(got), n-1, err)
			}
			if err := os.RemoveAll(store); err != nil {
				t.Fatal(err)
			}
		})
	}
}
