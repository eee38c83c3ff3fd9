package fuzz_test

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/domino-check/domino/fuzz"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/example/subject"
)

// asStranger, when set, makes TestOfStranger the test of somebody else: of a protocol with the
// fault that it names.
const asStranger = "DOMINO_TEST_STRANGER"

// strangers are protocols that break the contract in every program.
func strangers() map[string]protocol.Protocol {
	step := func(f func(out []core.Effect) []core.Effect) protocol.Protocol {
		return misuse(nil, func(m *twisted, in core.Input, out []core.Effect) []core.Effect {
			if out = m.Machine.Step(in, out); data(in) != nil {
				return f(out)
			}
			return out
		})
	}
	whole := func(f func(*core.Setup)) protocol.Protocol {
		p := subject.Protocol(false)
		good := p.Setup
		p.Setup = func(r protocol.Request) (*core.Setup, error) {
			s, err := good(r)
			if err == nil {
				f(s)
			}
			return s, err
		}
		return p
	}
	return map[string]protocol.Protocol{
		"names proc 99 in a SendMessage effect": step(func(out []core.Effect) []core.Effect {
			return append(out, core.SendTo(99, &subject.Message{}))
		}),
		"has an effect of kind 0": step(func(out []core.Effect) []core.Effect {
			return append(out, core.Effect{})
		}),
		"panics on Data": step(func([]core.Effect) []core.Effect { panic("boom") }),
		"New of proc 0 (a) returns nil": whole(func(s *core.Setup) {
			s.New = func(core.Proc) core.Machine { return nil }
		}),
		"NewMessage returns nil": whole(func(s *core.Setup) {
			s.NewMessage = func() core.Message { return nil }
		}),
	}
}

// TestOfStranger is what TestSaidOnce runs.
func TestOfStranger(t *testing.T) {
	p, ok := strangers()[os.Getenv(asStranger)]
	if !ok {
		t.Skip("TestSaidOnce runs it in another process")
	}
	fuzz.Trial{Folder: t.TempDir()}.Test(t, p) // this line
}

// TestSaidOnce runs the test of a protocol that breaks the contract as somebody else would: what is
// wrong is named once, not for each small program, and at the line of the caller.
func TestSaidOnce(t *testing.T) {
	source, err := os.ReadFile("once_test.go")
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(source), ".Test(t, p) // this line")
	line := strings.Count(before, "\n") + 1
	for want := range strangers() {
		t.Run(want, func(t *testing.T) {
			c := exec.Command(os.Args[0], "-test.run", "^TestOfStranger$", "-test.short")
			c.Env = append(os.Environ(), asStranger+"="+want)
			out, err := c.CombinedOutput()
			if err == nil {
				t.Errorf("it passes")
			}
			if n := strings.Count(string(out), want); n != 1 {
				t.Errorf("%q is said %d times:\n%s", want, n, out)
			}
			place := regexp.MustCompile(`once_test\.go:(\d+): `).FindAllStringSubmatch(
				string(out), -1)
			if len(place) == 0 {
				t.Fatalf("no line of this file:\n%s", out)
			}
			for _, p := range place {
				if p[1] != strconv.Itoa(line) {
					t.Errorf("line %s, want %d:\n%s", p[1], line, out)
				}
			}
		})
	}
}
