package volume

import (
	"os"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/domino-check/domino/checker/effort"
)

// TestVolume compares the tables of logs, determinants and messages with their golden file, and
// their rows with their heads: everything in them is counted, so it never differs. The short form
// leaves out the largest trees and the runs, which
// TestCountAgainstClosedForm has small ones of.
func TestVolume(t *testing.T) {
	data, err := os.ReadFile("testdata/volume.txt")
	if err != nil {
		t.Fatal(err)
	}
	golden := string(data)
	for i, part := range Table.Parts {
		if (i == 1 || i == 4) && !effort.Long() {
			continue // LeanMD, and what is counted in runs
		}
		var plain, out strings.Builder
		if err := part(&plain); err != nil {
			t.Fatal(err)
		}
		w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
		if _, err := w.Write([]byte(plain.String())); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(golden, out.String()) || out.Len() < 100 {
			t.Errorf("testdata/volume.txt does not have\n%s", out.String())
		}
		lines := strings.Split(strings.Trim(plain.String(), "\n"), "\n")
		for _, line := range lines[2:] {
			if got, want := strings.Count(line, "\t"), strings.Count(lines[1], "\t"); got != want {
				t.Errorf("%s: %d cells in %q, want %d", lines[0], got, line, want)
			}
		}
	}
	if !strings.HasSuffix(golden, Table.Notes) {
		t.Errorf("testdata/volume.txt does not end with\n%s", Table.Notes)
	}
}
