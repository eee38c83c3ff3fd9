package ci_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/domino-check/domino/spec/report/ci"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// formats are the writers, and the files of what they write of the suite with all outcomes.
var formats = []struct {
	file  string
	write func(io.Writer, *ci.Suite) error
}{
	{"all.junit.xml", ci.JUnit},
	{"all.sarif", ci.SARIF},
	{"all.annotations.txt", func(w io.Writer, s *ci.Suite) error {
		return ci.Annotations(w, s, "the summary")
	}},
	{"all.md", func(w io.Writer, s *ci.Suite) error { return ci.Summary(w, s, ci.SummaryBytes) }},
}

// written is what a writer writes.
func written(t *testing.T, write func(io.Writer, *ci.Suite) error, s *ci.Suite) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestFormats compares each format with a golden file, and writes it a second time.
func TestFormats(t *testing.T) {
	for _, f := range formats {
		t.Run(f.file, func(t *testing.T) {
			got := written(t, f.write, all())
			if again := written(t, f.write, all()); !bytes.Equal(got, again) {
				t.Error("the second time it differs")
			}
			file := filepath.Join("testdata", f.file)
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), string(got)); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// suites are what the official schemas must accept: all outcomes, none, hostile names, and more
// than fits.
func suites() map[string]*ci.Suite {
	evil := all()
	evil.Tool, evil.Command, evil.Version = hostile, hostile, hostile
	evil.Cases = append(evil.Cases, broken(hostile))
	return map[string]*ci.Suite{"all": all(), "empty": {Tool: "domino", Command: "check"},
		"hostile": evil, "many": many(500)}
}

// TestSARIFSchema validates what is written against the schema of OASIS, and sees that the schema
// refuses a document that is spoiled.
func TestSARIFSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range suites() {
		t.Run(name, func(t *testing.T) {
			text := written(t, ci.SARIF, s)
			document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(document); err != nil {
				t.Error(err)
			}
		})
	}
	good := string(written(t, ci.SARIF, all()))
	for _, spoil := range [][2]string{{`"level": "error"`, `"level": "bad"`},
		{`"startLine": 7`, `"startLine": 0`}, {`"ruleId"`, `"rule"`},
		{`"version": "2.1.0"`, `"version": "2.0.0"`}} {
		bad := strings.ReplaceAll(good, spoil[0], spoil[1])
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(bad))
		if err != nil || bad == good {
			t.Fatalf("%v is not spoiled: %v", spoil, err)
		}
		if schema.Validate(document) == nil {
			t.Errorf("the schema takes %s", spoil[1])
		}
	}
}

// TestJUnitSchema validates what is written against the schema of Jenkins, by the tool of libxml2,
// and sees that it refuses a document that is spoiled.
func TestJUnitSchema(t *testing.T) {
	tool, err := exec.LookPath("xmllint")
	if err != nil {
		t.Skip("xmllint is not installed (libxml2-utils): the schema of JUnit XML is not tried")
	}
	valid := func(text []byte) error {
		file := filepath.Join(t.TempDir(), "junit.xml")
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return err
		}
		out, err := exec.Command(tool, "--noout", "--nonet", "--schema", "testdata/junit-4.xsd",
			file).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %.400s", err, out)
		}
		return nil
	}
	for name, s := range suites() {
		if err := valid(written(t, ci.JUnit, s)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := written(t, ci.JUnit, all())
	for _, spoil := range [][2]string{{"<skipped>", "<skipped why=\"\">"}, {" name=", " nam="},
		{"<system-out>", "<system-err></system-err><system-out>"}} {
		bad := bytes.ReplaceAll(good, []byte(spoil[0]), []byte(spoil[1]))
		if bytes.Equal(bad, good) {
			t.Fatalf("%v is not spoiled", spoil)
		}
		if valid(bad) == nil {
			t.Errorf("the schema takes %s", spoil[1])
		}
	}
}

// TestJUnitHostile reads JUnit XML with names that have markup and what XML forbids: the numbers of
// elements are those without the names.
func TestJUnitHostile(t *testing.T) {
	elements := func(s *ci.Suite) map[string]int {
		count := map[string]int{}
		d := xml.NewDecoder(bytes.NewReader(written(t, ci.JUnit, s)))
		for {
			token, err := d.Token()
			if err == io.EOF {
				return count
			}
			if err != nil {
				t.Fatal(err)
			}
			if e, ok := token.(xml.StartElement); ok {
				count[e.Name.Local]++
			}
		}
	}
	plain, evil := all(), all()
	plain.Cases = append(plain.Cases, broken(""))
	evil.Cases = append(evil.Cases, broken(hostile))
	if d := cmp.Diff(elements(plain), elements(evil)); d != "" {
		t.Errorf("-plain +hostile:\n%s", d)
	}
}

// annotations are the lines of workflow commands, by kind.
func annotations(t *testing.T, s *ci.Suite) map[string][]string {
	t.Helper()
	list := map[string][]string{}
	text := string(written(t, formats[2].write, s))
	for line := range strings.Lines(text) {
		kind, _, ok := strings.Cut(strings.TrimPrefix(line, "::"), " ")
		if !ok || !strings.HasPrefix(line, "::") {
			t.Fatalf("no workflow command: %q", line)
		}
		list[kind] = append(list[kind], line)
	}
	return list
}

// TestAnnotationsMany has 500 violations: ten annotations of a kind, the last one with the number
// of the others.
func TestAnnotationsMany(t *testing.T) {
	list := annotations(t, many(500))
	for _, kind := range []string{"error", "warning"} {
		if n := len(list[kind]); n != 10 {
			t.Errorf("%d of the kind %s", n, kind)
			continue
		}
		if last := list[kind][9]; !strings.HasSuffix(last, "::and 491 more, see the summary\n") {
			t.Errorf("the last one is %q", last)
		}
	}
	if n := len(annotations(t, many(10))["error"]); n != 10 {
		t.Errorf("%d of ten", n)
	}
}

// TestAnnotationsHostile has names with line ends and what separates the parts of a command: they
// stay one line each, with the properties that are meant and what they say.
func TestAnnotationsHostile(t *testing.T) {
	s := all()
	s.Cases = append(s.Cases[:0], broken(hostile))
	list := annotations(t, s)
	if len(list) != 1 || len(list["error"]) != 1 {
		t.Fatalf("got %v", list)
	}
	line := strings.TrimSuffix(strings.TrimPrefix(list["error"][0], "::error "), "\n")
	properties, data, _ := strings.Cut(line, "::")
	if n := strings.Count(properties, ","); n != 2 {
		t.Errorf("%d commas between properties: %s", n, properties)
	}
	back := strings.NewReplacer("%25", "%", "%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",")
	if got := back.Replace(data); got != s.Cases[0].Why+"\n"+s.Cases[0].Command {
		t.Errorf("it says %q", got)
	}
	if !strings.Contains(back.Replace(properties), "file="+s.Cases[0].File+",line=7,title=") {
		t.Errorf("properties %q", properties)
	}
}

// TestSummaryRoom writes summaries of 500 violations in less and less room: the counts are always
// there, no summary takes more than it may, none is cut within a block, and what is shown goes in
// the order table, changes of states, runs, findings.
func TestSummaryRoom(t *testing.T) {
	const change, run, table = "sent: 0 -> 1", "VIOLATED", "<summary>All 1500</summary>"
	s := many(500)
	before := 1 << 30
	for _, most := range []int{4 << 20, ci.SummaryBytes, 1 << 19, 1 << 18, ci.CommentBytes, 2048} {
		text := string(written(t, func(w io.Writer, s *ci.Suite) error {
			return ci.Summary(w, s, most)
		}, s))
		if len(text) > most {
			t.Errorf("%d bytes in %d", len(text), most)
		}
		if !strings.Contains(text, "1000 of 1500 not as expected") {
			t.Errorf("no counts in %d bytes", most)
		}
		opened, closed := strings.Count(text, "<details>"), strings.Count(text, "</details>")
		if opened != closed {
			t.Errorf("%d opened, %d closed in %d bytes", opened, closed, most)
		}
		findings := strings.Count(text, "\n### ")
		switch {
		case strings.Contains(text, table) && strings.Count(text, change) < 500:
			t.Errorf("a table, and changes are left out, in %d bytes", most)
		case strings.Contains(text, change) && strings.Count(text, run) < findings/3:
			t.Errorf("changes, and runs are left out, in %d bytes", most)
		case findings < 1000 && !strings.Contains(text, fmt.Sprintf("and %d more,", 1000-findings)):
			t.Errorf("%d findings in %d bytes, and no word of the others", findings, most)
		}
		if len(text) > before {
			t.Errorf("less room, longer text: %d", len(text))
		}
		before = len(text)
	}
}

// TestSummaryHostile has a name with markup: nothing of it is left outside of code but as text.
func TestSummaryHostile(t *testing.T) {
	s := all()
	s.Cases = append(s.Cases[:0], broken(hostile))
	text := string(written(t, formats[3].write, s))
	var outside strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		switch {
		case fence == "" && strings.HasPrefix(line, "```"):
			fence = strings.TrimSuffix(line, "text\n") + "\n"
		case line == fence:
			fence = ""
		case fence == "" && !strings.HasPrefix(line, "Repeat it:"):
			outside.WriteString(line)
		}
	}
	if fence != "" {
		t.Error("a block of code does not end")
	}
	for _, evil := range []string{"<script", "](", "`", "| [", "*c*"} {
		if strings.Contains(outside.String(), evil) {
			t.Errorf("%q is left: %s", evil, outside.String())
		}
	}
}

// TestSARIFLimits has more results than receivers take, and runs of 10,000 events.
func TestSARIFLimits(t *testing.T) {
	s := many(6000)
	for i := range s.Cases {
		if r := s.Cases[i].Run; r != nil && i < 12 {
			for len(r.Trace.Events) < 10_000 {
				r.Trace.Events = append(r.Trace.Events, r.Trace.Events...)
			}
			for k := range r.Trace.Events {
				r.Trace.Events[k].Step = k
			}
		}
	}
	text := written(t, ci.SARIF, s)
	if len(text) > 10_000_000 {
		t.Errorf("%d bytes", len(text))
	}
	var log struct {
		Runs []struct {
			Results     []json.RawMessage
			Invocations []struct {
				Notes []struct{ Message struct{ Text string } } `json:"toolExecutionNotifications"`
			}
		}
	}
	if err := json.Unmarshal(text, &log); err != nil {
		t.Fatal(err)
	}
	n := len(log.Runs[0].Results)
	want := fmt.Sprintf("%d more results are left out, for their size", 12_000-n)
	if n > 5000 || n < 1000 || log.Runs[0].Invocations[0].Notes[0].Message.Text != want {
		t.Errorf("%d results, %+v", n, log.Runs[0].Invocations)
	}
}
