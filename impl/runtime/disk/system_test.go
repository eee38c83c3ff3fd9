package disk

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/domino-check/domino/checker/effort"
)

// child, when set, makes the test binary open the store with that name, say so, and wait to be
// killed.
const child = "DOMINO_TEST_STORE"

// TestMain is the other process of TestConcurrent when it is asked to be.
func TestMain(m *testing.M) {
	dir := os.Getenv(child)
	if dir == "" {
		os.Exit(m.Run())
	}
	s, err := Open(System{}, dir, identity)
	if err == nil {
		err = errors.Join(s.Put("child", []byte("1")), s.Commit())
	}
	fmt.Println("open:", err)
	os.Stdin.Read(make([]byte, 1)) // until the parent ends
	os.Exit(0)
}

// TestConcurrent holds a store open in another process: it can be read but not opened, until that
// process is killed. Within one process it is the same.
func TestConcurrent(t *testing.T) {
	dir := stored(t)
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), child+"="+dir)
	if _, err := c.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 64)
	n, err := out.Read(line)
	if string(line[:n]) != "open: <nil>\n" || err != nil {
		t.Errorf("the child says %q, %v", line[:n], err)
	}
	if _, err := Open(System{}, dir, identity); !errors.Is(err, ErrLocked) ||
		!strings.Contains(err.Error(), dir) {
		t.Errorf("open while another process has it: %v", err)
	}
	if got, err := Read(System{}, dir, identity); len(got) != 3 || err != nil {
		t.Errorf("read while another process has it: %v, %v", got, err)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil {
		t.Error("the child ended by itself")
	}
	s, err := Open(System{}, dir, identity)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Records(); len(got) != 3 || err != nil {
		t.Errorf("after the kill: %v, %v", got, err)
	}
	if _, err := Open(System{}, dir, identity); !errors.Is(err, ErrLocked) {
		t.Errorf("open twice: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestReadWhileWritten reads a store again and again while its owner replaces large values and
// compacts the log: every reading is a state that was.
func TestReadWhileWritten(t *testing.T) {
	dir := stored(t)
	s, err := Open(System{}, dir, identity)
	if err != nil {
		t.Fatal(err)
	}
	s.large, s.garbage = 24, 500
	var group sync.WaitGroup
	group.Go(func() {
		for i := range 100 {
			v := bytes.Repeat([]byte{byte(i)}, 30)
			if err := errors.Join(s.Put("b", v), s.Put("c", v[:5]), s.Commit()); err != nil {
				t.Error(err)
			}
		}
	})
	for range 50 {
		got, err := Read(System{}, dir, identity)
		if err != nil || len(got) != 2 {
			t.Fatal(got, err)
		}
		if b, c := got[0].Value, got[1].Value; len(c) > 0 && b[0] != c[0] {
			t.Fatalf("b is of round %d, c of %d", b[0], c[0])
		}
	}
	group.Wait()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestLarge writes 16 MiB, or 64, and reads it back: the store allocates next to nothing for the
// one, one buffer for the other.
func TestLarge(t *testing.T) {
	s, err := Open(System{}, t.TempDir(), identity)
	if err != nil {
		t.Fatal(err)
	}
	value := bytes.Repeat([]byte("0123456789abcdef"), effort.Of(1, 4)<<20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := errors.Join(s.Put("large", value), s.Commit()); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("writing allocates %d bytes", n)
	}
	got, err := s.Records()
	runtime.ReadMemStats(&before)
	if n := before.TotalAlloc - after.TotalAlloc; n > uint64(len(value))+1<<20 {
		t.Errorf("reading allocates %d bytes", n)
	}
	if err != nil || len(got) != 1 || !bytes.Equal(got[0].Value, value) {
		t.Error("what is read is not what was written", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// FuzzLog gives the reader any log: an error that says what is wrong, or records that are the same
// when it is read again after Open has cleared it. Inputs are long, so do not let the engine make
// them shorter.
//
//	go test ./impl/runtime/disk -run '^$' -fuzz FuzzLog -fuzzminimizetime 1x
func FuzzLog(f *testing.F) {
	for _, s := range scripts {
		m := newMemory()
		if _, err := s.run(m); err != nil {
			f.Fatal(err)
		}
		log := m.names[filepath.Join("d", logName)].now
		f.Add(log)
		f.Add(log[:len(log)-30])
	}
	f.Fuzz(func(t *testing.T, log []byte) {
		m := newMemory()
		m.made = true
		m.names[filepath.Join("d", logName)] = &inode{now: log, stable: log}
		got, err := Read(m, "d", identity)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrVersion) &&
				!errors.Is(err, ErrOtherRun) {
				t.Fatal(err)
			}
			return
		}
		s, err := small(m)
		if err != nil {
			t.Fatal(err)
		}
		again, err := s.Records()
		if fmt.Sprint(got) != fmt.Sprint(again) || err != nil {
			t.Fatalf("records %v, then %v, %v", got, again, err)
		}
	})
}

// BenchmarkCommit commits groups of small values: the time is that of a sync, whatever their
// number.
//
//	go test ./impl/runtime/disk -run '^$' -bench .
func BenchmarkCommit(b *testing.B) {
	for _, n := range []int{1, 4, 16} {
		b.Run(fmt.Sprintf("values=%d/size=4096", n), func(b *testing.B) {
			s, err := Open(System{}, b.TempDir(), identity)
			if err != nil {
				b.Fatal(err)
			}
			value := make([]byte, 4096)
			b.ReportAllocs()
			for b.Loop() {
				for i := range n {
					if err := s.Put([]string{"a", "b", "c", "d"}[i%4], value); err != nil {
						b.Fatal(err)
					}
				}
				if err := s.Commit(); err != nil {
					b.Fatal(err)
				}
			}
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkLarge replaces one large value, as a checkpoint does.
func BenchmarkLarge(b *testing.B) {
	for _, size := range []int{1 << 20, 64 << 20} {
		b.Run(fmt.Sprintf("size=%d", size), func(b *testing.B) {
			s, err := Open(System{}, b.TempDir(), identity)
			if err != nil {
				b.Fatal(err)
			}
			value := make([]byte, size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if err := errors.Join(s.Put("image", value), s.Commit()); err != nil {
					b.Fatal(err)
				}
			}
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
