package fuzz

import (
	"cmp"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/domino-check/domino/checker/sample"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/protocol"
)

// Fuzz makes a native fuzz target of a protocol: the same scenarios and properties as Test, chosen
// by the bytes of an input instead of rapid. Bytes are choices, a 0 the simplest one: no bytes are
// two ranks and one message, in the order of a failure-free run. An input that breaks something is
// printed as what it stands for, the scenario and its run, and kept as a file that Test runs again
// if it has the same folder.
//
// Go makes every interesting input shorter for up to a minute by default, in which nothing new is
// tried: an input is some hundred runs already, so tell it not to.
//
//	go test -run '^$' -fuzz '^FuzzMine$' -fuzzminimizetime 1x .
func Fuzz(f *testing.F, p protocol.Protocol) {
	f.Helper()
	Trial{}.Fuzz(f, p)
}

// Fuzz is the function Fuzz with settings.
func (trial Trial) Fuzz(f *testing.F, p protocol.Protocol) {
	f.Helper()
	target, err := trial.target(p)
	if err != nil {
		f.Fatal(err)
	}
	corpus := Corpus{filepath.Join(cmp.Or(trial.Folder, filepath.Join("testdata", "domino")),
		fileName(f.Name()))}
	f.Add([]byte{})
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, trial.Seed))
		data := make([]byte, 200)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		found := target.bytes(t, data)
		if found == nil {
			return
		}
		s := found.scenario(found.draft.scenario())
		s.Name = fileName("native-" + s.Protocol + "-" + found.property)
		kept := "not kept"
		if file, err := corpus.Add(s); err == nil {
			kept = "kept in " + file
		}
		t.Fatalf("breaks %s: %s\n%s%s", found.property, found.message, actions(s, s.Schedule), kept)
	})
}

// bytes runs what an input stands for: a run without faults, then one that the rest of the bytes
// orders.
func (t *Target) bytes(tb testing.TB, data []byte) (found *finding) {
	c := &byteChooser{data}
	d := generate(c, &t.Template, &t.Shapes)
	defer func() {
		if v := recover(); v != nil {
			found = panicked(d, "the protocol outside of its steps", v)
		}
	}()
	o := t.open(tb.Context(), d, false)
	if o.refused != nil || o.reason != "" {
		tb.Skip("not a scenario for the protocol: ", o.refused, o.reason)
	}
	st := &byteStrategy{choices: c, procs: len(o.world.Setup.Layout.Names), draft: d}
	r := sample.Draw(tb.Context(), o.world, st,
		sample.Options{Runs: 2, MaxSteps: mostSteps})
	if len(r.Found) == 0 {
		return nil
	}
	run, err := o.world.Follow(r.Found[0].Path)
	if err != nil {
		tb.Fatal(err)
	}
	return &finding{draft: d, property: r.Found[0].Property, message: r.Found[0].Message,
		schedule: run.Schedule}
}

// byteStrategy orders a run by choices: 0 takes the next step of a failure-free run, which goes on
// with one proc as long as it can.
type byteStrategy struct {
	choices *byteChooser
	procs   int
	draft   *draft
	runs    int
	last    int // proc of the last step
	order   []int
}

// Begin implements checker.Strategy. The first run has no faults and spends no bytes.
func (s *byteStrategy) Begin(*rand.Rand, *sample.Lengths) { s.runs, s.last = s.runs+1, 0 }

// The bounds of the places of faults: how far into the history of a proc they are looked for.
const farthestFault = 24

func (s *byteStrategy) Plan() ([]sample.Fault, bool) {
	var faults []sample.Fault
	add := func(kind, n int) {
		for range n {
			faults = append(faults, sample.Fault{Kind: kind, Proc: s.choices.below(s.procs),
				At: s.choices.below(farthestFault)})
		}
	}
	for kind, n := range world.BudgetsOf(&s.draft.model) {
		add(kind, n)
	}
	return faults, true
}

func (s *byteStrategy) Pick(c *sample.Choice) int {
	s.order = s.order[:0]
	for i := range c.Steps {
		s.order = append(s.order, i)
	}
	slices.SortStableFunc(s.order, func(a, b int) int {
		return cmp.Compare(s.rank(c, a), s.rank(c, b))
	})
	at := 0
	if s.runs > 1 && len(c.Steps) > 1 {
		at = s.choices.below(len(c.Steps))
	}
	i := s.order[at]
	s.last, _ = c.System.Owner(c.Steps[i].Code)
	return i
}

// rank is the place of a step in the order of a failure-free run: faults when they are due, then
// the proc of the last step, then lower ones.
func (s *byteStrategy) rank(c *sample.Choice, i int) int {
	proc, _ := c.System.Owner(c.Steps[i].Code)
	switch {
	case c.Steps[i].Fault:
		return -1
	case proc == s.last:
		return 0
	}
	return 1 + proc
}
