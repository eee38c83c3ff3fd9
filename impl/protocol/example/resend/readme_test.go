package resend_test

import (
	"os"
	"strings"
	"testing"

	"example.com/resend"
	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/report"
)

// TestReadme holds the README of domino to the run that it shows: that is what erratum R1 breaks.
// A copy of this module has no such file, and needs no such test.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../../../../README.md")
	if err != nil {
		t.Skip("this is a copy of the module: ", err)
	}
	s, err := scenarios.Load("scenarios/r1.txtar")
	if err != nil {
		t.Fatal(err)
	}
	s.Variant = "repaired+R1"
	a, err := verify.Check(t.Context(), protocol.List{resend.Protocol}, s,
		verify.Options{Order: checker.BreadthFirst})
	if err != nil || a.Violation == nil {
		t.Fatal(err, a)
	}
	var run strings.Builder
	if err := report.Text(&run, a.Story(), report.Options{}); err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(string(text), "VIOLATED  legal-order")
	shown, _, _ = strings.Cut(shown, "```")
	if strings.Count(shown, "\n") < 7 {
		t.Errorf("README shows no run: %q", shown)
	}
	for line := range strings.Lines(shown) {
		if !strings.Contains(run.String(), line) {
			t.Errorf("README has %q, which is not in\n%s", line, run.String())
		}
	}
}
