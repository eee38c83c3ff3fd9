package app

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/scenarios"
)

// TestExitCodes asks questions with each kind of answer.
func TestExitCodes(t *testing.T) {
	t.Setenv("DOMINO_TEST_MAIN", "1") // the processes are this program
	tests := []struct {
		name, line string
		code       int
		want       string
	}{
		{"holds", "check h5 --save=", 0, "1 as expected"},
		{"violated as expected", "check published --save=", 0, "1 as expected"},
		{"violated", "check h5 --variant repaired+H5 --save=", 1, "expected holds"},
		{"limit", "check ring3 --max-states 100 --save=", 2, "!unknown"},
		{"limit of a sample", "check ring3 --search pos --runs 1000000 --timeout 50ms --save=", 2,
			"time limit"},
		{"out of model", "check outside-network --variant repaired --failures 1 --save=", 3, ""},
		{"sampled", "check s1 --search pos --runs 20 --save=", exitSampled,
			"0 as expected, 1 sampled and nothing found"},
		{"sampled and violated", "check s1 h5 --variant repaired+H5 --search pos --runs 50 --save=",
			1, ""},
		{"fuzz", "fuzz rbml --for 0 --runs 2 --corpus=", exitSampled, "ended by"},
		{"goroutines", "run s1 --runs 3 --save=", exitSampled, "sampled and nothing found"},
		{"process", "cluster run ping", 0, "fine: "},
		{"kill that never struck", "cluster run ping --kill a@1000000", 2,
			"unknown: this run breaks nothing, which proves nothing; 1 failures or stops did not " +
				"strike: their moment has not come"},
		{"no command of the cluster", "cluster", exitUsage, "  torture "},
		{"unknown command of the cluster", "cluster perv", exitUsage, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name == "fuzz" || tt.name == "kill that never struck" {
				effort.Seconds(t)
			}
			code, out, errors := domino(t.Context(), strings.Fields(tt.line)...)
			if code != tt.code || !strings.Contains(out, tt.want) {
				t.Errorf("exit %d, want %d with %q\n%s%s", code, tt.code, tt.want, out, errors)
			}
		})
	}
}

// TestStandardInput checks and replays a scenario that comes through a pipe.
func TestStandardInput(t *testing.T) {
	list, err := catalogue().Select([]string{"h5"})
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{"check - --save=": "1 scenarios, 1 as expected",
		"replay -": `- has no section "-- schedule --"`} {
		c := exec.Command(os.Args[0], strings.Fields(line)...)
		c.Env = append(os.Environ(), "DOMINO_TEST_MAIN=1")
		c.Stdin = strings.NewReader(string(scenarios.Format(list[0])))
		out, _ := c.CombinedOutput() // the text says it
		if !strings.Contains(string(out), want) {
			t.Errorf("%s: no %q in\n%s", line, want, out)
		}
	}
}
