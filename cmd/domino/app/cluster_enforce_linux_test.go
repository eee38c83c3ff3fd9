package app

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/enforce"
	"github.com/domino-check/domino/impl/runtime/course"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/scenarios"
)

// counterexample finds that of an erratum, and names its file.
func counterexample(t *testing.T, protocol, id string) string {
	t.Helper()
	dir := t.TempDir()
	if code, out, errors := domino(t.Context(), "errata", protocol, id, "--save", dir); code != 0 {
		t.Fatalf("errata %s %s: exit code %d, %s\n%s", protocol, id, code, errors, out)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) != 1 {
		t.Fatalf("errata %s %s writes %v, %v", protocol, id, files, err)
	}
	return files[0]
}

// TestEnforce makes processes take the course of errata: the same property is broken there, and the
// run is found in the world again. The long form spreads over protocols and kinds of moves: writes
// in progress, reads, timers, watchdogs, false suspicions, launched and stopped ranks, several
// groups at once, ends of channels, crashes inside a step.
func TestEnforce(t *testing.T) {
	t.Setenv("DOMINO_TEST_MAIN", "1") // the processes are this program
	t.Setenv("TMPDIR", t.TempDir())
	list := []string{"hydee H1"}
	if effort.Long() {
		list = []string{"hydee H1", "camel C1", "errmgr A3", "coordinated CO6", "epochs EP16",
			"induced B1", "koo-toueg KT8", "radic-rbml M26", "rbml M13", "manetho MN3"}
	}
	if effort.Huge() { // more of the same protocols
		list = append(list, "hydee H10", "errmgr M5", "errmgr W1", "coordinated CO7", "hydee H11b",
			"hydee H15", "epochs EP8")
	}
	for _, name := range list {
		protocol, id, _ := strings.Cut(name, " ")
		t.Run(name, func(t *testing.T) {
			file, dir := counterexample(t, protocol, id), filepath.Join(t.TempDir(), "run")
			code, out, errors := domino(t.Context(), "cluster", "enforce", file, "--dir", dir,
				"--json")
			var got enforceReport
			if err := json.Unmarshal([]byte(out), &got); err != nil || code != 1 ||
				got.Verdict != enforce.Broken || got.Moves != got.Of || got.Of < 4 ||
				got.Got.Property != got.Want.Property || got.Elapsed <= 0 {
				t.Fatalf("exit code %d, %v %s\n%s", code, err, errors, out)
			}
			if code, out, errors = domino(t.Context(), "cluster", "lift", dir); code != 1 ||
				!strings.Contains(out, "lifted: ") {
				t.Errorf("lift: exit code %d, %s\n%s", code, errors, out)
			}
		})
	}
}

// inside is a run in which a delete of a step is stable when its proc stops within it.
const inside = `Inside
-- scenario --
protocol: koo-toueg
failures: 1
-- program --
a: send b m
b: post a; output
-- schedule --
step a send m to b
step a end
deliver a->b App m (number 1)
step b go on 0
persisted b image/1
step b receive m from a
persisted b commit/1, stands still after effect 2
stop b, outcome 1 of writes in progress
restart b incarnation 1
deliver b.1->a Back (life 1, sent 0, received 0)
deliver a->b Ready (life 0, received 0)
step b output
deliver a->b App m (number 1)
step b receive m from a
step b end
`

// behind is a run in which a rank is killed between its rollback and its restart.
const behind = `Behind
-- scenario --
protocol: koo-toueg
failures: 2
-- program --
a: send b m
b: recv a
-- schedule --
step a send m to b
step a end
deliver a->b App m (number 1)
step b receive m from a
step b end
crash a
restart a incarnation 1
deliver a.1->b Back (life 1, sent 0, received 0)
deliver b->a Back (life 1, sent 0, received 0, prepared)
deliver a.1->b Ready (life 1, received 0)
deliver b->a Ready (life 1, received 0)
deliver a.1->b Rollback
crash b
restart b incarnation 1
step a send m to b
deliver b.1->a Back (life 1, sent 0, received 0)
deliver a.1->b App m (number 1 life 1)
step a end
deliver a.1->b Ready (life 1, received 0)
deliver a.1->b App m (number 1 life 1)
step b receive m from a
step b end
`

// TestEnforceErrors gives cluster enforce what it must refuse.
func TestEnforceErrors(t *testing.T) {
	t.Setenv("DOMINO_TEST_MAIN", "1")
	t.Setenv("TMPDIR", t.TempDir())
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	const two = "Two\n-- scenario --\nprotocol: hydee\nclusters: a | b\nforce: yes\n%s" +
		"-- program --\na: send b m\nb: recv a\n-- schedule --\n%s"
	tests := []struct {
		args string
		code int
		want string
	}{
		{"", exitUsage, "got 0 arguments"},
		{"a b", exitUsage, "got 2 arguments"},
		{"nowhere.txtar", exitUsage, "there is no file nowhere.txtar"},
		{file("empty", ""), exitUsage, "empty"},
		{file("none", "Two\n-- scenario --\nprotocol: none\n-- program --\na: send b m\n"+
			"b: recv a\n"), exitUsage, "no section"},
		{file("stale", fmt.Sprintf(two, "", "step b end\n")) + " --timeout 1s", 2, "stale"},
		{file("zero", fmt.Sprintf(two, "", "step a end\n")) + " --timeout 0s", exitUsage,
			"--timeout"},
		{file("lossy", fmt.Sprintf(two, "loss: 1\n",
			"step a send m to b\nlose a->b App m (date 1 phase 1 round 0.0)\n")), 3,
			"beyond real processes: 1 of 2 moves\nmove 2, lose a->b App m (date 1 phase 1 round " +
				"0.0):\n  the connections"},
		// what a has sent to b, which is down, outlives a
		{file("outlives", fmt.Sprintf(two, "failures: 2\n",
			"crash b\nstep a send m to b\ncrash a\nrestart b incarnation 1\n"+
				"deliver a->b App m (date 1 phase 1 round 0.0)\n")), 0,
			"enforced and fine: 5 of 5 moves by 3 processes"},
		// b stops inside a step, and a part of what it was writing is stable
		{file("inside", inside), 0, "enforced and fine: 15 of 15 moves by 2 processes"},
		{file("behind", behind), 0, "enforced and fine: 22 of 22 moves by 2 processes"},
		{file("fine", fmt.Sprintf(two, "", "step a send m to b\n")), 0,
			"enforced and fine: 1 of 1 moves by 3 processes"},
	}
	for _, tt := range tests[:len(tests)-effort.Of(1, 0)] { // which is less than the two before
		code, out, errors := domino(t.Context(),
			append([]string{"cluster", "enforce"}, strings.Fields(tt.args)...)...)
		if code != tt.code || !strings.Contains(errors+out, tt.want) {
			t.Errorf("enforce %s: exit code %d, %q %q, want %d %q", tt.args, code, errors, out,
				tt.code, tt.want)
		}
	}
}

// TestEnforceUnmade changes the course of an erratum in its fifth move: each change is noticed
// there, with what is wanted and what there is.
func TestEnforceUnmade(t *testing.T) {
	t.Setenv("DOMINO_TEST_MAIN", "1")
	t.Setenv("TMPDIR", t.TempDir())
	tests := []struct {
		name, want string
		change     func(moves []course.Move) []course.Move
		long       bool
	}{
		{"state", "is in the state", func(m []course.Move) []course.Move {
			m[4].State++
			return m
		}, false},
		{"nobody is told", "nobody has to tell", func(m []course.Move) []course.Move {
			m[4] = course.Move{What: course.Tell, Proc: 1}
			return m
		}, true},
		{"message", "no message with the digest", func(m []course.Move) []course.Move {
			m[4] = course.Move{What: course.Deliver, Proc: 1, Message: 1}
			return m
		}, true},
		{"write", "nothing is being written", func(m []course.Move) []course.Move {
			m[4] = course.Move{What: course.Stable, Proc: 1}
			return m
		}, true},
		{"timer", "no timer", func(m []course.Move) []course.Move {
			m[4] = course.Move{What: course.Tick, Proc: 1, Name: "x"}
			return m
		}, true},
		{"watchdog", "has no watchdog", func(m []course.Move) []course.Move {
			m[4] = course.Move{What: course.Expire, Proc: 1}
			return m
		}, true},
		{"restart of who is up", "its machine is up", func(m []course.Move) []course.Move {
			m[4] = course.Move{What: course.Restart, Proc: 1}
			return m
		}, true},
		{"effects", "has performed its step", func(m []course.Move) []course.Move {
			m[4].After = 99
			return m
		}, true},
	}
	file := counterexample(t, "hydee", "H1")
	for _, tt := range tests {
		if tt.long && !effort.Long() {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			res := changed(t, file, tt.change)
			if res.Moves != 4 || !strings.Contains(res.Unmade, tt.want) || res.Complete {
				t.Errorf("%d moves, complete %t, %q, want %q", res.Moves, res.Complete, res.Unmade,
					tt.want)
			}
		})
	}
}

// changed makes processes take the changed course of a file.
func changed(t *testing.T, file string,
	change func(moves []course.Move) []course.Move) *cluster.Result {
	t.Helper()
	s, err := scenarios.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	std := streams{Catalogue: catalogue(), out: io.Discard, err: io.Discard}
	w, run, _, err := std.repeat(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	resolved, err := std.Resolve(s)
	if err != nil {
		t.Fatal(err)
	}
	c := &clusterCase{scenario: s, resolved: resolved, std: std, timeout: 10 * time.Second,
		spread: time.Microsecond, hosting: hosting{address: anyLoopback}, lifts: true}
	config, err := c.config(strikes{}, 1, filepath.Join(t.TempDir(), "run"))
	if err != nil {
		t.Fatal(err)
	}
	config.Course, _ = enforce.Course(w, run)
	config.Course.Moves = change(config.Course.Moves)
	res, err := cluster.Run(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	return res
}
