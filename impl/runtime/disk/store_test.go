package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/effort"
)

var (
	long   = strings.Repeat("L", 40)
	longer = strings.Repeat("M", 50)
)

// scripts reach everything: inline and large values, replacements between them, deletes,
// compaction, reopening, groups.
var scripts = map[string]script{
	"first": {"put a 1", "commit"},
	"group": {"put a 1", "put b 2", "delete a", "put a 3", "commit", "put c 4", "put a 5",
		"commit"},
	"large": {"put a " + long, "commit", "put a " + longer, "put b " + long, "commit",
		"delete b", "commit", "put a 1", "commit"},
	"compact": {"put a 1234567890", "commit", "put a 2234567890", "commit", "put b " + long,
		"put a 3", "commit", "put c x", "delete a", "commit", "put d y", "commit"},
	"reopen": {"put a 1", "commit", "put b 2", "commit", "reopen", "put c 3", "commit",
		"reopen", "delete a", "put b " + long, "commit"},
	"empty values": {"put a " + long, "put b 1", "commit", "delete a", "delete b", "delete c",
		"commit", "put b 2", "commit"},
}

// TestCrashes stops the host, and kills the process, at every operation of each script, the write
// then under way not or half done, and in everything that such a crash may leave looks for the
// records of a prefix of the entries that holds all acknowledged ones; then the store goes on.
// Read, which changes nothing, must see the same.
func TestCrashes(t *testing.T) {
	total := 0
	for name, s := range scripts {
		t.Run(name, func(t *testing.T) {
			whole := newMemory()
			if p, err := s.run(whole); err != nil || p.stable == 0 {
				t.Fatal(p, err)
			}
			for at := range whole.operations {
				for _, cut := range []bool{false, true} {
					m := newMemory()
					m.stopAt, m.failure, m.cut = at, errStopped, cut
					p, err := s.run(m)
					if !errors.Is(err, errStopped) {
						t.Fatalf("operation %d: %v", at, err)
					}
					m.aftermaths(func(what string, after *memory) {
						total++
						if err := s.check(after, p); err != nil {
							t.Fatalf("stopped at operation %d (cut %v), %s: %v", at, cut, what, err)
						}
					})
				}
			}
		})
	}
	if total < 5000 {
		t.Errorf("%d crashes, want thousands: the test looks at nothing", total)
	}
}

// TestFailures makes every operation of each script fail once, with a full disk and with a broken
// one: the script stops with that error, and what was committed is there when it is opened again.
// Only without room for a shorter log does the script go on.
func TestFailures(t *testing.T) {
	for name, s := range scripts {
		t.Run(name, func(t *testing.T) {
			whole := newMemory()
			if _, err := s.run(whole); err != nil {
				t.Fatal(err)
			}
			for at := range whole.operations {
				for _, failure := range []error{noSpace, syscall.EIO} {
					m := newMemory()
					m.stopAt, m.failure, m.cut = at, failure, at%2 == 0
					p, err := s.run(m)
					long := err == nil && failure == noSpace
					if !long && !errors.Is(err, failure) &&
						!errors.Is(err, errors.Unwrap(failure)) {
						t.Fatalf("operation %d: error %v, want %v", at, err, failure)
					}
					after := m.after(func(int) (bool, int) { return true, -1 })
					after.made = true
					if err := s.check(after, p); err != nil {
						t.Fatalf("operation %d fails with %v: %v", at, failure, err)
					}
				}
			}
		})
	}
}

// TestTorn cuts a group behind the committed end: of a key without a value the record is torn, of
// one with a value that stays.
func TestTorn(t *testing.T) {
	s := script{"put a old", "commit", "put a new", "put b first", "commit"}
	seen := map[string]bool{}
	whole := newMemory()
	if _, err := s.run(whole); err != nil {
		t.Fatal(err)
	}
	for at := range whole.operations {
		m := newMemory()
		m.stopAt, m.failure = at, errStopped
		if _, err := s.run(m); err == nil {
			break
		}
		for last := range m.pending {
			for n := range len(m.pending[last].data) {
				after := m.after(func(k int) (bool, int) {
					if k == last {
						return true, n
					}
					return k < last, -1
				})
				records, err := Read(after, "d", identity)
				if err != nil {
					t.Fatal(err)
				}
				seen[fmt.Sprint(records)] = true
			}
		}
	}
	for _, want := range []string{"[{3 a [111 108 100] false}]",
		"[{3 a [110 101 119] false} {3 b [] true}]"} {
		if !seen[want] {
			t.Errorf("no crash leaves %s; seen: %v", want, seen)
		}
	}
	if len(seen) > 5 {
		t.Errorf("crashes leave %v", seen)
	}
}

// TestGivenUp closes a store with puts that were not committed.
func TestGivenUp(t *testing.T) {
	m := newMemory()
	if _, err := (script{"put a 1", "commit", "put b 2", "put c " + long}).run(m); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(m, "d", identity); fmt.Sprint(got) != "[{3 a [49] false}]" || err != nil {
		t.Error(got, err)
	}
	s, err := small(m)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.names) != 1 {
		t.Errorf("files %v, want the log alone", m.names)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// stored makes a store on the real file system.
func stored(t testing.TB) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "store", "3")
	s, err := Open(System{}, dir, identity)
	if err != nil {
		t.Fatal(err)
	}
	s.large = 24
	err = errors.Join(s.Put("a", []byte("value")), s.Put("b", []byte(long)), s.Commit(),
		s.Put("c", nil), s.Delete("a"), s.Commit(), s.Close())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

const storedRecords = "[{3 b [76 76 76 76 76 76 76 76 76 76 76 76 76 76 76 76 76 76 76 76 76 76 " +
	"76 76 76 76 76 76 76 76 76 76 76 76 76 76 76 76 76 76] false} {3 c [] false}]"

// TestRoundTrip writes, reads, and reads again after reopening, on the real file system.
func TestRoundTrip(t *testing.T) {
	dir := stored(t)
	for range 2 {
		s, err := Open(System{}, dir, identity)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.Records(); fmt.Sprint(got) != storedRecords || err != nil {
			t.Errorf("records %v, %v", got, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := Read(System{}, dir, identity); fmt.Sprint(got) != storedRecords || err != nil {
		t.Errorf("records %v, %v", got, err)
	}
	if got, err := Read(System{}, dir+"x", identity); len(got) != 0 || err != nil {
		t.Errorf("no store: %v, %v", got, err)
	}
}

// damage calls back with a store of which one file is changed, and checks that Open and Read agree
// on an error that names the file, or that the records are right: some bytes mean nothing.
func damage(t *testing.T, change func(name string, content []byte,
	see func(what string, changed []byte))) (errorsSeen int) {
	t.Helper()
	dir := stored(t)
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, f := range files {
		if all[f.Name()], err = os.ReadFile(filepath.Join(dir, f.Name())); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range files {
		content := all[f.Name()]
		if len(content) == 0 {
			continue // a lock
		}
		change(f.Name(), content, func(what string, changed []byte) {
			m := newMemory()
			m.made = true
			for name, b := range all {
				if name == f.Name() {
					b = changed
				}
				m.names[filepath.Join("d", name)] = &inode{now: b, stable: b}
			}
			got, err := Read(m, "d", identity)
			if err == nil && fmt.Sprint(got) != storedRecords {
				t.Fatalf("%s: %s: records %v", f.Name(), what, got)
			}
			if err != nil {
				errorsSeen++
				if !strings.Contains(err.Error(), filepath.Join("d", f.Name())) ||
					!errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrVersion) &&
						!errors.Is(err, ErrOtherRun) {
					t.Fatalf("%s: %s: the error does not name the file and what is wrong: %v",
						f.Name(), what, err)
				}
			}
			if wrong := inspected(m); (wrong == nil) != (err == nil) ||
				err != nil && !strings.Contains(wrong.Error(), f.Name()) {
				t.Fatalf("%s: %s: Read says %v, Inspect %v", f.Name(), what, err, wrong)
			}
			s, openErr := Open(m, "d", identity)
			if openErr == nil {
				_, openErr = s.Records()
			}
			if (openErr == nil) != (err == nil) {
				t.Fatalf("%s: %s: Read says %v, Open %v", f.Name(), what, err, openErr)
			}
		})
	}
	return errorsSeen
}

// inspected is the first thing that Inspect finds wrong with a store.
func inspected(files Files) error {
	l, err := Inspect(files, "d")
	if err != nil {
		return err
	}
	for _, item := range l.Items {
		if item.Err != nil {
			return item.Err
		}
	}
	return nil
}

// TestInspect lists a store by hand: what is in it, what is not committed, what is left over, what
// is damaged, and that there is none.
func TestInspect(t *testing.T) {
	dir := stored(t)
	value := valueName(dir, 2)
	if err := os.WriteFile(valueName(dir, 9), []byte("left over"), 0o666); err != nil {
		t.Fatal(err)
	}
	l, err := Inspect(System{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	want := &Listing{Identity: identity, Committed: l.Committed, Whole: l.Committed, Items: []Item{
		{Key: "b", Bytes: 40, File: filepath.Base(value)}, {Key: "c", File: logName}},
		Spare: []string{filepath.Base(valueName(dir, 9))}}
	if diff := cmp.Diff(want, l); diff != "" || l.Committed <= firstEntry {
		t.Errorf("-want +got:\n%s", diff)
	}
	s, err := Open(System{}, dir, identity)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if l, err = Inspect(System{}, dir); err != nil || !l.Used || len(l.Items) != 2 {
		t.Errorf("%+v, %v, want one in use", l, err)
	}
	if err := os.Remove(value); err != nil {
		t.Fatal(err)
	}
	if l, err = Inspect(System{}, dir); err != nil || !errors.Is(l.Items[0].Err, ErrCorrupt) ||
		l.Items[1].Err != nil {
		t.Errorf("%+v, %v, want one damaged value", l, err)
	}
	for _, none := range []string{t.TempDir(), filepath.Join(dir, "nowhere")} {
		if l, err := Inspect(System{}, none); l != nil || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%+v, %v, want no store", l, err)
		}
	}
}

// TestTruncation cuts every file at every byte: right records (the cut is in unused space) or an
// error that names the file.
func TestTruncation(t *testing.T) {
	n := damage(t, func(name string, content []byte, see func(string, []byte)) {
		for size := range content {
			if size < 4400 || size%997 == 0 {
				see(fmt.Sprintf("cut at %d", size), content[:size])
			}
		}
	})
	if n < firstEntry+100 {
		t.Errorf("%d errors, want one for each byte of head, slots, entries and value", n)
	}
}

// TestFlips flips every bit of every file, one at a time, and expects the same.
func TestFlips(t *testing.T) {
	n := damage(t, func(name string, content []byte, see func(string, []byte)) {
		for bit := range 8 * min(len(content), 4400) {
			if bit%8 != bit/8%8 && !effort.Long() { // one of each byte
				continue
			}
			if at := bit / 8; name == logName &&
				(at > 600 && at < 1000 || at > 1100 && at < firstEntry) {
				continue // unused
			}
			flipped := bytes.Clone(content)
			flipped[bit/8] ^= 1 << (bit % 8)
			see(fmt.Sprintf("bit %d", bit), flipped)
		}
	})
	if n < effort.Of(1, 8)*(2*headBytes+100) {
		t.Errorf("%d errors, want one for each bit of heads, entries and value", n)
	}
}

// TestMissing removes each file.
func TestMissing(t *testing.T) {
	dir := stored(t)
	names, err := filepath.Glob(filepath.Join(dir, valuePrefix+"*"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	for _, name := range []string{names[0], filepath.Join(dir, logName)} {
		if err := os.Rename(name, name+".away"); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(System{}, dir, identity); !errors.Is(err, ErrCorrupt) ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
		if err := os.Rename(name+".away", name); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRefusals opens stores that it must not.
func TestRefusals(t *testing.T) {
	dir := stored(t)
	name := filepath.Join(dir, logName)
	for what, id := range map[string]Identity{"another run": {Run: "other", Proc: 3},
		"another proc": {Run: "test", Proc: 4}} {
		if _, err := Open(System{}, dir, id); !errors.Is(err, ErrOtherRun) ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, run := range []string{"", strings.Repeat("x", MaxRun+1)} {
		if _, err := Open(System{}, dir, Identity{Run: run}); err == nil {
			t.Errorf("run %q: no error", run)
		}
	}
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	newer := bytes.Clone(content)
	newer[8] = version + 1
	sum := checksum(newer[:headBytes-4])
	newer[headBytes-4], newer[headBytes-3], newer[headBytes-2], newer[headBytes-1] = byte(sum),
		byte(sum>>8), byte(sum>>16), byte(sum>>24)
	if err := os.WriteFile(name, newer, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(System{}, dir, identity); !errors.Is(err, ErrVersion) ||
		!strings.Contains(err.Error(), name) {
		t.Errorf("a newer version: %v", err)
	}
	if _, err := Open(System{}, filepath.Join(name, "below a file"), identity); err == nil {
		t.Error("a folder below a file: no error")
	}
}

// TestKeys puts keys at the limit and beyond.
func TestKeys(t *testing.T) {
	s, err := Open(System{}, t.TempDir(), identity)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Put(strings.Repeat("k", MaxKey), []byte("v")), s.Put("", []byte("v")),
		s.Commit()); err != nil {
		t.Error(err)
	}
	if err := s.Put(strings.Repeat("k", MaxKey+1), nil); err == nil {
		t.Error("a key that is too long: no error")
	}
	if got, err := s.Records(); len(got) != 2 || err != nil {
		t.Error(got, err)
	}
	if err := errors.Join(s.Commit(), s.Close()); err != nil {
		t.Error(err)
	}
	if err := s.Put("a", nil); !errors.Is(err, os.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// TestUnusedFiles: a value that was replaced or deleted takes no room any more, and what a process
// has left that was killed goes when the store is opened again.
func TestUnusedFiles(t *testing.T) {
	m := newMemory()
	look := func(when string) {
		t.Helper()
		values, others := 0, 0
		for name := range m.names {
			if base := filepath.Base(name); strings.HasPrefix(base, valuePrefix) {
				values++
			} else if base == newLogName {
				others++
			}
		}
		if values != 1 || others != 0 {
			t.Errorf("%s: %d values and %d new logs in files, want 1 and 0", when, values, others)
		}
	}
	s := script{"put a " + long, "commit", "put a " + longer, "put b " + long, "commit", "delete b",
		"commit"}
	if _, err := s.run(m); err != nil {
		t.Fatal(err)
	}
	look("replaced and deleted")
	for _, name := range []string{newLogName, valuePrefix + "00000000000000ff"} {
		f, err := m.Create(filepath.Join("d", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := (script{}).run(m); err != nil {
		t.Fatal(err)
	}
	look("opened again")
}
