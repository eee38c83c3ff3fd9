package app

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/domino-check/domino/checker/effort"
)

// Aim: no command reads a file for ever, or until memory is full: each one that reads a file as a
// whole refuses one of zeros that is a byte longer than the bound, and names it and the bound.
func TestVastFiles(t *testing.T) {
	vast := filepath.Join(t.TempDir(), "vast")
	err := errors.Join(os.WriteFile(vast, nil, 0o644), os.Truncate(vast, mostSmall+1))
	if err != nil {
		t.Fatal(err)
	}
	list := []struct{ line, want string }{
		{"simulate ring --protocol hydee --machine FILE", "FILE: more than 64 MB"},
		{"simulate --measured FILE", "FILE: more than 64 MB"},
		{"performability mapping --cores 8 --measured FILE", "FILE: more than 64 MB"},
		{"paper radic --from FILE", "FILE: a line of more than"},
		{"plan FILE", "FILE:1: a line of more than 65536"},
		{"cluster run --plan FILE", "FILE: more than 64 MB"},
		{"cluster run s0 --mtbf 5s --trace FILE", "FILE: more than 64 MB"},
		{"cluster run s0 --hosts FILE", "FILE: more than 64 MB"},
		{"explore s0 --script FILE", "FILE: more than 64 MB"},
		{"certify FILE", "FILE has more than 67108864 bytes"},
		{"check FILE", "FILE has more than 67108864 bytes"},
	}
	for _, tt := range list[:effort.Of(1, len(list))] {
		args := strings.Fields(strings.ReplaceAll(tt.line, "FILE", vast))
		want := strings.ReplaceAll(tt.want, "FILE", vast)
		if code, _, errs := domino(t.Context(), args...); code != exitUsage ||
			!strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, %q, want %q", tt.line, code, errs, want)
		}
	}
}

// Aim: of what is as long as the bound all is read; a byte more is an error, however it comes, and
// not an end; an error of the source stays what it is.
func TestBounded(t *testing.T) {
	for extra, want := range map[string]error{"": nil, "y": errVast} {
		in := iotest.DataErrReader(strings.NewReader("whole" + extra))
		text, err := io.ReadAll(&bounded{in: in, left: 5})
		if !errors.Is(err, want) || string(text) != "whole" {
			t.Errorf("%q behind it: %q, %v", extra, text, err)
		}
	}
	broken := errors.New("broken")
	for _, left := range []int64{0, 1} {
		b := &bounded{in: iotest.ErrReader(broken), left: left}
		if _, err := b.Read(make([]byte, 1)); !errors.Is(err, broken) {
			t.Errorf("%d left: %v", left, err)
		}
	}
}

// endless has as many bytes as are asked for.
type endless struct{}

// Read implements io.Reader.
func (endless) Read(to []byte) (int, error) { return len(to), nil }

// TestVastStream refuses what has no size that could be looked at before.
func TestVastStream(t *testing.T) {
	if text, err := smallText(endless{}, "standard input"); !errors.Is(err, errVast) ||
		!strings.HasPrefix(err.Error(), "standard input: ") {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}
