package world_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/apart"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/proofs/certificate"
	"github.com/domino-check/domino/proofs/recheck"
)

// broken is a world that a search sees wrongly: without some of the steps, or with other ones.
type broken struct {
	*world.World
	procs int
	inner *checker.Expansion
	begun int
	// drops reports whether a step is left out, edits changes where it leads to; both may be nil
	drops func(b *broken, state []uint32, s *checker.Step) bool
	edits func(b *broken, state, next []uint32, s *checker.Step)
	met   map[string][]uint32
	blind bool // it sees nothing that breaks a property
	free  bool // all steps count as independent
}

// Expand implements checker.System.
func (b *broken) Expand(state []uint32, reduce checker.Reduction, x *checker.Expansion) {
	b.World.Expand(state, reduce, b.inner)
	b.begun++
	x.Begin(state)
	x.Reduced, x.LeftOut = b.inner.Reduced, b.inner.LeftOut
	var next []uint32
	for i, s := range b.inner.Steps {
		if b.drops != nil && b.drops(b, state, &s) {
			continue
		}
		if next = b.inner.State(i, next[:0]); b.edits != nil {
			b.edits(b, state, next, &s)
		}
		if b.blind {
			s.Violation = 0
		}
		x.Add(s)
		for word, value := range next {
			x.Set(word, value)
		}
	}
}

// Terminal implements checker.System.
func (b *broken) Terminal(state []uint32) int {
	if b.blind {
		return 0
	}
	return b.World.Terminal(state)
}

// Footprint implements checker.Independence.
func (b *broken) Footprint(state []uint32, code uint64) checker.Footprint {
	if b.free {
		return checker.Footprint{}
	}
	return b.World.Footprint(state, code)
}

// down are the procs that stop in a step.
func (b *broken) down(state, next []uint32) (list []core.Proc) {
	for p := range core.Proc(b.procs) {
		if b.Observed(state, p).Up && !b.Observed(next, p).Up {
			list = append(list, p)
		}
	}
	return list
}

// never leaves out all steps of a sort.
func never(sort string) func(*broken, []uint32, *checker.Step) bool {
	return func(_ *broken, _ []uint32, s *checker.Step) bool { return world.Sort(s.Code) == sort }
}

// seldom leaves out steps of a sort in some states.
func seldom(sort string) func(*broken, []uint32, *checker.Step) bool {
	return func(b *broken, state []uint32, s *checker.Step) bool {
		return world.Sort(s.Code) == sort && hashOf(b.StateName(state))%5 == 0
	}
}

func hashOf(text string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(text)) // it returns no error
	return h.Sum32() >> 7
}

// merged makes all states one that have the same key: the one that is met first.
func merged(key func(b *broken, next []uint32) string) func(*broken, []uint32, []uint32,
	*checker.Step) {
	return func(b *broken, _, next []uint32, _ *checker.Step) {
		k := key(b, next)
		if first, ok := b.met[k]; ok {
			copy(next, first)
			return
		}
		b.met[k] = slices.Clone(next)
	}
}

// breaks are ways in which a search or a world may be wrong: most of them lose states, some have
// states that there are not, and some see nothing in them.
var breaks = []struct {
	name, scenario, variant string
	reduce                  checker.Reduction
	broken                  broken

	why string
}{
	{name: "fingerprints are short", scenario: "h9-twice", broken: broken{
		edits: merged(func(b *broken, next []uint32) string {
			return fmt.Sprint(hashOf(b.StateName(next)) % 4096)
		})}, why: "is missing"},
	{name: "some states are forgotten", scenario: "pess-logs", broken: broken{
		drops: func(b *broken, _ []uint32, _ *checker.Step) bool { return b.begun%50 == 0 }},
		why: "is missing"},
	{name: "all steps are independent", scenario: "h9-twice", reduce: checker.Sleep,
		broken: broken{free: true}, why: "is missing"},
	{name: "what is not alike is", scenario: "pess-logs", broken: broken{
		edits: merged(func(_ *broken, next []uint32) string {
			return fmt.Sprint(next[:len(next)-1])
		})}, why: "is missing"},
	{name: "a message is not taken", scenario: "h9-twice", broken: broken{drops: seldom("message")},
		why: "is missing"},
	{name: "a program does not go on", scenario: "h9-twice",
		broken: broken{drops: seldom("program")}, why: "is missing"},
	{name: "nobody fails", scenario: "pess-logs", broken: broken{drops: never("fault")},
		why: "is missing"},
	{name: "failures are offered at the start only", scenario: "pess-logs", broken: broken{
		drops: func(b *broken, state []uint32, s *checker.Step) bool {
			return b.begun > 1 && world.Sort(s.Code) == "fault"
		}}, why: "is missing"},
	{name: "somebody is not told", scenario: "h9-twice", broken: broken{drops: func(b *broken,
		state []uint32, s *checker.Step) bool { // few are told: so that it is the half with some
		return world.Sort(s.Code) == "detector" && hashOf(b.StateName(state))%2 == 1
	}}, why: "is missing"},
	{name: "nobody restarts", scenario: "h9-twice", broken: broken{drops: never("restart")},
		why: "is missing"},
	{name: "a write is never stable", scenario: "pess-logs",
		broken: broken{drops: never("storage")}, why: "is missing"},
	{name: "a crash loses a message", scenario: "causal-kept", broken: broken{
		edits: func(b *broken, state, next []uint32, _ *checker.Step) {
			for _, p := range b.down(state, next) {
				next[world.ProcWord(p)] = b.Emptied(next, p)
			}
		}}, why: "is missing"},
	{name: "a restart reads older records", scenario: "pess-logs", broken: broken{
		edits: func(b *broken, state, next []uint32, s *checker.Step) {
			for p := range core.Proc(b.procs) {
				if world.Sort(s.Code) == "storage" {
					next[world.ProcWord(p)] = b.Unwritten(next, state, p)
				}
			}
		}}, why: "is missing"},
	{name: "nothing breaks anything", scenario: "h1", variant: "repaired+H1",
		why: "breaks "},
	{name: "no end breaks anything", scenario: "h19", variant: "repaired+H19",
		why: "breaks "},
}

// TestBrokenSearches makes searches certify what they see wrongly: both levels refuse each
// certificate, for the reason that is to be expected; those of the same searches that see all they
// accept.
func TestBrokenSearches(t *testing.T) {
	t.Parallel()
	for i, tt := range breaks {
		if !effort.Long() && i%4 != 0 {
			continue
		}
		c := question(t, tt.scenario, tt.variant)

		procs := len(c.Setup.Layout.Names)
		check := func(b *broken) (closed, rechecked error) {
			w, _, err := world.Open(t.Context(), c, checker.Options{})
			if err != nil {
				t.Fatal(err)
			}
			b.World, b.procs, b.met = w, procs, map[string][]uint32{}
			b.inner = checker.NewExpansion(w.Words())
			cert := forged(t, w, c, visited(t, b, checker.Options{Reduce: tt.reduce}))
			_, closed = world.Recheck(t.Context(), c, checker.Options{}, cert)
			s := apart.Subject(c.Setup, &c.Model, w.Facts)
			s.MustSee, s.Forced = c.MustSee, c.Force
			_, rechecked = recheck.Check(t.Context(), s, cert)
			return closed, rechecked
		}
		if tt.variant == "" && effort.Long() {
			if closed, rechecked := check(new(broken)); closed != nil || rechecked != nil {
				t.Errorf("%s: the true one: %v, %v", tt.name, closed, rechecked)
			}
		}
		b := tt.broken
		b.blind = true // or the search might find that what it sees breaks something
		closed, rechecked := check(&b)
		for level, err := range map[string]error{"closed": closed, "rechecked": rechecked} {
			if !errors.Is(err, certificate.ErrRefused) || !strings.Contains(err.Error(), tt.why) {
				t.Errorf("%s, %s: %v, want %q", tt.name, level, err, tt.why)
			}
		}
		t.Logf("%s: %v", tt.name, rechecked)
	}
}
