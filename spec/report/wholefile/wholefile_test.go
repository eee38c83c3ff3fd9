package wholefile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// content is what a file has; the folder must have no other one in it.
func content(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Error(err)
	}
	if list, err := os.ReadDir(filepath.Dir(name)); err != nil || len(list) != 1 {
		t.Errorf("the folder has %v, %v", list, err)
	}
	return string(data)
}

// TestWrite writes a file that is new, then one that is there; a body that fails in the middle
// leaves the old one, and nothing beside it.
func TestWrite(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	for _, text := range []string{"first, and longer", "second"} {
		if err := Write(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got := content(t, name); got != text {
			t.Errorf("%q, want %q", got, text)
		}
	}
	wrong := errors.New("no room")
	err := Stream(name, func(w io.Writer) error {
		if _, err := io.WriteString(w, "half"); err != nil {
			t.Error(err)
		}
		return wrong
	})
	if !errors.Is(err, wrong) || !strings.HasPrefix(err.Error(), "write "+name+".") {
		t.Errorf("the body fails: %v", err)
	}
	if got := content(t, name); got != "second" {
		t.Errorf("after a failure %q", got)
	}
}

// TestAtOnce has many write one name: it has the text of one of them.
func TestAtOnce(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			if err := Write(name, []byte(strings.Repeat(fmt.Sprint(i), 10_000))); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if got := content(t, name); got != strings.Repeat(got[:1], 10_000) {
		t.Error("the file is a mixture")
	}
}

// TestNotReplaced writes where there is no folder, through a link, and to what is no file.
func TestNotReplaced(t *testing.T) {
	dir := t.TempDir()
	if err := Write(filepath.Join(dir, "none", "file"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	if err := Write(dir, nil); err == nil {
		t.Error("a folder is replaced")
	}
	if err := os.Mkdir(filepath.Join(dir, "far"), 0o777); err != nil {
		t.Fatal(err)
	}
	far, near := filepath.Join(dir, "far", "file"), filepath.Join(dir, "near")
	if err := errors.Join(Write(far, []byte("1")), os.Symlink(far, near)); err != nil {
		t.Skip("no links: ", err)
	}
	if err := Write(near, []byte("2")); err != nil || content(t, far) != "2" {
		t.Errorf("through a link: %v", err)
	}
	if _, err := os.Stat(os.DevNull); err != nil {
		t.Skip(err)
	}
	if err := Write(os.DevNull, []byte("3")); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%s has become a file: %v", os.DevNull, err)
	}
}
