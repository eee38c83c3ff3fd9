//go:build unix

package spin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/protocol/example/twophase"
	"github.com/domino-check/domino/spec/fault"
)

var (
	resources = flag.Int("resources", 7, "resource managers of the benchmark: 3, 5, 7 or 9")
	rounds    = flag.Int("rounds", 5, "alternating runs of each side in the benchmark")
	child     = flag.String("child", "",
		"for the benchmark itself: explore in this mode, print the figures and exit")
)

// figures are what one run of one side shows.
type figures struct {
	States, Transitions, Errors int
	Wall, CPU                   time.Duration // of the whole process
	Bytes                       int64         // largest resident memory
}

// explore is the checker's side.
func explore(n int, hasty bool, o checker.Options) (figures, error) {
	setup, err := twophase.NewSetup(twophase.Options{Resources: n, Hasty: hasty})
	if err != nil {
		return figures{}, err
	}
	m := fault.Model{Set: true}
	w, err := world.New(world.Config{Setup: setup, Model: m, Facts: world.FactsOf(setup, &m, nil),
		Twice: true})
	if err != nil {
		return figures{}, err
	}
	r := search.Explore(context.Background(), w, o)
	return figures{States: r.States, Transitions: r.Transitions, Errors: len(r.Found)}, nil
}

// TestMain makes the test binary a process that explores, so that both sides are measured in the
// same way.
func TestMain(m *testing.M) {
	flag.Parse()
	if *child == "" {
		os.Exit(m.Run())
	}
	f, err := explore(*resources, false, checker.Options{Exact: *child == "exact"})
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(f)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// build compiles SPIN's checker for a model with the optimisation and returns its path.
func build(t testing.TB, optimise string, defines ...string) string {
	t.Helper()
	for _, tool := range []string{"spin", "gcc"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed (Debian: apt-get install spin gcc libc6-dev)", tool)
		}
	}
	model, err := filepath.Abs("twophase.pml")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := func(name string, args ...string) {
		c := exec.CommandContext(t.Context(), name, args...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", c.Args, err, out)
		}
	}
	run("spin", append(defines, "-a", model)...)
	run("gcc", optimise, "-w", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=16000", "-o", "pan", "pan.c")
	return filepath.Join(dir, "pan")
}

var counted = map[string]*regexp.Regexp{
	"states":      regexp.MustCompile(`(?m)^\s*(\d+) states, stored`),
	"transitions": regexp.MustCompile(`(?m)^\s*(\d+) transitions`),
	"errors":      regexp.MustCompile(`errors: (\d+)`),
}

// measure runs a command and adds what the system says of its process.
func measure(t testing.TB, c *exec.Cmd) (out []byte, f figures) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	began := time.Now()
	if err := c.Run(); err != nil {
		t.Fatalf("%v: %v\n%s%s", c.Args, err, stdout.Bytes(), stderr.Bytes())
	}
	f.Wall, f.CPU = time.Since(began), c.ProcessState.UserTime()+c.ProcessState.SystemTime()
	if usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		f.Bytes = usage.Maxrss << 10
	}
	return stdout.Bytes(), f
}

// pan runs SPIN's checker with a hash table that fits the number of states and a stack that is deep
// enough.
func pan(t testing.TB, path string, states int) figures {
	t.Helper()
	c := exec.CommandContext(t.Context(), path, "-m10000",
		fmt.Sprintf("-w%d", max(10, bits.Len(uint(states)))))
	c.Dir = filepath.Dir(path)
	out, f := measure(t, c)
	for name, n := range map[string]*int{"states": &f.States, "transitions": &f.Transitions,
		"errors": &f.Errors} {
		found := counted[name].FindSubmatch(out)
		if found == nil {
			t.Fatalf("no number of %s in\n%s", name, out)
		}
		*n, _ = strconv.Atoi(string(found[1])) // digits, by the expression
	}
	if bytes.Contains(out, []byte("max search depth too small")) {
		t.Fatalf("the search is not complete:\n%s", out)
	}
	return f
}

// variants are the two ways to write the model.
var variants = []struct {
	name    string
	defines []string
}{{"one process", nil}, {"a process each", []string{"-DPROCESSES"}}}

// published are the numbers of states, by the number of resource managers.
var published = map[int]int{3: 288, 5: 8_832, 7: 296_448, 9: 10_340_352}

// TestSameSystem checks that SPIN's model and the checker's are the same system: as many states, as
// many steps and no violation, and a violation on both sides when the transaction manager does not
// wait for everybody.
func TestSameSystem(t *testing.T) {
	t.Parallel()
	for _, v := range variants {
		for n := 1; n <= 7; n += 2 {
			t.Run(fmt.Sprintf("%s/resources=%d", v.name, n), func(t *testing.T) {
				size := fmt.Sprintf("-DN=%d", n)
				ours, err := explore(n, false, checker.Options{Exact: true})
				if err != nil {
					t.Fatal(err)
				}
				theirs := pan(t, build(t, "-O0", append(v.defines, size)...), ours.States)
				if want, known := published[n]; known && theirs.States != want {
					t.Errorf("SPIN has %d states, published are %d", theirs.States, want)
				}
				if theirs.States != ours.States || theirs.Transitions != ours.Transitions+1 ||
					theirs.Errors != 0 || ours.Errors != 0 {
					t.Errorf("SPIN: %d states, %d transitions, %d errors; checker: %d, %d, %d",
						theirs.States, theirs.Transitions, theirs.Errors,
						ours.States, ours.Transitions, ours.Errors)
				}
			})
		}
		t.Run(v.name+"/hasty", func(t *testing.T) {
			ours, err := explore(3, true, checker.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if theirs := pan(t, build(t, "-O0", append(v.defines, "-DN=3", "-DHASTY")...),
				1000); theirs.Errors == 0 || ours.Errors == 0 {
				t.Errorf("SPIN finds %d errors, the checker %d, want some on both sides",
					theirs.Errors, ours.Errors)
			}
		})
	}
}
