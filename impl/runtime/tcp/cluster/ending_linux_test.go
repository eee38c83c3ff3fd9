package cluster_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
)

// endless is a program that takes far longer than a test.
var endless = example("hydee",
	"a: loop 50000; send b; recv b; end\nb: loop 50000; recv a; send a; end\n")

// TestInterrupted: when the context ends, the run ends, and no process is left, not even a stopped
// one.
func TestInterrupted(t *testing.T) {
	c, _ := config(t, endless, plan.Plan{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var processes []int
	c.Started = func(_ core.Proc, process int) {
		processes = append(processes, process)
		if len(processes) == 2 {
			if err := syscall.Kill(process, syscall.SIGSTOP); err != nil {
				t.Error(err)
			}
		}
		if len(processes) == len(c.Setup.Layout.Names) {
			cancel()
		}
	}
	out, err := cluster.Run(ctx, c)
	if err != nil || out.Complete || out.Bound != "interrupted" {
		t.Errorf("run %+v, error %v, want an interrupted run", out, err)
	}
	for _, p := range processes {
		if err := syscall.Kill(p, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("process %d is left: %v", p, err)
		}
	}
}

// supervise is a supervisor that is to be killed; it prints its children.
func supervise(dir string) {
	path, _ := os.Executable()
	encoded, _ := json.Marshal(endless)
	r, err := resolve(encoded)
	if err != nil {
		panic(err)
	}
	_, err = cluster.Run(context.Background(),
		cluster.Config{Setup: r.Setup, Case: endless, Dir: dir, Path: path,
			Started: func(_ core.Proc, process int) { fmt.Println(process) }})
	panic(err)
}

// TestOrphans: when the supervisor is killed, its children end by themselves.
func TestOrphans(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	supervisor, err := os.StartProcess(path, []string{path, t.TempDir()},
		&os.ProcAttr{Env: []string{asChild + "=supervisor"}, Files: []*os.File{nil, write, nil}})
	if err != nil {
		t.Fatal(err)
	}
	write.Close()
	var children []int
	var text bytes.Buffer
	for buffer := make([]byte, 256); bytes.Count(text.Bytes(), []byte("\n")) < 3; {
		n, err := read.Read(buffer)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(buffer[:n])
	}
	for range 3 {
		var child int
		fmt.Fscan(&text, &child)
		children = append(children, child)
	}
	supervisor.Kill()
	if _, err := supervisor.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, child := range children {
		for end := time.Now().Add(5 * time.Second); alive(child); {
			if time.Now().After(end) {
				t.Fatalf("process %d lives on", child)
			}
		}
	}
}

// alive reports whether a process runs; one that has ended and that nobody has asked for does not.
func alive(process int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	if err != nil {
		return false
	}
	after := status[bytes.LastIndexByte(status, ')')+1:]
	return len(after) < 2 || after[1] != 'Z'
}

// TestInterruptedAnywhere interrupts a run with two failures, one of them during the recovery from
// the other, at the nth answer of each kind: the run ends as interrupted, or was over, and no
// process is left. So many answers of a kind come in each run: four processes begin and at least
// one begins again, both failures are reached, each is told to the three others, and at the end
// each says twice that it is quiet, and once that it has ended.
func TestInterruptedAnywhere(t *testing.T) {
	counts := map[string]int{"up": 5, "moment": 2, "dead": 6, "status": 8, "end": 4}
	if testing.Short() || !effort.Long() {
		counts = map[string]int{"up": 1, "dead": 1}
	}
	for _, at := range slices.Sorted(maps.Keys(counts)) {
		for n := range counts[at] {
			t.Run(fmt.Sprintf("%s %d", at, n+1), func(t *testing.T) { interruptAt(t, at, n+1) })
		}
	}
}

// interruptAt interrupts it at the nth answer of one kind.
func interruptAt(t *testing.T, at string, n int) {
	c, _ := config(t, example("hydee", ring),
		plan.Plan{Failures: []plan.Failure{{Victims: []core.Proc{1}, By: 1, After: 2}}})
	c.Reached = []cluster.Reached{{Victims: []core.Proc{3}, By: 1, What: cluster.Renewed,
		Number: 1}}
	var processes []int
	c.Started = func(_ core.Proc, process int) { processes = append(processes, process) }
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	heard := map[string]int{}
	c.OnAnswer(func(kind string) {
		if heard[kind]++; kind == at && heard[kind] == n {
			cancel()
		}
	})
	out, err := cluster.Run(ctx, c)
	if err != nil || !out.Complete && out.Bound != "interrupted" {
		t.Errorf("%v, %+v", err, out)
	}
	if heard[at] < n || out.Complete && at != "end" && at != "status" {
		t.Errorf("over (complete: %v) before it was interrupted, behind %v", out.Complete, heard)
	}
	for _, p := range processes {
		if err := syscall.Kill(p, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("process %d is left: %v", p, err)
		}
	}
}

// TestHangs: a step that never ends, or a process that is stopped, is named when the time is over,
// and killed. The others are not. How long it has hung then depends on the machine. The three wait
// at the same time; a step is worth a word after a second, so seven are left for a slow start.
func TestHangs(t *testing.T) {
	effort.Seconds(t)
	tests := []struct {
		name, text string
		change     func(*cluster.Config)
		want       string // of the bound
	}{
		{"step", strings.Replace(example("hydee", ring), "A test", hanging, 1), nil,
			`^time limit 8s: b is in step \d+ \(a message from a\) for [^;]*; ` +
				`.* a for b at 127.0.0.1:\d+ are under way; a waits for `},
		{"disk", example("hydee", ring), func(c *cluster.Config) {
			c.DiskDelay = time.Hour
		}, `^time limit 8s: .*b is in step \d+ \(program step, writes to its disk\) for `},
		{"idle", example("hydee", ring), func(c *cluster.Config) {
			c.DiskDelay, c.Timeout, c.Idle = time.Hour, time.Minute, 2*time.Second
		}, `^nothing has happened for 2s: `},
		{"stopped", endless, func(c *cluster.Config) {
			processes, stopped := map[core.Proc]int{}, false
			c.Started = func(p core.Proc, process int) { processes[p] = process }
			c.OnAnswer(func(kind string) {
				if kind == "status" && !stopped { // all have begun
					stopped = true
					syscall.Kill(processes[1], syscall.SIGSTOP)
				}
			})
		}, `^time limit 8s: b does not answer: it is stopped, or hangs; .*waits for`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, _ := config(t, tt.text, plan.Plan{})
			if c.Timeout = 8 * time.Second; tt.change != nil {
				tt.change(&c)
			}
			if out, err := cluster.Run(t.Context(), c); err != nil || out.Complete ||
				!regexp.MustCompile(tt.want).MatchString(out.Bound) {
				t.Errorf("%v, ended by %q, want %s", err, out.Bound, tt.want)
			}
		})
	}
}

// limited, in the environment, is how large the files of a child may become.
const limited = "DOMINO_CLUSTER_TEST_FILES"

// limitFiles obeys it, in a child: in the test itself the limit would be that of the whole test
// program.
func limitFiles() error {
	bytes, err := strconv.ParseUint(os.Getenv(limited), 10, 64)
	if err != nil {
		return nil
	}
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: bytes})
}

// TestFullDisk runs with files that may not grow beyond a few blocks, and on a file system that is
// full: the run ends with an error that names the file, of the disk or of the evidence, and no
// process is left.
func TestFullDisk(t *testing.T) {
	text := example("hydee",
		"a: loop 400; checkpoint; send b; recv b; end\nb: loop 400; checkpoint; recv a; send a; "+
			"end\n")
	check := func(t *testing.T, c cluster.Config, want error, words string) {
		var processes []int
		c.Started = func(_ core.Proc, process int) { processes = append(processes, process) }
		_, err := cluster.Run(t.Context(), c)
		if err == nil || !strings.Contains(err.Error(), want.Error()) ||
			!strings.Contains(err.Error(), words) || !strings.Contains(err.Error(), c.Dir+"/p0") {
			t.Errorf("error %v, want %v of the %s with the name of a file", err, want, words)
		}
		for _, p := range processes {
			if err := syscall.Kill(p, 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("process %d is left: %v", p, err)
			}
		}
	}
	t.Run("limit", func(t *testing.T) {
		c, _ := config(t, text, plan.Plan{})
		t.Setenv(limited, "40960")
		check(t, c, syscall.EFBIG, "disk")
		// nothing is stable
		c, _ = config(t, strings.ReplaceAll(strings.ReplaceAll(text, "checkpoint; ", ""), "hydee",
			"none"), plan.Plan{})
		check(t, c, syscall.EFBIG, "evidence")
	})
	for name, size := range map[string]string{"full": "512k", "fuller": "32k"} {
		t.Run(name, func(t *testing.T) {
			c, _ := config(t, text, plan.Plan{})
			c.Dir = t.TempDir()
			if err := syscall.Mount("none", c.Dir, "tmpfs", 0, "size="+size); err != nil {
				t.Skip("a small file system can not be mounted here:", err)
			}
			defer syscall.Unmount(c.Dir, 0)
			check(t, c, syscall.ENOSPC, "no space")
		})
	}
}

// TestUnwritable gives a folder that nobody may write to: nothing is started.
func TestUnwritable(t *testing.T) {
	dir := t.TempDir()
	// a mode does not keep a superuser out
	if err := syscall.Mount("none", dir, "tmpfs", syscall.MS_RDONLY, ""); err != nil {
		t.Skip("a read-only file system can not be mounted here:", err)
	}
	defer syscall.Unmount(dir, 0)
	c, _ := config(t, example("hydee", ring), plan.Plan{})
	c.Dir = filepath.Join(dir, "run")
	c.Started = func(core.Proc, int) { t.Error("a process is started") }
	if _, err := cluster.Run(t.Context(), c); !errors.Is(err, syscall.EROFS) ||
		!strings.Contains(err.Error(), c.Dir) {
		t.Errorf("error %v, want %v", err, syscall.EROFS)
	}
}

// TestTooManyFor: more processes than the limit of descriptors allows are refused before any
// starts.
func TestTooMany(t *testing.T) {
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	c, _ := config(t, example("hydee", ring), plan.Plan{})
	c.Started = func(core.Proc, int) { t.Error("a process is started") }
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE,
		&syscall.Rlimit{Cur: 47, Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	_, err := cluster.Run(t.Context(), c)
	if e := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old); e != nil {
		t.Fatal(e)
	}
	if err == nil || !strings.Contains(err.Error(),
		"4 processes need 48 open files, the limit is 47") {
		t.Errorf("error %v", err)
	}
	if entries, err := os.ReadDir(c.Dir); err != nil || len(entries) > 0 {
		t.Errorf("files are left: %v %v", entries, err)
	}
}
