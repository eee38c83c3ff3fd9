//go:build unix

package judge_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/domino-check/domino/checker/effort"
)

var (
	traces = flag.Int("traces", 0, "how many runs are compared; 0: as many as there is time for")
	binary = flag.String("judge", "", "a judge that is built already")
)

// judges are made of files of Coq, the last of which extracts, and of a main program of OCaml. Each
// is named like what the extraction writes.
var judges = map[string]struct {
	theories []string
	main     string
}{
	"judge": {[]string{"../coq/Judge.v", "extract.v"}, "main.ml"},
	"steps": {[]string{"../coq/HydEE.v", "../coq/HydEEPhases.v", "steps.v"}, "hydee.ml"},
}

// TestMain removes the judges.
func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	for _, folder := range folders {
		os.RemoveAll(folder) // what is left of it is in a temporary folder
	}
	os.Exit(code)
}

var (
	building sync.Mutex
	folders  = map[string]string{} // of judges that are built, by name
)

// build makes a judge, once: Coq compiles and extracts it, OCaml compiles what comes of it.
func build(t *testing.T, name string) string {
	t.Helper()
	if *binary != "" {
		return *binary
	}
	building.Lock()
	defer building.Unlock()
	if folder := folders[name]; folder != "" {
		return filepath.Join(folder, name)
	}
	for _, tool := range []string{"coqc", "ocamlopt"} {
		if _, err := exec.LookPath(tool); err != nil {
			missing := tool + " is not installed (Debian: apt-get install coq ocaml-nox): " +
				"nothing is compared with the extracted " + name
			if os.Getenv("CI") == "true" {
				t.Fatal(missing)
			}
			t.Skip(missing)
		}
	}
	dir, err := os.MkdirTemp("", "judge")
	if err != nil {
		t.Fatal(err)
	}
	folders[name] = dir
	of := judges[name]
	for _, file := range append(of.theories[:len(of.theories):len(of.theories)], of.main) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) {
		c := exec.CommandContext(t.Context(), args[0], args[1:]...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	for _, file := range of.theories {
		run("coqc", "-q", "-Q", ".", "Domino", filepath.Base(file))
	}
	run("ocamlopt", name+".mli", name+".ml", of.main, "-o", name)
	return filepath.Join(dir, name)
}

// subject is what both judge: as a line that the extracted judge reads, and what Go says of it, as
// a line.
type subject interface {
	line(b []byte) []byte
	said(b []byte) []byte
}

// compare draws subjects and fails the test at the first one of which both do not say the same;
// each is told what they say of those before.
func compare[S subject](t *testing.T, judge string, n int, draw func(*rand.Rand) S,
	each func(S, []byte)) {
	t.Helper()
	c := exec.CommandContext(t.Context(), judge)
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	const most = 400 // on their way: the judge answers when it is asked to, and at the end
	subjects := make(chan S, most)
	go func() {
		defer close(subjects)
		defer in.Close()
		r, w := rand.New(rand.NewPCG(1, 2)), bufio.NewWriter(in)
		var line []byte
		for i := range n {
			d := draw(r)
			line = d.line(line[:0])
			if _, err := w.Write(line); err != nil {
				return
			}
			if i%(most/2) == most/2-1 {
				_ = w.WriteByte('\n') // sticks: it is to answer all of them now
				if w.Flush() != nil {
					return
				}
			}
			subjects <- d
		}
		w.Flush() // an error shows as an answer that is missing
	}()
	answers, compared := bufio.NewReader(out), 0
	var said []byte
	for d := range subjects {
		want, err := answers.ReadBytes('\n')
		if err != nil {
			t.Fatalf("%d: the judge says nothing: %v", compared+1, err)
		}
		if said = d.said(said[:0]); !bytes.Equal(said, want) {
			t.Fatalf("%d: %+v\n%s\nGo says   %s\nthe judge %s", compared+1, d, d.line(nil), said,
				want)
		}
		compared++
		each(d, want)
	}
	if err := c.Wait(); err != nil || compared != n {
		t.Errorf("%d compared, want %d: %v", compared, n, err)
	}
}

// TestJudge compares what both say of random runs.
func TestJudge(t *testing.T) {
	t.Parallel()
	n, orphaned := *traces, 0
	if n == 0 {
		n = effort.Cases(3_000, 10_000)
	}
	compare(t, build(t, "judge"), n, draw, func(d *run, said []byte) {
		if bytes.Fields(said)[len(d.things)+1][0] != '0' {
			orphaned++
		}
	})
	if orphaned < n/10 || orphaned > n*9/10 {
		t.Errorf("%d of %d cuts have orphans", orphaned, n)
	}
}

// change is a change of the source that a reader might overlook.
type change struct{ name, file, from, to string }

// wrong are changes of package order that a reader might overlook.
var wrong = []change{
	{"a node is before itself", "order.go", "return a != b && a != None", "return a != None"},
	{"the past of the process is forgotten", "order.go",
		"n.past = o.nodes[before].past.with(number)", "n.past = bits(nil).with(number)"},
	{"the past of the send is forgotten", "order.go", "n.past = n.past.union(o.nodes[s].past)",
		"n.past = n.past.with(s)"},
	{"what is done again is new", "order.go", "same(&known.event, &e) &&", "false &&"},
	{"what another process does is the same", "order.go", "a.Proc == b.Proc && ", ""},
	{"the payload of a send does not matter", "order.go", "case !payload || e.Digest == digest:",
		"case true:"},
	{"the first send under a name", "order.go", "case found == None:", "default:"},
	{"a restart goes nowhere", "order.go", "tips[r] = o.point(tips[r], e.Sent, e.Received)",
		"tips[r] = tips[r]"},
	{"a restart goes back by sends only", "order.go",
		"(o.nodes[n].sent > sent || o.nodes[n].received > received)", "o.nodes[n].sent > sent"},
	{"an image is taken for the blank state", "order.go",
		"tips[r] = o.point(cmp.Or(former[r], tips[r]), e.Sent, e.Received)",
		"tips[r] = o.point(tips[r], e.Sent, e.Received)"},
	{"a cut has only where processes are", "cut.go",
		"for ; p != None; p = o.nodes[p].before {", "if p != None {"},
	{"orphans that are not in the cut", "cut.go", "n != None && in.has(n) && slices.Contains",
		"n != None && slices.Contains"},
	{"the line skips a point", "cut.go", "left[r][k-1], left[r][:k-1]",
		"left[r][k-1], left[r][:max(k-2, 0)]"},
	{"a clock without what the sends knew", "clock.go", "clocks[k].join(clocks[s])", "_ = s"},
	{"a clock counts receptions only", "clock.go", "self.sent + self.received", "self.received"},
}

// TestWrongOrders changes package order and expects that the comparison notices.
func TestWrongOrders(t *testing.T) { notices(t, "judge", "../../spec/order", "TestJudge", wrong) }

// notices makes changes of a package, one after the other, and expects that a test that compares
// fails. It compiles the files that compare alone: with those that record traces, each change would
// compile and link all protocols and the checker again.
func notices(t *testing.T, name, dir, test string, changes []change) {
	t.Helper()
	if !effort.Long() {
		t.Skip("compiles " + dir + " many times: " + effort.More)
	}
	t.Parallel()
	judge := build(t, name)
	for _, m := range changes {
		path, err := filepath.Abs(filepath.Join(dir, m.file))
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(text), m.from) != 1 {
			t.Errorf("%s: %q is not once in %s", m.name, m.from, m.file)
			continue
		}
		dir := t.TempDir()
		changed, list := filepath.Join(dir, m.file), filepath.Join(dir, "overlay.json")
		overlay, _ := json.Marshal(map[string]any{"Replace": map[string]string{path: changed}})
		for name, content := range map[string][]byte{list: overlay,
			changed: bytes.Replace(text, []byte(m.from), []byte(m.to), 1)} {
			if err := os.WriteFile(name, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		out, err := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-overlay", list,
			"-run", "^"+test+"$", "judge_test.go", "runs_test.go", "steps_test.go",
			"-judge", judge, "-traces", strconv.Itoa(10_000)).CombinedOutput()
		if err == nil || !bytes.Contains(out, []byte("Go says")) {
			t.Errorf("%s: %v\n%.500s", m.name, err, out)
		}
	}
}
