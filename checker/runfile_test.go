package checker

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// full is a file on a disk that has room for so many bytes.
type full struct {
	sink
	room *int
}

func (f full) Write(b []byte) (int, error) {
	n := min(len(b), *f.room)
	*f.room -= n
	if _, err := f.sink.Write(b[:n]); err != nil {
		return 0, err
	}
	if n < len(b) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

func onFullDisk(room int) creator {
	return func(name string) (sink, error) {
		f, err := createFile(name)
		return full{f, &room}, err
	}
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
	if err := writeRun(createFile, file, body); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for room := 0; room < len(before); room += 1 + room/3 {
		err := writeRun(onFullDisk(room), file, body)
		if !errors.Is(err, syscall.ENOSPC) ||
			!strings.Contains(err.Error(), "save the run: write "+file+".new") {
			t.Fatalf("%d bytes: %v", room, err)
		}
		after, err := os.ReadFile(file)
		if err != nil || string(after) != string(before) {
			t.Fatalf("%d bytes: the older file has changed, %v", room, err)
		}
		if _, err := os.Stat(file + ".new"); !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("%d bytes: a part is left, %v", room, err)
		}
	}
	if err := writeRun(onFullDisk(len(before)), file, body); err != nil {
		t.Errorf("room for all: %v", err)
	}
}
