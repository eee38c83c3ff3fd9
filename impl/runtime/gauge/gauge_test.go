package gauge

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Aim: a computer is named, by the first processor that the system lists.
func TestComputer(t *testing.T) {
	if c := This(); c.CPU == "" || c.Cores < 1 || c.System == "" {
		t.Errorf("%+v", c)
	}
	text := "processor\t: 0\nmodel name\t: Some  CPU @ 2 GHz\nmodel name : Other\n"
	if got := model(text); got != "Some CPU @ 2 GHz" {
		t.Errorf("model %q", got)
	}
	if got := model("Features : fp\n"); got != "" {
		t.Errorf("model %q of a list without one", got)
	}
}

// Aim: what is measured is more than nothing, records of rising size are all there, and no file
// stays.
func TestMeasures(t *testing.T) {
	if got := Memory(); !(got > 1e6 && got < 1e13) {
		t.Errorf("memory is copied at %v B/s", got)
	}
	dir := t.TempDir()
	list, err := Store(dir)
	if err != nil || len(list) != 3 {
		t.Fatalf("%v %v", list, err)
	}
	for i, w := range list {
		if !(w.Nanos > 0) || i > 0 && w.Bytes <= list[i-1].Bytes {
			t.Errorf("%+v", list)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v %v stay", left, err)
	}
	if _, err := Store(dir + "/none"); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("error %v, want one with the folder", err)
	}
}

// Aim: a process that ends and one that waits are measured; one that fails is an error.
func TestProcess(t *testing.T) {
	runs := func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, "true") }
	waits := func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, "cat") }
	start, death, err := Process(t.Context(), runs, waits)
	if err != nil || start <= 0 || death <= 0 {
		t.Errorf("%v %v %v", start, death, err)
	}
	fails := func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, "false") }
	if _, _, err := Process(t.Context(), fails, waits); err == nil {
		t.Error("a command that fails has a time")
	}
}
