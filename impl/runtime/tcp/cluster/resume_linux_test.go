package cluster_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
)

// heat is a kernel that takes a checkpoint now and then.
func heat(protocol string, more ...string) string {
	return "A test\n-- scenario --\nprotocol: " + protocol + "\nfailures: 1\n" +
		strings.Join(append(more, "program: kernel heat ranks=3 n=8 iterations=24 checkpoint=4"),
			"\n") + "\n"
}

// runLimited makes a run, or goes on with one, and kills itself when so many bytes more of evidence
// are there: args are folder, bytes and the case.
func runLimited(args []string) {
	limit, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		panic(err)
	}
	limit += evidenceBytes(args[0])
	go func() {
		for range time.Tick(time.Millisecond / 4) {
			if evidenceBytes(args[0]) >= limit {
				break
			}
		}
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}()
	if _, err := goOn(context.Background(), args[0], args[2]); err != nil {
		panic(err)
	}
}

// evidenceBytes is how much the lives of a run have written.
func evidenceBytes(dir string) (sum int64) {
	files, _ := filepath.Glob(filepath.Join(dir, "p*", "evidence-*"))
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			sum += info.Size()
		}
	}
	return sum
}

// goOn makes a run in a folder, or goes on with the one that is there.
func goOn(ctx context.Context, dir, text string) (*cluster.Result, error) {
	c, _ := config(mute{}, text, plan.Plan{})
	c.Dir, c.DiskDelay = dir, 2*time.Millisecond
	past, err := cluster.OpenPast(dir, c.Setup, c.Case)
	if errors.Is(err, cluster.ErrNotBegun) {
		err = os.RemoveAll(dir)
	}
	if err != nil {
		return nil, err
	}
	if c.Past = past; past != nil {
		defer past.Close()
	}
	return cluster.Run(ctx, c)
}

// mute is a test of which nothing is wanted but that it ends when something is wrong.
type mute struct{ testing.TB }

func (mute) TempDir() string   { return "" }
func (mute) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

// TestResume kills the supervisor with all its processes when so much evidence is new, twice, and
// goes on each time: the judge finds nothing in the whole of it, and the ends are those of the run
// that nobody has killed. Whenever the kill comes, before all have begun or behind the end, the
// answer must be the same.
func TestResume(t *testing.T) {
	protocols := []string{"hydee", "koo-toueg", "uncoordinated", "induced", "epochs", "coordinated",
		"pessimistic", "manetho", "optimistic", "ho", "teams", "vaidya", "yang", "monnet"}
	limits := [][]int64{{9000, 9000}, {1, 4000}, {3000, 1}, {14000, 100}, {30000, 3000}}
	for i, protocol := range protocols[:effort.Of(1, len(protocols))] {
		text := heat(protocol)
		c, r := config(t, text, plan.Plan{})
		want, err := cluster.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		r.Model.Failures = 1
		w, reason, err := world.Open(t.Context(), world.Case{Setup: r.Setup, Model: r.Model},
			checker.Options{})
		if err != nil || reason != "" {
			t.Fatal(err, reason)
		}
		more := 1 // the kills come elsewhere for each protocol
		if effort.Huge() {
			more = len(limits)
		}
		for j := range more {
			kills := limits[(i+3*j)%len(limits)]
			t.Run(fmt.Sprint(protocol, kills), func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "run")
				ends := 0
				for _, limit := range kills {
					cmd := exec.Command(c.Path, dir, fmt.Sprint(limit), text)
					cmd.Env = append(os.Environ(), asChild+"=limited")
					var exit *exec.ExitError // it may have ended before so much was there
					if out, err := cmd.CombinedOutput(); err != nil && (!errors.As(err, &exit) ||
						exit.ExitCode() >= 0) {
						t.Fatalf("%v, want to be killed: %s", err, out)
					}
				}
				out, err := goOn(t.Context(), dir, text)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range out.Crashes {
					if c.Resumed {
						ends++
					}
				}
				if kills[0] >= 9000 && ends == 0 { // all had begun by then
					t.Errorf("no end of all: %+v", out.Crashes)
				}
				if broken := out.Processes.Judge(); broken != nil {
					t.Errorf("%s: %s", broken.Property, broken.Message)
				}
				if v := judge(t, w.Facts, out); v != nil || !out.Complete {
					t.Errorf("complete %t, %s: %+v", out.Complete, out.Bound, v)
				}
				if diff := cmp.Diff(want.Digests, out.Digests); diff != "" {
					t.Errorf("other ends (-without kills +resumed):\n%s", diff)
				}
			})
		}
	}
}

// TestPastErrors damages the folder of a run in each file, and opens what can not be gone on with:
// the error says which file, or why not, and nothing has changed.
func TestPastErrors(t *testing.T) {
	text := example("hydee", ring, "clusters: a b | c")
	c, _ := config(t, text, plan.Plan{})
	if out, err := cluster.Run(t.Context(), c); err != nil || !out.Complete {
		t.Fatal(err)
	}
	edit := func(name, old, new string) func(dir string) error {
		return func(dir string) error {
			file := filepath.Join(dir, name)
			data, err := os.ReadFile(file)
			if err == nil && !bytes.Contains(data, []byte(old)) {
				err = fmt.Errorf("%s has no %q", name, old)
			}
			if err != nil {
				return err
			}
			return os.WriteFile(file, bytes.Replace(data, []byte(old), []byte(new), 1), 0o666)
		}
	}
	remove := func(name string) func(dir string) error {
		return func(dir string) error { return os.Remove(filepath.Join(dir, name)) }
	}
	const failed = `{"clock":9999999999999999999,"what":"failed","procs":[1],"lives":[0],` +
		`"performed":[999]}` + "\n"
	behind := func(line string) func(dir string) error {
		return edit("supervisor.jsonl", `{"clock"`, line+`{"clock"`)
	}
	end := edit("supervisor.jsonl", "", "")
	for _, tt := range []struct {
		name   string
		damage func(dir string) error
		text   string // of the case, if it is another one
		want   string
	}{
		{"as it was", end, "", ""},
		{"no run", remove("run"), "", "had not begun"},
		{"no name", edit("run", "", "x"), "", "does not name one"},
		{"no case", remove("case.json"), "", "had not begun"},
		{"another case", end, example("hydee", ring), "is of another program"},
		{"nodes", end, example("radic-hmpl", ring), "all nodes have failed"},
		{"no deeds", remove("supervisor.jsonl"), "", "had not begun"},
		{"no line", behind("x\n"), "", "line 1: invalid character"},
		{"a proc too many", edit("supervisor.jsonl", `"procs":[3]`, `"procs":[4]`), "",
			"line 4: it is of another program"},
		{"nobody starts", behind(`{"what":"started"}` + "\n"), "", "line 1: it is damaged"},
		{"lives missing", behind(`{"what":"failed","procs":[0]}` + "\n"), "",
			"line 1: it is damaged"},
		{"told nobody", behind(`{"what":"down","procs":[0]}` + "\n"), "", "line 1: it is damaged"},
		{"gone by whom", behind(`{"what":"started","procs":[0],"gone":[1]}` + "\n"), "",
			"line 1: it is damaged"},
		{"a life without start", behind(strings.Repeat(failed, 2) +
			`{"what":"started","procs":[1]}` + "\n"), "", "line 3: it is damaged"},
		{"effects lost", edit("supervisor.jsonl", "complete\",\"procs\":null}\n",
			"complete\"}\n"+failed), "", "some of it is lost"},
		{"a course", behind(`{"what":"steered"}` + "\n"), "", "can not be resumed"},
		{"not all began", remove("p002/evidence-0"), "", "had not begun"},
		{"evidence", edit("p001/evidence-0", "\x00\x00", "\x00\x01"), "",
			"p001/evidence-0: corrupt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			if err := os.CopyFS(dir, os.DirFS(c.Dir)); err != nil {
				t.Fatal(err)
			}
			if err := tt.damage(dir); err != nil {
				t.Fatal(err)
			}
			of := text
			if tt.text != "" {
				of = tt.text
			}
			mine, _ := config(t, of, plan.Plan{})
			before := listing(t, dir)
			past, err := cluster.OpenPast(dir, mine.Setup, of)
			if diff := cmp.Diff(before, listing(t, dir)); diff != "" {
				t.Errorf("files have changed:\n%s", diff)
			}
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error %v, want %q", err, tt.want)
				}
				if errors.Is(err, cluster.ErrHeld) {
					t.Errorf("it is held: %v", err)
				}
				return
			}
			if err != nil || !past.Ended || len(past.Up) != 4 || past.Failures != 0 {
				t.Fatalf("%+v %v", past, err)
			}
			if _, err := cluster.OpenPast(dir, mine.Setup, of); !errors.Is(err, cluster.ErrHeld) {
				t.Errorf("opened twice: %v", err)
			}
			if err := past.Close(); err != nil {
				t.Error(err)
			}
			mine.Dir, mine.Past = t.TempDir(), past
			if err := mine.Validate(); err == nil {
				t.Error("another folder than the one that was opened is taken")
			}
		})
	}
}

// listing is the files of a folder with their sizes.
func listing(t *testing.T, dir string) (list []string) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			list = append(list, fmt.Sprint(path, " ", info.Size()))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestStartIsWritten: that a life is started is written down before it is, so that no evidence can
// be there of a life of which the deeds do not know. Here it can not be started at all.
func TestStartIsWritten(t *testing.T) {
	c, _ := config(t, example("hydee", ring), plan.Plan{})
	c.Hosts = []cluster.Host{{Address: "127.0.0.2", Launcher: []string{"/nowhere/launcher"}}}
	if _, err := cluster.Run(t.Context(), c); err == nil {
		t.Fatal("it was started")
	}
	text, err := os.ReadFile(filepath.Join(c.Dir, "supervisor.jsonl"))
	if err != nil || !strings.Contains(string(text), `"what":"started","procs":[0]`) {
		t.Errorf("%v: deeds %s", err, text)
	}
}

// TestClockGoesOn: what is done behind the end of all has later clocks than all that was done
// before, also where the clock of the host was set back, or is another one.
func TestClockGoesOn(t *testing.T) {
	c, _ := config(t, heat("hydee"), plan.Plan{})
	if _, err := cluster.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	const late = uint64(1) << 62
	name := filepath.Join(c.Dir, "supervisor.jsonl")
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = fmt.Fprintf(f, `{"clock":%d,"what":"checkpoint","procs":[],"to":0}`+"\n", late)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	if c.Past, err = cluster.OpenPast(c.Dir, c.Setup, c.Case); err != nil {
		t.Fatal(err)
	}
	defer c.Past.Close()
	out, err := cluster.Run(t.Context(), c)
	if err != nil || !out.Complete {
		t.Fatalf("%+v %v", out, err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	behind := false
	for line := range bytes.Lines(text) {
		var d cluster.Deed
		if err := json.Unmarshal(line, &d); err != nil {
			t.Fatal(err)
		}
		if behind = behind || d.What == cluster.DidResume; behind && d.Clock <= late {
			t.Errorf("behind the clock %d: %s", late, line)
		}
	}
	if !behind {
		t.Error("it was not resumed")
	}
}
