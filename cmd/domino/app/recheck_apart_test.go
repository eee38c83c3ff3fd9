package app

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/proofs/certificate"
	"github.com/domino-check/domino/proofs/recheck"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// asked is a scenario in a variant and its world.
func asked(t *testing.T, name, variant string) (world.Case, *world.World) {
	t.Helper()
	return askedWith(t, name, func(s *scenarios.Scenario) {
		if variant != "" {
			s.Variant = variant
		}
	})
}

// askedWith is a scenario that is changed, also beyond what its protocol promises, and its world.
func askedWith(t *testing.T, name string, change func(*scenarios.Scenario)) (world.Case,
	*world.World) {
	t.Helper()
	s, err := catalogue().Scenario(name)
	if err != nil {
		t.Fatal(err)
	}
	changed := *s
	change(&changed)
	r, err := catalogue().Resolve(&changed)
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := world.Open(t.Context(), r.Case, checker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Case, w
}

// allStates are all that a search visits, and what it counts.
func allStates(t *testing.T, sys checker.System) (states [][]uint32, r checker.Result) {
	t.Helper()
	r = search.Explore(t.Context(), sys, checker.Options{MaxStates: 200_000,
		Visited: func(all iter.Seq[[]uint32]) {
			for state := range all {
				states = append(states, slices.Clone(state))
			}
		}})
	return states, r
}

// certificateOf is a certificate of any states of a world, in the best of forms.
func certificateOf(t *testing.T, w *world.World, c *world.Case,
	states [][]uint32) *certificate.Certificate {
	t.Helper()
	var b bytes.Buffer
	if err := w.WriteCertificate(&b, certificate.Header{Text: c.Subject, MustSee: c.MustSee},
		slices.Values(states), certificate.Room{}); err != nil {
		t.Fatal(err)
	}
	cert, err := certificate.Read(bytes.NewReader(b.Bytes()), int64(b.Len()), 0)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

// TestRecheckApart compares the environment of the re-checker with the world: it accepts their
// certificates, which have every state that is reached and no other, and counts as many steps and
// ends. The scenarios have together what it models.
func TestRecheckApart(t *testing.T) {
	t.Parallel()
	names := strings.Fields("radic-hmpl-zombie-logger h5 koo-toueg-refuses causal-s4 h11-orphan " +
		"h7-order s5 pess-forgets sbml-output-behind koo-toueg-transit m31 radic-rbml-rejoin " +
		"causal-unordered a3 head-full peers-spare")
	if effort.Long() {
		names = strings.Fields("ping s1 h1 h17 camel-c5 camel-free pess-logs pess-doubles stream " +
			"manetho-mn4 manetho-output causal-s8 coordinated-told coordinated-late " +
			"monnet-inside " +
			"koo-toueg-two h20-notify epochs-spe epochs-at-arrival optimistic-orphan " +
			"radic-hmpl-insertion radic-rbml-zombie-one radic-rbml-alarm m27 " +
			"radic-rbml-swap-back radic-sbml-output " +
			"m60 camel-unordered-casts " +
			"paxos s1-staggered replicated-doubted errmgr/picks sustain-node sustain-exchange " +
			"crmig head-twice store-full w8 heads-node peers-left")
	}
	for _, name := range names {
		compareApart(t, name, func(*scenarios.Scenario) {})
	}
	compareApart(t, "causal-s4", func(s *scenarios.Scenario) {
		s.Model.Failures, s.Model.Overlap = 2, 1
	})
	if !effort.Long() {
		return
	}
	// what is in no scenario that holds, or in large ones only
	compareApart(t, "paxos", func(s *scenarios.Scenario) { s.Model.Loss = 1 })
	compareApart(t, "two-phase", func(s *scenarios.Scenario) { // in order
		s.Roles, s.Model.Set, s.Model.Duplicates, s.MustSee = "resources 2", false, 1, nil
	})
	compareApart(t, "two-phase", func(s *scenarios.Scenario) { s.Roles = "resources 4" })
	compareApart(t, "two-phase", func(s *scenarios.Scenario) {
		s.Roles, s.Model.Loss, s.MustSee = "resources 3", 1, nil
	})
	compareApart(t, "sustain-node", func(s *scenarios.Scenario) {
		s.Model.FromDead = fault.Nothing
	})
	compareApart(t, "sustain-node", func(s *scenarios.Scenario) {
		s.Model.Disks = fault.SurviveNode
	})
	compareApart(t, "head-full", func(s *scenarios.Scenario) {
		s.Model.Lose, s.Model.Corrupt = 1, 1
	})
}

// compareApart does so with a scenario that may be changed.
func compareApart(t *testing.T, name string, change func(*scenarios.Scenario)) {
	t.Helper()
	c, w := askedWith(t, name, change)
	states, r := allStates(t, w)
	n, err := recheck.Check(t.Context(), subjectOf(&c, w.Facts), certificateOf(t, w, &c, states))
	if err != nil || n.States != r.States || n.Transitions != r.Transitions ||
		n.Ends != r.Terminals {
		t.Errorf("%s: %+v, %v; the search has %d states, %d transitions, %d ends, found %v", name,
			n, err, r.States, r.Transitions, r.Terminals, r.Found)
	}
}

// TestRecheckApartForged drops states and adds some that no run reaches: the re-checker refuses
// what is left.
func TestRecheckApartForged(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"causal-s4", "radic-rbml-rejoin"} {
		forge(t, name)
	}
}

// forge does so with a scenario.
func forge(t *testing.T, name string) {
	t.Helper()
	c, w := asked(t, name, "")
	states, _ := allStates(t, w)
	refuse := func(what string, states [][]uint32, why string) {
		_, err := recheck.Check(t.Context(), subjectOf(&c, w.Facts),
			certificateOf(t, w, &c, states))
		if !errors.Is(err, certificate.ErrRefused) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %q", what, err, why)
		}
	}
	random := rand.New(rand.NewPCG(5, 6))
	known := map[string]bool{}
	for _, s := range states {
		known[fmt.Sprint(s)] = true
	}
	for _, i := range random.Perm(len(states))[:effort.Of(20, len(states))] {
		refuse(fmt.Sprint("without ", i), slices.Delete(slices.Clone(states), i, i+1), "is missing")
		state := slices.Clone(states[random.IntN(len(states))])
		word := random.IntN(len(state))
		if state[word] = states[i][word]; !known[fmt.Sprint(state)] {
			refuse(fmt.Sprint("with ", state), append(slices.Clip(states), state),
				"can not be reached")
		}
	}
}

// TestRecheckEdited changes entries of tables: whatever it is, what steps lead to is not there any
// more, or something else is that nobody reaches. Both levels refuse it.
func TestRecheckEdited(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"koo-toueg-transit", "m31"} {
		edit(t, name)
	}
}

// edit does so with a scenario.
func edit(t *testing.T, name string) {
	t.Helper()
	c, w := asked(t, name, "")
	states, _ := allStates(t, w)
	random := rand.New(rand.NewPCG(7, 8))
	for range effort.Cases(25, 500) {
		cert := certificateOf(t, w, &c, states)
		before := certificateOf(t, w, &c, states)
		flipEntry(&cert.Tables, random)
		if cmp.Equal(before.Tables, cert.Tables) {
			continue
		}
		_, err := recheck.Check(t.Context(), subjectOf(&c, w.Facts), cert)
		if !errors.Is(err, certificate.ErrRefused) {
			t.Errorf("rechecked: %v\n%s", err, cmp.Diff(before.Tables, cert.Tables))
		}
		_, err = world.Recheck(t.Context(), c, checker.Options{}, cert)
		if !errors.Is(err, certificate.ErrRefused) {
			t.Errorf("closed: %v\n%s", err, cmp.Diff(before.Tables, cert.Tables))
		}
	}
}

// flipEntry changes an entry of a table, if there is one of the kind that the dice say.
func flipEntry(tables *certificate.Tables, random *rand.Rand) {
	flip := func(b []byte) {
		if len(b) > 0 {
			b[random.IntN(len(b))] ^= 1 << random.IntN(8)
		}
	}
	switch random.IntN(9) {
	case 0:
		flip(tables.Messages[random.IntN(len(tables.Messages))])
	case 1:
		flip(tables.Locals[random.IntN(len(tables.Locals))].State)
	case 2:
		tables.Locals[random.IntN(len(tables.Locals))].Incarnation ^= 1
	case 3:
		box := tables.Inboxes[random.IntN(len(tables.Inboxes))]
		for i := range box {
			slices.Reverse(box[i].Messages)
		}
	case 4:
		e := &tables.Envs[random.IntN(len(tables.Envs))]
		e.Incarnation, e.Timers = e.Incarnation^uint32(random.IntN(2)), []string{"x"}
	case 5:
		tables.Budgets[random.IntN(len(tables.Budgets))].Failures ^= 2
	case 6:
		list := tables.Procs[random.IntN(len(tables.Procs))]
		list[random.IntN(len(list))].Inbox = list[random.IntN(len(list))].Inbox
	case 7:
		flip(tables.Locals[random.IntN(len(tables.Locals))].Holding)
	case 8:
		e := &tables.Envs[random.IntN(len(tables.Envs))]
		e.Watches = append(slices.Clip(e.Watches), certificate.Watch{About: 9})
	}
}

// TestRecheckApartModel gives the re-checker certificates of worlds that do something else than the
// model says: one that loses what is on its way from a proc that crashes, one that keeps what is on
// its way to it, two that crash too seldom. Their states are closed, each in its own world; that is
// what a world can not find out about itself.
func TestRecheckApartModel(t *testing.T) {
	t.Parallel()
	models := map[string]func(*fault.Model){
		"messages are lost": func(m *fault.Model) { m.FromDead = fault.Nothing },
		"messages are kept": func(m *fault.Model) { m.KeepToDead = !m.KeepToDead },
		"other victims":     func(m *fault.Model) { m.Victims = []trace.Proc{0} },
		"no failures":       func(m *fault.Model) { m.Failures = 0 },
	}
	differs := map[string]int{}
	for _, name := range []string{"causal-s4", "h5", "koo-toueg-both"} {
		c, w := asked(t, name, "")
		right, _ := allStates(t, &deaf{w})
		want := certificateOf(t, w, &c, right)
		for what, change := range models {
			config := w.Config
			change(&config.Model)
			other, err := world.New(config)
			if err != nil {
				t.Fatal(err)
			}
			states, _ := allStates(t, &deaf{other})
			cert := certificateOf(t, other, &c, states)
			if cmp.Equal(want.Tables, cert.Tables) && len(states) == len(right) {
				continue // it makes no difference here
			}
			differs[what]++
			_, err = recheck.Check(t.Context(), subjectOf(&c, w.Facts), cert)
			if !errors.Is(err, certificate.ErrRefused) {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
	}
	if len(differs) < len(models) {
		t.Errorf("only these make a difference: %v", differs)
	}
}

// TestRecheckApartVacuous: what must be seen is seen by some run, or the certificate is refused;
// what is never asked about is not seen.
func TestRecheckApartVacuous(t *testing.T) {
	t.Parallel()
	c, w := asked(t, "causal-s4", "")
	states, _ := allStates(t, w)
	seen, unseen := w.Seen()
	if len(seen) == 0 || len(unseen) == 0 {
		t.Fatalf("seen %q, unseen %q: want some of both", seen, unseen)
	}
	for name, want := range map[string]error{seen[0]: nil, unseen[0]: certificate.ErrRefused,
		"none of the properties": certificate.ErrRefused} {
		c.MustSee = []string{name}
		_, err := recheck.Check(t.Context(), subjectOf(&c, w.Facts),
			certificateOf(t, w, &c, states))
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}

// deaf is a world in which nothing is bad.
type deaf struct{ *world.World }

// Expand implements checker.System.
func (d *deaf) Expand(state []uint32, reduce checker.Reduction, x *checker.Expansion) {
	y := checker.NewExpansion(d.Words())
	d.World.Expand(state, reduce, y)
	x.Begin(state)
	for i, s := range y.Steps {
		if s.Violation == 0 {
			x.Add(s)
			for _, delta := range y.Deltas(i) {
				x.Set(delta.Word, delta.Value)
			}
		}
	}
}

// Terminal implements checker.System.
func (d *deaf) Terminal([]uint32) int { return 0 }

// TestRecheckApartErrata has certificates of protocols with errata, without the steps that show
// them: the re-checker finds the steps. A huge test has larger ones, and says which errata it has
// not tried.
func TestRecheckApartErrata(t *testing.T) {
	t.Parallel()
	tried, beyond, most, soon := 0, 0, 20_000, 3_000
	if effort.Huge() {
		most, soon = 200_000, 100_000
	}
	for _, s := range catalogue().Scenarios() {
		if s.Erratum == "" || s.Expect != "holds" || s.States > most ||
			tried >= effort.Of(3, 1000) {
			continue
		}
		variant := "repaired+" + s.Erratum
		s.Variant = variant
		r, err := catalogue().Resolve(s)
		if err != nil {
			continue
		}
		w, reason, err := world.Open(t.Context(), r.Case, checker.Options{})
		if err != nil || reason != "" {
			continue
		}
		// others than those that a search finds at once
		if first := search.Explore(t.Context(), w, checker.Options{MaxStates: soon}); len(
			first.Found) == 0 {
			t.Logf("%s %s: nothing is found in the first %d states", s.Name, variant, soon)
			continue
		}
		states, _ := allStates(t, &deaf{w})
		if states == nil {
			t.Logf("%s %s: too many states", s.Name, variant)
			continue
		}
		_, err = recheck.Check(t.Context(), subjectOf(&r.Case, w.Facts),
			certificateOf(t, w, &r.Case, states))
		switch {
		case errors.Is(err, recheck.ErrBeyond):
			beyond++
			continue
		case !errors.Is(err, certificate.ErrRefused):
			t.Errorf("%s %s: %v", s.Name, variant, err)
		}
		tried++
	}
	t.Logf("%d errata, %d beyond", tried, beyond)
	if tried < effort.Of(3, 5) {
		t.Errorf("only %d errata were tried", tried)
	}
}
