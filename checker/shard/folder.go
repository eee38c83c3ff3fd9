package shard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/domino-check/domino/spec/report/wholefile"
)

// Folder is Blobs in a folder of a file system, perhaps one that machines share. Only a file that
// is being written has a dot in its name.
type Folder struct{ root string }

// NewFolder keeps blobs below a folder, which is made when there is something to keep.
func NewFolder(root string) *Folder { return &Folder{root: root} }

// file is where a blob is.
func (f *Folder) file(ctx context.Context, name string) (string, error) {
	if err := CheckName(name); err != nil {
		return "", err
	}
	return filepath.Join(f.root, filepath.FromSlash(name)), ctx.Err()
}

// Put is that of Blobs.
func (f *Folder) Put(ctx context.Context, name string, data []byte) error {
	file, err := f.file(ctx, name)
	if err != nil {
		return err
	}
	if err = os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return fmt.Errorf("put blob %s: %w", name, err)
	}
	err = wholefile.New(file, data)
	if errors.Is(err, fs.ErrExist) {
		old, failed := os.ReadFile(file)
		if failed == nil && bytes.Equal(old, data) {
			return nil
		}
		return fmt.Errorf("put blob %s: %w, with other content", name,
			errors.Join(ErrExists, failed))
	}
	if err != nil {
		return fmt.Errorf("put blob %s: %w", name, err)
	}
	return nil
}

// missing is an error about a file as one about a blob.
func missing(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrMissing
	}
	return fmt.Errorf("get blob %s: %w", name, err)
}

// Get is that of Blobs.
func (f *Folder) Get(ctx context.Context, name string) ([]byte, error) {
	file, err := f.file(ctx, name)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, missing(name, err)
	}
	return data, nil
}

// Range is that of Blobs.
func (f *Folder) Range(ctx context.Context, name string, offset, length int64) ([]byte, error) {
	file, err := f.file(ctx, name)
	if err != nil {
		return nil, err
	}
	opened, err := os.Open(file)
	if err != nil {
		return nil, missing(name, err)
	}
	defer func() { _ = opened.Close() }() // it was only read
	info, err := opened.Stat()
	if err != nil {
		return nil, missing(name, err)
	}
	if size := info.Size(); offset < 0 || length < 0 || offset > size || length > size-offset {
		return nil, fmt.Errorf("blob %s: want %d bytes from %d, it has %d", name, length, offset,
			size)
	}
	data := make([]byte, length)
	if _, err := opened.ReadAt(data, offset); err != nil && length > 0 {
		return nil, missing(name, err)
	}
	return data, nil
}

// List is that of Blobs.
func (f *Folder) List(ctx context.Context, folder string) (list []string, err error) {
	at, err := f.file(ctx, folder)
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(at, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(d.Name(), ".") {
			return errors.Join(err, ctx.Err())
		}
		name, err := filepath.Rel(f.root, file)
		list = append(list, filepath.ToSlash(name))
		return errors.Join(err, ctx.Err())
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return list, err
}

// Forget is that of Blobs.
func (f *Folder) Forget(ctx context.Context, folder string) error {
	at, err := f.file(ctx, folder)
	if err != nil {
		return err
	}
	return os.RemoveAll(at)
}
