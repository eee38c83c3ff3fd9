package app

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/domino-check/domino/checker/effort"
)

// TestFullOutput has each command write its answer to a full device: the answer is lost, so the
// exit code is that of an error, and a message says so, once. The short form leaves out those that
// have much to count before they write.
func TestFullOutput(t *testing.T) {
	for _, line := range []string{"list", "report s1 -o -", "check h5 --save=",
		"check h5 --json --save=",
		"certify s6", "errata hydee H5 --save=", "run ping --runs 2 --save=", "tables volume",
		"fuzz rbml --runs 2 --corpus=", "minimise h5 --variant repaired+H5 --save=",
		"mutate hydee/H5 --methods exhaustive", "cluster run ping", "help",
		"simulate ring --protocol hydee", "paper hydee fig-1 fig-2", "plan heat ranks=4"} {
		t.Run(line, func(t *testing.T) {
			if slices.Contains(strings.Fields("certify errata fuzz minimise mutate simulate paper "+
				"tables plan help"), strings.Fields(line)[0]) || line == "check h5 --save=" {
				effort.Seconds(t)
			}
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer full.Close()
			c := exec.Command(os.Args[0], strings.Fields(line)...)
			c.Env = append(os.Environ(), "DOMINO_TEST_MAIN=1")
			var messages bytes.Buffer
			c.Stdout, c.Stderr = full, &messages
			_ = c.Run() // the exit code says it
			if code := c.ProcessState.ExitCode(); code != exitUsage ||
				strings.Count(messages.String(), "no space left on device") != 1 {
				t.Errorf("exit %d: %s", code, messages.String())
			}
		})
	}
}

// fullFolder is a folder on a disk that is full: a file can be made there, and nothing written.
func fullFolder(t *testing.T) string {
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=16k"); err != nil {
		t.Skip("no file system that is small: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	if err := os.WriteFile(filepath.Join(dir, "good.txtar"), []byte("good"), 0o666); err != nil {
		t.Fatal(err)
	}
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 1<<20), 0o666); !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	return dir
}

// TestFullDisk finds and measures, and has no room to write it down: what was found is printed all
// the same, a message says what is missing, and no part of a file is left or replaces a good one.
func TestFullDisk(t *testing.T) {
	t.Setenv("DOMINO_TEST_MAIN", "1") // the processes are this program
	dir := fullFolder(t)
	if err := os.Rename(filepath.Join(dir, "good.txtar"),
		filepath.Join(dir, "h5-repaired-H5.txtar")); err != nil {
		t.Fatal(err)
	}
	measured := " --protocols none --rounds 1 --plot " + dir
	tests := []struct {
		name, line string
		code       int
		want       []string // on standard output
	}{
		{"failure of fuzz", "fuzz hydee --variant repaired+H1 --shrink 5 --for 0 --runs 400 " +
			"--corpus " + dir, 1, []string{"failure 1: ", "domino fuzz", "-- scenario --"}},
		{"replay file", "check h5 --variant repaired+H5 --save " + dir, 1,
			[]string{"terminates", "domino check h5"}},
		{"smaller run", "minimise h5 --variant repaired+H5 --save " + dir, 1,
			[]string{"terminates", "smaller scenarios tried"}},
		{"times of kernels", "cluster perf --kernels lu --ranks 2" + measured, 4,
			[]string{"lu", "1 runs in"}},
		{"times as JSON", "cluster perf --kernels lu --ranks 2 --json" + measured, 4,
			[]string{`"samples":[{`}},
		{"latencies", "cluster netpipe --sizes 8 --perturb 0 --links tcp --sample 1us" + measured,
			4, []string{"half a round trip", "allocated a message"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name == "times of kernels" || tt.name == "latencies" {
				effort.Seconds(t)
			}
			code, out, messages := domino(t.Context(), strings.Fields(tt.line)...)
			if code != tt.code || !strings.Contains(messages, "no space left on device") {
				t.Errorf("exit %d, want %d: %s", code, tt.code, messages)
			}
			for _, want := range tt.want {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
			for _, pattern := range []string{"*", "*/*"} {
				files, err := filepath.Glob(filepath.Join(dir, pattern))
				if err != nil {
					t.Fatal(err)
				}
				for _, file := range files {
					name := filepath.Base(file)
					if name != "filler" && name != "hydee" && name != "h5-repaired-H5.txtar" {
						t.Errorf("%s is left", file)
					}
				}
			}
		})
	}
	if text, err := os.ReadFile(filepath.Join(dir, "h5-repaired-H5.txtar")); err != nil ||
		string(text) != "good" {
		t.Errorf("the good file has %q, %v", text, err)
	}
}
