package world_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/proofs/certificate"
	"github.com/domino-check/domino/scenarios"
)

// question is a scenario in a variant, ready to be asked.
func question(t *testing.T, name, variant string) world.Case {
	t.Helper()
	s, err := load(name)
	if err != nil {
		t.Fatal(err)
	}
	if variant != "" {
		s.Variant = variant
	}
	r, err := resolve(s)
	if err != nil {
		t.Fatal(err)
	}
	return r.Case
}

// proved is the certificate that a search writes.
func proved(t *testing.T, c world.Case, o checker.Options) []byte {
	t.Helper()
	c.Proving = &world.Proving{File: filepath.Join(t.TempDir(), "certificate")}
	out, err := world.Check(t.Context(), c, o)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(c.Proving.File)
	if err != nil {
		t.Fatalf("%v: %s: %v", out.Verdict, out.Reason, err)
	}
	return b
}

// read is a certificate that is well-formed.
func read(t *testing.T, b []byte) *certificate.Certificate {
	t.Helper()
	c, err := certificate.Read(bytes.NewReader(b), int64(len(b)), 0)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCertificate has several searches of one scenario write their certificates: they have the same
// bytes, whatever the search, and what they say is so. A mebibyte is too little for one of the long
// test, so that part of its states are on disk.
func TestCertificate(t *testing.T) {
	t.Parallel()
	for _, name := range effort.Of([]string{"h9-twice"}, []string{"h9-twice", "s5",
		"causal-unordered", "radic-rbml-swap-back", "koo-toueg-both", "sustain-node",
		"manetho-output"}) {
		c := question(t, name, "")
		want := proved(t, c, checker.Options{})
		for _, o := range []checker.Options{{Workers: 2}, {Order: checker.BreadthFirst},
			{Order: checker.BreadthFirst, Workers: 2}, {Reduce: checker.Crashes},
			{Reduce: checker.Sleep},
			{Order: checker.BreadthFirst, Disk: t.TempDir(), MaxBytes: 1 << 20},
			{Order: checker.BreadthFirst, Disk: t.TempDir(), MaxBytes: 1 << 20, Workers: 2}} {
			if got := proved(t, c, o); !bytes.Equal(want, got) {
				t.Errorf("%s: %v has another certificate: %d bytes, not %d", name, o, len(got),
					len(want))
			}
			if got := provedInParts(t, c, o); got != nil && !bytes.Equal(want, got) {
				t.Errorf("%s: %v, resumed, has another certificate", name, o)
			}
		}
		out, err := world.Recheck(t.Context(), c, checker.Options{}, read(t, want))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r := search.Explore(t.Context(), fresh(t, name, ""), checker.Options{})
		if out.States != r.States || out.Transitions != r.Transitions ||
			out.Terminals != r.Terminals {
			t.Errorf("%s: %+v, the search has %+v", name, out.Stats, r.Stats)
		}
	}
}

// provedInParts is the certificate of a search that is interrupted and resumed; nil with sleep sets
// and of a search on disk, which are not kept in files.
func provedInParts(t *testing.T, c world.Case, o checker.Options) []byte {
	t.Helper()
	if o.Reduce.Has(checker.Sleep) || o.Disk != "" {
		return nil
	}
	o.Saving.File = filepath.Join(t.TempDir(), "run")
	o.MaxStates = 300
	out, err := world.Check(t.Context(), c, o)
	if err != nil || out.File == "" {
		t.Fatalf("%+v: it is not interrupted: %v", o, err)
	}
	o.MaxStates, o.Saving.Resume = 0, o.Saving.File
	return proved(t, c, o)
}

// TestReducedCertificate: one of a reduced search is closed under its steps, and says so.
func TestReducedCertificate(t *testing.T) {
	t.Parallel()
	c := question(t, "h9-twice", "")
	cert := read(t, proved(t, c, checker.Options{Reduce: checker.Singletons}))
	if cert.Complete() {
		t.Error("it claims to have every step")
	}
	out, err := world.Recheck(t.Context(), c, checker.Options{}, cert)
	if err != nil {
		t.Fatal(err)
	}
	w := fresh(t, "h9-twice", "")
	r := search.Explore(t.Context(), w, checker.Options{Reduce: checker.Singletons})
	if out.States != r.States || out.Transitions != r.Transitions {
		t.Errorf("%+v, the search has %+v", out.Stats, r.Stats)
	}
	cert.Reduced = "" // a lie
	if _, err := world.Recheck(t.Context(), c, checker.Options{}, cert); err == nil ||
		!strings.Contains(err.Error(), "is missing") {
		t.Errorf("taken for a complete one: %v", err)
	}
	for _, o := range []checker.Options{{Reduce: checker.Sets}, {Reduce: checker.Ranks},
		{Reduce: checker.Alone}, {Reduce: checker.Symmetry}, {Lasso: true},
		{Order: checker.StatelessOptimal}} {
		c.Proving = &world.Proving{File: filepath.Join(t.TempDir(), "certificate")}
		if _, err := world.Check(t.Context(), c, o); err == nil {
			t.Errorf("a certificate of %+v", o)
		}
	}
}

// visited are the states of a search that is complete.
func visited(t *testing.T, sys checker.System, o checker.Options) (states [][]uint32) {
	t.Helper()
	o.Visited = func(all iter.Seq[[]uint32]) {
		for state := range all {
			states = append(states, slices.Clone(state))
		}
	}
	if r := search.Explore(t.Context(), sys, o); states == nil {
		t.Fatalf("the search is not complete: %+v", r)
	}
	return states
}

// forged is a certificate of any states of a world, in the best of forms.
func forged(t *testing.T, w *world.World, c world.Case,
	states [][]uint32) *certificate.Certificate {
	t.Helper()
	var b bytes.Buffer
	h := certificate.Header{Text: c.Subject, MustSee: c.MustSee}
	if err := w.WriteCertificate(&b, h, slices.Values(states), certificate.Room{}); err != nil {
		t.Fatal(err)
	}
	return read(t, b.Bytes())
}

// refused wants a certificate to be refused, for a reason.
func refused(t *testing.T, what string, c world.Case, cert *certificate.Certificate,
	reasons ...string) {
	t.Helper()
	_, err := world.Recheck(t.Context(), c, checker.Options{}, cert)
	if !errors.Is(err, certificate.ErrRefused) || !slices.ContainsFunc(reasons,
		func(why string) bool { return strings.Contains(err.Error(), why) }) {
		t.Errorf("%s: %v, want one of %q", what, err, reasons)
	}
}

// TestForgedCertificate drops single states of a certificate, and adds states that no run reaches,
// among them some that are closed. All is made well-formed again, so only what states mean can
// tell.
func TestForgedCertificate(t *testing.T) {
	t.Parallel()
	c := question(t, "pess-logs", "")
	w := fresh(t, "pess-logs", "")
	states := visited(t, w, checker.Options{})
	if _, err := world.Recheck(t.Context(), c, checker.Options{},
		forged(t, w.World, c, states)); err != nil {
		t.Fatalf("with all states: %v", err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	few := effort.Of(30, 120)
	if effort.Huge() {
		few = len(states)
	}
	for _, i := range random.Perm(len(states))[:few] {
		cert := forged(t, w.World, c, slices.Delete(slices.Clone(states), i, i+1))
		refused(t, fmt.Sprintf("without state %d", i), c, cert, "is missing")
	}
	known := map[string]bool{}
	for _, s := range states {
		known[fmt.Sprint(s)] = true
	}
	for n := 0; n < few; {
		state := slices.Clone(states[random.IntN(len(states))])
		word := random.IntN(len(state))
		state[word] = states[random.IntN(len(states))][word]
		if known[fmt.Sprint(state)] {
			continue
		}
		n++
		refused(t, fmt.Sprintf("with %v", state), c,
			forged(t, w.World, c, append(slices.Clip(states), state)), "can not be reached")
	}
}

// forgetful is a world of which a search forgets some of the steps.
type forgetful struct {
	*world.World
	forgets func(state []uint32, s checker.Step) bool
	buf     *checker.Expansion
}

func (f *forgetful) Expand(state []uint32, reduce checker.Reduction, x *checker.Expansion) {
	if f.buf == nil {
		f.buf = checker.NewExpansion(f.Words())
	}
	f.World.Expand(state, reduce, f.buf)
	x.Begin(state)
	for i, s := range f.buf.Steps {
		if f.forgets(state, s) {
			continue
		}
		x.Add(s)
		for _, d := range f.buf.Deltas(i) {
			x.Set(d.Word, d.Value)
		}
	}
}

// Terminal implements checker.System: nothing is bad.
func (f *forgetful) Terminal([]uint32) int { return 0 }

// TestBrokenSearch has searches that do something wrong write certificates: each is refused.
func TestBrokenSearch(t *testing.T) {
	t.Parallel()
	lost := map[string]int{}
	for _, name := range effort.Of([]string{"h9-twice", "h5"}, []string{"h9-twice", "h5", "s5",
		"h1", "h17", "pess-doubles", "causal-s8"}) {
		c := question(t, name, "")
		w := fresh(t, name, "")
		all := len(visited(t, w, checker.Options{}))
		n := 0
		lazy := &forgetful{World: w.World, forgets: func([]uint32, checker.Step) bool {
			n++
			return n%100 == 0
		}}
		for what, states := range map[string][][]uint32{
			"steps forgotten":               visited(t, lazy, checker.Options{}),
			"sleep sets of dependent steps": drowsy(w.World)} {
			if len(states) == all {
				continue // it makes no difference here
			}
			lost[what]++
			refused(t, name+", "+what, c, forged(t, w.World, c, states), "is missing")
		}
	}
	if len(lost) < 2 {
		t.Errorf("no states are lost but by %v", lost)
	}
}

// drowsy are the states that a search with sleep sets visits in which nothing wakes a step up: what
// was taken before stays asleep behind steps that it depends on, too. (One that only forgets to
// intersect them when a state is met again loses steps, but no state of a scenario here, so that no
// certificate can tell.)
func drowsy(w *world.World) (states [][]uint32) {
	type waiting struct {
		state []uint32
		sleep []uint64
	}
	state := make([]uint32, w.Words())
	w.Initial(state)
	seen, stack := map[string]bool{}, []waiting{{state: state}}
	x := checker.NewExpansion(w.Words())
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[fmt.Sprint(at.state)] {
			continue
		}
		seen[fmt.Sprint(at.state)] = true
		states = append(states, at.state)
		w.Expand(at.state, checker.Unreduced, x)
		asleep := slices.Clone(at.sleep)
		for i, s := range x.Steps {
			if slices.Contains(at.sleep, s.Code) {
				continue
			}
			stack = append(stack, waiting{x.State(i, nil), slices.Clone(asleep)})
			asleep = append(asleep, s.Code)
		}
	}
	return states
}

// TestCertificateOfErratum takes what violates something out of the states of protocols with
// errata: the certificate of the rest is refused, because a step is missing, or shows it.
func TestCertificateOfErratum(t *testing.T) {
	t.Parallel()
	list, err := scenarios.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, s := range list {
		if s.Erratum == "" || s.Expect != "holds" || s.Model.Suspicions > 0 ||
			tried >= effort.Of(3, 15) && !effort.Huge() {
			continue
		}
		variant := "repaired+" + s.Erratum
		found := question(t, s.Name, variant)
		out, err := world.Check(t.Context(), found, checker.Options{MaxStates: 3_000})
		if err != nil || len(out.Found) == 0 || out.Found[0].Loop > 0 {
			continue // others than those that a search finds at once
		}
		w, _, err := world.Open(t.Context(), found, checker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		blind := &forgetful{World: w, forgets: func(_ []uint32, s checker.Step) bool {
			return s.Violation != 0
		}}
		var states [][]uint32
		r := search.Explore(t.Context(), blind, checker.Options{MaxStates: 20_000,
			Visited: func(all iter.Seq[[]uint32]) {
				for state := range all {
					states = append(states, slices.Clone(state))
				}
			}})
		if r.Bound != "" {
			continue
		}
		tried++
		refused(t, s.Name+" "+variant, found, forged(t, w, found, states), "breaks",
			"is missing", "violated")
	}
	if tried < 3 {
		t.Errorf("only %d errata were tried", tried)
	}
	t.Logf("%d errata", tried)
}
