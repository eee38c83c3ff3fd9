package fuzz

import (
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/none"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

var scenariosDrawn = effort.Of(100, 300)

// everything lets all there is be drawn.
func everything(needs promise.Determinism) *protocol.Shapes {
	return &protocol.Shapes{MaxRanks: 5, Items: 8, Clusters: protocol.AnyClusters, Needs: needs,
		Wildcards: true, Posts: true, Overlapping: true, Collectives: protocol.NativeCollectives,
		Checkpoints: protocol.OwnCheckpoints, Crossing: true, Spontaneous: 2, Outputs: true,
		Picks:     needs == promise.NoDeterminism,
		Loops:     true,
		Errors:    true,
		Failures:  3,
		Tolerates: 2,
		Settings: []string{"at-once", "spacing", "overlap", "stop", "network", "loss",
			"duplicates", "from-dead", "to-dead", "detect", "notice", "suspicions", "torn",
			"failures"},
		Variations: []protocol.Variation{{Options: "x=1"}, {Options: "y=2", MinRanks: 3},
			{MinClusters: 2, Clusters: protocol.AnyClusters, Weight: 3}}}
}

// baseline is the failure-free behaviour of what was drawn, nil when it is too large.
func baseline(t *testing.T, d *draft) (suite *script.Suite, states int, differ, stuck string) {
	t.Helper()
	s := d.scenario()
	suite, err := script.Read(s.Program, 1)
	if err != nil {
		t.Fatalf("%v\n%s", err, s.Program)
	}
	setup, err := none.NewSetup(trace.Layout{Names: suite.Names, Ranks: len(suite.Names),
		Trees: suite.Trees}, suite.Programs)
	if err != nil {
		t.Fatalf("%v\n%s", err, s.Program)
	}
	o, err := world.Oracle(t.Context(), setup, checker.Options{MaxStates: 20000})
	if err != nil {
		return suite, 0, "", ""
	}
	if len(o.Differ) > 0 {
		differ = o.Differ[0].What
	}
	return suite, 1, differ, o.Stuck
}

// TestGenerate draws scenarios of everything there is. Each must be read back, each kind of thing
// must appear, hardly any program may get stuck (a server that gets two kinds of messages may),
// none whose programs must be send-deterministic, and those must be send-deterministic; of the
// others some must not.
func TestGenerate(t *testing.T) {
	for _, needs := range []promise.Determinism{promise.NoDeterminism, promise.Piecewise,
		promise.SendDeterministic} {
		if needs == promise.Piecewise && !effort.Long() {
			t.Logf("%s: %s", needs, effort.More)
			continue
		}
		gen := cases(&scenarios.Scenario{Protocol: "p", Variant: "repaired"}, everything(needs))
		seen := map[string]int{}
		explored, differing, stuck := 0, 0, 0
		for seed := range scenariosDrawn {
			d := gen.Example(seed).draft
			text := string(scenarios.Format(d.scenario()))
			if _, err := scenarios.Parse("drawn.txtar", []byte(text)); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			for line := range strings.Lines(text) {
				key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
				if seen[key]++; slices.Contains(
					strings.Fields("options tolerates failures at-once checkpoints from-dead"),
					key) {
					seen[key+":"+value]++
				}
				for _, op := range strings.Split(value, ";") {
					words := strings.Fields(op)
					for i := range words {
						seen[words[0]]++
						if i > 0 && (words[i] == "*" || words[i] == "ordered") {
							seen[words[i]]++
						}
					}
				}
			}
			_, n, differ, fails := baseline(t, d)
			explored += n
			if fails != "" {
				stuck++
			}
			if differ != "" {
				differing++
			}
			if needs == promise.SendDeterministic && (differ != "" || fails != "") {
				t.Errorf("seed %d: %s %s\n%s", seed, differ, fails, text)
			}
		}
		want := strings.Fields(
			"a b c d e try send recv post wait checkpoint output loop end multicast contribute * " +
				"options:|x=1 options:|y=2 clusters at-once:|2 at-once:|all spacing overlap stop " +
				"network loss " +
				"duplicates from-dead:|every from-dead:|nothing to-dead detect notice suspicions " +
				"torn tolerates:|1 tolerates:|2 failures:|1 failures:|2 failures:|3 " +
				"checkpoints:|1 checkpoints:|2")
		if needs < promise.SendDeterministic {
			want = append(want, "ordered", "reply")
		}
		if needs == promise.NoDeterminism {
			want = append(want, "pick")
		}
		for _, w := range want {
			if seen[strings.ReplaceAll(w, "|", " ")] == 0 {
				t.Errorf("%s: no %q in %d scenarios", needs, w, scenariosDrawn)
			}
		}
		t.Logf("%s: %d explored, %d not send-deterministic, %d stuck", needs, explored, differing,
			stuck)
		if explored < scenariosDrawn*3/4 || stuck > explored/5 || needs == promise.Piecewise &&
			differing < scenariosDrawn/50 {
			t.Errorf("%s: %d explored, %d not send-deterministic, %d stuck", needs, explored,
				differing, stuck)
		}
	}
}

// TestBytes reads scenarios from bytes: no bytes are the simplest scenario, and any bytes are some
// scenario.
func TestBytes(t *testing.T) {
	s := everything(promise.Piecewise)
	d := generate(&byteChooser{}, &scenarios.Scenario{Protocol: "p"}, s)
	if got, want := d.program(), "a: send b m1\nb: recv a\n"; got != want {
		t.Errorf("simplest program %q, want %q", got, want)
	}
	for n := 0; n < 200; n += effort.Of(4, 1) {
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(core.Mix(uint64(n*1000 + i)))
		}
		baseline(t, generate(&byteChooser{data}, &scenarios.Scenario{Protocol: "p"}, s))
	}
}

// TestWithout takes single elements out of drawn scenarios: what is left must be read, and be
// smaller in what the element is about.
func TestWithout(t *testing.T) {
	gen := cases(&scenarios.Scenario{Protocol: "p", Variant: "repaired"},
		everything(promise.Piecewise))
	kinds := map[elementKind]int{}
	for seed := range 100 {
		f := failing{draft: gen.Example(seed).draft,
			schedule: []string{"step a send", "crash a",
				"deliver a->b App, stands still after effect 1"}}
		before := string(scenarios.Format(f.draft.scenario()))
		list := f.elements()
		for i, e := range list {
			kinds[e.kind]++
			out := make([]bool, len(list))
			out[i] = true
			d, schedule := f.without(list, out)
			if n := len(d.scenario().Program); n > 0 {
				if _, err := script.Read(d.scenario().Program, 1); err != nil {
					t.Errorf("seed %d without %+v: %v\n%s", seed, e, err, d.program())
				}
			}
			g := failing{draft: d, schedule: schedule}
			if len(g.elements()) >= len(list) {
				t.Errorf("seed %d without %+v: %d elements, had %d", seed, e, len(g.elements()),
					len(list))
			}
		}
		if after := string(scenarios.Format(f.draft.scenario())); after != before {
			t.Fatalf("seed %d: taking elements out changes the draft", seed)
		}
	}
	for k := aRank; k <= anEvent; k++ {
		if kinds[k] == 0 {
			t.Errorf("no element of kind %d", k)
		}
	}
}
