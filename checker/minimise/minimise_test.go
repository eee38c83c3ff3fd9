package minimise

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/impl/protocol/all"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

func resolve(s *scenarios.Scenario) (world.Case, error) {
	r, err := verify.Resolve(all.Protocols(), s)
	if err != nil {
		return world.Case{}, err
	}
	return world.Case{Setup: r.Setup, Baseline: r.Baseline, Model: r.Model, Force: s.Force}, nil
}

// embedded is a copy of an embedded scenario in a variant.
func embedded(t *testing.T, name, variant string) *scenarios.Scenario {
	t.Helper()
	all, err := scenarios.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(s *scenarios.Scenario) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("no scenario %s", name)
	}
	s := *all[i]
	s.Variant, s.States, s.MustSee, s.Erratum, s.Breaks = variant, 0, nil, "", ""
	return &s
}

// padded is the scenario with things that have nothing to do with what it breaks: a rank in a
// cluster of its own that sends to the last one, and anybody may fail.
func padded(s *scenarios.Scenario) *scenarios.Scenario {
	p := *s
	lines := strings.Split(strings.TrimSpace(s.Program), "\n")
	last, _, _ := strings.Cut(lines[len(lines)-1], ":")
	lines[len(lines)-1] += "; recv z"
	p.Program = strings.Join(append(lines, "z: send "+last+" pad"), "\n") + "\n"
	p.Clusters += " | z"
	if p.Model.Failures < 2 {
		p.Victims = nil
	}
	return &p
}

// lengthened is the scenario with one more message, from the last rank to the first at their ends,
// and a checkpoint anywhere.
func lengthened(s *scenarios.Scenario) *scenarios.Scenario {
	p := *s
	lines := strings.Split(strings.TrimSpace(s.Program), "\n")
	first, _, _ := strings.Cut(lines[0], ":")
	last, _, _ := strings.Cut(lines[len(lines)-1], ":")
	lines[0] += "; recv " + last
	lines[len(lines)-1] += "; send " + first + " pad"
	p.Program = strings.Join(lines, "\n") + "\n"
	p.Model.Checkpoints++
	return &p
}

// bound is the bound of one search in these tests.
const bound = 12_000

// shortestOf is the length of a shortest run that breaks the property, without this package; 0 when
// there is none, -1 when the bound was hit first.
func shortestOf(t *testing.T, s *scenarios.Scenario, property string, states int) int {
	t.Helper()
	c, err := resolve(s)
	if err != nil {
		return 0
	}
	out, err := world.Check(t.Context(), c, checker.Options{Order: checker.BreadthFirst,
		Only: property, MaxStates: states})
	switch {
	case err != nil || out.Verdict == spec.OutOfModel || out.Verdict == spec.Holds:
		return 0
	case len(out.Found) == 0:
		return -1
	}
	return len(out.Found[0].Path)
}

// problem says in what an answer is wrong, or "". It asks the checker and not the minimiser.
func problem(t *testing.T, s *scenarios.Scenario, property string, a *Answer) string {
	t.Helper()
	back, err := scenarios.Parse("file", scenarios.Format(a.Scenario))
	if err != nil {
		return err.Error()
	}
	c, err := resolve(back)
	if err != nil {
		return err.Error()
	}
	w, reason, err := world.Open(t.Context(), c, checker.Options{})
	if err != nil || reason != "" && !s.Force {
		return fmt.Sprint("not valid: ", reason, err)
	}
	run, err := w.Replay(back.Schedule)
	if err != nil || run.Violation == nil || run.Violation.Property != property ||
		back.Breaks != property {
		return fmt.Sprintf("the file breaks %+v, %v, want %s", run.Violation, err, property)
	}
	if n := shortestOf(t, back, property, 5*bound); n != a.After.Steps && a.Shortest || n > 0 &&
		!a.Shortest || len(back.Schedule) != a.After.Steps {
		return fmt.Sprintf("%d steps, shortest %t, want %d", a.After.Steps, a.Shortest, n)
	}
	d := open(back, c.Setup, c.Baseline)
	for _, p := range phases() {
		for _, change := range p.Changes(d) {
			if n := shortestOf(t, change.To.write(), property, bound); n > 0 {
				return fmt.Sprintf("not minimal: %s: %s leaves a run of %d steps", p.Name,
					change.Words, n)
			}
			if !slices.ContainsFunc(a.Trials, func(t Trial) bool {
				return t.Phase == p.Name && t.Words == change.Words && t.Outcome != ""
			}) {
				return fmt.Sprintf("nothing says that %s: %s was tried", p.Name, change.Words)
			}
		}
	}
	return ""
}

// brokenRun is the first of the larger scenarios in which a shortest run of the own one can be
// repeated, with that run; what the larger one adds comes after it.
func brokenRun(t *testing.T, own *scenarios.Scenario,
	larger ...*scenarios.Scenario) *scenarios.Scenario {
	t.Helper()
	c, err := resolve(own)
	if err != nil {
		t.Fatal(err)
	}
	out, err := world.Check(t.Context(), c, checker.Options{Order: checker.BreadthFirst})
	if err != nil || len(out.Runs) != 1 {
		t.Fatalf("%s: %v, %v", own.Name, out, err)
	}
	for _, large := range larger {
		if c, err = resolve(large); err != nil {
			t.Fatal(err)
		}
		w, _, err := world.Open(t.Context(), c, checker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if run := w.Attempt(out.Runs[0].Schedule, out.Found[0].Property); run.Violation != nil {
			s := *large
			s.Schedule, s.Breaks = run.Schedule, run.Violation.Property
			return &s
		}
	}
	t.Fatalf("%s: no larger scenario repeats its run", own.Name)
	return nil
}

func list(c Counts) []int {
	return []int{c.Ranks, c.Clusters, c.Failures, c.Checkpoints, c.Messages}
}

// TestErrata pads the scenario of each erratum with a rank, a cluster, a message and victims, or
// with a message and a checkpoint, and minimises the run in the larger scenario. The result must
// break the property that the padded one breaks, be 1-minimal by the word of the checker alone,
// replay from its file, be no larger than the scenario that was made by hand, and hold in the
// repaired protocol.
func TestErrata(t *testing.T) {
	tests := []struct{ scenario, erratum string }{
		{"h1", "H1"}, {"h2", "H2"}, {"h4", "H4"}, {"h5", "H5"}, {"h6", "H6"}, {"h7-gate", "H7"},
		{"h7-order", "H7"}, {"h7b", "H7b"}, {"h8", "H8"},
		{"h9-twice", "H9a"}, {"h9-order", "H9b"}, {"h9-late", "H9c"}, {"h10", "H10"},
		{"h11-stuck", "H11a"}, {"h11-orphan", "H11b"},
		{"h12-orphans", "H12a"}, {"h12-dates", "H12b"}, {"h13-clock", "H13a"},
		{"h13-current", "H13b"}, {"h13-received", "H13c"},
		{"h13-early", "H13d"}, {"h14", "H14"}, {"h15", "H15"}, {"h17", "H17"}, {"h18", "H18"},
		{"h19", "H19"}, {"h20-notify", "H20a"},
		{"h20-log", "H20b"}, {"h23-kept", "H23"},
	}
	for i, tt := range tests {
		t.Run(tt.scenario, func(t *testing.T) {
			t.Parallel()
			if i%16 > 0 && !effort.Long() {
				t.Skip("one of 16: " + effort.More)
			}
			own := embedded(t, tt.scenario, "repaired+"+tt.erratum)
			large := brokenRun(t, own, padded(own), lengthened(own))
			a, err := Minimise(t.Context(), Question{Scenario: large, Resolve: resolve,
				States: bound})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s: %s; %d tried, %d undecided\n%s", a.Run.Violation.Property, a.Summary(),
				a.Tried, a.Undecided, a.Scenario.Program)
			if p := problem(t, large, a.Run.Violation.Property, a); p != "" || !a.Minimal {
				t.Errorf("%s, minimal %t", p, a.Minimal)
			}
			c, err := resolve(own)
			if err != nil {
				t.Fatal(err)
			}
			m := &minimisation{witness: &witness{run: &world.Run{}}}
			hand := list(m.counts(open(own, c.Setup, c.Baseline)))
			for i, n := range list(a.After) {
				if n > hand[i] {
					t.Errorf("%+v, made by hand %v", a.After, hand)
					break
				}
			}
			repaired := *a.Scenario
			repaired.Variant = "repaired"
			if n := shortestOf(t, &repaired, "", bound); n > 0 {
				t.Errorf("the repaired protocol breaks something there in %d steps", n)
			}
		})
	}
}

// TestTwice asks the same question twice: the answers must be equal, the run included.
func TestTwice(t *testing.T) {
	for _, name := range []string{"s1", "s3"} {
		var answers []*scenarios.Scenario
		var steps [][]Step
		for range 2 {
			a, err := Minimise(t.Context(), Question{Scenario: embedded(t, name, "published"),
				Resolve: resolve, States: bound})
			if err != nil {
				t.Fatal(err)
			}
			answers, steps = append(answers, a.Scenario), append(steps, a.Steps)
		}
		if diff := cmp.Diff(string(scenarios.Format(answers[0])),
			string(scenarios.Format(answers[1]))) + cmp.Diff(steps[0], steps[1]); diff != "" {
			t.Errorf("%s (-first +second):\n%s", name, diff)
		}
	}
}

// TestErrors gives questions that have no answer, and checks the exact words.
func TestErrors(t *testing.T) {
	edit := func(s *scenarios.Scenario, change func(*scenarios.Scenario)) *scenarios.Scenario {
		change(s)
		return s
	}
	h5 := func() *scenarios.Scenario { return embedded(t, "h5", "repaired+H5") }
	broken, err := Minimise(t.Context(), Question{Scenario: h5(), Resolve: resolve})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		q    Question
		want string
	}{
		{"holds", Question{Scenario: embedded(t, "h5", "repaired")},
			"h5 breaks nothing, so there is nothing to make smaller ("},
		{"breaks another property", Question{Scenario: h5(), Property: "fifo"},
			"h5 breaks property fifo in no run, so there is nothing to make smaller ("},
		{"out of model", Question{Scenario: embedded(t, "h16", "repaired+H16")},
			"h16 is out of model, so it breaks nothing: the program is not send-deterministic"},
		{"bound", Question{Scenario: embedded(t, "h14", "repaired+H14"), States: 1,
			Search: checker.Options{MaxStates: 12}},
			"no run of h14 that breaks a property was found in "},
		{"several runs", Question{Scenario: h5(), Property: "stamp-determinism"},
			"property stamp-determinism compares runs, so no single run shows"},
		{"run of another variant", Question{Scenario: edit(broken.Scenario,
			func(s *scenarios.Scenario) {
				s.Variant = "repaired"
			})}, "the run in h5-min breaks nothing, so there is nothing to make smaller"},
		{"stale", Question{Scenario: edit(h5(), func(s *scenarios.Scenario) {
			s.Schedule = []string{"crash nobody"}
		})},
			`the schedule of h5 does not fit: step 1: "crash nobody" is not enabled`},
		{"a run that breaks nothing", Question{Scenario: edit(h5(), func(s *scenarios.Scenario) {
			s.Schedule = []string{"crash b"}
		})},
			"the run in h5 breaks nothing, so there is nothing to make smaller"},
		{"no such variant", Question{Scenario: embedded(t, "h5", "improved")}, "hydee/h5.txtar:"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.q.Resolve = resolve
			a, err := Minimise(t.Context(), tt.q)
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("%v, %v, want %q", a, err, tt.want)
			}
		})
	}
}

// TestInterrupted ends the context at each of the first changes that are tried: the answer is a
// counterexample all the same, and says that it may not be minimal.
func TestInterrupted(t *testing.T) {
	own := embedded(t, "h17", "repaired+H17")
	large := brokenRun(t, own, padded(own))
	var sizes []int
	for after := 1; after < 13; after += 4 {
		ctx, cancel := context.WithCancel(t.Context())
		a, err := Minimise(ctx, Question{Scenario: large, Resolve: resolve, States: bound,
			Tried: func(p Progress) {
				if p.Tried >= after {
					cancel()
				}
			}})
		cancel()
		if err != nil || a.Minimal {
			t.Fatalf("after %d: minimal %t, %v", after, a != nil && a.Minimal, err)
		}
		c, _ := resolve(a.Scenario)
		w, _, err := world.Open(t.Context(), c, checker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if run, err := w.Replay(a.Scenario.Schedule); err != nil || run.Violation == nil ||
			run.Violation.Property != "causal-replay" {
			t.Errorf("after %d: %+v, %v", after, run.Violation, err)
		}
		sizes = append(sizes, a.After.Ranks)
	}
	if sizes[0] < sizes[len(sizes)-1] || sizes[0] == 2 {
		t.Errorf("ranks %v, want fewer the later", sizes)
	}
}

// TestPropertyMatters shows that the check of the property can fail: a minimiser that takes any
// violation (the mutant) leaves a scenario that breaks another property than the given one, and
// problem, by which TestErrata judges answers, says so.
func TestPropertyMatters(t *testing.T) {
	s := embedded(t, "s1", "repaired+H7+H9a+H10")
	const property = "causal-replay"
	right, err := Minimise(t.Context(), Question{Scenario: s, Resolve: resolve, Property: property,
		States: bound})
	if err != nil {
		t.Fatal(err)
	}
	if p := problem(t, s, property, right); p != "" {
		t.Fatalf("the right one: %s", p)
	}
	c, err := resolve(s)
	if err != nil {
		t.Fatal(err)
	}
	least, _ := Greedy(t.Context(), open(s, c.Setup, c.Baseline), phases(),
		func(_ string, c Change[*draft]) (*draft, bool) {
			return c.To, shortestOf(t, c.To.write(), "", bound) > 0
		})
	mutant, err := Minimise(t.Context(), Question{Scenario: least.write(), Resolve: resolve,
		States: bound})
	if err != nil {
		t.Fatal(err)
	}
	if got := mutant.Run.Violation.Property; got == property {
		t.Fatalf("the mutant happens to keep %s, so this test shows nothing", got)
	}
	if p := problem(t, s, property, mutant); !strings.Contains(p, "want "+property) {
		t.Errorf("the mutant is not caught: %q", p)
	}
}

// TestRoles minimises protocols without programs, of which the least numbers are known: a stale
// read needs a majority that is not the server asked, so three servers, and one client; a hasty
// commit needs one resource manager.
func TestRoles(t *testing.T) {
	tests := []struct{ scenario, variant, property, roles string }{
		{"paxos-stale", "stale", "linearizable", "servers 3, clients 1"},
		{"two-phase-hasty", "hasty", "agreement", "resources 1"},
	}
	for _, tt := range tests {
		s := embedded(t, tt.scenario, tt.variant)
		a, err := Minimise(t.Context(), Question{Scenario: s, Resolve: resolve, States: bound})
		if err != nil {
			t.Fatal(err)
		}
		if a.Scenario.Roles != tt.roles || a.After.Ranks >= a.Before.Ranks || !a.Minimal {
			t.Errorf("%s: %q, want %q; %+v", tt.scenario, a.Scenario.Roles, tt.roles, a.After)
		}
		if p := problem(t, s, tt.property, a); p != "" {
			t.Errorf("%s: %s", tt.scenario, p)
		}
	}
}

// TestValid asks about programs that get stuck without any failure, which breaks terminates for no
// good reason: that must not count, unless the given scenario is forced and does the same.
func TestValid(t *testing.T) {
	sound := embedded(t, "h5", "repaired+H5")
	stuck := *sound
	stuck.Program = "a: recv b\nb: recv a\n"
	forced := stuck
	forced.Force = true
	polls := embedded(t, "s6-forced", "repaired")
	tests := []struct {
		name     string
		scenario *scenarios.Scenario
		reason   string
		property string
		want     bool
	}{
		{"sound", sound, "", "terminates", true},
		{"stuck", &stuck, "", "terminates", false},
		{"stuck and forced, but the given one is sound", &forced, "", "terminates", false},
		{"stuck and forced like the given one", &forced,
			"the program fails without any failure: in some other way", "terminates", true},
		{"polls like the given one", polls, "the program is not send-deterministic: send 7 of x",
			"terminates", true},
		{"polls, but the given one gets stuck", polls,
			"the program fails without any failure: in some way", "terminates", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := &oracle{resolve: resolve, property: tt.property, states: 20 * bound,
				reason: tt.reason}
			if w, _ := o.ask(t.Context(), tt.scenario, nil); (w != nil) != tt.want {
				t.Errorf("a run was found: %t, want %t", w != nil, tt.want)
			}
		})
	}
}

// TestOnly asks for a property that breadth-first search would not meet first: a shorter run that
// breaks another one must not hide it. The short form asks for one property.
func TestOnly(t *testing.T) {
	s := embedded(t, "s1", "repaired+H1+H2+H3+H5+H7+H8+H9a+H10+H11a+H11b+H12a+H12b+H13a+H13b+H16")
	any := shortestOf(t, s, "", bound)
	found := 0
	for _, p := range spec.Properties() {
		if p.Name != "terminates" && !effort.Long() {
			continue
		}
		n := shortestOf(t, s, p.Name, bound)
		if n <= any {
			continue
		}
		found++
		o := &oracle{resolve: resolve, property: p.Name, states: bound}
		w, _ := o.ask(t.Context(), s, nil)
		if w == nil || w.run.Violation.Property != p.Name || w.shortest &&
			len(w.run.Schedule) != n {
			t.Errorf("%s: %+v, want a run of %d steps", p.Name, w, n)
		}
	}
	if found == 0 {
		t.Error("no property is broken later than the first")
	}
}
