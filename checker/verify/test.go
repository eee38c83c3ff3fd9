package verify

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/report"
)

// Test explores every scenario in the files that match the pattern (as in path/filepath.Glob), each
// as a subtest with the name of its file, and fails where the answer is not the one that the file
// expects: with the run that breaks a property, as a diagram, and a file that replays it, which is
// left among the artifacts of the test (go test -artifacts). A pattern without files fails, too.
//
// -short leaves out what is marked as long.
func Test(t *testing.T, pattern string, protocols ...protocol.Protocol) {
	t.Helper()
	list := protocol.List(protocols)
	if len(list) == 0 {
		t.Fatal("no protocol is given: verify.Test(t, pattern, mine.Protocol)")
	}
	if err := list.Validate(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatalf("pattern %q: %v", pattern, err)
	}
	if len(files) == 0 {
		t.Fatalf("no file matches %q", pattern)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			s, err := scenarios.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			if s.Long && testing.Short() {
				t.Skip("the scenario is marked as long, and the test is short")
			}
			a, err := Check(t.Context(), list, s, Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s within %s, %d states", a.Verdict, a.Bounds, a.States)
			if !a.AsExpected {
				fail(t, file, a)
			}
		})
	}
}

// fail shows an answer that is not as expected.
func fail(t *testing.T, file string, a *Answer) {
	t.Helper()
	var text strings.Builder
	if story := a.Story(); story != nil {
		story.Command = "domino check " + file + " --variant " + a.Variant
		replay := filepath.Join(t.ArtifactDir(), a.Name+".txtar")
		kept := flag.Lookup("test.artifacts") // otherwise the folder goes with the test
		if err := scenarios.Save(replay, a.ReplayFile()); err == nil && kept != nil &&
			kept.Value.String() == "true" {
			story.Command = "domino replay " + replay
		}
		if err := report.Text(&text, story, report.Options{}); err != nil {
			t.Errorf("the run can not be shown: %v", err)
		}
	}
	t.Errorf("%s: %s\n%s", file, a.Why, text.String())
}
