package mutate_test

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/checker/verify"
	house "github.com/domino-check/domino/impl/protocol/all"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/mutate"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/scenarios"
)

func resolve(s *scenarios.Scenario) (world.Case, error) {
	r, err := verify.Resolve(house.Protocols(), s)
	if err != nil {
		return world.Case{}, err
	}
	return world.Case{Setup: r.Setup, Baseline: r.Baseline, Model: r.Model, Force: s.Force}, nil
}

func embedded(t *testing.T) []*scenarios.Scenario {
	t.Helper()
	all, err := scenarios.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// boundary are the mutants of all protocols beside those that are switches.
func boundary(t *testing.T) []mutate.Mutant {
	t.Helper()
	var texts []mutate.Text
	for _, p := range house.Protocols() {
		texts = append(texts, mutate.Text{Protocol: p.Name, File: p.Name + "/mutants.txt",
			Text: p.Mutants})
	}
	list, err := mutate.Collect(texts)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// question hunts within bounds that do not depend on time, so that the answer does not either.
func question(t *testing.T, methods ...string) *mutate.Question {
	t.Helper()
	list, err := mutate.SelectMethods(mutate.Methods(), methods)
	if err != nil {
		t.Fatal(err)
	}
	return &mutate.Question{Methods: list, Resolve: resolve, Scenarios: embedded(t),
		Budget: mutate.Budget{Schedules: 3000, States: 1 << 20, Seed: 1}}
}

func ask(t *testing.T, q *mutate.Question, name string) *mutate.Row {
	t.Helper()
	list, err := mutate.Select(mutate.Catalogue(boundary(t), q.Scenarios), []string{name})
	if err != nil || len(list) != 1 {
		t.Fatalf("%s: %d mutants, %v", name, len(list), err)
	}
	r, err := q.Ask(t.Context(), list[0])
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestCatalogue checks the catalogue itself: enough mutants of every protocol, names and words,
// scenarios of the same protocol, a reason for each that is not broken.
func TestCatalogue(t *testing.T) {
	all := embedded(t)
	byName := map[string]*scenarios.Scenario{}
	for _, s := range all {
		byName[s.Name] = s
	}
	errata, names, protocols := map[string]bool{}, map[string]bool{}, map[string]int{}
	for _, m := range mutate.Catalogue(boundary(t), all) {
		s := byName[m.Scenario]
		switch {
		case names[m.Name]:
			t.Errorf("%s is there twice", m.Name)
		case s == nil:
			t.Errorf("%s is hunted at %q, which is no scenario", m.Name, m.Scenario)
		case s.Protocol != m.Protocol || !strings.HasPrefix(m.Name, m.Protocol+"/"):
			t.Errorf("%s of %s is hunted at %s of %s", m.Name, m.Protocol, s.Name, s.Protocol)
		case m.Doc == "" || strings.HasSuffix(m.Doc, "."):
			t.Errorf("%s: %q is no clause", m.Name, m.Doc)
		case (m.Expect == mutate.Broken) != (m.Why == ""):
			t.Errorf("%s is expected to be %s: %q", m.Name, m.Expect, m.Why)
		}
		names[m.Name] = true
		if errata[m.Protocol+" "+m.Erratum] = true; m.Erratum == "" {
			protocols[m.Protocol]++
		}
	}
	total := 0
	for _, p := range house.Protocols() {
		// the same control plane over other logging
		control := strings.HasPrefix(p.Name, "radic-") && p.Name != "radic-rbml"
		if p.Name != "none" && !control && protocols[p.Name] < 5 {
			t.Errorf("%d mutants of %s, want at least 5", protocols[p.Name], p.Name)
		}
		total += protocols[p.Name]
		for _, e := range p.Listed() {
			if !errata[p.Name+" "+e.ID] && e.Shown == "" {
				t.Errorf("erratum %s of %s is no mutant", e.ID, p.Name)
			}
		}
	}
	if total < 60 {
		t.Errorf("%d mutants beside the errata, want at least 60", total)
	}
}

// rare are the mutants that make a difference in less than one run of 256.
var rare = []string{"errmgr/drop-restart-nak", "hmpl/old-data-taken", "optimistic/held-forgotten",
	"rbml/old-data-taken"}

// TestFires draws runs of each mutant at its scope until it makes a difference: one that never does
// is no mutant. All are tried, always: they name fields of the protocols, which may be renamed. The
// short form gives up the rare ones after one run.
func TestFires(t *testing.T) {
	t.Parallel()
	q := question(t, "random")
	for i, m := range boundary(t) {
		if i%8 > 0 && !effort.Long() {
			continue
		}
		fired, rarely := int64(0), slices.Contains(rare, m.Name)
		for _, n := range []int{1, 4, 16, 64, 256, 1024, 4096} {
			if !effort.Long() && (n > 256 || rarely && n > 1) {
				break
			}
			q.Budget.Schedules = n
			r, err := q.Ask(t.Context(), m)
			if err != nil {
				t.Fatal(err)
			}
			if fired = r.Fired; fired > 0 {
				break
			}
		}
		switch {
		case fired == 0 && rarely && !effort.Long():
			t.Logf("%s makes no difference in a run: more %s", m.Name, effort.More)
		case fired == 0:
			t.Errorf("%s makes no difference at %s", m.Name, m.Scenario)
		}
	}
	if !effort.Long() {
		t.Log("an eighth of the mutants: " + effort.More)
	}
}

// quick are mutants of every protocol and of most habits that a small search kills.
var quick = []string{"hydee/drop-status", "hydee/gate-open", "hydee/frontier-ahead", "hydee/H5",
	"causal/piggyback-none", "causal/image-hasty", "camel/drop-completed",
	"rbml/log-ack-believed", "hmpl/drop-confirm", "sbml/block-short", "radic-rbml/drop-transfer",
	"radic-rbml/M31", "two-phase/hasty", "two-phase/votes-all",
	"paxos/quorum-short", "paxos/deaf"}

// TestExhaustiveKills checks that the exhaustive search kills mutants of every protocol, with a run
// that is no longer than any other method's.
func TestExhaustiveKills(t *testing.T) {
	t.Parallel()
	q := question(t, "exhaustive", "random")
	q.Budget.Schedules = 200
	for _, name := range quick {
		r := ask(t, q, name)
		h := r.Hunt("exhaustive")
		if !h.Killed || h.Vacuous || h.Steps == 0 || r.Unexpected != "" || r.Undecided {
			t.Errorf("%s: %+v, %s", name, h, r.Unexpected)
		}
		if d := r.Hunt("random"); d.Killed && d.Property == h.Property && d.Steps > 0 &&
			d.Steps < h.Steps {
			t.Errorf("%s: breadth first %d steps, a drawn run has %d", name, h.Steps, d.Steps)
		}
	}
}

// TestSurvivors checks that mutants are proved equivalent that are, and that the proof fails for
// near misses: one that breaks something, one whose checkpoints never end, one that comes to more
// decisions.
func TestSurvivors(t *testing.T) {
	t.Parallel()
	q := question(t, "exhaustive", "pos")
	for name, want := range map[string]mutate.Status{"hydee/twice-report": mutate.Equivalent,
		"sbml/twice-recall":        mutate.Equivalent,
		"two-phase/twice-prepared": mutate.Equivalent, "two-phase/vote-forgotten": mutate.Vacuous,
		"paxos/old-accepted-taken": mutate.Within} {
		if name == "hydee/twice-report" && !effort.Long() {
			continue // a proof of 120,000 states, two-phase/twice-prepared has one of 576
		}
		r := ask(t, q, name)
		if r.Expect != want || r.Unexpected != "" ||
			r.Equivalent() != (want == mutate.Equivalent) {
			t.Errorf("%s: %+v", name, r)
		}
		if d := r.Hunt("pos"); d.Killed || d.Schedules > 0 && want != mutate.Vacuous {
			t.Errorf("%s: runs were drawn where nothing is to be found: %+v", name, d)
		}
	}
	near := ask(t, question(t, "pos"), "hydee/drop-status")
	if near.Equivalent() || near.Undecided || !near.Hunts[0].Killed {
		t.Errorf("%+v", near)
	}
}

// TestBoundary compares machines in wrappers that do nothing with machines without: as many states,
// transitions and ends.
func TestBoundary(t *testing.T) {
	names := []string{"race3-unordered", "m18", "camel-c1", "h8", "rbml-overtake",
		"radic-rbml-basic", "two-phase-hasty"}
	for _, name := range names[:effort.Of(3, len(names))] {
		i := slices.IndexFunc(embedded(t), func(s *scenarios.Scenario) bool {
			return s.Name == name
		})
		s := *embedded(t)[i]
		s.Variant = "repaired"
		c, err := resolve(&s)
		if err != nil {
			t.Fatal(err)
		}
		explore := func(c world.Case) checker.Stats {
			w, _, err := world.Open(t.Context(), c, checker.Options{})
			if err != nil {
				t.Fatal(err)
			}
			r := search.Explore(t.Context(), w, checker.Options{})
			return checker.Stats{States: r.States, Transitions: r.Transitions,
				Terminals: r.Terminals}
		}
		wrapped := c
		wrapped.Setup = mutate.Wrapped(c.Setup)
		if diff := cmp.Diff(explore(c), explore(wrapped)); diff != "" {
			t.Errorf("%s (-bare +wrapped):\n%s", name, diff)
		}
	}
}

// TestStable asks twice and compares everything but the time; then it asks when nobody waits for
// the answer any more.
func TestStable(t *testing.T) {
	t.Parallel()
	var rows [2]string
	q := question(t, "exhaustive", "walk", "random", "pos", "pctcp", "urw", "portfolio")
	q.Shrink = 5000
	for i := range rows {
		r := ask(t, q, "hydee/gate-open")
		for j := range r.Hunts {
			r.Hunts[j].Seconds = 0
		}
		r.Fired = 0 // which steps are met first depends on nothing, but methods share no world
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		rows[i] = string(text)
	}
	if diff := cmp.Diff(rows[0], rows[1]); diff != "" {
		t.Errorf("two answers to one question:\n%s", diff)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m, err := mutate.Select(boundary(t), []string{"hydee/twice-report"})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := q.Ask(ctx, m[0]); err != nil || !r.Undecided || r.Unexpected != "" {
		t.Errorf("interrupted: %+v, %v", r, err)
	}
}

// TestTable compares the table that the documentation names with the catalogue and, for some
// mutants, with what is hunted now.
func TestTable(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/matrix.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for line := range strings.SplitSeq(string(text), "\n") {
		if f := strings.Fields(line); len(f) > 3 && strings.Contains(f[0], "/") {
			rows[f[0]] = f
		}
	}
	q := question(t, "exhaustive", "walk", "random", "pos", "pctcp", "urw", "portfolio")
	for _, m := range mutate.Catalogue(boundary(t), q.Scenarios) {
		if f := rows[m.Name]; f == nil || f[1] != m.Scenario {
			t.Errorf("%s is not in the table, or at another scope: %v; domino mutate writes it",
				m.Name, f)
		}
	}
	for _, name := range quick[:5] {
		r := ask(t, q, name)
		want := []string{name, r.Scenario, r.Hunts[0].Property, withCommas(r.Hunts[0].Steps),
			withCommas(r.Hunts[0].States)}
		for _, h := range r.Hunts[1:] {
			number := "-"
			if h.Killed {
				number = withCommas(h.Schedules)
			}
			want = append(want, number)
		}
		if diff := cmp.Diff(rows[name][:len(want)], want); diff != "" {
			t.Errorf("the table is old (-table +now), domino mutate writes it:\n%s", diff)
		}
	}
}

// TestSelect names protocols, patterns, and what is not there; an unknown method.
func TestSelect(t *testing.T) {
	list := mutate.Catalogue(boundary(t), embedded(t))
	for word, ok := range map[string]bool{"hydee": true, "rbml/log-*": true,
		"hydee/gate-open": true, "hydee/gate-opn": false, "[": false, "none": false} {
		some, err := mutate.Select(list, []string{word})
		if (err == nil) != ok || ok == (len(some) == 0) {
			t.Errorf("%q: %d mutants, %v", word, len(some), err)
		}
	}
	if some, err := mutate.Select(list, nil); err != nil || len(some) != len(list) {
		t.Errorf("no words: %d of %d, %v", len(some), len(list), err)
	}
	for _, names := range [][]string{{"bfs"}, {"pos", "pos"}, {""}} {
		if _, err := mutate.SelectMethods(mutate.Methods(), names); err == nil {
			t.Errorf("methods %q are taken", names)
		}
	}
}

// TestBudget bounds a hunt that finds nothing by time.
func TestBudget(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"walk", "urw"} {
		q := question(t, method)
		q.Budget.Schedules, q.Budget.Time = 0, 20*time.Millisecond
		r := ask(t, q, "hydee/twice-report")
		if h := r.Hunts[0]; h.Killed || !strings.HasPrefix(h.Bound, "time limit") || !r.Undecided {
			t.Errorf("%+v", r)
		}
	}
}

// withCommas writes a count for the table, with a thousands separator, or "-" for none.
func withCommas(n int) string {
	if n == 0 {
		return "-"
	}
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
