package launch_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/runtime/tcp/launch"
)

// startStarter starts a starter of children that listen, behind a line of the shell.
func startStarter(t *testing.T, line string) *launch.Starter {
	t.Helper()
	c := command("listens", nil)
	s, err := launch.NewStarter([]string{"/bin/sh", "-c", line, "--", c.Path}, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// heard is a child with what it has said.
type heard struct {
	launch.Process
	lines chan string
}

// next is the next line that the child says.
func (h *heard) next(t *testing.T) string {
	t.Helper()
	select {
	case line := <-h.lines:
		return line
	case <-h.Done():
		t.Fatalf("it has ended: %v", h.Err())
		return ""
	}
}

// pid is the number of the child, which it says first.
func (h *heard) pid(t *testing.T) (pid int) {
	t.Helper()
	line := h.next(t)
	if _, err := fmt.Sscanf(line, "hello %d", &pid); err != nil {
		t.Fatalf("it says %q", line)
	}
	return pid
}

// begin has a starter start a child that listens.
func begin(t *testing.T, s *launch.Starter, leader launch.Process) *heard {
	t.Helper()
	h := &heard{lines: make(chan string, 16)}
	c := command("listens", func(line []byte) error {
		h.lines <- string(line)
		return nil
	})
	c.Group = leader
	var err error
	if h.Process, err = s.Start(c); err != nil {
		t.Fatal(err)
	}
	return h
}

// TestStarter starts children behind a launcher that becomes the starter, and one that waits for
// it. One is killed, and the others live and hear; one ends by itself; a group is killed with its
// leader; and when the starter is killed, so are all that are left, though nobody can say so.
func TestStarter(t *testing.T) {
	for name, line := range map[string]string{"exec": `exec "$@"`, "waits": `"$@"; exit $?`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startStarter(t, line)
			a := begin(t, s, nil)
			b := begin(t, s, a.Process)
			c, d, e := begin(t, s, nil), begin(t, s, nil), begin(t, s, nil)
			var pids []int
			for _, p := range []*heard{a, b, c, d, e} {
				pids = append(pids, p.pid(t))
			}
			c.Kill()
			c.Kill() // once more changes nothing
			<-c.Done()
			var end *launch.End
			if !errors.As(c.Err(), &end) || !end.Killed || end.Text != "signal: killed" ||
				!launch.Killed(c.Err()) || lives(pids[2]) {
				t.Errorf("killed: %v, lives: %t", c.Err(), lives(pids[2]))
			}
			for _, p := range []*heard{a, b, d} {
				for i := range 3 {
					p.Tell(i)
				}
				for i := range 3 {
					if got := p.next(t); got != fmt.Sprintf("hears %d", i) {
						t.Errorf("told %d it says %q", i, got)
					}
				}
			}
			d.Tell("end")
			<-d.Done()
			if err := d.Err(); err == nil || err.Error() != "exit status 3" || launch.Killed(err) ||
				!strings.HasSuffix(d.Complaint(), "hears \"end\"") {
				t.Errorf("ended by itself: %v, complaint %q", err, d.Complaint())
			}
			a.KillGroup()
			for _, p := range []*heard{a, b} {
				if <-p.Done(); !launch.Killed(p.Err()) {
					t.Errorf("of the group: %v", p.Err())
				}
			}
			starter := parent(pids[4])
			if err := syscall.Kill(starter, syscall.SIGKILL); err != nil || starter < 2 {
				t.Fatal(starter, err)
			}
			var lost *launch.Lost
			if <-e.Done(); !errors.As(e.Err(), &lost) || !launch.Killed(e.Err()) {
				t.Errorf("without a starter: %v", e.Err())
			}
			for lives(pids[4]) { // for ever, if it was not killed
			}
			for !s.Over() { // who has ended is heard of in any order
			}
			if late := begin(t, s, nil); late.Err() == nil {
				t.Error("a starter that has ended starts")
			}
		})
	}
}

// parent is that of a process; 0: it is gone.
func parent(process int) (p int) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	if err == nil {
		_, _ = fmt.Sscanf(string(text[bytes.LastIndexByte(text, ')')+1:]), " %s %d", new(string),
			&p)
	}
	return p
}

// TestStarterClose: nothing is left of a starter that is closed.
func TestStarterClose(t *testing.T) {
	s := startStarter(t, `exec "$@"`)
	a := begin(t, s, nil)
	pid := a.pid(t)
	s.Close()
	if <-a.Done(); !launch.Killed(a.Err()) || lives(pid) || lives(s.ID()) {
		t.Errorf("it ended with %v, lives: %t %t", a.Err(), lives(pid), lives(s.ID()))
	}
}

// TestStarterWrong: launchers that do not start domino, or of which nothing is heard.
func TestStarterWrong(t *testing.T) {
	tests := []struct {
		name, line, want string
		killed           bool
	}{
		{"talks", "echo Welcome; sleep 1000", `it says "Welcome"`, false},
		{"ends", "echo no route to host >&2; exit 255", "exit status 255", true},
		{"ends in order", "exit 0", "its launcher has ended", false},
		{"deaf", "sleep 1000; exit 0", "signal: killed", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name == "deaf" {
				effort.Seconds(t)
			}
			t.Parallel()
			s := startStarter(t, tt.line)
			p := begin(t, s, nil)
			if tt.name == "deaf" {
				for range 1000 { // nobody waits for who does not hear
					p.Tell(strings.Repeat("x", 1000))
				}
				p.Kill()
			}
			if <-p.Done(); p.Err() == nil || !strings.Contains(p.Err().Error(), tt.want) ||
				launch.Killed(p.Err()) != tt.killed {
				t.Errorf("ended with %v, killed: %t", p.Err(), launch.Killed(p.Err()))
			}
			if tt.name == "ends" && p.Complaint() != "no route to host" {
				t.Errorf("complaint %q", p.Complaint())
			}
		})
	}
	if _, err := launch.NewStarter([]string{"/nowhere/ssh"}, command("listens", nil)); err == nil ||
		!strings.Contains(err.Error(), "/nowhere/ssh: no such file") {
		t.Errorf("no launcher: %v", err)
	}
}

// TestStarterLine: a child whose line is not taken is killed, and the reason is the error.
func TestStarterLine(t *testing.T) {
	s := startStarter(t, `exec "$@"`)
	c := command("listens", func([]byte) error { return errors.New("wrong line") })
	p, err := s.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	if <-p.Done(); p.Err() == nil || p.Err().Error() != "wrong line" {
		t.Errorf("ended with %v", p.Err())
	}
}
