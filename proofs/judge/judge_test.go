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

// TestMain removes the judge.
func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if folder != "" {
		os.RemoveAll(folder) // what is left of it is in a temporary folder
	}
	os.Exit(code)
}

var (
	building sync.Mutex
	folder   string // of the judge, once it is built
)

// build makes the judge, once: Coq compiles and extracts it, OCaml compiles what comes of it.
func build(t *testing.T) string {
	t.Helper()
	if *binary != "" {
		return *binary
	}
	building.Lock()
	defer building.Unlock()
	if folder != "" {
		return filepath.Join(folder, "judge")
	}
	for _, tool := range []string{"coqc", "ocamlopt"} {
		if _, err := exec.LookPath(tool); err != nil {
			missing := tool + " is not installed (Debian: apt-get install coq ocaml-nox): " +
				"package order is not compared with the extracted judge"
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
	folder = dir
	for _, name := range []string{"../coq/Judge.v", "extract.v", "main.ml"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"coqc", "-q", "-Q", ".", "Domino", "Judge.v"},
		{"coqc", "-q", "-Q", ".", "Domino", "extract.v"},
		{"ocamlopt", "judge.mli", "judge.ml", "main.ml", "-o", "judge"}} {
		c := exec.CommandContext(t.Context(), args[0], args[1:]...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	return filepath.Join(dir, "judge")
}

// TestJudge compares what both say of random runs.
func TestJudge(t *testing.T) {
	t.Parallel()
	n := *traces
	if n == 0 {
		n = effort.Of(3_000, 100_000)
	}
	c := exec.CommandContext(t.Context(), build(t))
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
	const most = 200 // runs on their way: the judge answers a line before it reads the next one
	runs := make(chan *run, most)
	go func() {
		defer close(runs)
		defer in.Close()
		r, w := rand.New(rand.NewPCG(1, 2)), bufio.NewWriter(in)
		var line []byte
		for i := range n {
			d := draw(r)
			line = d.line(line[:0])
			if _, err := w.Write(line); err != nil {
				return
			}
			if i%(most/2) == most/2-1 && w.Flush() != nil {
				return
			}
			runs <- d
		}
		w.Flush() // an error shows as an answer that is missing
	}()
	answers, compared, orphaned := bufio.NewReader(out), 0, 0
	var said []byte
	for d := range runs {
		want, err := answers.ReadBytes('\n')
		if err != nil {
			t.Fatalf("run %d: the judge says nothing: %v", compared+1, err)
		}
		if said = d.said(said[:0]); !bytes.Equal(said, want) {
			t.Fatalf("run %d: %+v\n%s\npackage order says %s\nthe judge          %s", compared+1,
				d.trace.Events, d.line(nil), said, want)
		}
		compared++
		if bytes.Fields(want)[len(d.things)+1][0] != '0' {
			orphaned++
		}
	}
	if err := c.Wait(); err != nil || compared != n || orphaned < n/10 || orphaned > n*9/10 {
		t.Errorf("%d runs compared, want %d; %d cuts have orphans: %v", compared, n, orphaned, err)
	}
}

// wrong are changes of package order that a reader might overlook.
var wrong = []struct{ name, file, from, to string }{
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
func TestWrongOrders(t *testing.T) {
	if !effort.Long() {
		t.Skip("compiles package order many times: " + effort.More)
	}
	t.Parallel()
	judge := build(t)
	for _, m := range wrong {
		path, err := filepath.Abs(filepath.Join("../../spec/order", m.file))
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
			"-run", "^TestJudge$", ".", "-judge", judge, "-traces", strconv.Itoa(10_000)).
			CombinedOutput()
		if err == nil || !bytes.Contains(out, []byte("package order says")) {
			t.Errorf("%s: %v\n%.500s", m.name, err, out)
		}
	}
}
