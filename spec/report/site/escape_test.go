package site

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/domino-check/domino/spec"
)

const hostile = `</script><script>document.title="x"</script><img src=x onerror=alert(1)>"'`

// TestHostileTexts puts text with the syntax of HTML wherever a text may be: no element comes of
// it.
func TestHostileTexts(t *testing.T) {
	h := hostile
	head := Head{Command: h, Version: h, Label: h, Notices: []string{h}}
	row := Row{Scenario: h, Protocol: h, Variant: h, Verdict: spec.Violated, Expect: h, Breaks: h,
		Why: h, Within: h, Steps: 3}
	witness := &Witness{Scenario: h, Title: h, Why: h, Property: h, Doc: h, Message: h, Steps: 2,
		Within: h, Repaired: Calm{Why: h, Within: h}, Source: h, Command: h}
	erratum := &Erratum{Protocol: h, About: h, ID: h, Place: h, Class: h, Quote: h, Switched: h,
		Other: h, Repaired: h, Shown: h, Runs: []*Witness{witness, witness}}
	none := *erratum
	none.Runs = nil
	write := map[string]func(*Folder) error{
		Check: func(f *Folder) error {
			return f.WriteSuite(&Suite{Head: head, Rows: []Row{row}, Failed: []string{h}})
		},
		Errata: func(f *Folder) error {
			return f.WriteCatalogue(&Catalogue{Head: head, Errata: []*Erratum{erratum, &none},
				Classes: map[string]string{h: h}, Failed: []string{h}})
		},
		Mutants: func(f *Folder) error {
			return f.WriteMutants(&Matrix{Head: head, Scores: []Score{{Method: h,
				Missed: []string{h}}}, Mutants: []*Mutant{{Name: h, Protocol: h, Scenario: h,
				Doc: h, Expect: h, Why: h, Unexpected: h, Undecided: h, Proof: h, Property: h,
				Run: []string{h}, Cells: []Kill{{Method: h, Property: h, Word: h, Note: h},
					{Killed: true, Property: h}}}}})
		},
		"perf": func(f *Folder) error {
			m := Measurement{Name: h, Times: 3, Median: 2, Spread: Spread{1, 2, 3, 4},
				Cells: []string{h}, Wrong: h}
			return f.WriteMeasured(&Measured{Head: head, Kind: "perf", Heading: h,
				Facts: []Fact{{h, h}}, Notes: []string{h}, Charts: []Chart{{Title: h}},
				Tables: []Table{{Title: h, Note: h, Thing: h, Unit: h, Columns: []string{h},
					Rows: []Measurement{m}}}}, nil)
		},
	}
	for kind, write := range write {
		dir := t.TempDir()
		for range 2 { // the second time with a history
			f, err := Open(dir, kind)
			if err == nil {
				err = write(f)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range files(t, dir) {
			b, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(name, ".html") && (strings.Count(string(b), "<script") != 1 ||
				strings.Count(string(b), "</script") != 1 || strings.Contains(string(b), "<img")) {
				t.Errorf("%s: %s has elements of a text", kind, name)
			}
			if strings.HasSuffix(name, ".html") && !strings.Contains(string(b), "&lt;/script") {
				t.Errorf("%s: %s does not show the text", kind, name)
			}
		}
	}
}
