package printed

import (
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// corrected is Algorithm 1 with a fourth condition in OUTOFORDER: what has no number waits until
// the process has received everything that has one.
type corrected struct{ *Layer }

func (c corrected) Sources(buf []core.Rank) (list []core.Rank) {
	list = buf
	for _, source := range c.Layer.Sources(nil) {
		head := &c.S.Arrived[source][0]
		if c.S.RsnMap.number(head.Sender, 0, head.SSN) != 0 || c.S.RSN >= c.S.RsnMap.highest() {
			list = append(list, source)
		}
	}
	return list
}

// check explores a program over Algorithm 1, as printed or corrected.
func check(t *testing.T, text string, m fault.Model, fourth bool) *world.Outcome {
	t.Helper()
	suite, err := script.Read(text, 1)
	if err != nil {
		t.Fatal(err)
	}
	layout := trace.Layout{Names: suite.Names, Ranks: len(suite.Names)}
	setup, err := Form.Setup(protocol.Request{Layout: layout, Programs: suite.Programs})
	if err != nil {
		t.Fatal(err)
	}
	if fourth {
		setup.New = func(p core.Proc) core.Machine {
			return program.NewHost(core.Rank(p), suite.Programs[p],
				func(app core.Application) core.Layer {
					l := &Layer{Rank: core.Rank(p), app: app, ranks: layout.Ranks}
					l.extension = plain{l}
					l.reset()
					return corrected{l}
				})
		}
	}
	baseline, err := none.NewSetup(layout, suite.Programs)
	if err != nil {
		t.Fatal(err)
	}
	out, err := world.Check(t.Context(), world.Case{Setup: setup, Baseline: baseline, Model: m},
		checker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

const race = "y: recv * ordered; reply; recv * ordered; reply\na: send y a; recv y\n" +
	"b: send y b; recv y"

// TestFourthCondition: where a program receives from anyone, Algorithm 1 breaks with one failure,
// and with one condition more in OUTOFORDER it does not; where it names its sources, and without
// failures, it holds as it is.
func TestFourthCondition(t *testing.T) {
	one, twice := fault.Model{Failures: 1}, fault.Model{Failures: 2, Overlap: 1}
	tests := []struct {
		name, text      string
		model           fault.Model
		printed, fourth string
		large           bool
	}{
		{"race without failures", race, fault.Model{}, "holds", "holds", false},
		{"race", race, one, "no-orphan", "holds", false},
		{"who won is told on", "y: recv * ordered; send w w1; recv * ordered\n" +
			"a: send y a; recv w\nw: send y b; recv y; send a w2", one, "no-orphan", "holds", true},
		{"names", "a: send y a0; recv y; send y a1\ny: recv a; send a r; recv a", twice, "holds",
			"holds", true},
		{"checkpoint", "y: recv a; checkpoint; recv a; send a y1\n" +
			"a: send y a; checkpoint; send y b; recv y", one, "holds", "holds", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.large && !effort.Long() {
				t.Skip("a few seconds: " + effort.More)
			}
			for _, fourth := range []bool{false, true} {
				out, want := check(t, tt.text, tt.model, fourth), tt.printed
				if fourth {
					want = tt.fourth
				}
				got := out.Verdict.String()
				if out.Verdict == spec.Violated {
					got = out.Found[0].Property
				}
				if got != want {
					t.Errorf("fourth condition %v: %s, want %s", fourth, got, want)
				}
			}
		})
	}
}

// TestRefused: what is not of the paper's model is refused.
func TestRefused(t *testing.T) {
	two := 2
	for want, change := range map[string]func(*protocol.Request){
		"as printed tolerates 2 failures": func(r *protocol.Request) { r.Tolerates = &two },
		"must be where nothing is on its way": func(r *protocol.Request) {
			suite, _ := script.Read("a: send b m; checkpoint\nb: checkpoint; recv a\n"+
				"c: checkpoint", 1)
			r.Programs = suite.Programs
		},
	} {
		r := protocol.Request{Layout: trace.Layout{Names: []string{"a", "b", "c"}, Ranks: 3},
			Programs: make([]core.Program, 3)}
		change(&r)
		if _, err := Form.Setup(r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want ...%s...", err, want)
		}
	}
}
