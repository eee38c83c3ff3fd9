package search

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/domino-check/domino/spec/report/wholefile"
)

// full is a disk that has room for so many bytes.
type full struct {
	w    io.Writer
	room int
}

func (f *full) Write(b []byte) (int, error) {
	n := min(len(b), f.room)
	f.room -= n
	if _, err := f.w.Write(b[:n]); err != nil {
		return 0, err
	}
	if n < len(b) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

// writeOnFull is writeRun where only some bytes fit.
func writeOnFull(room int, file string, body func(*Encoder)) error {
	return wholefile.Stream(file, func(w io.Writer) error {
		return encodeRun(&full{w, room}, body)
	})
}

// TestDiskFull saves where only some bytes fit, for many numbers of bytes: the error names the
// operation and the file, the older file is untouched and no part of a new one is left.
func TestDiskFull(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run")
	list := make([]uint32, 50_000)
	body := func(e *Encoder) {
		for range 3 {
			e.Bytes([]byte("text"))
			e.Words(list)
		}
	}
	if err := writeRun(file, body); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for room := 0; room < len(before); room += 1 + room/3 {
		err := writeOnFull(room, file, body)
		if !errors.Is(err, syscall.ENOSPC) ||
			!strings.Contains(err.Error(), "write "+file+".") {
			t.Fatalf("%d bytes: %v", room, err)
		}
		after, err := os.ReadFile(file)
		if err != nil || string(after) != string(before) {
			t.Fatalf("%d bytes: the older file has changed, %v", room, err)
		}
		if list, err := os.ReadDir(filepath.Dir(file)); err != nil || len(list) != 1 {
			t.Fatalf("%d bytes: a part is left: %v, %v", room, list, err)
		}
	}
	if err := writeOnFull(len(before), file, body); err != nil {
		t.Errorf("room for all: %v", err)
	}
}
