//go:build unix

package coq_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/spec"
)

// most is how much CPU time all files may take on a quiet machine: they take 9 to 18 s there, and
// up to 71 s where four others compute on two processors. So only a huge test judges it.
const most = 60 * time.Second

// sources are the files of theorems, in the order of _CoqProject, and what is in them.
func sources(t *testing.T) (names []string, texts map[string]string) {
	t.Helper()
	list, err := os.ReadFile("_CoqProject")
	if err != nil {
		t.Fatal(err)
	}
	texts = map[string]string{}
	for _, name := range strings.Fields(string(list))[3:] { // behind -Q . Domino
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		name = strings.TrimSuffix(name, ".v")
		names, texts[name] = append(names, name), string(text)
	}
	found, _ := filepath.Glob("*.v") // the pattern is well-formed
	if len(found) != len(names) {
		t.Errorf("%d files, and %d in _CoqProject", len(found), len(names))
	}
	return names, texts
}

var (
	theoremLine = regexp.MustCompile(`(?m)^Theorem (\w+)`)
	lemmaLine   = regexp.MustCompile(`(?m)^(?:Theorem|Lemma) (\w+)`)
	assumption  = regexp.MustCompile(`(?m)^Hypothesis (\w+) : (\w+)`)
	record      = regexp.MustCompile(`(?s)\nRecord (\w+)[^.]*?: Prop := \{(.*?)\}\.`)
	field       = regexp.MustCompile(`(?m)^  (\w+) :`)
)

// found are what an expression finds in a text.
func found(e *regexp.Regexp, text string) (list []string) {
	for _, m := range e.FindAllStringSubmatch(text, -1) {
		list = append(list, m[1])
	}
	return list
}

// TestTheorems compiles every file and reads of each theorem that it rests on no axiom.
func TestTheorems(t *testing.T) {
	if _, err := exec.LookPath("coqc"); err != nil {
		const missing = "coqc is not installed (Debian: apt-get install coq): nothing is proved"
		if os.Getenv("CI") == "true" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	names, texts := sources(t)
	dir := t.TempDir()
	var check strings.Builder
	var want []string
	for _, name := range names {
		write(t, filepath.Join(dir, name+".v"), texts[name])
		fmt.Fprintf(&check, "From Domino Require %s.\n", name)
		for _, theorem := range found(theoremLine, texts[name]) {
			want = append(want, name+"."+theorem)
			fmt.Fprintf(&check, "Print Assumptions Domino.%s.%s.\n", name, theorem)
		}
	}
	write(t, filepath.Join(dir, "Check.v"), check.String())
	var used time.Duration
	var said string
	for _, name := range append(names, "Check") {
		c := exec.CommandContext(t.Context(), "coqc", "-q", "-Q", ".", "Domino", name+".v")
		c.Dir = dir
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s.v: %v\n%s", name, err, out)
		}
		said = string(out)
		used += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	t.Logf("%d theorems, %v of CPU time", len(want), used)
	if effort.Huge() && used > most {
		t.Errorf("the files take %v of CPU time, at most %v is wanted", used, most)
	}
	if problem := closed(want, said); problem != "" {
		t.Error(problem)
	}
}

// write puts a text into a file.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// closed says what is wrong with what Coq says of the theorems, one after the other.
func closed(want []string, said string) string {
	const word = "Closed under the global context"
	lines := strings.Split(strings.TrimSpace(said), "\n")
	for i, theorem := range want {
		if i >= len(lines) || strings.TrimSpace(lines[i]) != word {
			return fmt.Sprintf("%s is not closed: %.300s", theorem,
				strings.Join(lines[min(i, len(lines)):], "\n"))
		}
	}
	if len(lines) != len(want) {
		return fmt.Sprintf("%d theorems, and Coq says something of %d", len(want), len(lines))
	}
	return ""
}

// TestClosed shows that a theorem with an axiom is noticed.
func TestClosed(t *testing.T) {
	const yes = "Closed under the global context\n"
	for _, said := range []string{"", yes, yes + "Axioms:\nbelieved : False\n", yes + yes + yes} {
		if closed([]string{"A.a", "A.b"}, said) == "" {
			t.Errorf("%q is taken for two closed theorems", said)
		}
	}
	if problem := closed([]string{"A.a", "A.b"}, yes+yes); problem != "" {
		t.Error(problem)
	}
}

// forbidden are words that stand for what is believed and not proved.
var forbidden = regexp.MustCompile(`\b(Axioms?|Parameters?|Conjecture|Primitive|Admitted|admit|` +
	`give_up|bypass_check|Admit\s+Obligations|Unset\s+(Guard|Positivity|Universe)\w*|` +
	`type_in_type|Declare\s+ML|Extract\s+Constant)\b`)

// comment is a comment of Coq in which there is no other one.
var comment = regexp.MustCompile(`(?s)\(\*([^(*]|\([^*]|\*[^)])*?\*+\)`)

// TestNothingIsBelieved looks for such words outside comments.
func TestNothingIsBelieved(t *testing.T) {
	names, texts := sources(t)
	for _, name := range names {
		if word := forbidden.FindString(comment.ReplaceAllString(texts[name], "")); word != "" {
			t.Errorf("%s.v has %q", name, word)
		}
	}
	for _, text := range []string{"Axiom a : False.", "Proof. admit. Admitted.",
		"Parameter n : nat.", "(* words *) Conjecture b : False. (* more *)",
		"Unset Guard Checking."} {
		if forbidden.FindString(comment.ReplaceAllString(text, "")) == "" {
			t.Errorf("%q is not refused", text)
		}
	}
	const text = "(** No Axiom * is (used) here. *) Qed."
	if forbidden.MatchString(comment.ReplaceAllString(text, "")) {
		t.Error("a comment is refused")
	}
}

// TestWords holds files to the house rules: short, and a sentence above every definition.
func TestWords(t *testing.T) {
	names, texts := sources(t)
	begins := regexp.MustCompile(
		`^(Definition|Fixpoint|Inductive|Record|Lemma|Theorem|Corollary|Example|Ltac)\b`)
	for _, name := range names {
		lines := strings.Split(texts[name], "\n")
		if len(lines) > 301 {
			t.Errorf("%s.v has %d lines, at most 300 are wanted", name, len(lines))
		}
		for i, line := range lines {
			if len(line) > 100 {
				t.Errorf("%s.v:%d is longer than 100 columns", name, i+1)
			}
			above := strings.TrimSpace(lines[max(0, i-1)])
			again := begins.MatchString(above) && strings.HasSuffix(above, ".") // said of both
			if begins.MatchString(line) && !strings.HasSuffix(above, "*)") && !again {
				t.Errorf("%s.v:%d: no sentence above %s", name, i+1, line)
			}
		}
	}
}

// entry is what the table in doc.go says of a hypothesis.
type entry struct{ how, what string }

// table reads doc.go: the theorems of each file, and what it says of their hypotheses.
func table(t *testing.T) (theorems map[string][]string, hypotheses map[string]map[string]entry) {
	t.Helper()
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, text2, _ := strings.Cut(string(text), "# Hypotheses")
	heading := regexp.MustCompile(`^//\t(\w+):\s*(.*)$`)
	line := regexp.MustCompile(`^//\t  (\w+)\s+(proved|tested|judged|assumed): (.+)$`)
	theorems, hypotheses = map[string][]string{}, map[string]map[string]entry{}
	file := ""
	for l := range strings.Lines(text2) {
		l = strings.TrimRight(l, "\n")
		if m := heading.FindStringSubmatch(l); m != nil {
			file = m[1]
			if hypotheses[file] == nil {
				hypotheses[file] = map[string]entry{}
			}
			if m[2] != "" {
				theorems[file] = append(theorems[file], strings.Split(m[2], ", ")...)
			}
		} else if m := line.FindStringSubmatch(l); m != nil && file != "" {
			hypotheses[file][m[1]] = entry{m[2], m[3]}
		} else if strings.HasPrefix(l, "//\t") {
			t.Errorf("doc.go: can not read %q", l)
		}
	}
	return theorems, hypotheses
}

// TestTable compares doc.go with the files: every theorem and every hypothesis is in it and there,
// and what is said to be proved or tested is.
func TestTable(t *testing.T) {
	names, texts := sources(t)
	theorems, hypotheses := table(t)
	fields := map[string][]string{}
	var lemmas []string
	for _, name := range names {
		for _, m := range record.FindAllStringSubmatch(texts[name], -1) {
			fields[m[1]] = found(field, m[2])
		}
		lemmas = append(lemmas, found(lemmaLine, texts[name])...)
	}
	for _, name := range names {
		if want := found(theoremLine, texts[name]); !slices.Equal(theorems[name], want) {
			t.Errorf("doc.go: theorems of %s are %q, want %q", name, theorems[name], want)
		}
		want := map[string]bool{}
		for _, m := range assumption.FindAllStringSubmatch(texts[name], -1) {
			want[m[1]] = true
			for _, f := range fields[m[2]] {
				want[f] = theorems[name] != nil
			}
		}
		for h := range want {
			if _, ok := hypotheses[name][h]; want[h] && !ok {
				t.Errorf("doc.go: nothing is said of the hypothesis %s of %s", h, name)
			}
		}
		for h, e := range hypotheses[name] {
			if !want[h] {
				t.Errorf("doc.go: %s has no hypothesis %s", name, h)
			}
			if problem := e.wrong(lemmas); problem != "" {
				t.Errorf("doc.go: %s of %s: %s", h, name, problem)
			}
		}
	}
}

// wrong says why what an entry says is not so.
func (e entry) wrong(lemmas []string) string {
	switch e.how {
	case "proved":
		if !slices.Contains(lemmas, e.what) {
			return "no lemma " + e.what
		}
	case "judged":
		if !slices.ContainsFunc(spec.Properties(), func(p spec.Property) bool {
			return p.Name == e.what
		}) {
			return "no property " + e.what
		}
	case "tested":
		dir, test, _ := strings.Cut(e.what, " ")
		files, _ := filepath.Glob(filepath.Join("../..", dir, "*_test.go")) // well-formed
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err == nil && strings.Contains(string(text), "\nfunc "+test+"(t *testing.T)") {
				return ""
			}
		}
		return "no test " + test + " in " + dir
	}
	return ""
}
