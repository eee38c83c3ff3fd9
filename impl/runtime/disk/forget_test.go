package disk

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// sloppy leaves out some of the syncs that are asked for.
type sloppy struct {
	*Forgetful
	file, folder bool // leave out those
}

type sloppyFile struct{ File }

func (sloppyFile) Sync() error { return nil }

func (s sloppy) Create(name string) (File, error) { return s.wrap(s.Forgetful.Create(name)) }

func (s sloppy) Open(name string, write bool) (File, error) {
	return s.wrap(s.Forgetful.Open(name, write))
}

func (s sloppy) wrap(f File, err error) (File, error) {
	if s.file && err == nil {
		return sloppyFile{f}, nil
	}
	return f, err
}

func (s sloppy) SyncDir(dir string) error {
	if s.folder {
		return nil
	}
	return s.Forgetful.SyncDir(dir)
}

// lives has a store live and lose power again and again: each life writes and deletes records of a
// few sizes, acknowledges some, and ends with a group that is half on its way. It returns how the
// next life differs from all that a prefix leaves, "" if none ever does.
func lives(t *testing.T, seed uint64, wrap func(*Forgetful) Files) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 3))
	root := t.TempDir()
	dir, journal := filepath.Join(root, "store"), filepath.Join(root, "store.journal")
	id := Identity{Run: "r"}
	sure := map[string]string{}
	var may []map[string]string // behind it
	for life := range 8 {
		f, err := NewForgetful(journal)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Open(wrap(f), dir, id)
		if err != nil {
			return fmt.Sprintf("life %d: %v", life, err)
		}
		s.large, s.garbage = 300, 900
		got := map[string]string{}
		records, err := s.Records()
		if err != nil {
			return fmt.Sprintf("life %d: %v", life, err)
		}
		for _, r := range records {
			if !r.Torn {
				got[r.Key] = string(r.Value)
			}
		}
		known := maps.Equal(got, sure)
		for _, m := range may {
			known = known || maps.Equal(got, m)
		}
		if !known {
			return fmt.Sprintf("life %d has %d records, want the %d acknowledged, or one of %d",
				life, len(got), len(sure), len(may))
		}
		sure, may = got, nil
		now := maps.Clone(sure)
		for range 1 + rng.IntN(30) {
			key := fmt.Sprint("k", rng.IntN(4))
			if rng.IntN(5) == 0 {
				delete(now, key)
				err = s.Delete(key)
			} else {
				value := bytes.Repeat([]byte{byte(rng.IntN(256))}, 1+rng.IntN(600))
				now[key] = string(value)
				err = s.Put(key, value)
			}
			if may = append(may, maps.Clone(now)); err == nil && rng.IntN(3) == 0 {
				if err = s.Commit(); err == nil {
					sure, may = maps.Clone(now), nil
				}
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		s.closeFiles() // as the kill does
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if err := Forget(journal, rng.IntN); err != nil {
			return fmt.Sprintf("life %d: %v", life, err)
		}
	}
	return ""
}

// TestForget: a store that syncs what it acknowledges keeps it through every loss of power, and one
// that leaves out the syncs of files, or of folders, does not.
func TestForget(t *testing.T) {
	whole := func(f *Forgetful) Files { return f }
	for seed := range uint64(6) {
		if broken := lives(t, seed, whole); broken != "" {
			t.Fatalf("seed %d: %s", seed, broken)
		}
	}
	for _, s := range []sloppy{{file: true}, {folder: true}} {
		found := false
		for seed := range uint64(10) {
			found = found || lives(t, seed, func(f *Forgetful) Files {
				return sloppy{f, s.file, s.folder}
			}) != ""
		}
		if !found {
			t.Errorf("%+v: nobody notices", s)
		}
	}
}

// TestForgetNames undoes creations, renames and removals that were not synced, and none that were.
func TestForgetNames(t *testing.T) {
	root := t.TempDir()
	name := func(n string) string { return filepath.Join(root, n) }
	for _, n := range []string{"a", "b", "c", "d"} {
		if err := os.WriteFile(name(n), []byte("old "+n), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, syncs := range []bool{false, true} {
		f, err := NewForgetful(filepath.Join(t.TempDir(), "journal"))
		if err != nil {
			t.Fatal(err)
		}
		made, err := f.Create(name("e"))
		if err == nil {
			_, err = made.WriteAt([]byte("new e"), 0)
		}
		for _, step := range []func() error{made.Sync, made.Close,
			func() error { return f.Rename(name("e"), name("a")) },
			func() error { return f.Remove(name("b")) },
			func() error { return f.Rename(name("c"), name("f")) },
			func() error { f, err := f.Create(name("d")); return errorOf(f, err) }} {
			if err == nil {
				err = step()
			}
		}
		if syncs && err == nil {
			err = f.SyncDir(root)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := Forget(f.journal.Name(), func(n int) int { return n - 1 }); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"a": "old a", "b": "old b", "c": "old c", "d": "old d"}
		if syncs {
			want = map[string]string{"a": "new e", "f": "old c", "d": ""}
		}
		entries, err := os.ReadDir(root)
		if err != nil || len(entries) != len(want) {
			t.Errorf("synced %t: %v %v, want %v", syncs, entries, err, want)
		}
		for n, content := range want {
			if got, err := os.ReadFile(name(n)); string(got) != content || err != nil {
				t.Errorf("synced %t: %s is %q, %v, want %q", syncs, n, got, err, content)
			}
		}
	}
}

func errorOf(f File, err error) error {
	if err == nil {
		err = f.Close()
	}
	return err
}

// TestOpenSmall writes a few bytes, which reach what only large values and much garbage reach in a
// store as it is by default: a file of their own, and a log that is written anew.
func TestOpenSmall(t *testing.T) {
	dir := t.TempDir()
	s, err := OpenSmall(System{}, dir, identity)
	if err != nil {
		t.Fatal(err)
	}
	long := bytes.Repeat([]byte{7}, 48)
	if err := errors.Join(s.Put("long", long), s.Commit()); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(filepath.Join(dir, logName))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(valueName(dir, 1)); err != nil {
		t.Errorf("48 bytes are in no file of their own: %v", err)
	}
	for range 10 {
		if err := errors.Join(s.Put("short", long[:47]), s.Commit()); err != nil {
			t.Fatal(err)
		}
	}
	after, err := os.Stat(filepath.Join(dir, logName))
	if err != nil || os.SameFile(before, after) {
		t.Errorf("the log is the same file behind ten short values: %v", err)
	}
	if got, err := s.Records(); err != nil || len(got) != 2 || len(got[0].Value) != 48 {
		t.Errorf("got %v, %v", got, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
