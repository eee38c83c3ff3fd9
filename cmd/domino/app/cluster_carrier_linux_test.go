package app

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/effort"
)

// carrierMutants are changes of the carrier, each behind a word in the environment: they are built
// into a domino of their own. Held keeps back what comes behind the first frame of a connection for
// a while, or until somebody fails, and is no mutant: a network may be slow. With late, a failure
// is agreed on at once and what is left of the dead delivered then; with forgotten the first of
// that is lost. Swapped turns around what has waited for a connection, lost loses the first of it,
// and doubled sends it twice.
var carrierMutants = []struct{ old, new string }{
	{"	for _, k := range p.held {\n		p.sent++\n",
		"	switch os.Getenv(\"MUTANT\") {\n" +
			"	case \"swapped\":\n		slices.Reverse(p.held)\n" +
			"	case \"lost\":\n		p.held = p.held[min(1, len(p.held)):]\n" +
			"	case \"doubled\":\n		p.held = append(p.held, p.held...)\n	}\n" +
			"	for _, k := range p.held {\n		p.sent++\n"},
	{"	c.peers[a.From].received++\n", "	c.peers[a.From].received++\n" +
		"	if m := os.Getenv(\"MUTANT\"); c.epoch == 0 &&\n" +
		"		(m == \"held\" || m == \"late\" || m == \"forgotten\") &&\n" +
		"		c.peers[a.From].received == 1 {\n" +
		"		c.slow = time.Now()\n	}\n"},
	{"		if c.early > 0 && c.release(a) {\n",
		"		if time.Since(c.slow) < time.Second/2 {\n" +
			"			time.Sleep(time.Millisecond)\n" +
			"			return mesh.Nothing\n		}\n" +
			"		if c.early > 0 && c.release(a) {\n"},
	{"	extra   []byte\n", "	slow    time.Time\n	extra   []byte\n"},
	{"behind all that came\n			return false\n",
		"behind all that came\n			return os.Getenv(\"MUTANT\") == \"late\"\n"},
	{"int(a.Life) < c.gone[a.From]",
		"os.Getenv(\"MUTANT\") != \"late\" && int(a.Life) < c.gone[a.From]"},
	{"		c.mesh.Fence(q, core.Incarnation(c.gone[q]))\n		p :=",
		"		if os.Getenv(\"MUTANT\") != \"late\" {\n" +
			"			c.mesh.Fence(q, core.Incarnation(c.gone[q]))\n		}\n		p :="},
	{"		if c.nothing {\n", "		c.slow = time.Time{}\n" +
		"		c.with(q).skip = os.Getenv(\"MUTANT\") == \"forgotten\"\n" +
		"		if c.nothing {\n"},
	{"		p := c.with(a.From)\n", "		p := c.with(a.From)\n		if p.skip {\n" +
		"			p.skip = false\n			continue\n		}\n"},
	{"	up             bool ", "	skip           bool\n	up             bool "},
	{"	\"time\"\n", "	\"os\"\n	\"slices\"\n	\"time\"\n"},
}

// mutatedDomino builds the program with the mutants.
func mutatedDomino(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	source, err := filepath.Abs("../../../impl/runtime/tcp/cluster/carrier.go")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	changed := string(text)
	for _, m := range carrierMutants {
		if strings.Count(changed, m.old) != 1 {
			t.Fatalf("the carrier has not one %q", m.old)
		}
		changed = strings.Replace(changed, m.old, m.new, 1)
	}
	overlay, err := json.Marshal(map[string]any{
		"Replace": map[string]string{source: filepath.Join(folder, "carrier.go")}})
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"carrier.go": []byte(changed), "overlay": overlay} {
		if err := os.WriteFile(filepath.Join(folder, name), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(folder, "domino")
	build := exec.CommandContext(t.Context(), "go", "build", "-overlay",
		filepath.Join(folder, "overlay"), "-o", program, "..") // the command itself
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// TestCarrierMutants: runs in which frames of a connection are swapped, lost or doubled, or those
// of the dead are delivered when all know or their beginning is forgotten, are not found in the
// world; those of a slow network are. A course whose messages wait for somebody who is down stops
// where the first of them is due.
func TestCarrierMutants(t *testing.T) {
	if !effort.Long() {
		t.Skip("the long form builds a program with the mutants")
	}
	program, dir := mutatedDomino(t), t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	three := file("three.txtar", "Three messages\n-- scenario --\nprotocol: causal\n"+
		"failures: 1\n-- program --\na: recv b; recv b; send b; send b; send b\n"+
		"b: send a; send a; recv a; recv a; recv a\n")
	waiting := file("waiting.txtar", "Two wait\n-- scenario --\nprotocol: hydee\nclusters: a | b\n"+
		"force: yes\nfailures: 1\n-- program --\na: send b one; send b two\nb: recv a; recv a\n"+
		"-- schedule --\ncrash b\nstep a send one to b\nstep a send two to b\n"+
		"restart b incarnation 1\ndeliver a->b App one (date 1 phase 1 round 0.0)\n")
	for _, tt := range []struct {
		mutant          string
		lifted, courses bool // not noticed
	}{{"", true, true}, {"held", true, true}, {"swapped", false, false}, {"late", false, true},
		{"forgotten", false, true}, {"lost", false, false}, {"doubled", false, false}} {
		run := func(args ...string) string {
			c := exec.CommandContext(t.Context(), program, append([]string{"cluster"}, args...)...)
			c.Env = append(os.Environ(), "MUTANT="+tt.mutant)
			out, _ := c.CombinedOutput() // the text says whether it was noticed
			return string(out)
		}
		t.Run(tt.mutant, func(t *testing.T) {
			out := run("run", three, "--lift", "--kill", "a@3", "--timeout", "3s", "--dir",
				filepath.Join(t.TempDir(), "run"))
			if strings.Contains(out, "\nlifted: ") != tt.lifted ||
				strings.Contains(out, "fits nowhere behind them") == tt.lifted {
				t.Errorf("lifted, want %t:\n%s", tt.lifted, out)
			}
			out = run("enforce", waiting, "--timeout", "3s")
			if strings.Contains(out, "enforced and fine: 5 of 5") != tt.courses ||
				(strings.Contains(out, "not enforced: 4 of 5") ||
					strings.Contains(out, "the runtime itself is wrong")) == tt.courses {
				t.Errorf("enforced, want %t:\n%s", tt.courses, out)
			}
		})
	}
}
