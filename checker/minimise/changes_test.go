package minimise

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/fault"
)

// drafted is the draft of a program and its clusters.
func drafted(t *testing.T, clusters, program string) *draft {
	t.Helper()
	s := &scenarios.Scenario{Protocol: "hydee", Variant: "repaired", Clusters: clusters,
		Program: program}
	c, err := resolve(s)
	if err != nil {
		t.Fatal(err)
	}
	return open(s, c.Setup, c.Baseline)
}

// TestChanges applies every change to every embedded scenario: the result must be smaller, be
// different from the other results, resolve, and be read back as it was written; the draft that it
// was made of must not change. The counts say that each kind of change was met.
func TestChanges(t *testing.T) {
	all, err := scenarios.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	counts, left := map[string]int{}, 0
	for i, s := range all {
		if i%8 > 0 && !effort.Long() {
			left++
			continue
		}
		c, err := resolve(s)
		if err != nil {
			t.Fatal(err)
		}
		d := open(s, c.Setup, c.Baseline)
		before := d.key()
		for _, p := range phases() {
			seen := map[string]bool{before: true}
			for _, change := range p.Changes(d) {
				counts[p.Name]++
				to := change.To.write()
				resolved, err := resolve(to)
				if err != nil && s.Protocol != "hydee" {
					continue // other protocols do not take every program and every partition
				}
				if err != nil {
					t.Errorf("%s: %s: %v", s.Name, change.Words, err)
					continue
				}
				if !change.To.smaller(d) || seen[change.To.key()] {
					t.Errorf("%s: %s: not smaller, or given twice", s.Name, change.Words)
				}
				seen[change.To.key()] = true
				if back := open(to, resolved.Setup, resolved.Baseline); cmp.Diff(change.To.programs,
					back.programs) != "" || back.clusterText() != change.To.clusterText() {
					t.Errorf("%s: %s: read back as\n%s, want\n%s", s.Name, change.Words,
						back.write().Program, to.Program)
				}
			}
			if d.key() != before {
				t.Fatalf("%s: the changes of %s change what they are made of", s.Name, p.Name)
			}
		}
	}
	t.Log(counts)
	if left > 0 {
		t.Logf("%d scenarios are left out, all %s", left, effort.More)
	}
	for _, p := range phases() {
		if counts[p.Name] == 0 {
			t.Errorf("no change of %s", p.Name)
		}
	}
}

// programsOf lists the programs that changes lead to, with their clusters, each on one line.
func programsOf(list []Change[*draft]) (texts []string) {
	for _, c := range list {
		texts = append(texts, strings.TrimSpace(
			strings.ReplaceAll(c.To.write().Program, "\n", " / "))+" "+c.To.clusterText())
	}
	return texts
}

// TestFewerRanks compares the changes of a chain of three ranks with what they must be by hand.
func TestFewerRanks(t *testing.T) {
	d := drafted(t, "a | b c", "a: send b x; recv c\nb: recv a; send c y\nc: recv *; send a z\n")
	want := []string{
		"a: / a",                                            // without the cluster of b and c
		"b: send c y / c: recv * / b c",                     // without a
		"a: recv c / c: send a z / a | c",                   // without b
		"a: send b x / b: recv a / a | b",                   // without c
		"a: send c y; recv c / c: recv *; send a z / a | c", // a does the work of b
		"a: send b x; recv * / b: recv a; send a y / a | b", // a does the work of c
		"b: send c y; recv c / c: recv *; send b z / b c",   // b does the work of a
		"a: send b x; recv b / b: recv a; send a z / a | b", // b does the work of c
		"b: recv c; send c y / c: send b x; recv * / b c",   // c does the work of a
		"a: send c x; recv c / c: recv a; send a z / a | c", // c does the work of b
	}
	if diff := cmp.Diff(want, programsOf(fewerRanks(d))); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

// TestVictims checks who may fail after ranks are gone: another member of the cluster stands for a
// victim, and a list never becomes everybody by mistake.
func TestVictims(t *testing.T) {
	d := drafted(t, "a b | c", "a: send c x\nb: recv c\nc: recv a; send b y\n")
	d.scenario.Victims, d.scenario.Model.Failures = []string{"a", "c"}, 1
	e := d.copy()
	e.dropRank(0)
	if diff := cmp.Diff([]string{"b", "c"}, e.scenario.Victims); diff != "" {
		t.Errorf("without a (-want +got):\n%s", diff)
	}
	var words []string
	for _, c := range fewerCrashes(d) {
		words = append(words, c.Words)
	}
	want := []string{"failures 1 -> 0", "only a may fail", "only c may fail"}
	if diff := cmp.Diff(want, words); diff != "" {
		t.Errorf("crashes (-want +got):\n%s", diff)
	}
	d.scenario.Victims = nil
	words = nil
	for _, c := range fewerCrashes(d) {
		words = append(words, fmt.Sprint(c.To.scenario.Victims))
	}
	want = []string{"[]", "[a]", "[c]", "[RP]", "[c RP]", "[a RP]", "[a c]"}
	if diff := cmp.Diff(want, words); diff != "" {
		t.Errorf("victims when anybody may fail (-want +got):\n%s", diff)
	}
}

// TestSpoiled checks whose records are not safe: fewer, one at a time; nobody is named when all are
// safe, or for a rank that is gone.
func TestSpoiled(t *testing.T) {
	d := drafted(t, "a b | c", "a: send c x\nb: recv c\nc: recv a; send b y\n")
	words := func() (list []string) {
		for _, c := range fewerFaults(d) {
			if c.To.smaller(d) {
				list = append(list, fmt.Sprintf("%s %v", c.Words, c.To.scenario.Spoils))
			}
		}
		return list
	}
	if got := words(); len(got) > 0 {
		t.Errorf("without harm: %q", got)
	}
	d.scenario.Model.Lose = 1
	want := []string{"lost records 1 -> 0 []", "only records of a are not safe [a]",
		"only records of b are not safe [b]", "only records of c are not safe [c]",
		"only records of RP are not safe [RP]"}
	if diff := cmp.Diff(want, words()); diff != "" {
		t.Errorf("of anybody (-want +got):\n%s", diff)
	}
	d.scenario.Spoils = []string{"a", "RP"}
	want = []string{"lost records 1 -> 0 [a RP]", "only records of a are not safe [a]",
		"only records of RP are not safe [RP]"}
	if diff := cmp.Diff(want, words()); diff != "" {
		t.Errorf("of two (-want +got):\n%s", diff)
	}
	e := d.copy()
	e.dropRank(0)
	if diff := cmp.Diff([]string{"RP"}, e.scenario.Spoils); diff != "" {
		t.Errorf("without a (-want +got):\n%s", diff)
	}
	d.scenario.Model.Lose = 0
	if diff := cmp.Diff([]string{"nobody is named for records that are safe []"},
		words()); diff != "" {
		t.Errorf("safe (-want +got):\n%s", diff)
	}
}

// TestUnroll checks that a program without loops does the same sends under the same names, and that
// loops become shorter together.
func TestUnroll(t *testing.T) {
	d := drafted(t, "a | b",
		"a: loop 2; send b x; loop 3; send b y; end; recv b; end; send b z\nb: loop 2; loop 4; "+
			"recv a; end; send a w; end; recv a\n")
	plain := d.unroll()
	if n := count(plain.programs, core.OpLoop) + count(plain.programs, core.OpEnd); n != 0 {
		t.Errorf("%d loops are left:\n%s", n, plain.write().Program)
	}
	if diff := cmp.Diff(slices.Sorted(maps.Values(core.Labels(d.programs))),
		slices.Sorted(maps.Values(core.Labels(plain.programs)))); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if d.messages() != 11 || plain.messages() != 11 ||
		executed(d.programs[0]) != len(plain.programs[0]) {
		t.Errorf("%d and %d messages, want 11", d.messages(), plain.messages())
	}
	if _, ok := simulate(plain.programs, []int{0, 1}); !ok {
		t.Error("the program gets stuck")
	}
	ring := drafted(t, "r0 | r1",
		"r0: loop 4; send r1 x; recv r1; end\nr1: loop 4; recv r0; send r0 y; end\n")
	first := shorterLoops(ring)[0]
	if first.Words != "all loops 4 -> 1" || first.To.messages() != 2 {
		t.Errorf("first change %q leaves %d messages", first.Words, first.To.messages())
	}
	long := drafted(t, "a | b", "a: loop 400; send b x; end\nb: loop 400; recv a; end\n")
	if long.unroll() != long {
		t.Error("a long program is written without loops")
	}
}

// TestSimulate follows programs with posted receives, receives from anyone and replies by hand.
func TestSimulate(t *testing.T) {
	d := drafted(t, "a | b | c",
		"a: post *; send b x; wait; recv *\nb: recv a; reply y\nc: send a z\n")
	s, ok := simulate(d.programs, []int{0, 1, 2})
	want := []match{{place{0, 1}, place{1, 0}}, {place{1, 1}, place{0, 0}},
		{place{2, 0}, place{0, 3}}}
	if diff := cmp.Diff(fmt.Sprint(want), fmt.Sprint(s.matches)); diff != "" || !ok {
		t.Errorf("ok %t, matches (-want +got):\n%s", ok, diff)
	}
	s, ok = simulate(d.programs, []int{2, 1, 0})
	want = []match{{place{2, 0}, place{0, 0}}, {place{0, 1}, place{1, 0}},
		{place{1, 1}, place{0, 3}}}
	if diff := cmp.Diff(fmt.Sprint(want), fmt.Sprint(s.matches)); diff != "" || !ok {
		t.Errorf("backwards: ok %t, matches (-want +got):\n%s", ok, diff)
	}
	stuck := drafted(t, "a | b", "a: recv b\nb: recv a\n")
	if _, ok := simulate(stuck.programs, []int{0, 1}); ok {
		t.Error("a deadlock is called complete")
	}
}

// TestEveryKnobLowered sets each knob of the failure model to each value of its row, and those that
// it makes no sense without: some change must take the knob to a smaller number, or to the default
// of a word, and make the scenario smaller.
func TestEveryKnobLowered(t *testing.T) {
	for i := range fault.Keys {
		k := &fault.Keys[i]
		values := k.Draw
		if k.Words == nil && k.Name != "failures" {
			values = append(slices.Clone(values), 3)
		}
		for _, value := range values {
			d := drafted(t, "a | b", "a: send b x\nb: recv a\n")
			m := &d.scenario.Model
			m.Failures, m.Unordered = 4, k.Name == "ignored"
			if k.Name != "failures" {
				k.Set(m, value)
			}
			before, lowered := k.Get(m), false
			for _, p := range phases() {
				for _, change := range p.Changes(d) {
					after := k.Get(&change.To.scenario.Model)
					lowered = lowered || after < before && change.To.scenario.Model.Failures == 4
					lowered = lowered || k.Name == "failures" && after == before-1
				}
			}
			if !lowered || before == 0 {
				t.Errorf("%s: no change lowers %d", k.Name, before)
			}
		}
	}
}
