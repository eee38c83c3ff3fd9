package farm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/all"
)

// asCommand is the environment variable that makes the test be domino-farm.
const asCommand = "DOMINO_FARM_TEST"

// poisoned is the program at which a worker of the test dies.
const poisoned = "ring 4"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) == "" {
		os.Exit(m.Run())
	}
	list := all.Protocols()
	if os.Getenv(asCommand) == "poison" && os.Args[1] == "worker" {
		for i := range list {
			list[i].Setup = deadly(list[i].Setup)
		}
	}
	os.Exit(Main(list...))
}

// deadly ends the process where it is asked for four ranks.
func deadly(setup func(protocol.Request) (*core.Setup, error)) func(protocol.Request) (*core.Setup,
	error) {
	if setup == nil {
		return nil
	}
	return func(r protocol.Request) (*core.Setup, error) {
		s, err := setup(r)
		if err == nil && s.Layout.Ranks == 4 {
			os.Exit(9)
		}
		return s, err
	}
}

// process is a domino-farm that runs.
type process struct {
	*exec.Cmd
	out, err lockedBuffer
	ended    chan struct{}
}

// lockedBuffer may be read while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// begin starts the command in a folder.
func begin(t *testing.T, folder, program string, args ...string) *process {
	t.Helper()
	return beginAs(t, "1", folder, program, args...)
}

// beginAs begins one of a kind.
func beginAs(t *testing.T, kind, folder, program string, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(program, args...), ended: make(chan struct{})}
	p.Dir, p.Stdout, p.Stderr = folder, &p.out, &p.err
	p.Env = append(os.Environ(), asCommand+"="+kind)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		_ = p.Wait() // the state says it
	}()
	t.Cleanup(func() { _ = p.Process.Kill(); <-p.ended })
	return p
}

// self is the program of the test.
func self(t *testing.T) string {
	t.Helper()
	name, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// finish runs the command to its end.
func finish(t *testing.T, folder string, args ...string) (code int, out, err string) {
	t.Helper()
	p := begin(t, folder, self(t), args...)
	<-p.ended
	return p.ProcessState.ExitCode(), p.out.String(), p.err.String()
}

// says waits until a process has written something.
func says(t *testing.T, p *process, b *lockedBuffer, what string) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	for ; !strings.Contains(b.String(), what); <-tick.C {
		select {
		case <-p.ended:
			t.Fatalf("it has ended without %q: %s%s", what, p.out.String(), p.err.String())
		default:
		}
	}
}

// elapsed are times, and what begins with them.
var elapsed = regexp.MustCompile(` *[0-9.]+ (ms|s)\b(, [0-9,]+ runs/s)?( +[0-9,]+)?`)

func untimed(text string) string { return elapsed.ReplaceAllString(text, "TIME") }

// TestEmbedded compares what commands say with what they say by an embedded engine.
func TestEmbedded(t *testing.T) {
	folder := t.TempDir()
	for _, args := range [][]string{
		{"check", "s1", "h1", "h10", "ring3", "--failures", "1", "--save="},
		{"fuzz", "hydee", "--runs", fmt.Sprint(effort.Cases(100, 1000)), "--seed", "7",
			"--corpus", "", "--for", "0"},
		{"check", "s1", "--search", "bfs", "--shards", "2", "--save="},
	} {
		code, want, _ := finish(t, folder, append(args, "--workers", "1")...)
		for _, workers := range effort.Of([]string{"2"}, []string{"1", "2", "5"}) {
			got, out, errors := finish(t, folder, append(args, "--workers", workers, "--nats",
				"embed", "--open", effort.Of("2", "64"))...)
			if diff := cmp.Diff(untimed(want), untimed(out)); diff != "" || got != code {
				t.Errorf("%v, %s workers: exit %d, want %d: %s %s", args, workers, got, code,
					errors, diff)
			}
		}
	}
}

// served is an engine for others, in a folder.
func served(t *testing.T, folder string) *process {
	p := begin(t, folder, self(t), "serve")
	says(t, p, &p.err, "serving at")
	return p
}

// at are the words that lead to it in a role.
func at(folder, role string) []string {
	return []string{"--nats", filepath.Join(folder, ".domino", "farm", role+".json")}
}

// TestOtherBuild has a worker of another build wait while one of this build does the jobs: both
// sides say so.
func TestOtherBuild(t *testing.T) {
	folder := t.TempDir()
	served(t, folder)
	other := filepath.Join(folder, "other.test")
	data, err := os.ReadFile(self(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other, append(data, 0), 0o755); err != nil { // what follows is not run
		t.Fatal(err)
	}
	stranger := begin(t, folder, other, append([]string{"worker"}, at(folder, asWorker)...)...)
	says(t, stranger, &stranger.err, "worker of build")
	c := begin(t, folder, self(t), append([]string{"check", "h1", "--save="},
		at(folder, asOperator)...)...)
	says(t, c, &c.err, "workers of build")
	again := begin(t, folder, other, append([]string{"worker"}, at(folder, asWorker)...)...)
	says(t, again, &again.err, "it gets no job of it")
	begin(t, folder, self(t), append([]string{"worker"}, at(folder, asWorker)...)...)
	<-c.ended
	if code := c.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit %d: %s%s", code, c.out.String(), c.err.String())
	}
}

// TestPoison has a job that ends each worker: it is unknown in the end, and the others are done.
// Who resumes the campaign with other workers has it tried again.
func TestPoison(t *testing.T) {
	if !effort.Huge() { // TestSpent of checker/shard/campaign does, in the time of a bubble
		t.Skip("a minute, as dead workers are waited for: with DOMINO_TESTS=huge")
	}
	t.Parallel()
	folder := t.TempDir()
	served(t, folder)
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() {
		for ctx.Err() == nil {
			p := beginAs(t, "poison", folder, self(t), append([]string{"worker", "--slots", "1"},
				at(folder, asWorker)...)...)
			select {
			case <-p.ended:
			case <-ctx.Done():
				_ = p.Process.Kill()
			}
		}
	})
	args := append([]string{"check", "h1", "h10", "s1", "--save="}, at(folder, asOperator)...)
	code, out, errors := finish(t, folder, args...)
	cancel()
	group.Wait()
	if code != 2 || !strings.Contains(out, "ended 4 workers") ||
		!strings.Contains(errors, "given up") {
		t.Errorf("exit %d: %s%s", code, out, errors)
	}
	begin(t, folder, self(t), append([]string{"worker"}, at(folder, asWorker)...)...)
	_, id, _ := strings.Cut(errors, "campaign ")
	id, _, _ = strings.Cut(id, " ")
	code, out, errors = finish(t, folder, append([]string{"farm", "resume", id},
		at(folder, asOperator)...)...)
	_, want, _ := finish(t, folder, "check", "h1", "h10", "s1", "--save=")
	if diff := cmp.Diff(untimed(want), untimed(out)); code != 0 || diff != "" {
		t.Errorf("resumed: exit %d: %s%s", code, errors, diff)
	}
}

// TestKilled kills a worker every few moments, and the coordinator three times: the output is that
// of an undisturbed command.
func TestKilled(t *testing.T) {
	if !effort.Long() {
		t.Skip("dead workers are waited for: " + effort.More)
	}
	t.Parallel()
	folder := t.TempDir()
	served(t, folder)
	args := []string{"check", "h*", "s*", "c*", "--save=", "--max-states",
		fmt.Sprint(effort.Cases(0, 8000))} // huge: ten times as many
	code, want, _ := finish(t, folder, append(args, "--workers", "1")...)
	worker := append([]string{"worker", "--slots", "1"}, at(folder, asWorker)...)
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() { killed(ctx, t, folder, worker...) })
	}
	line := append(append(args, "--deliveries", "50"), at(folder, asOperator)...)
	var id string
	for life := range 4 {
		if id != "" {
			line = append([]string{"farm", "resume", id}, at(folder, asOperator)...)
		}
		c := begin(t, folder, self(t), line...)
		says(t, c, &c.err, "goes on")
		id = regexp.MustCompile(`farm resume (\S+)`).FindStringSubmatch(c.err.String())[1]
		if life < 3 {
			select {
			case <-time.After(2 * time.Second):
				_ = c.Process.Kill()
			case <-c.ended:
			}
		}
		<-c.ended
		if life == 3 {
			diff := cmp.Diff(untimed(want), untimed(c.out.String()))
			if got := c.ProcessState.ExitCode(); diff != "" || got != code {
				t.Errorf("exit %d, want %d: %s%s", got, code, diff, c.err.String())
			}
		}
	}
	cancel()
	group.Wait()
	_, out, _ := finish(t, folder, append([]string{"farm", "status", "--json"},
		at(folder, asOperator)...)...)
	var s struct {
		Campaigns []struct {
			State string
			Taken int
		}
	}
	if err := json.Unmarshal([]byte(out), &s); err != nil || len(s.Campaigns) != 1 ||
		s.Campaigns[0].State != "done" {
		t.Errorf("%v: %s", err, out)
	}
}

// killed is one worker after another, each killed after a while, which grows: however long a worker
// takes to start here, some do something.
func killed(ctx context.Context, t *testing.T, folder string, worker ...string) {
	for life := 1; ctx.Err() == nil; life++ {
		p := begin(t, folder, self(t), worker...)
		select {
		case <-time.After(time.Duration(life%5+1+life/5) * 300 * time.Millisecond):
		case <-ctx.Done():
		}
		_ = p.Process.Kill()
		<-p.ended
	}
}

// TestEngineKilled kills the engine under a campaign and starts it again: workers and coordinator
// wait for it, and go on.
func TestEngineKilled(t *testing.T) {
	if !effort.Long() {
		t.Skip("seconds: " + effort.More)
	}
	t.Parallel()
	folder := t.TempDir()
	engine := served(t, folder)
	args := []string{"fuzz", "hydee", "--runs", "4000", "--seed", "7", "--corpus", "", "--for", "0"}
	code, want, _ := finish(t, folder, args...)
	begin(t, folder, self(t), append([]string{"worker"}, at(folder, asWorker)...)...)
	c := begin(t, folder, self(t), append(args, at(folder, asOperator)...)...)
	says(t, c, &c.err, "goes on")
	_ = engine.Process.Kill()
	<-engine.ended
	says(t, c, &c.err, "is gone")
	served(t, folder)
	<-c.ended
	got := c.ProcessState.ExitCode()
	if diff := cmp.Diff(untimed(want), untimed(c.out.String())); diff != "" || got != code {
		t.Errorf("exit %d, want %d: %s%s", got, code, diff, c.err.String())
	}
}

// TestLevels explores one state space by workers that are processes, in a long test a large one
// beside one worker after another that is killed: the numbers are those of one process.
func TestLevels(t *testing.T) {
	folder := t.TempDir()
	served(t, folder)
	search := append([]string{"check", "--search", "bfs", "--save="}, effort.Of([]string{"s1"},
		[]string{"hmpl-checkpoint", "--reduce", "singletons,crashes"})...)
	code, want, _ := finish(t, folder, search...)
	worker := append([]string{"worker", "--slots", "1", "--blobs", "blobs"}, at(folder,
		asWorker)...)
	for range 2 {
		begin(t, folder, self(t), worker...)
	}
	c := begin(t, folder, self(t), append(append(search, "--shards", "3", "--blobs", "blobs"),
		at(folder, asOperator)...)...)
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	if effort.Long() {
		group.Go(func() { killed(ctx, t, folder, worker...) })
	}
	<-c.ended
	cancel()
	group.Wait()
	got := c.ProcessState.ExitCode()
	if diff := cmp.Diff(untimed(want), untimed(c.out.String())); diff != "" || got != code {
		t.Errorf("exit %d, want %d: %s%s", got, code, diff, c.err.String())
	}
	t.Log(c.err.String())
}

// TestInterrupted stops a command by a signal: it ends within seconds, and its campaign is resumed
// to the output of an undisturbed run.
func TestInterrupted(t *testing.T) {
	folder := t.TempDir()
	args := []string{"fuzz", "hydee", "--runs", "6000", "--seed", "7",
		"--corpus", "", "--for", "0"}
	if !effort.Long() {
		t.Skip("seconds: " + effort.More)
	}
	t.Parallel()
	code, want, _ := finish(t, folder, append(args, "--workers", "1")...)
	c := begin(t, folder, self(t),
		append(args, "--open", "2", "--nats", "embed", "--workers", "2")...)
	says(t, c, &c.err, "goes on")
	id := regexp.MustCompile(`farm resume (\S+)`).FindStringSubmatch(c.err.String())[1]
	time.AfterFunc(3*time.Second, func() { _ = c.Process.Signal(os.Interrupt) })
	<-c.ended
	if got := c.ProcessState.ExitCode(); got != 2 && got != code {
		t.Errorf("exit %d: %s", got, c.err.String())
	}
	got, out, errors := finish(t, folder, "farm", "resume", id, "--nats", "embed")
	if diff := cmp.Diff(untimed(want), untimed(out)); diff != "" || got != code {
		t.Errorf("exit %d, want %d: %s%s", got, code, errors, diff)
	}
}
