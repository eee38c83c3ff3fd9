package app

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/checker/effort"
)

// ranFolder makes a run in a folder of its own; with judged false, as if domino had been killed
// between the end of the run and its verdict.
func ranFolder(t *testing.T, judged bool, args ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	code, out, wrong := domino(t.Context(), append([]string{"cluster", "run", "--dir", dir},
		args...)...)
	if code != 0 {
		t.Fatalf("%s: exit code %d, %s%s", args, code, out, wrong)
	}
	if !judged {
		if err := os.Remove(filepath.Join(dir, runFile)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestClusterResume goes on with a run behind its end, which is a failure of all: the answer says
// from where each rank has gone on, the ends are those without failures, and so it is once more. In
// the long form the whole command is killed while the run goes on.
func TestClusterResume(t *testing.T) {
	t.Setenv("DOMINO_TEST_MAIN", "1") // the processes are this program
	const program = "heat ranks=3 n=8 iterations=6 checkpoint=2"
	kernel := []string{"--kernel", program, "--protocol", "hydee"}
	dir := ranFolder(t, false, append(kernel, "--kill", "r1@iteration=2")...)
	code, out, wrong := domino(t.Context(), "cluster", "resume", dir)
	for _, line := range []string{`failure 1: r1 at \d.* restarted after \d`,
		`end of all 2: r0 r1 r2 RP at \d.* reaped after \d.* restarted after \d`,
		`  the run was resumed: r0 from its checkpoint behind \d+ sends and \d+ deliveries, r1 from`,
		`digests: as in the failure-free run`, `fine: this run breaks nothing`} {
		if !regexp.MustCompile(line).MatchString(out) {
			t.Errorf("no line %q in\n%s", line, out)
		}
	}
	if code != 0 || wrong != "" {
		t.Errorf("exit code %d, %s", code, wrong)
	}
	if code, out, _ := domino(t.Context(), "cluster", "lift", dir); code != 2 ||
		!strings.Contains(out, "was resumed") {
		t.Errorf("a run that was resumed is lifted: exit code %d\n%s", code, out)
	}
	if err := os.Remove(filepath.Join(dir, runFile)); err != nil {
		t.Fatal(err)
	}
	// a run that was to be looked for in the world is not, and nobody is to believe that it was
	saved, _, err := readPlan(filepath.Join(dir, planFile), nil)
	if err != nil {
		t.Fatal(err)
	}
	saved.Hosting.States = true
	if err := saved.save(dir); err != nil {
		t.Fatal(err)
	}
	code, out, _ = domino(t.Context(), "cluster", "resume", dir, "--json")
	var parsed struct {
		Crashes []struct{ Resumed bool }
		Digests []string
		Lifted  struct{ Verdict string }
	}
	valid(t, []byte(out))
	if err := json.Unmarshal([]byte(out), &parsed); err != nil || code != 2 ||
		parsed.Lifted.Verdict != "unknown" || len(parsed.Crashes) != 3 ||
		parsed.Crashes[0].Resumed || !parsed.Crashes[1].Resumed || !parsed.Crashes[2].Resumed {
		t.Errorf("exit code %d, %+v %v", code, parsed, err)
	}
	if effort.Long() {
		killedTwice(t, program, parsed.Digests)
	}
}

// killedTwice kills the command twice with all its processes, whatever it does at that moment.
func killedTwice(t *testing.T, program string, digests []string) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	command := []string{"cluster", "run", "--kernel", program, "--protocol", "hydee", "--dir", dir,
		"--disk-delay", "20ms"}
	for i := range 2 {
		c := exec.Command(path, command...)
		c.Env = append(os.Environ(), "DOMINO_TEST_MAIN=1")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		for tick := time.Tick(time.Millisecond); evidenceOf(t, dir) < int64(4000*(i+1)); {
			select {
			case <-tick:
				continue
			case <-ended: // it had less to do
				ended <- nil
			}
			break
		}
		_ = c.Process.Kill() // or it has ended
		<-ended
		command = []string{"cluster", "resume", dir}
	}
	if err := os.Remove(filepath.Join(dir, runFile)); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	code, out, wrong := domino(t.Context(), "cluster", "resume", dir, "--reference")
	if code != 0 || !strings.Contains(out, "digests: as in the failure-free run") {
		t.Errorf("exit code %d, %s\n%s", code, wrong, out)
	}
	for _, d := range digests {
		if !strings.Contains(out, d) {
			t.Errorf("no rank ends in %s:\n%s", d, out)
		}
	}
}

// evidenceOf is how many bytes of evidence the run in a folder has.
func evidenceOf(t *testing.T, dir string) (sum int64) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "run", "p*", "evidence-*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			sum += info.Size()
		}
	}
	return sum
}

// TestClusterResumeErrors gives cluster resume what it must refuse before any process starts: the
// exit code is that of the reason, and the folder stays as it was.
func TestClusterResumeErrors(t *testing.T) {
	t.Setenv("DOMINO_TEST_MAIN", "1") // the processes are this program
	ended, unjudged := ranFolder(t, true, "ping"), ranFolder(t, false, "ping")
	var causal string
	if effort.Long() {
		causal = ranFolder(t, false, "ping", "--protocol", "causal", "--variant", "repaired")
	}
	none := ranFolder(t, false, "--kernel", "heat ranks=2 n=8 iterations=1")
	plan := func(old, new string) func(dir string) error {
		return func(dir string) error {
			file := filepath.Join(dir, planFile)
			text, err := os.ReadFile(file)
			if err == nil {
				err = os.WriteFile(file, bytes.Replace(text, []byte(old), []byte(new), 1), 0o666)
			}
			return err
		}
	}
	held := func(dir string) error {
		lock, err := lockFolder(dir)
		if err == nil {
			t.Cleanup(func() { _ = lock.Close() })
		}
		return err
	}
	for _, tt := range []struct {
		name, dir string
		change    func(dir string) error
		code      int
		want      string
	}{
		{"ended", ended, nil, exitUsage, "has come to its end, and was judged"},
		{"no plan", unjudged, func(dir string) error {
			return os.Remove(filepath.Join(dir, planFile))
		}, exitUsage, "want the folder of a run"},
		{"no hosts", unjudged, func(dir string) error {
			saved, _, err := readPlan(filepath.Join(dir, planFile), nil)
			if err == nil {
				saved.Hosting = nil
				err = saved.save(dir)
			}
			return err
		}, exitUsage, "does not say where its processes were"},
		{"another build", unjudged, plan(`"build": {`, `"build": {"time": "1970-01-01",`), exitUsage,
			"another build of domino"},
		{"another scenario", unjudged, plan(`program --\n`, `program --\n\n`), exitUsage,
			"of another program"},
		{"held", unjudged, held, exitUsage, "goes on"},
		{"evidence", unjudged, func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "run", "p000", "evidence-0"),
				bytes.Repeat([]byte("x"), 100), 0o666)
		}, exitUsage, "evidence-0: corrupt"},
		{"survives one", causal, nil, 3, "protocol causal survives 1 at a time"},
		{"survives none", none, nil, 3, "protocol none survives none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name == "survives one" {
				effort.Seconds(t)
			}
			dir := filepath.Join(t.TempDir(), "run")
			if err := os.CopyFS(dir, os.DirFS(tt.dir)); err != nil {
				t.Fatal(err)
			}
			if tt.change != nil {
				if err := tt.change(dir); err != nil {
					t.Fatal(err)
				}
			}
			code, out, wrong := domino(t.Context(), "cluster", "resume", dir)
			if code != tt.code || !strings.Contains(wrong, tt.want) || out != "" {
				t.Errorf("exit code %d, %q %q, want %d, %q", code, out, wrong, tt.code, tt.want)
			}
		})
	}
	for _, args := range [][]string{{}, {ended, unjudged}, {ended, "--timeout", "0s"}} {
		if code, _, wrong := domino(t.Context(), append([]string{"cluster", "resume"},
			args...)...); code != exitUsage || wrong == "" {
			t.Errorf("%s: exit code %d, %s", args, code, wrong)
		}
	}
}
