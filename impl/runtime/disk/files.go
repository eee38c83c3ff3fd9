package disk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/domino-check/domino/spec/report/wholefile"
)

// Files is what the store needs of a file system. It is an interface so that tests can crash
// between any two operations.
type Files interface {
	// Make makes a folder and those above it.
	Make(dir string) error
	// Create makes an empty file in the place of any with the name.
	Create(name string) (File, error)
	// Open opens a file that exists; the error is os.ErrNotExist if it does not. A file that is not
	// to be written may be open elsewhere.
	Open(name string, write bool) (File, error)
	Rename(from, to string) error
	Remove(name string) error
	// List names the files of a folder.
	List(dir string) ([]string, error)
	// SyncDir makes the names in a folder stable.
	SyncDir(dir string) error
	// Lock locks a file, which it makes if need be, until Close or the death of the process;
	// ErrLocked when it may not wait.
	Lock(name string, exclusive, wait bool) (io.Closer, error)
}

// File is an open file.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Size() (int64, error)
	Truncate(size int64) error
	// Sync makes the content stable.
	Sync() error
}

// ErrLocked says that another process, or another part of this one, uses the store.
var ErrLocked = errors.New("in use by another process")

// System is the file system of the operating system.
type System struct{}

type systemFile struct{ *os.File }

func (f systemFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (f systemFile) Sync() error { return syncData(f.File) }

// Make implements Files. Every folder that it makes is synced in its parent.
func (s System) Make(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if parent := filepath.Dir(dir); parent != dir {
		if err := s.Make(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return s.SyncDir(filepath.Dir(dir))
}

// Create implements Files.
func (System) Create(name string) (File, error) {
	return openSystem(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
}

func openSystem(name string, flag int) (File, error) {
	f, err := os.OpenFile(name, flag, 0o666)
	if err != nil {
		return nil, err
	}
	return systemFile{f}, nil
}

// Open implements Files.
func (System) Open(name string, write bool) (File, error) {
	if write {
		return openSystem(name, os.O_RDWR)
	}
	return openSystem(name, os.O_RDONLY)
}

// Rename implements Files.
func (System) Rename(from, to string) error { return os.Rename(from, to) }

// Remove implements Files.
func (System) Remove(name string) error { return os.Remove(name) }

// List implements Files.
func (System) List(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// SyncDir implements Files.
func (System) SyncDir(dir string) error { return wholefile.SyncFolder(dir) }

// Lock implements Files.
func (System) Lock(name string, exclusive, wait bool) (io.Closer, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if err = lock(f, exclusive, wait); err == nil {
		return f, nil
	}
	return nil, errors.Join(fmt.Errorf("lock %s: %w", name, err), f.Close())
}
