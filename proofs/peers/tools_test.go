//go:build unix

package peers_test

import (
	"bytes"
	"context"
	"fmt"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// peer is a checker beside ours, in one way to use it.
type peer struct {
	name  string
	tools []string
	again bool // the model of the peer before, used in another way
	// build compiles a checker of the system and returns the command that runs it, given how many
	// states it will have
	build func(t testing.TB, s *system) func(states int) *exec.Cmd
	// counted find the numbers in what the command prints
	states, transitions, errors *regexp.Regexp
	initial                     int // transitions that it counts for the initial state
	incomplete                  string
}

// spin uses SPIN with a model, definitions for it and for its checker, with a hash table that
// fits the number of states and a stack that is deep enough.
func spin(name, model string, defines []string, checker ...string) *peer {
	return &peer{name: name, tools: []string{"spin", "gcc"}, again: len(checker) > 0,
		build: func(t testing.TB, s *system) func(int) *exec.Cmd {
			dir := t.TempDir()
			all := append([]string{fmt.Sprintf("-DN=%d", s.size)}, defines...)
			if s.broken {
				all = append(all, "-DBROKEN")
			}
			run(t, dir, "spin", append(all, "-a", absolute(t, model))...)
			run(t, dir, "gcc", append(slices.Clone(checker), level(s), "-w", "-DSAFETY",
				"-DNOREDUCE", "-DMEMLIM=16000", "-o", "pan", "pan.c")...)
			return func(states int) *exec.Cmd {
				c := exec.CommandContext(t.Context(), filepath.Join(dir, "pan"), "-m10000",
					fmt.Sprintf("-w%d", max(10, bits.Len(uint(states)))))
				c.Dir = dir
				return c
			}
		},
		states:      regexp.MustCompile(`(?m)^\s*(\d+) states, stored`),
		transitions: regexp.MustCompile(`(?m)^\s*(\d+) transitions`),
		errors:      regexp.MustCompile(`errors: (\d+)`),
		initial:     1,
		incomplete:  "max search depth too small",
	}
}

// rumur uses Rumur with a model and so many threads.
func rumur(name, model string, threads int) *peer {
	return &peer{name: name, tools: []string{"rumur", "gcc"}, again: threads > 1,
		build: func(t testing.TB, s *system) func(int) *exec.Cmd {
			dir := t.TempDir()
			text, err := os.ReadFile(model)
			if err != nil {
				t.Fatal(err)
			}
			changed := sizeOf.ReplaceAllString(string(text), fmt.Sprintf("N: %d;", s.size))
			if s.broken {
				changed = strings.Replace(changed, "BROKEN: 0;", "BROKEN: 1;", 1)
			}
			err = os.WriteFile(filepath.Join(dir, "model.murphi"), []byte(changed), 0o600)
			if err != nil {
				t.Fatal(err)
			}
			run(t, dir, "rumur", "--deadlock-detection", "off", "--symmetry-reduction", "off",
				"--colour", "off", "--threads", strconv.Itoa(threads), "-o", "model.c",
				"model.murphi")
			run(t, dir, "gcc", level(s), "-w", "-march=native", "-mcx16", "-fwhole-program",
				"-o", "model", "model.c", "-lpthread")
			return func(int) *exec.Cmd {
				return exec.CommandContext(t.Context(), filepath.Join(dir, "model"))
			}
		},
		states:      regexp.MustCompile(`(?m)^\s*(\d+) states, \d+ rules fired in`),
		transitions: regexp.MustCompile(`(?m)^\s*\d+ states, (\d+) rules fired in`),
		errors:      regexp.MustCompile(`(?m)^\s*(\d+|No) error(?:\(s\))? found`),
	}
}

var sizeOf = regexp.MustCompile(`\bN: \d;`) // in a model for Rumur

// level is how well a checker is compiled: what runs for milliseconds is not worth the time.
func level(s *system) string {
	if s.fast {
		return "-O3"
	}
	return "-O0"
}

// missing says which of its tools is not installed, "" when none is.
func (p *peer) missing() string {
	for _, tool := range p.tools {
		if _, err := exec.LookPath(tool); err != nil {
			return tool + " is not installed (Debian: apt-get install spin rumur gcc libc6-dev)"
		}
	}
	return ""
}

// prepare builds the checker of a peer, or skips when it is not installed.
func (p *peer) prepare(t testing.TB, s *system) func(states int) figures {
	t.Helper()
	if missing := p.missing(); missing != "" {
		t.Skip(missing)
	}
	command := p.build(t, s)
	return func(states int) figures {
		t.Helper()
		out, f := measure(t, command(states))
		f.States, f.Transitions = number(t, p.states, out), number(t, p.transitions, out)-p.initial
		f.Errors = number(t, p.errors, out)
		if p.incomplete != "" && bytes.Contains(out, []byte(p.incomplete)) {
			t.Fatalf("the search is not complete:\n%s", out)
		}
		return f
	}
}

// number is the one that the expression finds; a word for none is 0.
func number(t testing.TB, e *regexp.Regexp, out []byte) int {
	t.Helper()
	found := e.FindSubmatch(out)
	if found == nil {
		t.Fatalf("nothing like %v in\n%s", e, out)
	}
	n, _ := strconv.Atoi(string(found[1])) // digits or a word, by the expression
	return n
}

// run runs a tool in a folder.
func run(t testing.TB, dir, name string, args ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", c.Args, err, out)
	}
}

// absolute is the path of a file of this folder.
func absolute(t testing.TB, name string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// measure runs a command and adds what the system says of its process. A peer that finds an error
// may say so by its exit code.
func measure(t testing.TB, c *exec.Cmd) (out []byte, f figures) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	began := time.Now()
	if err := c.Run(); err != nil && !strings.Contains(stdout.String(), "error(s) found") {
		t.Fatalf("%v: %v\n%s%s", c.Args, err, stdout.Bytes(), stderr.Bytes())
	}
	f.Wall, f.CPU = time.Since(began), c.ProcessState.UserTime()+c.ProcessState.SystemTime()
	if usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		f.Bytes = usage.Maxrss << 10
	}
	return stdout.Bytes(), f
}

// version is what a tool says of itself, for the table.
func version(ctx context.Context, name, flag string) string {
	out, err := exec.CommandContext(ctx, name, flag).CombinedOutput()
	if err != nil {
		return name + " is not installed"
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimSpace(line)
}
