// Package wholefile writes files whole or not at all: at every moment the name has all of the old
// content or all of the new, also when the disk is full or the machine stops. The new content goes
// to a file beside, NAME.*.new, which is synced and renamed; what fails is removed again. It does
// not lock: of two who write at once one wins, whole.
package wholefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
)

// Write makes the data the content of the file. The error names the operation and the file.
func Write(name string, data []byte) error {
	return Stream(name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Stream makes what the body writes the content of the file, unless it returns an error. A link is
// followed, and what is no regular file, as /dev/stdout, is written to as it is.
func Stream(name string, body func(io.Writer) error) error {
	info, err := os.Stat(name)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return straight(name, body)
	case err == nil:
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	part := fmt.Sprintf("%s.%08x.new", name, rand.Uint32())
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	if err := fill(f, body); err != nil {
		_ = os.Remove(part) // of no use, and the first error is the one that matters
		return err
	}
	if err := os.Rename(part, name); err != nil {
		_ = os.Remove(part)
		return err
	}
	return SyncFolder(filepath.Dir(name))
}

// New is Write for a file that must not be there yet: the error is fs.ErrExist when it is.
func New(name string, data []byte) error {
	part := fmt.Sprintf("%s.%08x.new", name, rand.Uint32())
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	err = fill(f, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err == nil {
		err = os.Link(part, name) // unlike a rename, it does not replace
	}
	if err := errors.Join(err, os.Remove(part)); err != nil {
		return err
	}
	return SyncFolder(filepath.Dir(name))
}

// fill writes, syncs and closes.
func fill(f *os.File, body func(io.Writer) error) error {
	err := body(f)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		_ = f.Close() // the first error is the one that matters
		return named(f.Name(), err)
	}
	return f.Close()
}

// named is an error of writing a file, with its name once.
func named(name string, err error) error {
	if known, ok := err.(*fs.PathError); ok && known.Path == name {
		return err
	}
	return fmt.Errorf("write %s: %w", name, err)
}

// straight writes to what can not be replaced.
func straight(name string, body func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if err := body(f); err != nil {
		_ = f.Close() // the first error is the one that matters
		return named(name, err)
	}
	return f.Close()
}

// SyncFolder makes the names in a folder last. Windows has nothing of the kind: it keeps them
// itself.
func SyncFolder(name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
