package world

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/example/paxos"
	"github.com/domino-check/domino/impl/protocol/example/twophase"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
)

// alikeWorld is a world without anything that is reduced.
func alikeWorld(t testing.TB, s *core.Setup, m fault.Model, own ...spec.Property) *World {
	t.Helper()
	w, err := New(Config{Setup: s, Model: m, Facts: FactsOf(s, &m, nil, own...)})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// whole is the unreduced search by brute force: all states, the steps out of each as texts of where
// they lead and what they break, and the ends.
type whole struct {
	world  *World
	states map[string][]uint32
	steps  map[string][]string
	broken map[string]bool
	over   bool // more states than allowed
	begun  int  // violation of the start: what comes then is not judged apart
}

func exploreWhole(w *World, most int) *whole {
	s := &whole{world: w, states: map[string][]uint32{}, steps: map[string][]string{},
		broken: map[string]bool{}}
	initial := make([]uint32, w.Words())
	s.begun = w.Initial(initial)
	s.breaks(s.begun)
	queue := [][]uint32{initial}
	s.states[text(initial)] = initial
	x := checker.NewExpansion(w.Words())
	for len(queue) > 0 && !s.over {
		state := queue[0]
		queue = queue[1:]
		key := text(state)
		w.Expand(state, checker.Unreduced, x)
		for i, step := range x.Steps {
			next := x.State(i, nil)
			s.steps[key] = append(s.steps[key], fmt.Sprint(s.breaks(step.Violation), step.Fault,
				text(next)))
			if _, met := s.states[text(next)]; !met && step.Violation == 0 {
				s.states[text(next)] = next
				queue = append(queue, next)
			}
		}
		if !x.Progress() {
			s.steps[key] = append(s.steps[key], "end "+s.breaks(w.Terminal(state)))
		}
		slices.Sort(s.steps[key])
		s.over = len(s.states) > most
	}
	return s
}

// breaks notes a violation and says which property it is of.
func (s *whole) breaks(violation int) string {
	if violation != 0 {
		s.broken[s.world.property(violation)] = true
	}
	return s.world.property(violation)
}

func text(state []uint32) string {
	var key []byte
	return string(checker.Key(state, &key))
}

// orbits counts the orbits of the states by joining each with its images, which must be there.
func (s *whole) orbits(t *testing.T, swaps []*swap) int {
	t.Helper()
	leader := map[string]string{}
	var find func(key string) string
	find = func(key string) string {
		for leader[key] != key {
			key = leader[key]
		}
		return key
	}
	for key := range s.states {
		leader[key] = key
	}
	for key, state := range s.states {
		for _, swap := range swaps {
			image := text(imageOf(swap, state))
			if s.states[image] == nil {
				t.Fatalf("the image of a state is no state: %x", image)
			}
			leader[find(key)] = find(image)
		}
	}
	n := 0
	for key, l := range leader {
		if key == l {
			n++
		}
	}
	return n
}

func imageOf(s *swap, state []uint32) []uint32 {
	image := slices.Clone(state)
	s.state(image, make([]uint32, len(state)))
	return image
}

// automorphic compares the steps out of each image with the images of the steps.
func (s *whole) automorphic(t *testing.T, swaps []*swap) {
	t.Helper()
	w, x := s.world, checker.NewExpansion(s.world.Words())
	for key, state := range s.states {
		w.Expand(state, checker.Unreduced, x)
		for _, swap := range swaps {
			var images []string
			for i, step := range x.Steps {
				images = append(images, fmt.Sprint(w.property(step.Violation), step.Fault,
					text(imageOf(swap, x.State(i, nil)))))
			}
			if !x.Progress() {
				images = append(images, "end "+w.property(w.Terminal(state)))
			}
			slices.Sort(images)
			of := s.steps[text(imageOf(swap, state))]
			if diff := cmp.Diff(images, of); diff != "" {
				t.Fatalf("steps of %x under a swap of %d and %d (-images +of the image):\n%s", key,
					swap.a, swap.b, diff)
			}
		}
	}
}

// orbitCase is a setup with a model.
type orbitCase struct {
	name  string
	setup func() (*core.Setup, error)
	model fault.Model
	long  bool
}

// orbitCases are the protocols that declare procs alike, under the networks that there are.
func orbitCases() (list []orbitCase) {
	networks := map[string]fault.Model{"fifo": {}, "unordered": {Unordered: true},
		"set":       {Set: true},
		"selective": {Unordered: true, Selective: true}, "lossy": {Loss: 1, Unordered: true},
		"twice": {Duplicates: 1}}
	for _, name := range slices.Sorted(maps.Keys(networks)) {
		for n := 2; n <= 4; n++ {
			for _, hasty := range []bool{false, true} {
				list = append(list, orbitCase{fmt.Sprintf("two-phase-%d-%t-%s", n, hasty, name),
					func() (*core.Setup, error) {
						return twophase.NewSetup(twophase.Options{Resources: n, Hasty: hasty})
					}, networks[name], n > 3 || n > 2 && name != "unordered"})
			}
		}
		for _, o := range []paxos.Options{{Servers: 4, Clients: 1}, {Servers: 5, Clients: 1},
			{Servers: 4, Clients: 1, Stale: true}, {Servers: 4, Clients: 1, Deaf: true}} {
			if o.Servers > 4 && (name == "lossy" || name == "twice" || name == "unordered") {
				continue // above 60,000 states
			}
			list = append(list, orbitCase{fmt.Sprintf("paxos-%d-%t-%t-%s", o.Servers, o.Stale,
				o.Deaf, name), func() (*core.Setup, error) { return paxos.NewSetup(o) },
				networks[name], o.Servers > 4 || name != "selective" && name != "twice"})
		}
	}
	return list
}

// TestAutomorphism asks of every state of unreduced searches whether its images are states, and
// whether the steps out of them are the images of its steps; and whether the search of orbits finds
// each orbit once, breaks the same, by runs of the real machines, and takes all local steps.
func TestAutomorphism(t *testing.T) {
	t.Parallel()
	for _, tt := range orbitCases() {
		if tt.long && !effort.Long() {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			s, err := tt.setup()
			if err != nil {
				t.Fatal(err)
			}
			w := alikeWorld(t, s, tt.model)
			all := exploreWhole(w, 60_000)
			if all.over {
				t.Fatal("too large to be explored whole")
			}
			steps, locals := w.LocalSteps()
			q, err := w.newQuotient()
			if err != nil {
				t.Fatal(err)
			}
			orbits := all.orbits(t, q.swaps)
			all.automorphic(t, q.swaps)
			for _, o := range []checker.Options{{Order: checker.DepthFirst},
				{Order: checker.BreadthFirst}, {Workers: 2}} {
				o.Reduce, o.All = checker.Ranks, true
				compareOrbits(t, tt, o, all, orbits, [2]int{steps, locals})
			}
			t.Logf("%d states, %d orbits", len(all.states), orbits)
		})
	}
}

// compareOrbits makes a search of orbits, and compares it with the whole.
func compareOrbits(t *testing.T, tt orbitCase, o checker.Options, all *whole, orbits int,
	local [2]int) {
	t.Helper()
	s, _ := tt.setup()
	w := alikeWorld(t, s, tt.model)
	r, err := w.Search(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.States != orbits || r.States+r.Saved.Renamed != len(all.states) {
		t.Errorf("%d states that stand for %d others, %d orbits of %d states", r.States,
			r.Saved.Renamed, orbits, len(all.states))
	}
	if steps, locals := w.LocalSteps(); [2]int{steps, locals} != local {
		t.Errorf("%d local steps and %d local states, unreduced %v", steps, locals, local)
	}
	broken := map[string]bool{}
	for _, f := range r.Found {
		broken[f.Property] = true
		run, err := w.Follow(f.Path)
		if err != nil || run.Violation == nil || run.Violation.Property != f.Property {
			t.Errorf("the run that breaks %s is none of the machines: %v", f.Property, err)
		}
	}
	if diff := cmp.Diff(all.broken, broken); diff != "" {
		t.Errorf("broken (-whole +orbits):\n%s", diff)
	}
}

// TestCrews searches orbits of random protocols, sound ones and ones of which the declaration is
// wrong: either that is said, or the search finds what the whole one finds. Each flaw is met.
func TestCrews(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 12))
	models := []fault.Model{{}, {Unordered: true}, {Set: true}, {Unordered: true, Selective: true},
		{Loss: 1}, {Unordered: true, Duplicates: 1}}
	var refused, found [noFlaws]int
	joined := 0
	for n := range effort.Cases(300, 2000) {
		flaw := crewFlaw(n) % noFlaws
		c := drawCrew(r, 2+r.IntN(2), flaw)
		m := models[r.IntN(len(models))]
		all := exploreWhole(alikeWorld(t, c.setup(), m, c.properties()...), 600)
		if all.over || len(all.states) < 3 || all.begun != 0 {
			continue
		}
		w := alikeWorld(t, c.setup(), m, c.properties()...)
		q, err := w.newQuotient()
		if err != nil {
			t.Fatal(err)
		}
		result, err := w.Search(t.Context(), checker.Options{Reduce: checker.Ranks, All: true,
			Order: checker.Order(n & 1), MaxStates: 2000})
		if err != nil {
			if refused[flaw]++; flaw == sound {
				t.Fatalf("crew %d: %v", n, err)
			}
			continue
		}
		if result.Bound != "" {
			t.Fatalf("crew %d, flaw %d: more states than without orbits", n, flaw)
		}
		broken := map[string]bool{}
		for _, f := range result.Found {
			broken[f.Property] = true
			if run, err := w.Follow(f.Path); err != nil || run.Violation == nil ||
				run.Violation.Property != f.Property {
				t.Errorf("crew %d: the run that breaks %s is none: %v", n, f.Property, err)
			}
		}
		if diff := cmp.Diff(all.broken, broken); diff != "" {
			t.Fatalf("crew %d, flaw %d: broken (-whole +orbits):\n%s", n, flaw, diff)
		}
		own := exploreWhole(w, 600)
		if orbits := own.orbits(t, q.swaps); orbits != result.States ||
			len(all.states) != result.States+result.Saved.Renamed {
			t.Errorf("crew %d, flaw %d: %d states in the search, %d orbits of %d", n, flaw,
				result.States, orbits, len(all.states))
		}
		if found[flaw]++; len(all.states) > 20 && result.States < len(all.states)/2 {
			joined++
		}
	}
	t.Logf("refused %v, searched %v, at most half as large %d", refused, found, joined)
	for flaw := sound + 1; flaw < noFlaws; flaw++ {
		if refused[flaw] == 0 {
			t.Errorf("flaw %d is never refused", flaw)
		}
	}
	if found[sound] < 5 || joined < 5 {
		t.Errorf("%d sound crews, %d searches that join states", found[sound], joined)
	}
}

// TestWithoutOrbits gives setups, models and searches whose states can not be renamed, and what is
// said of them.
func TestWithoutOrbits(t *testing.T) {
	setup := func(change func(*core.Setup)) *core.Setup {
		s, err := twophase.NewSetup(twophase.Options{Resources: 3})
		if err != nil {
			t.Fatal(err)
		}
		change(s)
		return s
	}
	tests := []struct {
		name, want string
		setup      *core.Setup
		model      fault.Model
		options    checker.Options
	}{
		{name: "nobody", want: "protocol two-phase: it declares no procs that are alike " +
			"(core.Setup.Alike)", setup: setup(func(s *core.Setup) { s.Alike = nil })},
		{name: "order", want: "protocol two-phase: its procs that are alike are not in ascending " +
			"order", setup: setup(func(s *core.Setup) { slices.Reverse(s.Alike) })},
		{name: "the manager", want: "the procs TM rm1 rm2 rm3 of two-phase are not alike: ",
			setup: setup(func(s *core.Setup) { s.Alike = []core.Proc{0, 1, 2, 3} })},
		{name: "failures", want: "protocol two-phase: want a model without failures, " +
			"checkpoints, suspicions and damaged records", model: fault.Model{Failures: 1}},
		{name: "groups", want: "protocol two-phase: groups, nodes, watchdogs and records of " +
			"others are not renamed", setup: setup(func(s *core.Setup) {
			s.Layout.Groups = map[core.Proc][]core.Proc{1: {1, 2}, 2: {1, 2}}
		})},
		{name: "others", want: "it goes with no other one: want --reduce ranks",
			options: checker.Options{Reduce: checker.Ranks | checker.Sleep}},
		{name: "endless", want: "endless runs are not looked for",
			options: checker.Options{Reduce: checker.Ranks, Lasso: true}},
		{name: "stateless", want: "it needs a search that remembers states",
			options: checker.Options{Reduce: checker.Ranks, Order: checker.StatelessOptimal}},
		{name: "files", want: "the search is not kept in files", options: checker.Options{
			Reduce: checker.Ranks, Saving: checker.Saving{File: "saved"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.setup == nil {
				tt.setup = setup(func(*core.Setup) {})
			}
			tt.options.Reduce |= checker.Ranks
			r, err := alikeWorld(t, tt.setup, tt.model).Search(t.Context(), tt.options)
			if err == nil || !strings.HasPrefix(err.Error(), "reduction ranks: "+tt.want) {
				t.Errorf("%v, %v, want: %s", r.Verdict, err, tt.want)
			}
		})
	}
}
