package scenarios_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/fault"
)

var exported = cmpopts.IgnoreUnexported(scenarios.Scenario{})

// full sets every key, none to its default.
const full = `A title
with prose

in two paragraphs
-- scenario --
# a comment
source: [X] Fig. 1
protocol: hydee
variant: repaired+H1
options: deep=yes
policies: light(1) autor
clusters: a | b
tolerates: 3
failures: 2
at-once: 1
spacing: settled
overlap: 8
victims: a RP
interchangeable: a b
stop: staggered
checkpoints: 3
network: unordered
ignored: kept
loss: 4
duplicates: 5
from-dead: nothing
to-dead: kept
detect: any
notice: joint
suspicions: 6
torn: 7
disks: survive
spoils: RP
lose: 8
corrupt: 9
full: 10
force: yes
long: yes
tour: yes
erratum: H1
expect: violated
breaks: fifo
states: 1234
must-see: recovers resends-log
-- program --
a: send b x
b: recv a
-- schedule --
step a send x to b
# not an event

crash a
`

// TestParse reads a file with every key and compares it with the scenario written out.
func TestParse(t *testing.T) {
	got, err := scenarios.Parse("folder/full.txtar", []byte(full))
	if err != nil {
		t.Fatal(err)
	}
	want := &scenarios.Scenario{
		Name: "full", File: "folder/full.txtar", Title: "A title",
		Prose:  "with prose\n\nin two paragraphs",
		Source: "[X] Fig. 1", Protocol: "hydee", Variant: "repaired+H1", Options: "deep=yes",
		Policies: "light(1) autor", Clusters: "a | b", Tolerates: new(3),
		Program: "a: send b x\nb: recv a\n",
		Model: fault.Model{Failures: 2, AtOnce: 1, Settled: true, Overlap: 8, Checkpoints: 3,
			Staggered: true, Unordered: true, Selective: true, Loss: 4, Duplicates: 5,
			FromDead: fault.Nothing, KeepToDead: true, DetectAny: true, Joint: true, Suspicions: 6,
			Torn: 7, Disks: fault.SurviveNode, Lose: 8, Corrupt: 9, Full: 10},
		Spoils:          []string{"RP"},
		Interchangeable: []string{"a", "b"}, Victims: []string{"a", "RP"}, Expect: "violated",
		Breaks: "fifo", States: 1234, MustSee: []string{"recovers", "resends-log"},
		Erratum: "H1", Force: true, Long: true, Tour: true,
		Schedule: []string{"step a send x to b", "crash a"},
	}
	if diff := cmp.Diff(want, got, exported); diff != "" {
		t.Errorf("scenario (-want +got):\n%s", diff)
	}
	if got.ProgramLine() != 46 {
		t.Errorf("program begins on line %d, want 46", got.ProgramLine())
	}
}

// TestDefaults reads the smallest file.
func TestDefaults(t *testing.T) {
	got, err := scenarios.Parse("s.txtar", []byte(
		"-- scenario --\nprotocol: none\nprogram: ring 3\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := &scenarios.Scenario{Name: "s", File: "s.txtar", Protocol: "none", Variant: "repaired",
		Expect: "holds", Shape: "ring 3"}
	if diff := cmp.Diff(want, got, exported); diff != "" {
		t.Errorf("scenario (-want +got):\n%s", diff)
	}
}

// TestDefaultsWritten checks that the default of a choice may be written out and changes nothing.
func TestDefaultsWritten(t *testing.T) {
	text := "-- scenario --\nprotocol: none\nprogram: ring 3\n"
	want, err := scenarios.Parse("s.txtar", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	got, err := scenarios.Parse("s.txtar", []byte(
		text+"stop: together\nnetwork: fifo\nignored: lost\nfrom-dead: prefix\nto-dead: "+
			"lost\ndetect: after\n"+
			"notice: each\nforce: no\nlong: no\nvariant: repaired\nexpect: holds\nfailures: 0\n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, exported); diff != "" {
		t.Errorf("scenario (-want +got):\n%s", diff)
	}
}

// TestEmbedded checks that every embedded file parses, has a title and a name of its own, and is
// what is on disk.
func TestEmbedded(t *testing.T) {
	list, err := scenarios.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*/*.txtar")
	if err != nil || len(files) != len(list) {
		t.Fatalf("%d files, %d scenarios: %v", len(files), len(list), err)
	}
	titles := map[string]string{}
	for _, s := range list {
		if s.Title == "" || titles[s.Title] != "" {
			t.Errorf("%s: title %q is also that of %q", s.File, s.Title, titles[s.Title])
		}
		titles[s.Title] = s.Name
		loaded, err := scenarios.Load(s.File)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s, loaded, exported); diff != "" {
			t.Errorf("%s (-embedded +loaded):\n%s", s.File, diff)
		}
	}
}

// TestFormat checks that Format writes what Parse reads back to an equal scenario, for every
// embedded file, the full one, and odd ones, and that formatting again changes no byte.
func TestFormat(t *testing.T) {
	list, err := scenarios.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"full": full, "no title": "-- scenario --\nprotocol: p\nprogram: ring 2\n",
		"all at once": "t\n\n\nprose\n-- scenario --\nprotocol: p\nat-once: all\nfailures: 2\n-- " +
			"program --\n\n\na:   wait",
		"every": "t\n-- scenario --\nprotocol: p\nprogram: x\nfrom-dead: every\n-- " +
			"schedule --\n",
		"set":    "t\n-- scenario --\nprotocol: p\nroles: servers 3, clients 2\nnetwork: set\n",
		"colons": "a: b\n-- scenario --\nprotocol: p: q\nsource: a:b\nprogram: x\n",
	} {
		s, err := scenarios.Parse(name+".txtar", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	for _, s := range list {
		t.Run(s.Name, func(t *testing.T) { checkFormat(t, s) })
	}
}

func checkFormat(t *testing.T, s *scenarios.Scenario) {
	t.Helper()
	text := scenarios.Format(s)
	again, err := scenarios.Parse(s.File, text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if diff := cmp.Diff(s, again, exported); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(string(text), string(scenarios.Format(again))); diff != "" {
		t.Errorf("formatted again (-want +got):\n%s", diff)
	}
}

// TestFormatEmptyProgram checks that a scenario with an empty program section survives Format.
func TestFormatEmptyProgram(t *testing.T) {
	s, err := scenarios.Parse("s.txtar", []byte("t\n-- scenario --\nprotocol: p\n-- program --\n"))
	if err != nil {
		t.Fatal(err)
	}
	checkFormat(t, s)
}

// names are those of all keys.
func names() (list []string) {
	for _, k := range scenarios.Keys() {
		list = append(list, k.Name)
	}
	return list
}

// TestFormatKeys checks that Keys lists every key, in the order in which Format writes them.
func TestFormatKeys(t *testing.T) {
	s, err := scenarios.Parse("full.txtar", []byte(full))
	if err != nil {
		t.Fatal(err)
	}
	s.Shape, s.Roles = "ring 2", "servers 3" // so that these keys are written, too
	var got []string
	section := strings.Split(string(scenarios.Format(s)), "-- ")[1]
	for line := range strings.Lines(strings.TrimPrefix(section, "scenario --\n")) {
		key, _, _ := strings.Cut(line, ":")
		got = append(got, key)
	}
	if diff := cmp.Diff(names(), got); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
}

// TestTruncated cuts the full file after every byte: an error that names file and line, or a
// scenario that survives Format.
func TestTruncated(t *testing.T) {
	for n := range len(full) {
		s, err := scenarios.Parse("cut.txtar", []byte(full[:n]))
		switch {
		case err != nil && !strings.HasPrefix(err.Error(), "cut.txtar:"):
			t.Errorf("first %d bytes: error without file: %v", n, err)
		case err == nil && s.Program != "":
			checkFormat(t, s)
		}
	}
}

// FuzzParse gives the parser any text: an error with the file's name, or a scenario that survives
// Format.
func FuzzParse(f *testing.F) {
	f.Add(full)
	f.Add("-- scenario --\nprotocol: p\nprogram: ring 3\n")
	f.Add("t\n-- program --\na: wait\n-- scenario --\nprotocol: p\nat-once: all")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := scenarios.Parse("f.txtar", []byte(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f.txtar:") {
				t.Fatalf("error without file: %v", err)
			}
			return
		}
		_ = scenarios.Format(s)
	})
}

// TestBadFiles gives bad files with the exact error: file, line, what is wrong, what was expected.
func TestBadFiles(t *testing.T) {
	known := "Known keys: " + strings.Join(names(), ", ")
	header := func(lines ...string) string {
		return "title\n-- scenario --\nprotocol: p\n" + strings.Join(lines, "\n") +
			"\n-- program --\na: wait\n"
	}
	tests := []struct{ name, text, want string }{
		{"empty", "", `1: no section; a scenario needs "-- scenario --" and "-- program --"`},
		{"prose only", "title\nprose",
			`1: no section; a scenario needs "-- scenario --" and "-- program --"`},
		{"binary", "\x00\xff\xfe",
			`1: no section; a scenario needs "-- scenario --" and "-- program --"`},
		{"no scenario section", "-- program --\na: wait\n",
			`1: section "-- scenario --" is missing`},
		{"no program", "-- scenario --\nprotocol: p\n",
			`1: no program: write a section "-- program --" or "program: NAME N"`},
		{"two programs", header("program: ring 3"), `4: two programs, one named and one written`},
		{"no protocol", "-- scenario --\nfailures: 1\n-- program --\na: wait\n",
			`1: no protocol is named`},
		{"unknown section", header() + "-- notes --\n",
			`7: unknown section "notes", want scenario, program or schedule`},
		{"unknown key", header("failure: 1"), `4: failure: unknown key, did you mean "failures"? ` +
			known},
		{"misspelt key", header("", "", "protocoll: p"),
			`6: protocoll: unknown key, did you mean "protocol"? ` + known},
		{"upper case", header("Failures: 1"),
			`4: Failures: unknown key, did you mean "failures"? ` + known},
		{"key twice", header("failures: 1", "loss: 2", "failures: 2"),
			`6: failures is given twice`},
		{"same value twice", header("protocol: p"), `4: protocol is given twice`},
		{"no colon", header("failures 1"), `4: want "key: value", got "failures 1"`},
		{"no value", header("failures:"), `4: want "key: value", got "failures:"`},
		{"no key", header(": 1"), `4: : unknown key. ` + known},
		{"another word", header("crashes: 1"), `4: crashes: unknown key. ` + known},
		{"word as number", header("failures: one"),
			`4: failures: "one", want a number in [0, 15]`},
		{"negative", header("loss: -1"), `4: loss: "-1", want a number in [0, 15]`},
		{"fraction", header("torn: 1.5"), `4: torn: "1.5", want a number in [0, 15]`},
		{"huge", header("states: 99999999999999999999"),
			`4: states: "99999999999999999999", want a number in [0, 9223372036854775807]`},
		{"huge budget", header("failures: 99999999999999999999"),
			`4: failures: "99999999999999999999", want a number in [0, 15]`},
		{"large budget", header("torn: 16"), `4: torn: "16", want a number in [0, 15]`},
		{"at once word", header("at-once: both"),
			`4: at-once: "both", want a number in [0, 15] or all`},
		{"stop", header("stop: later"), `4: stop: "later", want together or staggered`},
		{"network", header("network: lifo"), `4: network: "lifo", want fifo, unordered or set`},
		{"ignored", header("ignored: gone"), `4: ignored: "gone", want lost or kept`},
		{"roles and a program", header("roles: servers 3"), `4: procs with roles have no program`},
		{"to dead", header("to-dead: no"), `4: to-dead: "no", want lost or kept`},
		{"notice", header("notice: all"), `4: notice: "all", want each or joint`},
		{"detect", header("detect: all"), `4: detect: "all", want after or any`},
		{"force", header("force: maybe"), `4: force: "maybe", want no or yes`},
		{"from dead", header("from-dead: all"),
			`4: from-dead: "all", want prefix, every or nothing`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := scenarios.Parse("dir/bad.txtar", []byte(tt.text))
			if want := "dir/bad.txtar:" + tt.want; err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

// TestSecondSection checks that the error about a doubled section names the line of the second one.
func TestSecondSection(t *testing.T) {
	_, err := scenarios.Parse("s.txtar", []byte(
		"t\n-- scenario --\nprotocol: p\n-- program --\na: wait\n-- program --\nb: wait\n"))
	if err == nil || err.Error() != `s.txtar:6: second section "program"` {
		t.Errorf("got %v", err)
	}
}

// TestIndentedMarker checks that prose that looks like a section does not move line numbers.
func TestIndentedMarker(t *testing.T) {
	_, err := scenarios.Parse("s.txtar", []byte(
		"t\n -- scenario --\nprose\n-- scenario --\nprotocol: p\nloss: x\n"))
	if err == nil || !strings.HasPrefix(err.Error(), "s.txtar:6: ") {
		t.Errorf("got %v", err)
	}
}

// TestUnknownVerdict checks that words which can never come true are refused.
func TestUnknownVerdict(t *testing.T) {
	if _, err := scenarios.Parse("s.txtar", []byte(
		"-- scenario --\nprotocol: p\nprogram: ring 2\nexpect: hold\n")); err == nil {
		t.Error("accepted")
	}
}

// TestWindowsLines checks that a file with CRLF line ends means the same.
func TestWindowsLines(t *testing.T) {
	want, err := scenarios.Parse("s.txtar", []byte(full))
	if err != nil {
		t.Fatal(err)
	}
	got, err := scenarios.Parse("s.txtar", []byte(strings.ReplaceAll(full, "\n", "\r\n")))
	if err != nil {
		t.Fatal(err)
	}
	got.Program, got.Prose, got.Title = strings.ReplaceAll(got.Program, "\r\n", "\n"),
		strings.ReplaceAll(got.Prose, "\r", ""), strings.TrimSpace(got.Title)
	if diff := cmp.Diff(want, got, exported); diff != "" {
		t.Errorf("scenario (-want +got):\n%s", diff)
	}
}

// TestLoad checks the errors of files that can not be read.
func TestLoad(t *testing.T) {
	if _, err := scenarios.Load(filepath.Join(t.TempDir(), "none.txtar")); !errors.Is(err,
		fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := scenarios.Load(t.TempDir()); err == nil ||
		!strings.HasPrefix(err.Error(), "scenarios: read ") {
		t.Errorf("folder: %v", err)
	}
	file := filepath.Join(t.TempDir(), "x.y.txtar")
	if err := os.WriteFile(file, []byte(full), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := scenarios.Load(file)
	if err != nil || s.Name != "x.y" {
		t.Errorf("name %q, %v", s.Name, err)
	}
}

// TestErrorf checks that an error about a key names its line, one about a section the line on which
// it begins, and an error about a key that is not given line 1.
func TestErrorf(t *testing.T) {
	s, err := scenarios.Parse("s.txtar", []byte(full))
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("cause")
	for key, want := range map[string]string{"protocol": "s.txtar:8: p: cause",
		"-- program --":  "s.txtar:46: p: cause",
		"-- schedule --": "s.txtar:49: p: cause", "program": "s.txtar:1: p: cause"} {
		got := s.Errorf(key, "%s: %w", "p", cause)
		if got.Error() != want || !errors.Is(got, cause) {
			t.Errorf("%s: got %v, want %s", key, got, want)
		}
	}
}

// TestLoadWithoutEnd: a file that is no scenario for sure is not read to its end.
func TestLoadWithoutEnd(t *testing.T) {
	file := filepath.Join(t.TempDir(), "long")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, effort.Of[int64](1<<30, 1<<33)); err != nil {
		t.Skip(err) // no room for holes
	}
	if _, err := scenarios.Load(file); err == nil || !strings.Contains(err.Error(), "no scenario") {
		t.Errorf("a GiB of nothing, or eight: %v", err)
	}
}
