package world_test

import (
	"encoding/binary"
	"fmt"
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

// TestClaimsKeepEnds explores scenarios of protocols that claim what commutes, in full and reduced:
// verdict and ends of runs must be equal. In b12 a claim was once wrong: an end was lost.
func TestClaimsKeepEnds(t *testing.T) {
	t.Parallel()
	for _, name := range append([]string{"hydee/collect-small", "hydee/s1", "hydee/s4"},
		claimed...) {
		r := claiming(t, name)
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
		if full.Verdict != reduced.Verdict || full.Terminals != reduced.Terminals {
			t.Errorf("%s: %v with %d ends, reduced %v with %d", name, full.Verdict, full.Terminals,
				reduced.Verdict, reduced.Terminals)
		}
	}
}

// TestClaimsCommute holds every claim against brute force: from each state of the unreduced search
// in which a step is claimed, and from all that can follow before it is taken, it must stay
// possible, and lead to the same state before and behind every other step.
func TestClaimsCommute(t *testing.T) {
	t.Parallel()
	for _, name := range claimed {
		r := claiming(t, name)
		claims, problem := holdClaims(t, world.Config{Setup: r.Setup, Model: r.Model})
		if problem != "" || claims == 0 {
			t.Errorf("%s: %d claims, %s", name, claims, problem)
		}
	}
}

// TestAllClaimsCommute does the same for every scenario that is small enough, and compares what the
// search says with the claims and without.
func TestAllClaimsCommute(t *testing.T) {
	if !effort.Long() {
		t.Skip("explores some hundred scenarios by brute force")
	}
	t.Parallel()
	names, err := filepath.Glob("../../scenarios/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	held := 0
	for _, name := range names {
		name = strings.TrimSuffix(strings.TrimPrefix(name, "../../scenarios/"), ".txtar")
		r := claiming(t, name)
		c := world.Case{Setup: r.Setup, Baseline: r.Baseline, Model: r.Model}
		full, err := world.Check(t.Context(), c, checker.Options{MaxStates: 12_000})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if full.Bound != "" || full.Verdict != spec.Holds {
			continue
		}
		reduced, err := world.Check(t.Context(), c,
			checker.Options{Reduce: checker.Singletons | checker.Crashes})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if full.Verdict != reduced.Verdict || full.Terminals != reduced.Terminals {
			t.Errorf("%s: %v with %d ends, reduced %v with %d", name, full.Verdict, full.Terminals,
				reduced.Verdict, reduced.Terminals)
		}
		claims, problem := holdClaims(t, world.Config{Setup: r.Setup, Model: r.Model})
		if problem != "" {
			t.Errorf("%s: %s", name, problem)
		}
		if claims > 0 {
			held++
		}
	}
	if held < 50 {
		t.Errorf("only %d scenarios have claims", held)
	}
}

// graph is what a system can do, found by brute force.
type graph struct {
	*world.World
	x      *checker.Expansion
	number map[string]int
	states [][]uint32
	next   []map[uint64]int // by state and label
}

// at is the number of a state.
func (g *graph) at(state []uint32) int {
	key := make([]byte, 0, 4*len(state))
	for _, word := range state {
		key = binary.LittleEndian.AppendUint32(key, word)
	}
	n, ok := g.number[string(key)]
	if !ok {
		n = len(g.states)
		g.number[string(key)] = n
		g.states = append(g.states, append([]uint32(nil), state...))
		g.next = append(g.next, nil)
	}
	return n
}

// after are the states that follow.
func (g *graph) after(n int) map[uint64]int {
	if g.next[n] == nil {
		g.Expand(g.states[n], checker.Unreduced, g.x)
		labels, states := []uint64{}, [][]uint32{}
		for i, s := range g.x.Steps {
			labels = append(labels, g.Label(g.states[n], s.Code))
			states = append(states, g.x.State(i, nil))
		}
		next := map[uint64]int{}
		for i := range labels {
			next[labels[i]] = g.at(states[i])
		}
		g.next[n] = next
	}
	return g.next[n]
}

// name says what a step is.
func (g *graph) name(n int, label uint64) string {
	texts, x := g.Enabled(g.states[n])
	for i, s := range x.Steps {
		if g.Label(g.states[n], s.Code) == label {
			return texts[i]
		}
	}
	return fmt.Sprintf("%x", label)
}

// late says that a step has not been taken in a state and has in another one; or, of two that are
// only counted unless they are the last one, that each has been taken in one of them.
type late struct {
	without, with int
	step, instead uint64 // instead is 0, or what was taken without
}

// holdClaims explores a system and holds all claims against what it can do; it returns how many
// there are, and what is wrong with one.
func holdClaims(t *testing.T, c world.Config) (claims int, problem string) {
	t.Helper()
	w, err := world.New(c)
	if err != nil {
		t.Fatal(err)
	}
	g := graph{World: w, x: checker.NewExpansion(w.Words()), number: map[string]int{}}
	initial := make([]uint32, w.Words())
	w.Initial(initial)
	g.at(initial)
	var work []late
	known := map[late]bool{}
	put := func(l late) {
		if !known[l] {
			known[l] = true
			work = append(work, l)
		}
	}
	for n := 0; n < len(g.states); n++ {
		g.after(n)
		for _, label := range w.Claimed(g.states[n]) {
			claims++
			put(late{without: n, with: g.after(n)[label], step: label})
		}
	}
	for ; len(work) > 0; work = work[1:] {
		next, problem := g.follow(work[0])
		if problem != "" {
			return claims, problem
		}
		for _, l := range next {
			put(l)
		}
	}
	return claims, ""
}

// follow looks at everything that can happen before a step that waits: it must be possible with it,
// too, and lead to the same.
func (g *graph) follow(l late) (next []late, problem string) {
	for other, there := range g.after(l.without) {
		if other == l.step {
			continue
		}
		last, ok := g.after(l.with)[other]
		if !ok {
			return nil, fmt.Sprintf("%s is not possible behind %s in state %d",
				g.name(l.without, other), g.name(l.without, l.step), l.without)
		}
		if last == there {
			continue // it undoes the step
		}
		n := late{there, last, l.step, l.instead}
		if !g.joins(n) {
			return nil, fmt.Sprintf("%s does not commute with %s in state %d",
				g.name(l.without, l.step), g.name(l.without, other), l.without)
		}
		if l.instead == 0 && !g.Acts(g.states[l.without], l.step) &&
			g.Acts(g.states[there], l.step) {
			n = late{there, l.with, l.step, other} // it would be the last one, the other one is
		}
		next = append(next, n)
	}
	return next, ""
}

// joins reports whether both states are the same when what is missing has been made up for. A step
// that is not possible while its proc is down may be later, or its message is lost.
func (g *graph) joins(l late) bool {
	here, ok := g.after(l.without)[l.step]
	if !ok {
		return len(g.after(l.without)) > 0
	}
	there := l.with
	if ok && l.instead != 0 {
		there, ok = g.after(l.with)[l.instead]
	}
	return ok && here == there
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
		setup := weakened(r.Setup, tt.kind)
		claims, problem := holdClaims(t, world.Config{Setup: setup, Model: r.Model})
		if problem == "" {
			t.Errorf("%s: all steps %q are claimed, %d times, and nothing is wrong", tt.scenario,
				tt.kind, claims)
		}
	}
}

// weakened is a setup whose ranks and services claim all steps of a kind.
func weakened(setup *core.Setup, kind string) *core.Setup {
	weak := *setup
	rounds := slices.Contains([]string{"epochs", "hydee"}, setup.Protocol)
	weak.New = func(p core.Proc) core.Machine {
		switch m := setup.New(p).(type) {
		case *program.Host:
			return weakRank{m, kind, rounds}
		default:
			return weakService{m, kind, rounds}
		}
	}
	return &weak
}

// weakRank is a rank that claims all steps of a kind.
type weakRank struct {
	*program.Host
	kind   string
	rounds bool // recoveries are numbered
}

// Commutes implements core.Commuter.
func (r weakRank) Commutes(in core.Input) (round uint64, ok bool) {
	if round, ok = r.Host.Commutes(in); ok || !ofKind(in, r.kind) {
		return round, ok
	}
	return presentRound(r.rounds, r.Host.Layer().State(), in), true
}

// weakService is a service that claims all steps of a kind.
type weakService struct {
	core.Machine
	kind   string
	rounds bool
}

// Commutes implements core.Commuter.
func (s weakService) Commutes(in core.Input) (round uint64, ok bool) {
	if c, claims := s.Machine.(core.Commuter); claims {
		if round, ok = c.Commutes(in); ok {
			return round, ok
		}
	}
	if !ofKind(in, s.kind) {
		return 0, false
	}
	return presentRound(s.rounds, s.Machine.State()[0], in), true
}

// ofKind reports whether an input is one of the kind.
func ofKind(in core.Input, kind string) bool {
	return in.Message == nil && kind == "" ||
		in.Message != nil && in.Message.Describe().Kind == kind
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
