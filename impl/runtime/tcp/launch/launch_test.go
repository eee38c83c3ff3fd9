package launch_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/domino-check/domino/impl/runtime/tcp/launch"
)

// role, in the environment, makes the test's program one of the children below.
const role = "DOMINO_LAUNCH_TEST"

func TestMain(m *testing.M) {
	if os.Getenv(role) != "" {
		child(os.Getenv(role))
		return
	}
	// a child that was built with -race would sleep for a second when it ends
	os.Setenv("GORACE", "atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	goleak.VerifyTestMain(m)
}

// child is what a child does.
func child(role string) {
	if role == "parent" { // starts a child that never ends and says who it is
		err := launch.Run(context.Background(),
			[]launch.Command{command("waits", func(line []byte) error {
				fmt.Println(string(line))
				return nil
			})})
		fmt.Println(err)
		return
	}
	if role == "guards" {
		if err := launch.Keep(os.Stdin, os.Stdout, "guarded-"); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		return
	}
	var say string
	if role == "listens" {
		if err := launch.Listen(os.Stdin, os.Stdout, &say, func(line []byte) {
			fmt.Fprintf(os.Stderr, "hears %s", line)
			if string(line) == `"end"`+"\n" {
				os.Exit(3)
			}
			fmt.Printf("hears %s", line)
		}, func() {
			os.Exit(7)
		}); err == nil {
			fmt.Println(say, os.Getpid())
			select {}
		}
	}
	if err := launch.Instructions(os.Stdin, &say, func() { os.Exit(7) }); err != nil {
		fmt.Println(err)
		os.Exit(4)
	}
	fmt.Println(say, os.Getpid())
	switch role {
	case "waits":
		select {}
	case "fails":
		os.Exit(3)
	}
}

// command starts the test's program in a role.
func command(name string, line func([]byte) error) launch.Command {
	return launch.Command{Name: name, Path: "/usr/bin/env",
		Args: []string{role + "=" + name, self()}, Instructions: "hello", Line: line}
}

func self() string {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return path
}

// TestRun runs children that end by themselves and collects what they say.
func TestRun(t *testing.T) {
	var mu sync.Mutex
	said := 0
	line := func(line []byte) error {
		mu.Lock()
		defer mu.Unlock()
		if strings.HasPrefix(string(line), "hello ") {
			said++
		}
		return nil
	}
	if err := launch.Run(t.Context(), []launch.Command{command("ends", line), command("ends", line),
		command("ends", line)}); err != nil || said != 3 {
		t.Errorf("%d of 3 said hello, %v", said, err)
	}
}

// TestFails lets one of three children fail, or its reader: the others, which would wait for ever,
// must end, and the error names the one.
func TestFails(t *testing.T) {
	wrong := errors.New("wrong line")
	for _, bad := range []launch.Command{command("fails", nil),
		command("waits", func([]byte) error {
			return wrong
		}), {Name: "fails", Path: "/nowhere/at/all"}} {
		bad.Name = "the bad one"
		err := launch.Run(t.Context(), []launch.Command{command("waits", nil), bad,
			command("waits", nil)})
		if err == nil || !strings.HasPrefix(err.Error(), "the bad one: ") {
			t.Errorf("got %v", err)
		}
	}
}

// TestCancel ends the context when all children are there: Run must return with none left.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var there sync.WaitGroup
	there.Add(2)
	go func() {
		there.Wait()
		cancel()
	}()
	line := func([]byte) error {
		there.Done()
		return nil
	}
	if err := launch.Run(ctx, []launch.Command{command("waits", line),
		command("waits", line)}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// TestOrphan kills a parent: its child must end. The pipe that the child inherits tells when it
// has.
func TestOrphan(t *testing.T) {
	cmd := exec.Command(self())
	cmd.Env = append(os.Environ(), role+"=parent")
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	cmd.Stdout, cmd.ExtraFiles = write, nil
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	line, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscanf(line, "hello %d", &pid); err != nil {
		t.Fatal(err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	for { // a killed process takes a moment; it would never go if nobody told it
		if state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err != nil ||
			strings.Contains(string(state), ") Z ") {
			break
		}
	}
}

// TestGroup: a child that joins the group of another one is killed with it; one whose leader has
// ended has a group of its own.
func TestGroup(t *testing.T) {
	start := func(leader launch.Process) launch.Process {
		c := command("listens", nil)
		c.Group = leader
		there := make(chan struct{})
		c.Line = func([]byte) error {
			close(there)
			return nil
		}
		p, err := launch.Start(c)
		if err != nil {
			t.Fatal(err)
		}
		<-there
		return p
	}
	leader := start(nil)
	member := start(leader)
	leader.KillGroup()
	for _, p := range []launch.Process{leader, member} {
		if <-p.Done(); p.Err() == nil || !strings.Contains(p.Err().Error(), "killed") {
			t.Errorf("ended with %v", p.Err())
		}
	}
	late := start(leader)
	if !lives(late.ID()) {
		t.Error("a child whose leader has ended has no group")
	}
	late.KillGroup()
	<-late.Done()
}

// TestGuard: the folder of a guard goes when the guard's input ends, with what is in it, and stays
// when it is dismissed; where there can be none, it says so.
func TestGuard(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv(role, "guards")
	g, err := launch.StartGuard("", self())
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Dismiss(); err != nil || filepath.Dir(g.Dir) != dir {
		t.Errorf("folder %s, %v", g.Dir, err)
	}
	if _, err := os.Stat(g.Dir); err != nil {
		t.Error(err)
	}
	below := t.TempDir()
	g, err = launch.StartGuard(below, self())
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Dismiss(); err != nil || filepath.Dir(g.Dir) != below {
		t.Errorf("folder %s, %v, want it below %s", g.Dir, err, below)
	}
	cmd := exec.Command(self()) // its input is empty
	out, err := cmd.Output()
	if list, e := os.ReadDir(dir); err != nil || e != nil || len(list) != 1 ||
		!strings.Contains(string(out), dir+"/guarded-") {
		t.Errorf("a guard without parent says %q, %v, and leaves %v %v", out, err, list, e)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	read.Close() // whoever would hear it is gone before it says anything
	cmd = exec.Command(self())
	cmd.Stdout = write
	err = cmd.Run()
	write.Close()
	if list, e := os.ReadDir(dir); err != nil || e != nil || len(list) != 1 {
		t.Errorf("a guard that nobody hears: %v, and leaves %v %v", err, list, e)
	}
	t.Setenv("TMPDIR", dir+"/nowhere")
	if _, err := launch.StartGuard("", self()); err == nil ||
		!strings.Contains(err.Error(), "nowhere") {
		t.Errorf("a folder that can not be: %v", err)
	}
}

// lives reports whether anything of a process group runs.
func lives(group int) bool {
	list, _ := filepath.Glob("/proc/[0-9]*/stat")
	return slices.ContainsFunc(list, func(name string) bool {
		text, _ := os.ReadFile(name) // it may have ended
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		return len(fields) > 2 && fields[0] != "Z" && fields[2] == strconv.Itoa(group)
	})
}

// TestNoParent reads instructions that nobody has written.
func TestNoParent(t *testing.T) {
	for _, in := range []string{"", "{", "no json\n"} {
		if err := launch.Instructions(strings.NewReader(in), new(string),
			func() {}); !errors.Is(err, launch.ErrNoParent) {
			t.Errorf("%q: %v, want %v", in, err, launch.ErrNoParent)
		}
	}
}

// alone counts writes that come while another one is under way.
type alone struct {
	inside, together atomic.Int32
	bytes            int
}

func (w *alone) Write(b []byte) (int, error) {
	if w.inside.Add(1) > 1 {
		w.together.Add(1)
	}
	runtime.Gosched()
	w.bytes += len(b)
	w.inside.Add(-1)
	return len(b), nil
}

// TestShared: what children write comes one after the other, all of it; a file is theirs.
func TestShared(t *testing.T) {
	var w alone
	shared := launch.Shared(&w)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 100 {
				_, _ = shared.Write([]byte("ab")) // it does not fail
			}
		})
	}
	group.Wait()
	if n := w.together.Load(); n > 0 || w.bytes != 1600 {
		t.Errorf("%d writes came while another one was under way, %d bytes, want 1600", n, w.bytes)
	}
	if launch.Shared(os.Stderr) != io.Writer(os.Stderr) || launch.Shared(nil) != nil {
		t.Error("a file, and nothing, are what they were")
	}
}
