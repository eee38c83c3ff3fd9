package app

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/spec/report/browser"
)

// TestMain lets the test program stand in for domino, so that signals can be sent to it.
func TestMain(m *testing.M) {
	if os.Getenv("DOMINO_TEST_MAIN") != "" {
		os.Exit(Main(all.Protocols()...))
	}
	// a child that was built with -race would sleep for a second when it ends
	os.Setenv("GORACE", "atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	os.Exit(browser.Main(m))
}

// TestProgressEvents reads the progress of a search in JSON: at least one event a second, with the
// documented fields, that only grows, and nothing of it on standard output.
func TestProgressEvents(t *testing.T) {
	effort.Seconds(t)
	code, out, errors := domino(t.Context(), "check", "ring3", "--save=", "--timeout", "1200ms",
		"--workers", "1", "--json")
	if code != 2 || strings.Count(out, "\n") != 1 {
		t.Errorf("exit %d, output\n%s", code, out)
	}
	events, states := 0, 0.0
	for line := range strings.Lines(errors) {
		var e map[string]any
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		for _, f := range []string{"states", "transitions", "rate", "frontier", "depth", "bytes",
			"peak", "seconds", "eta"} {
			if _, ok := e[f].(float64); !ok {
				t.Errorf("field %s is missing in %s", f, line)
			}
		}
		if e["type"] != "progress" || e["scenario"] != "ring3" || e["states"].(float64) < states {
			t.Errorf("after %v states: %s", states, line)
		}
		states = e["states"].(float64)
		events++
	}
	if events < 1 || events > 3 {
		t.Errorf("%d events in 1.2 s", events)
	}
}

// TestSignal sends one interrupt to a running search: the process ends as unknown, with what it
// has.
func TestSignal(t *testing.T) {
	c := exec.Command(os.Args[0], "check", "s0", "--save=", "--workers", "1", "--json")
	c.Env = append(os.Environ(), "DOMINO_TEST_MAIN=1")
	progress, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	c.Stdout = &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := progress.Read(make([]byte, 1)); err != nil { // the first event
		t.Error(err)
	}
	if err := c.Process.Signal(syscall.SIGINT); err != nil {
		t.Error(err)
	}
	err = c.Wait()
	if c.ProcessState.ExitCode() != 2 || !strings.Contains(out.String(),
		`"why":"unknown, expected holds; interrupted; `) {
		t.Errorf("%v\n%s", err, out.String())
	}
}
