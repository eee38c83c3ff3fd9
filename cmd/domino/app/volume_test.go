package app

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/domino-check/domino/checker/effort"
)

// TestVolume compares the tables of logs, determinants and messages with their golden file:
// everything in them is counted, so it never differs. The short form leaves out the largest trees.
func TestVolume(t *testing.T) {
	if !effort.Long() {
		volumeInPart(t)
		return
	}
	code, out, err := domino(t.Context(), "volume")
	if code != 0 || err != "" {
		t.Errorf("exit %d, errors %q", code, err)
	}
	golden(t, "volume", out)
}

// volumeInPart looks for each table but the one of LeanMD in the golden file.
func volumeInPart(t *testing.T) {
	want, err := os.ReadFile("testdata/volume.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, print := range []func(io.Writer) error{printOpenAtom, printParts, printRuns,
		printTolerance} {
		var out strings.Builder
		w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
		if err := print(w); err != nil {
			t.Fatal(err)
		}
		var plain strings.Builder
		if err := print(&plain); err != nil {
			t.Fatal(err)
		}
		for v, i := volumeTable(plain.String()), 0; i < len(v.Rows); i++ {
			if len(v.Columns) < 5 || len(v.Rows[i]) != len(v.Columns) {
				t.Errorf("%s: %q below %q", v.Title, v.Rows[i], v.Columns)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(want, []byte(out.String())) || out.Len() < 100 {
			t.Errorf("testdata/volume.txt does not have\n%s", out.String())
		}
	}
}
