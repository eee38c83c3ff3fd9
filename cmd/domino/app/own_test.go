package app

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/example/subject"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// own are properties that every run with a failure breaks, one of each kind that a run can break.
var own = []spec.Property{
	{Name: "own-always", Kind: spec.Always, Doc: "nobody receives after a restart",
		Event: func(_ *spec.Facts, _ spec.View, e trace.Event) string {
			if e.Kind == trace.Delivered && e.Incarnation > 0 {
				return "received after a restart"
			}
			return ""
		}},
	{Name: "own-final", Kind: spec.Final, Doc: "nobody was restarted",
		End: func(f *spec.Facts, v spec.View) string {
			for p := range f.Layout.Names {
				if v.Observed(trace.Proc(p)).Incarnation > 0 {
					return "somebody was restarted"
				}
			}
			return ""
		}},
	{Name: "own-monitor", Kind: spec.Monitor, Doc: "three receptions",
		Watched: []trace.Kind{trace.Delivered},
		Memory: &spec.Remembers[int]{Observe: func(_ *spec.Facts, n *int, _ trace.Event) string {
			if *n++; *n > 2 {
				return "three receptions"
			}
			return ""
		}}},
	{Name: "own-pair", Kind: spec.Pair, Doc: "one life for each reception",
		Relate: func(f *spec.Facts, _ spec.View, e trace.Event) (string, string) {
			if e.Kind != trace.Delivered {
				return "", ""
			}
			return f.Layout.Label(e.ID), fmt.Sprint(e.Incarnation)
		}},
}

// strange runs a command over a protocol of somebody's own with the properties.
func strange(t *testing.T, properties []spec.Property, args ...string) (code int, out, err string) {
	t.Helper()
	p := subject.Protocol(false)
	p.Properties = properties
	var o, e bytes.Buffer
	code = start(t.Context(), args, streams{out: &o, err: &e}, []protocol.Protocol{p}...)
	return code, o.String(), e.String()
}

// answering is a scenario of two ranks in a file.
func answering(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "answering.txtar")
	if err := os.WriteFile(file, []byte("-- scenario --\nprotocol: resend\nfailures: 1\n"+
		"-- program --\na: send b m1; recv b\nb: recv a; send a m2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestOwnPropertyOnEveryPath breaks a property of somebody's own with every command that judges
// runs: each must say so. A command that forgets them says that all is well.
func TestOwnPropertyOnEveryPath(t *testing.T) {
	file := answering(t)
	for _, p := range own {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			replay := filepath.Join(folder, "answering-repaired.txtar")
			for _, args := range [][]string{
				{"check", file, "--save", folder},
				{"replay", replay},
				{"run", replay, "--enforce"},
				{"check", file, "--save", "", "--search", "odpor"},
				{"check", file, "--save", "", "--search", "pos"},
				{"check", file, "--save", "", "--lasso"},
				{"run", file, "--save", ""},
				{"fuzz", "resend", "--runs", "2000", "--corpus", ""},
				{"minimise", file, "--save", "", "--breaks", p.Name},
			} {
				code, out, err := strange(t, []spec.Property{p}, args...)
				if p.Kind == spec.Pair && args[1] != file && args[0] != "fuzz" ||
					p.Kind == spec.Pair && args[0] == "minimise" {
					if code == 0 { // no single run shows it
						t.Errorf("%v says that all is well:\n%s%s", args, out, err)
					}
					continue
				}
				if code != 1 || !strings.Contains(out+err, p.Name) {
					t.Errorf("%v: exit %d, want 1, and the name of the property\n%s%s", args, code,
						out, err)
				}
			}
			_, out, _ := strange(t, []spec.Property{p}, "list", "properties")
			if !strings.Contains(out, p.Name) {
				t.Errorf("not listed:\n%s", out)
			}
		})
	}
}

// TestAppliesPanics gives a property whose Applies panics: it is named.
func TestAppliesPanics(t *testing.T) {
	p := own[1]
	p.Applies = func(*spec.Facts) bool { panic("no facts") }
	for _, args := range [][]string{{"check", answering(t)}, {"run", answering(t)},
		{"fuzz", "resend", "--runs", "10", "--corpus", ""}} {
		code, _, err := strange(t, []spec.Property{p}, args...)
		if code != 4 || !strings.Contains(err, `"own-final" can not be asked`) ||
			!strings.Contains(err, "no facts") {
			t.Errorf("%v: exit %d, %q", args, code, err)
		}
	}
}

// TestNothingToDo starts commands that have nothing to work on: each says so, and none is fine.
func TestNothingToDo(t *testing.T) {
	bare := subject.Protocol(false)
	bare.Shapes = nil
	refusing := subject.Protocol(false)
	refusing.Setup = func(protocol.Request) (*core.Setup, error) {
		return nil, errors.New("not me")
	}
	tests := []struct {
		protocols []protocol.Protocol
		args      []string
		code      int
		want      string
	}{
		{nil, []string{"check"}, 4, "give Main at least one"},
		{[]protocol.Protocol{bare}, []string{"check"}, 4, "name a file"},
		{[]protocol.Protocol{bare}, []string{"run"}, 4, "name a file"},
		{[]protocol.Protocol{bare}, []string{"fuzz"}, 4, "(Shapes)"},
		{[]protocol.Protocol{subject.Protocol(false)}, []string{"fuzz", "--variant", "mended"}, 4,
			`no variant "mended"`},
		{[]protocol.Protocol{refusing}, []string{"fuzz", "--runs", "9", "--corpus", ""}, 4,
			"takes none of"},
		{[]protocol.Protocol{refusing}, []string{"check", answering(t)}, 4, "not me"},
	}
	for _, tt := range tests {
		var o, e bytes.Buffer
		code := start(t.Context(), tt.args, streams{out: &o, err: &e}, tt.protocols...)
		if code != tt.code || !strings.Contains(e.String(), tt.want) {
			t.Errorf("%v: exit %d, want %d; %q", tt.args, code, tt.code, e.String())
		}
	}
}

// TestTourHasOwn checks that the tour through the house's scenarios has all of a protocol that
// brings its own, but for those that take long.
func TestTourHasOwn(t *testing.T) {
	p := subject.Protocol(false)
	p.Scenarios = fstest.MapFS{}
	list := protocol.List{{Name: "house"}, p}
	var names []string
	for _, s := range tour([]*scenarios.Scenario{{Name: "a", Protocol: "house", Tour: true},
		{Name: "b", Protocol: "house"}, {Name: "c", Protocol: p.Name},
		{Name: "d", Protocol: p.Name, Long: true}}, list) {
		names = append(names, s.Name)
	}
	if strings.Join(names, " ") != "a c" {
		t.Errorf("the tour is %v, want a c", names)
	}
}
