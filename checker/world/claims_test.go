package world_test

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// claiming resolves a scenario of a protocol that claims what commutes.
func claiming(t *testing.T, name string) *verify.Resolved {
	t.Helper()
	s, err := scenarios.Load(filepath.Join("../../scenarios", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := resolve(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// claimed are scenarios of each protocol that makes claims.
var claimed = []string{"camel/camel-c10", "camel/camel-cast-answers", "camel/camel-same-number",
	"causal/causal-s5", "causal/causal-told", "causal/picks", "causal-teams/causal-teams-mn11",
	"epochs/b12", "epochs/b10-unlogged", "epochs/epochs-kept-orphan", "epochs/epochs-on-its-way",
	"epochs/epochs-second", "hydee/h1", "hydee/h2", "hydee/h9-twice", "hydee/h17",
	"hydee/kernel-smg", "manetho/manetho-mn10", "manetho/manetho-mn6", "manetho/manetho-output",
	"pessimistic/pess-doubles", "pessimistic/pess-outputs", "sbml/m18", "sbml/sbml-reply",
	"teams/teams-race", "yang/yang-no-gate"}

// claimedOnce are the smaller ones of claimed, one of each protocol: those of the short form.
var claimedOnce = []string{"camel/camel-same-number", "causal/picks",
	"causal-teams/causal-teams-mn11", "epochs/b12", "hydee/h9-twice", "manetho/manetho-mn6",
	"pessimistic/pess-outputs", "sbml/m18", "teams/teams-race", "yang/yang-no-gate"}

// keepsEnds compares verdict and ends of a search in full and of a reduced one.
func keepsEnds(t *testing.T, name string, r *verify.Resolved) {
	t.Helper()
	c := world.Case{Setup: r.Setup, Baseline: r.Baseline, Model: r.Model}
	outcome := func(reduce checker.Reduction) *world.Outcome {
		out, err := world.Check(t.Context(), c, checker.Options{Reduce: reduce})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return out
	}
	full := outcome(checker.Unreduced)
	reduced := outcome(checker.Singletons | checker.Crashes)
	if full.Verdict != reduced.Verdict || full.Verdict != spec.Violated &&
		full.Terminals != reduced.Terminals {
		t.Errorf("%s: %v with %d ends, reduced %v with %d", name, full.Verdict, full.Terminals,
			reduced.Verdict, reduced.Terminals)
	}
}

// TestClaimsKeepEnds explores scenarios of protocols that claim what commutes, in full and reduced:
// verdict and ends of runs must be equal. In b12 a claim was once wrong: an end was lost.
func TestClaimsKeepEnds(t *testing.T) {
	t.Parallel()
	for _, name := range append(effort.Of([]string{"hydee/collect-small"},
		[]string{"hydee/collect-small", "hydee/s1", "hydee/s4"}),
		effort.Of(claimedOnce, claimed)...) {
		keepsEnds(t, name, claiming(t, name))
	}
}

// audited is what the audit says of a scenario, of which it looks at so many states.
func audited(t *testing.T, r *verify.Resolved, most int) *world.Audited {
	t.Helper()
	w, _, err := world.Open(t.Context(), world.Case{Setup: r.Setup, Baseline: r.Baseline,
		Model: r.Model, Once: true}, checker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := w.Audit(t.Context(), most)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestClaimsCommute executes the hypotheses of the reduction at every step that one of these
// scenarios claims.
func TestClaimsCommute(t *testing.T) {
	t.Parallel()
	for _, name := range effort.Of(claimedOnce, claimed) {
		a := audited(t, claiming(t, name), effort.Of(2_000, 40_000))
		if a.Broken != nil || a.Plain == 0 {
			t.Errorf("%s: %d pairs, %v", name, a.Plain, a.Broken)
		}
	}
}

// TestAllClaimsCommute does the same for every scenario that there is, of large ones for the states
// that are found first. Of small ones verdict and ends are compared, too.
func TestAllClaimsCommute(t *testing.T) {
	if !effort.Long() {
		t.Skip("explores some hundred scenarios by brute force: " + effort.More)
	}
	t.Parallel()
	names, err := filepath.Glob("../../scenarios/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	most := 5_000
	if effort.Huge() {
		most = 400_000
	}
	var sum world.Audited
	complete, eager := 0, 0
	for _, name := range names {
		name = strings.TrimSuffix(strings.TrimPrefix(name, "../../scenarios/"), ".txtar")
		r := claiming(t, name)
		a := audited(t, r, most)
		if a.Broken != nil {
			t.Errorf("%s: %v", name, a.Broken)
		}
		if a.Complete && a.States <= 3_000 && a.Eager > 0 {
			keepsEnds(t, name, r)
		}
		if a.Complete {
			complete++
		}
		if a.Eager > 0 {
			eager++
		}
		sum.Add(a)
	}
	t.Logf("%d scenarios, %d in full, %d with claims: %s", len(names), complete, eager, &sum)
	if complete < 150 || eager < 200 || sum.Exchanged < 1_000 || sum.PutOff < 10_000 {
		t.Errorf("too little was asked")
	}
}

// weaker are claims with clauses left out: everything of a kind is claimed in the present round,
// messages by their names or, as "", steps of the program.
var weaker = []struct{ kind, scenario string }{
	{"", "camel/camel-c6"}, {"Answer", "camel/camel-c10"}, {"Completed", "camel/camel-c10"},
	{"Contribution", "camel/camel-released"}, {"Ack", "causal/causal-told"},
	{"", "epochs/epochs-kept-orphan"}, {"Report", "epochs/epochs-kept-orphan"},
	{"Begin", "epochs/epochs-kept-orphan"},
	{"", "hydee/published-free"}, {"Begin", "hydee/h9-late"}, {"Status", "hydee/h9-late"},
	{"Answer", "causal-teams/causal-teams-mn11"}, {"", "manetho/manetho-mn10"},
	{"App", "manetho/manetho-mn10"}, {"", "sbml/m18"}, {"Data", "sbml/m18"},
	{"App", "ho/ho-race"}, {"Hello", "pessimistic/pess-doubles"},
	{"Covered", "pessimistic/pess-forgets"}, {"Hello", "teams/teams-race"},
	{"Hello", "yang/yang-no-gate"},
}

// TestWeakerClaimsAreCaught leaves out what a protocol asks of a state and a message before it
// claims, for each kind of step: then some claim must be found to be wrong.
func TestWeakerClaimsAreCaught(t *testing.T) {
	t.Parallel()
	for _, tt := range weaker {
		r := claiming(t, tt.scenario)
		setup := weakened(r.Setup, tt.kind, nil)
		w, err := world.New(world.Config{Setup: setup, Model: r.Model})
		if err != nil {
			t.Fatal(err)
		}
		a, err := w.Audit(t.Context(), 0)
		if err != nil || a.Broken == nil {
			t.Errorf("%s: all steps %q are claimed, and nothing is wrong: %v, %v", tt.scenario,
				tt.kind, a, err)
		}
	}
}

// weakened is a setup whose ranks and services claim all steps of a kind, or those at the moments.
func weakened(setup *core.Setup, kind string, when func(moment) bool) *core.Setup {
	weak := *setup
	rounds := slices.Contains([]string{"epochs", "hydee"}, setup.Protocol)
	weak.New = func(p core.Proc) core.Machine {
		switch m := setup.New(p).(type) {
		case *program.Host:
			return weakRank{m, kind, rounds, when}
		default:
			return weakService{m, kind, rounds, when}
		}
	}
	return &weak
}

// weakRank is a rank that claims all steps of a kind.
type weakRank struct {
	*program.Host
	kind   string
	rounds bool // recoveries are numbered
	when   func(moment) bool
}

// Commutes implements core.Commuter.
func (r weakRank) Commutes(in core.Input) (round uint64, ok bool) {
	if round, ok = r.Host.Commutes(in); ok ||
		!ofKind(in, r.kind, r.Host.Layer().State(), r.when) {
		return round, ok
	}
	return presentRound(r.rounds, r.Host.Layer().State(), in), true
}

// weakService is a service that claims all steps of a kind.
type weakService struct {
	core.Machine
	kind   string
	rounds bool
	when   func(moment) bool
}

// Commutes implements core.Commuter.
func (s weakService) Commutes(in core.Input) (round uint64, ok bool) {
	if c, claims := s.Machine.(core.Commuter); claims {
		if round, ok = c.Commutes(in); ok {
			return round, ok
		}
	}
	if !ofKind(in, s.kind, s.Machine.State()[0], s.when) {
		return 0, false
	}
	return presentRound(s.rounds, s.Machine.State()[0], in), true
}

// ofKind reports whether an input is one of the kind, and the moment such a one.
func ofKind(in core.Input, kind string, state any, when func(moment) bool) bool {
	return (in.Message == nil && kind == "" ||
		in.Message != nil && in.Message.Describe().Kind == kind) &&
		(when == nil || when(moment{reflect.ValueOf(state).Elem(), in}))
}

// presentRound is the newest recovery round that a state and a message know of, where they are
// numbered.
func presentRound(rounds bool, state any, in core.Input) (round uint64) {
	if !rounds {
		return 0
	}
	if f := reflect.ValueOf(state).Elem().FieldByName("Round"); f.IsValid() {
		round = f.Uint()
	}
	if in.Message != nil {
		round = max(round, in.Message.Describe().Stamp.Round)
	}
	return round
}
