package page_test

import (
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/spec/report/page"
)

// child is the variable by which the test of what a page needs runs itself.
const child = "DOMINO_PAGE_FILE"

// TestNeeds writes the page of 10,000 steps and 64 procs in a process of its own, and looks at its
// memory: 256 MiB, the run itself included. Its time is told and not judged, as machines differ.
func TestNeeds(t *testing.T) {
	effort.Seconds(t)
	if file := os.Getenv(child); file != "" {
		p := made(10_000, 64, plain)
		p.Repaired, p.Free, p.Model = nil, nil, talkative(p.Model)
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		began := used(t)
		if err := page.Write(f, p); err != nil {
			t.Fatal(err)
		}
		t.Logf("written in %s of user time", used(t)-began)
		if size, err := f.Seek(0, io.SeekEnd); err != nil || size > mostLong {
			t.Fatalf("%d bytes, want at most %d: %v", size, mostLong, err)
		}
		return
	}
	c := exec.Command(os.Args[0], "-test.run=^TestNeeds$", "-test.v")
	// Garbage that is left lying by is not what a page needs, and how much of it there is depends
	// on what else the machine does: it is collected as Go does by default, and before there is
	// too much of it.
	c.Env = append(os.Environ(), "GOGC=100", "GOMEMLIMIT=240MiB",
		child+"="+t.TempDir()+"/page.html")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	most := c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss // KiB
	t.Logf("%d MiB\n%s", most>>10, out)
	if most > 256<<10 {
		t.Errorf("%d MiB are used, want at most 256", most>>10)
	}
}

// used is the processor time of this process so far.
func used(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano())
}
