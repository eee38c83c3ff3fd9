package page_test

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/spec/report/page"
)

// child is the variable by which the test of what a page needs runs itself.
const child = "DOMINO_PAGE_FILE"

// mostLive is how many MiB may be alive at once while the page of 10,000 steps and 64 procs is
// made, 23 of the run included: 85 are.
const mostLive = 90

// mostHeld is how many times its own length a page may take when it is written: once, and what
// the buffer has grown beyond it, at most as much again.
const mostHeld = 2.5

// collection is how the runtime tells of one: what is alive after it comes last.
var collection = regexp.MustCompile(`(?m)^gc \d+ @.*->(\d+) MB, .*\n`)

// TestNeeds writes the page of 10,000 steps and 64 procs in a process of its own, and looks at what
// is alive in its memory. What the process takes from the system is told and not judged, nor is its
// time: both depend on what else the machine does, as garbage that nobody has had the time to
// collect counts. What is alive does not, where collections are frequent and the program stands
// still meanwhile.
func TestNeeds(t *testing.T) {
	effort.Seconds(t)
	if file := os.Getenv(child); file != "" {
		write(t, file)
		return
	}
	c := exec.Command(os.Args[0], "-test.run=^TestNeeds$", "-test.v")
	var out, collections bytes.Buffer
	c.Stdout, c.Stderr = &out, &collections
	c.Env = append(os.Environ(), "GOGC=20", "GODEBUG=gctrace=1,gcstoptheworld=1",
		child+"="+t.TempDir()+"/page.html")
	if err := c.Run(); err != nil {
		t.Fatalf("%v\n%s%s", err, &out, collection.ReplaceAll(collections.Bytes(), nil))
	}
	found := collection.FindAllSubmatch(collections.Bytes(), -1)
	if len(found) < 50 {
		t.Fatalf("%d collections are told of, want at least 50:\n%s", len(found), &collections)
	}
	most := 0
	for _, f := range found {
		live, err := strconv.Atoi(string(f[1]))
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, live)
	}
	t.Logf("%d MiB alive at most, %d MiB taken from the system\n%s", most,
		c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss>>10, &out)
	if most > mostLive {
		t.Errorf("%d MiB are alive at once, want at most %d", most, mostLive)
	}
}

// write writes the page to a file, and judges what it still holds when it does.
func write(t *testing.T, file string) {
	p := made(10_000, 64, plain)
	p.Repaired, p.Free, p.Model = nil, nil, talkative(p.Model)
	w := &scales{file: file, before: alive()}
	began := used(t)
	if err := page.Write(w, p); err != nil {
		t.Fatal(err)
	}
	t.Logf("written in %s of user time", used(t)-began)
	t.Logf("%d bytes, %d alive at the end", w.size, w.held)
	if w.size > mostLong {
		t.Fatalf("%d bytes, want at most %d", w.size, mostLong)
	}
	if float64(w.held) > mostHeld*float64(w.size) {
		t.Errorf("%d bytes are alive when %d are written, want at most %g times as many",
			w.held, w.size, mostHeld)
	}
	runtime.KeepAlive(p)
}

// scales writes a file, and weighs what has come to be alive since before.
type scales struct {
	file         string
	before, held uint64
	size         int
}

func (w *scales) Write(b []byte) (int, error) {
	w.held = max(w.held, alive()-w.before)
	w.size += len(b)
	return len(b), os.WriteFile(w.file, b, 0o600)
}

// alive is how many bytes are after a collection. A second one frees what pools have kept.
func alive() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// used is the processor time of this process so far.
func used(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano())
}
