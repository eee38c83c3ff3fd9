package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
)

// TestRefused makes every operation of a group of puts fail once for lack of room, and of a disk
// that is broken: without room the store says ErrFull, nothing of what was refused is there, and it
// goes on; a broken one does not.
func TestRefused(t *testing.T) {
	large := strings.Repeat("x", 40)
	refused := 0
	for at := 0; ; at++ {
		for _, failure := range []error{noSpace, syscall.EIO} {
			m := newMemory()
			s, err := small(m)
			if err != nil {
				t.Fatal(err)
			}
			put := func(keys string) (err error) {
				for _, key := range strings.Fields(keys) {
					value := key
					if key == "b" {
						value = large
					}
					err = errors.Join(err, s.Put(key, []byte(value)))
				}
				return errors.Join(err, s.Commit())
			}
			if err := put("a"); err != nil {
				t.Fatal(err)
			}
			before := m.operations
			m.stopAt, m.failure, m.cut = before+at, failure, at%2 == 0
			err = put("b c")
			if err == nil && m.operations <= before+at {
				if refused == 0 {
					t.Error("nothing was refused")
				}
				return
			}
			end := put("d")
			switch full := errors.Is(err, ErrFull); {
			case err == nil: // the long log stays
				continue
			case full && end != nil:
				t.Errorf("operation %d: refused for %v, and then: %v", at, err, end)
			case !full && end == nil:
				t.Errorf("operation %d: after %v the store goes on", at, err)
			case !full:
				continue
			}
			refused++
			list, err := s.Records()
			if err != nil {
				t.Fatal(err)
			}
			if got := recordWords(list); got != "a=a d=d" && got != "a=a c=c d=d" {
				t.Errorf("operation %d: records %s, want what was not refused", at, got)
			}
			after := m.after(func(int) (bool, int) { return true, -1 })
			after.made = true
			again, err := Read(after, "d", identity)
			if err != nil || recordWords(again) != recordWords(list) {
				t.Errorf("operation %d: opened again: %s %v", at, recordWords(again), err)
			}
		}
	}
}

// TestSpoiled damages each value of a store in each way and at each byte: it is torn, or not there,
// whether it is read back or handed out when the store is opened again; the others are whole, and
// it can be written anew.
func TestSpoiled(t *testing.T) {
	values := map[string]string{"large": strings.Repeat("x", 1000), "none": "", "small": "y"}
	open := func(dir string) *Store {
		s, err := OpenSpoiled(System{}, dir, identity)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	keys := []string{"large", "none", "small"}
	for _, what := range []Damage{Lost, Flipped, Cut} {
		for victim := range keys {
			t.Run(fmt.Sprint(what, " ", keys[victim]), func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "store")
				s := open(dir)
				for key, value := range values {
					if err := s.Put(key, []byte(value)); err != nil {
						t.Fatal(err)
					}
				}
				if err := s.Commit(); err != nil {
					t.Fatal(err)
				}
				draws := []int{victim, 17, 3}
				done, err := s.Spoil(what, func(n int) int {
					d := draws[0] % n
					draws = draws[1:]
					return d
				})
				if !done || err != nil {
					t.Fatal(done, err)
				}
				var want, read []core.Record
				for i, key := range keys {
					r := core.Record{Owner: identity.Proc, Key: key, Value: []byte(values[key])}
					if i == victim {
						r.Value, r.Torn = nil, true
					}
					if i != victim || what != Lost {
						want = append(want, r)
					}
					got, found, err := s.Get(key)
					if err != nil || found != (i != victim || what != Lost) {
						t.Error(key, found, err)
					}
					if found {
						read = append(read, got)
					}
				}
				if diff := cmp.Diff(want, read); diff != "" {
					t.Errorf("read back (-want +got):\n%s", diff)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				s = open(dir)
				list, err := s.Records()
				if diff := cmp.Diff(want, list); diff != "" || err != nil {
					t.Errorf("handed out (-want +got):\n%s%v", diff, err)
				}
				err = errors.Join(s.Put(keys[victim], []byte("new")), s.Commit())
				got, found, e := s.Get(keys[victim])
				if err != nil || e != nil || !found || string(got.Value) != "new" {
					t.Errorf("written anew: %v, %+v %v", errors.Join(err, e), got, found)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

// TestGet reads back what is there, what is not, and what a crash has torn; it reads the file, not
// what the store remembers; and a value that is lost can not be lost again.
func TestGet(t *testing.T) {
	dir := t.TempDir()
	s, err := OpenSpoiled(System{}, dir, identity)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Put("a", []byte("b")), s.Commit()); err != nil {
		t.Fatal(err)
	}
	if r, found, err := s.Get("a"); err != nil || !found || r.Torn || string(r.Value) != "b" {
		t.Errorf("%+v %t %v", r, found, err)
	}
	if _, found, err := s.Get("c"); err != nil || found {
		t.Errorf("what was never put: %t %v", found, err)
	}
	names, err := filepath.Glob(filepath.Join(dir, valuePrefix+"*"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	content, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	content[len(content)-1] = 'c'
	if err := os.WriteFile(names[0], content, 0o600); err != nil {
		t.Fatal(err)
	}
	if r, found, err := s.Get("a"); err != nil || !found || !r.Torn {
		t.Errorf("%+v %t %v", r, found, err)
	}
	first := func(int) int { return 0 }
	for _, want := range []bool{true, false} {
		if done, err := s.Spoil(Lost, first); done != want || err != nil {
			t.Errorf("lost: %t %v, want %t", done, err, want)
		}
	}
	s.c.torn = []string{"t"}
	if r, found, err := s.Get("t"); err != nil || !found || !r.Torn {
		t.Errorf("%+v %t %v", r, found, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Get("a"); !errors.Is(err, os.ErrClosed) {
		t.Error("a store that is closed: ", err)
	}
}
