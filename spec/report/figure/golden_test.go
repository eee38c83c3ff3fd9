package figure_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/report/figure"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// TestGolden compares figures of runs of the checker with files, which a browser shows. Together
// they have every sign. The second drawing has the same bytes.
func TestGolden(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		options    figure.Options
	}{
		{"h10", "h10", figure.Options{}},
		{"h10", "h10-down", figure.Options{Orientation: figure.Down}},
		{"h13-clock", "h13-clock", figure.Options{}},
		{"h3-twice", "h3-twice", figure.Options{Show: figure.None}},
		{"m10", "m10", figure.Options{}},
		{"m28-rejoin", "m28-rejoin", figure.Options{}},
		{"causal-s1", "causal-s1", figure.Options{}},
		{"causal-s12", "causal-s12", figure.Options{Show: figure.All}},
		{"camel-c14", "camel-c14", figure.Options{Orientation: figure.Down}},
		{"crmig-m5", "crmig-m5", figure.Options{}},
		{"coordinated-one-short", "coordinated-one-short", figure.Options{}},
		{"op8", "op8", figure.Options{}},
		{"torn", "torn", figure.Options{}},
		{"duplicate", "duplicate", figure.Options{}},
	} {
		t.Run(tt.file, func(t *testing.T) {
			m := stored(t, tt.name)
			got := document(t, figure.Layout(m, tt.options))
			if again := document(t, figure.Layout(report.Understand(m.Run), tt.options)); got !=
				again {
				t.Error("the second time the figure differs")
			}
			file := filepath.Join("testdata", tt.file+".svg")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (-want +got); rewrite with -update:\n%s", file, diff)
			}
		})
	}
}
