package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/shard"
	"github.com/domino-check/domino/checker/shard/campaign"
)

// memory is an engine in this process with some workers of its own.
type memory struct {
	*shard.Memory
	workers int
	std     streams
	flag    *string
	lives   int
	crash   int // moment at which the next coordinator crashes; 0 = never
	// changes what workers answer; nil = nothing
	lie func(kind string, data []byte, answer any) any
}

func (m *memory) Flags(f *pflag.FlagSet) Connector {
	m.flag = f.String("nats", "", "a test")
	return m
}

func (m *memory) Commands() []Command { return nil }

func (m *memory) Asked() bool { return *m.flag != "" }

// Connect starts the workers, which end with the connection.
func (m *memory) Connect(ctx context.Context, _ func(string, ...any)) (*Connection, error) {
	build, err := buildName()
	if err != nil {
		return nil, err
	}
	m.lives++
	p := m.Process(fmt.Sprint("coordinator ", m.lives), nil)
	if m.crash > 0 {
		p.CrashAt(m.crash)
	}
	own, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	for i := range m.workers {
		p := m.Process(fmt.Sprint("worker ", i), nil)
		w := &campaign.Worker{Engine: p, Build: build,
			Classes: []string{campaign.Plain, campaign.Torture}, Slots: 1, Work: m.work(p)}
		go func() { _ = w.Run(own); done <- struct{}{} }()
	}
	return &Connection{Engine: p, Where: "memory", Close: func() {
		cancel()
		for range m.workers {
			<-done
		}
	}}, nil
}

// work is what a worker with the engine does.
func (m *memory) work(carrier shard.Engine) campaign.Work {
	std := m.std
	std.carrier = carrier
	return func(ctx context.Context, kind string, data []byte, told func(any)) (any, any, error) {
		answer, aside, err := std.perform(ctx, kind, data, told)
		if m.lie != nil && err == nil {
			answer = m.lie(kind, data, answer)
		}
		return answer, aside, err
	}
}

// newMemory is one with so many workers.
func newMemory(workers int) *memory {
	return &memory{Memory: shard.NewMemory(), workers: workers,
		std: streams{Catalogue: catalogue()}}
}

// dominoFarm runs one command line with an engine.
func dominoFarm(ctx context.Context, m *memory, args ...string) (code int, out, err string) {
	var o, e bytes.Buffer
	code = run(ctx, args, streams{Catalogue: catalogue(), out: &o, err: &e, engine: m})
	return code, o.String(), e.String()
}

// elapsed are the times and memories in JSON and in text; rates begin with them.
var elapsed = regexp.MustCompile(
	`"(seconds|bytes|rate|elapsed|shrinking|runsPerSecond)":[0-9.e+]+|` +
		` *[0-9.]+ (ms|s)\b(, [0-9,]+ runs/s)?( +[0-9,]+)?`)

func untimed(text string) string { return elapsed.ReplaceAllString(text, "TIME") }

// farmCases are commands that are to say elsewhere what they say here.
func farmCases() map[string][]string {
	files := []string{"check", "s1", "h1", "h10", "--save="}
	if effort.Huge() {
		files = []string{"check", "--save="} // all that is quick
	} else if effort.Long() {
		files = append(files, "camel", "rbml", "two-phase")
	}
	runs := fmt.Sprint(effort.Of(100, 300))
	cases := map[string][]string{
		"errata": {"errata", "hydee", "H1", "H10", "--show", "--save="},
		"mutate": {"mutate", "hydee/gate-open", "rbml/log-data-backwards",
			"--methods", "exhaustive,walk",
			"--schedules", "200", "--shrink", "50", "--budget", "1h", "--json"},
		"check": files,
		"check published": {"check", "s1", "h1", "--variant", "published",
			"--search", "bfs", "--save="},
		"check json": {"check", "s1", "h1", "h10", "--json", "--evidence", "--save="},
		"samples":    {"check", "s1", "h10", "--search", "pctcp", "--runs", "50", "--save="},
		"a limit":    {"check", "s1", "h10", "--max-states", "50", "--save="},
		"fuzz": {"fuzz", "hydee", "--runs", runs, "--seed", "7", "--corpus", "",
			"--for", "0"},
	}
	if effort.Long() {
		cases["fuzz finds"] = []string{"fuzz", "hydee", "--variant", "repaired+H1", "--corpus", "",
			"--for", "0", "--shrink", "5", "--json"}
	}
	return cases
}

// TestFarmEqual compares what commands say here and by 1, 2 and 5 workers.
func TestFarmEqual(t *testing.T) {
	for name, args := range farmCases() {
		t.Run(name, func(t *testing.T) {
			if name == "fuzz" || name == "mutate" {
				effort.Seconds(t)
			}
			code, want, _ := domino(t.Context(), append(args, "--workers", "1")...)
			counts := effort.Of([]int{2}, []int{1, 2, 5})
			if name == "check" && !effort.Huge() { // of all scenarios, where it is long
				counts = counts[len(counts)-1:]
			}
			for _, workers := range counts {
				got, out, errors := dominoFarm(t.Context(), newMemory(workers),
					append(args, "--nats", "x", "--workers", "1", "--audit", "20",
						"--open", "2")...)
				if got != code {
					t.Fatalf("%d workers: exit %d, want %d: %s", workers, got, code, errors)
				}
				if diff := cmp.Diff(untimed(want), untimed(out)); diff != "" {
					t.Errorf("%d workers: %s", workers, diff)
				}
			}
		})
	}
}

// TestFarmJobKinds holds that each kind of job that commands ask for is one, and that what is none
// is an error, not a panic and no work.
func TestFarmJobKinds(t *testing.T) {
	for _, kind := range []string{"check", "fuzz", "erratum", "mutant", "level",
		"torture"} {
		k, ok := kindOf(kind)
		if !ok || k.class == "" {
			t.Errorf("%s is no kind of job", kind)
		}
		for _, data := range []string{"", "{", "null", "[]", `{"file":"/etc/passwd"}`,
			`{"scenario":{"name":"x","text":"y"}}`, `{"protocol":"hydee","count":-1}`, "{} {}"} {
			if _, _, err := (&streams{Catalogue: catalogue()}).perform(t.Context(), kind,
				[]byte(data), func(any) {}); err == nil {
				t.Errorf("%s: %s is done", kind, data)
			}
		}
	}
	if _, _, err := new(streams).perform(t.Context(), "shell", nil, nil); err == nil {
		t.Error("an unknown kind of job is done")
	}
}

// TestFarmFlags holds that flags which make no sense are refused, and those that would do nothing.
func TestFarmFlags(t *testing.T) {
	for _, tt := range []struct{ args, words string }{
		{"--audit 5", "--audit needs --nats"},
		{"--open 5", "--open needs --nats"},
		{"--deliveries 5", "--deliveries needs --nats"},
		{"--nats x --audit NaN", "want 0 to 100"},
		{"--nats x --audit -1", "want 0 to 100"},
		{"--nats x --audit 101", "want 0 to 100"},
		{"--nats x --deliveries 0", "want 1 or more"},
		{"--nats x --open 0", "want 1 to 4096"},
		{"--nats x --open 4097", "want 1 to 4096"},
	} {
		code, _, wrong := dominoFarm(t.Context(), newMemory(1), append([]string{"check", "s1",
			"--save="}, strings.Fields(tt.args)...)...)
		if code != exitUsage || !strings.Contains(wrong, tt.words) {
			t.Errorf("%s: exit %d, %q; want %d and %q", tt.args, code, wrong, exitUsage, tt.words)
		}
	}
}

// TestFarmAudit has a worker lie about one job in the campaign: an audit of all jobs does not take
// it, the exit code is that of an internal error.
func TestFarmAudit(t *testing.T) {
	m := newMemory(2)
	calls := 0
	m.lie = func(_ string, data []byte, answer any) any {
		if calls++; calls == 3 {
			return "all is well"
		}
		return answer
	}
	m.workers = 1
	code, _, errors := dominoFarm(t.Context(), m, "check", "s1", "h1", "h10", "--save=",
		"--nats", "x", "--audit", "100")
	if code != exitUsage || !strings.Contains(errors, "two answers") {
		t.Errorf("exit %d: %s", code, errors)
	}
}

// TestFarmResume crashes the coordinator at many moments: what resumes the campaign says what an
// undisturbed command says.
func TestFarmResume(t *testing.T) {
	if !effort.Long() { // the tests of checker/shard/campaign do, in the time of a bubble
		t.Skip("a dead worker is waited for: " + effort.More)
	}
	args := []string{"check", "s1", "h1", "h10", "--save="}
	_, want, _ := domino(t.Context(), append(args, "--workers", "1")...)
	for _, moment := range []int{1, 5, 8, 10, 15} {
		resumed(t, moment, want, args)
	}
}

// resumed crashes the coordinator at one moment, and resumes.
func resumed(t *testing.T, moment int, want string, args []string) {
	m := newMemory(1)
	m.crash = moment
	code, _, errors := dominoFarm(t.Context(), m, append(args, "--nats", "x")...)
	id := regexp.MustCompile(`farm resume (\S+)`).FindStringSubmatch(errors)
	m.crash = 0
	m.Elapse()
	if code != exitUsage && code != 0 {
		t.Errorf("moment %d: exit %d: %s", moment, code, errors)
	}
	if id == nil {
		return // before there was a campaign
	}
	entries, err := m.Process("x", nil).List(t.Context(), "result."+id[1]+".")
	if err != nil {
		t.Fatal(err)
	}
	state := campaign.Running
	if moment == 15 { // when all was written
		state = campaign.Done
	}
	statusIs(t, m, moment, state, len(entries))
	code, out, errors := dominoFarm(t.Context(), m, "farm", "resume", id[1], "--nats", "x")
	if diff := cmp.Diff(untimed(want), untimed(out)); code != 0 || diff != "" {
		t.Errorf("moment %d: exit %d: %s %s", moment, code, errors, diff)
	}
	statusIs(t, m, moment, campaign.Done, 3)
}

// statusIs expects one campaign, in a state and with so many jobs that are answered.
func statusIs(t *testing.T, m *memory, moment int, state campaign.State, jobs int) {
	t.Helper()
	code, out, errors := dominoFarm(t.Context(), m, "farm", "status", "--json", "--nats", "x")
	var s farmStatus
	if err := json.Unmarshal([]byte(out), &s); err != nil || code != 0 || len(s.Campaigns) != 1 ||
		s.Campaigns[0].State != state || s.Campaigns[0].Taken != jobs {
		t.Errorf("moment %d: want %s with %d jobs: exit %d, %s %s, %v", moment, state, jobs, code,
			out, errors, err)
	}
}
