package app

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/effort"
)

// slow are commands that compute for long even when they have little to do.
var slow = regexp.MustCompile(`^(tables volume|experiments|compare|cluster (perf|torture|netpipe)|fuzz)`)

// TestSchema has every command print JSON: each object says which format it has, is of that format
// by its document, and has the fields that a reader of any answer looks for.
func TestSchema(t *testing.T) {
	t.Setenv("DOMINO_TEST_MAIN", "1") // the processes are this program
	proof := t.TempDir() + "/h5.cert"
	if code, _, err := domino(t.Context(), "check", "h5", "--certificate", proof); code != 0 {
		t.Fatal(err)
	}
	for line, fields := range map[string]string{
		"recheck --any-build " + proof:               "scenario verdict level states",
		"check h5 s1 --search pos --runs 20 --save=": "scenario variant verdict bounds samples",
		"check s1 --workers 2 --save=":               "scenario variant verdict bounds states",
		"check s1 --estimate":                        "scenario verdict estimate",
		"errata hydee H5 --save=":                    "protocol scenario broken repaired",

		"fuzz rbml --for 0 --runs 2 --corpus=": "protocol variant seed verdict",
		"mutate hydee/H5 --methods exhaustive": "",

		"list properties":                           "kind name doc",
		"show s1 terminates H10 hydee":              "kind name doc facts",
		"version":                                   "version go",
		"errata hydee H1 --evidence --save=":        "evidence",
		"minimise h5 --variant repaired+H5 --save=": "scenario variant violation",
		"certify s6":                                "program class fits",
		"run s1 --runs 3 --save=":                   "scenario variant verdict sampled samples",

		"tables":             "name doc tables",
		"tables volume":      "tables",
		"experiments phases": "name doc tables ratios figures",
		"compare hydee --programs ring --ranks 2": "row printed cells costs runs",

		"cluster run ping": "scenario variant verdict digests missed",
		"cluster torture ping --runs 1 --dir " + t.TempDir(): "wrong protocols all",

		"cluster perf --kernels lu --ranks 2 --rounds 1 --protocols none": "plan rows samples",
		"cluster netpipe --sizes 8 --perturb 0 --links tcp --rounds 1 --sample 1us " +
			"--protocols none": "plan rows samples",
	} {
		t.Run(line, func(t *testing.T) {
			if slow.MatchString(line) {
				effort.Seconds(t)
			}
			_, out, errors := domino(t.Context(), append(strings.Fields(line), "--json")...)
			if out == "" {
				t.Fatalf("no answer: %s", errors)
			}
			for text := range strings.Lines(out + errors) {
				var object map[string]json.RawMessage
				if err := json.Unmarshal([]byte(text), &object); err != nil {
					t.Errorf("%v in %q", err, text)
				} else if object["type"] == nil && object["domino"] == nil {
					t.Errorf("no version in %s", text)
				} else {
					valid(t, []byte(text))
				}
			}
			var first map[string]json.RawMessage
			if err := json.NewDecoder(strings.NewReader(out)).Decode(&first); err != nil {
				t.Fatal(err)
			}
			for name := range strings.FieldsSeq(fields) {
				if _, ok := first[name]; !ok {
					t.Errorf("no field %s in %s", name, out)
				}
			}
			if string(first["depth"]) == "0" {
				t.Errorf("a depth of 0, though it is not known: %s", out)
			}
		})
	}
}
