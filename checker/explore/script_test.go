package explore_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/explore"
	"github.com/domino-check/domino/impl/core"
)

var update = flag.Bool("update", false, "write the golden files")

// TestScript runs a script with every command and compares what it prints.
func TestScript(t *testing.T) {
	t.Parallel()
	session, _ := open(t, "hydee/h10", "repaired+H10")
	script, err := os.ReadFile("testdata/h10.script")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	var saved []string
	r := explore.Runner{Session: session, Out: &out,
		Save: func(name string, s *explore.Session, path []string) error {
			_, err := s.Counterexample(path)
			saved = append(saved, name)
			return err
		}}
	err = r.Run(t.Context(), string(script))
	if err == nil || !strings.Contains(err.Error(), "hybrid") {
		t.Errorf("the last line saves a hybrid: %v", err)
	}
	for verb := range strings.Lines(explore.Commands) {
		if verb, _, _ = strings.Cut(verb, " "); !strings.Contains(string(script), verb+" ") &&
			!strings.Contains(string(script), verb+"\n") && verb != "path" {
			t.Errorf("the script has no command %q", verb)
		}
	}
	if !slices.Equal(saved, []string{"found", "never"}) {
		t.Errorf("saved %v", saved)
	}
	golden := filepath.Join("testdata", "h10.golden")
	if *update {
		if err := os.WriteFile(golden, out.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("go test ./checker/explore -update, if this is right:\n%s", diff)
	}
}

// TestScriptErrors: what is wrong is said with its line.
func TestScriptErrors(t *testing.T) {
	t.Parallel()
	session, _ := open(t, "hydee/s1", "repaired")
	for script, want := range map[string]string{
		"jump":                    "line 1, \"jump\": no command of a script",
		"# x\n\nchoose nothing":   "line 3, \"choose nothing\": it can not happen now",
		"choose 0":                "it can not happen now",
		"back -1":                 "want a number from 1, got \"-1\"",
		"walk":                    "want a seed",
		"walk 1 x":                "want a number from 1",
		"find":                    "an empty condition",
		"find c.phase":            "is none of",
		"find nobody.phase == 1":  "there is no proc \"nobody\"",
		"find up":                 "is none of",
		"find event [":            "syntax error in pattern",
		"what-if published+":      "published",
		"what-if nonsense":        "nonsense",
		"path ?":                  "base64url",
		"save x":                  "no folder was given",
		"find breaks * and c.x y": "is none of",
		"find breaks termintes":   "did you mean \"terminates\"?",
		"find breaks commits":     "no property that is watched here",
	} {
		var out bytes.Buffer
		r := explore.Runner{Session: session, Out: &out, Bounds: checker.Options{MaxStates: 1000}}
		if err := r.Run(t.Context(), script); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", script, err, want)
		}
	}
}

// TestConditions looks for states by hand-written conditions whose answers are known.
func TestConditions(t *testing.T) {
	t.Parallel()
	session, _ := open(t, "hydee/s1", "repaired")
	start, err := session.At(nil)
	if err != nil {
		t.Fatal(err)
	}
	first := start.Procs[0].Name
	for text, found := range map[string]bool{
		"down " + first:                              true,
		"down " + first + " and up " + first:         false,
		"event crash*":                               true,
		"event crash* and down " + first:             true,
		"event nothing like that":                    false,
		"breaks *":                                   false,
		first + ".no.such.field == 1":                false,
		first + ".program.# == 1":                    false,
		"up " + start.Procs[1].Name + " and event *": true,
	} {
		f, err := session.Find(t.Context(), nil, condition(t, text, session),
			checker.Options{MaxStates: effort.Of(500, 3000)})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if (f.Path != nil) != found {
			t.Errorf("%s: found %v in %d states, want %v", text, f.Path, f.States, found)
		}
	}
	if _, err := explore.ParseCondition("x.y == 1", &core.Layout{}); err == nil {
		t.Error("a condition about nobody is taken")
	}
}
