package app

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// mostSmall bounds a file that is read as a whole, of which no true one comes near.
const mostSmall = 64 << 20

// smallFile is what a file has, unless it has no end, as some devices.
func smallFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was read only
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() > mostSmall {
		return nil, fmt.Errorf("%s: %w", name, errVast) // without reading so much of it
	}
	return smallText(f, name)
}

// smallText is what comes from a file or a pipe.
func smallText(in io.Reader, name string) ([]byte, error) {
	text, err := io.ReadAll(&bounded{in: in, left: mostSmall})
	if errors.Is(err, errVast) {
		err = fmt.Errorf("%s: %w", name, err) // others name the file
	}
	return text, err
}

// errVast is of what has no end, or as good as none.
var errVast = fmt.Errorf("more than %d MB: no such file is so large", mostSmall>>20)

// bounded is the beginning of a file, and an error behind it where an end would pass for its own.
type bounded struct {
	in   io.Reader
	left int64
}

// Read implements io.Reader.
func (b *bounded) Read(to []byte) (int, error) {
	if b.left == 0 {
		switch _, err := io.ReadFull(b.in, make([]byte, 1)); {
		case err == nil:
			return 0, errVast
		case errors.Is(err, io.EOF):
			return 0, io.EOF
		default:
			return 0, err
		}
	}
	n, err := b.in.Read(to[:min(int64(len(to)), b.left)])
	b.left -= int64(n)
	return n, err
}
