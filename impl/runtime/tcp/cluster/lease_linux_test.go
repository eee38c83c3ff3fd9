package cluster_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
)

// beRelay starts a life and passes on what is said, both ways: a launcher whose end, or stop, is
// not that of the life.
func beRelay() int {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asChild+"=live")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return 1
	}
	go func() { // ends with the process
		io.Copy(in, os.Stdin)
		in.Close()
	}()
	cmd.Wait()
	return cmd.ProcessState.Sys().(syscall.WaitStatus).ExitStatus() & 0xff
}

// TestLease stops the launcher of a host, which is then cut off, and all that it has started. When
// the host counts as lost none of its lives is there any more: their kernel has killed them, the
// one that stands still, too. The run goes on on the other host to the same end. A host that is
// answered loses nobody.
func TestLease(t *testing.T) {
	if !effort.Long() {
		t.Skip("leases take seconds: DOMINO_TESTS=long")
	}
	text := example("hydee", ring, "clusters: a b | c")
	want := reach(t, text)
	for _, cut := range []bool{false, true} {
		c, r := config(t, text, plan.Plan{})
		c.Hosts = []cluster.Host{{Address: "127.0.0.2"}, {Address: "127.0.0.3",
			Launcher: []string{"/usr/bin/env", asChild + "=relay", c.Path, "relay"}}}
		c.Lease, c.LostAfter = 2*time.Second, 500*time.Millisecond
		var mu sync.Mutex
		var relay int
		var far []int
		c.Started = func(p core.Proc, process int) {
			mu.Lock()
			defer mu.Unlock()
			if p == 2 && relay == 0 {
				relay = process
			}
		}
		var notes []string
		c.Note = func(text string) {
			notes = append(notes, text)
			if !strings.HasSuffix(text, "is lost") {
				return
			}
			for _, process := range far {
				if alive(process) {
					t.Errorf("process %d lives on a host that counts as lost", process)
				}
			}
		}
		begun := 0
		c.OnAnswer(func(kind string) {
			if kind != "up" {
				return
			}
			if begun++; begun != len(c.Setup.Layout.Names) || !cut {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			starter := 0
			for _, process := range lives(c.Path) {
				switch up := parent(process); {
				case up == relay:
					starter = process
				case parent(up) == relay:
					far = append(far, process)
				}
			}
			if len(far) != 1 {
				t.Errorf("lives %v of starter %d", far, starter)
			}
			for _, process := range append(far, starter, relay) {
				_ = syscall.Kill(process, syscall.SIGSTOP)
			}
		})
		out := right(t, &c, r)
		if lost := slices.Contains(notes, "host 127.0.0.3 is lost"); lost != cut ||
			(out.Outside > 0) != cut || !slices.Equal(out.Digests, want.Digests) {
			t.Errorf("cut %t: %d outside, digests %x, want %x: %q", cut, out.Outside, out.Digests,
				want.Digests, notes)
		}
		if left := lives(c.Path); len(left) > 0 {
			t.Errorf("processes %v are left", left)
		}
	}
}

// parent is that of a process; 0: it is gone.
func parent(process int) (p int) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	if err == nil {
		after := string(text[strings.LastIndexByte(string(text), ')')+1:])
		_, _ = fmt.Sscanf(after, " %s %d", new(string), &p)
	}
	return p
}
