package world_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/sample"
	"github.com/domino-check/domino/checker/soak"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// twoRanks is a question to which the house has nothing to object.
func twoRanks(t *testing.T) world.Case {
	t.Helper()
	s, err := scenarios.Parse("two.txtar", []byte("Two ranks\n-- scenario --\nprotocol: hydee\n"+
		"clusters: a | b\nfailures: 1\n-- program --\na: send b x; recv b\nb: recv a; send a y\n"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := resolve(s)
	if err != nil {
		t.Fatal(err)
	}
	return world.Case{Setup: r.Setup, Baseline: r.Baseline, Model: r.Model}
}

// on says the words at an event of the kind.
func on(k trace.Kind, words string) func(*spec.Facts, spec.View, trace.Event) string {
	return func(_ *spec.Facts, _ spec.View, e trace.Event) string {
		if e.Kind == k {
			return words
		}
		return ""
	}
}

// strangers are properties of an author, one of each kind that a run breaks and one that none does.
func strangers() (broken, kept []spec.Property) {
	count := func(most int) func(*spec.Facts, *int, trace.Event) string {
		return func(_ *spec.Facts, n *int, _ trace.Event) string {
			if *n++; *n > most {
				return fmt.Sprintf("%d restarts", *n)
			}
			return ""
		}
	}
	lives := func(most trace.Incarnation) func(*spec.Facts, spec.View) string {
		return func(_ *spec.Facts, v spec.View) string {
			if o := v.Observed(0); o.Incarnation > most {
				return fmt.Sprintf("a ends in life %d", o.Incarnation)
			}
			return ""
		}
	}
	alive := func(f *spec.Facts, v spec.View, e trace.Event) string {
		if e.Kind == trace.Delivered && !v.Observed(e.ID.From.Proc()).Up {
			return f.Layout.Name(e.Proc) + " receives from one that is down"
		}
		return ""
	}
	restarts := []trace.Kind{trace.Restored}
	looks := func(f *spec.Facts, v spec.View, restarted *bool, e trace.Event) string {
		if !*restarted {
			return alive(f, v, e)
		}
		return ""
	}
	looksAtTheEnd := func(f *spec.Facts, v spec.View, _ *int, e trace.Event) string {
		if e.Kind == 0 {
			return lives(1)(f, v)
		}
		return ""
	}
	both := []trace.Kind{trace.Restored, trace.Delivered}
	remembers := func(_ *spec.Facts, restarted *bool, e trace.Event) string {
		*restarted = *restarted || e.Kind == trace.Restored
		return ""
	}
	broken = []spec.Property{
		{Name: "no-done", Kind: spec.Always, Event: on(trace.Finished, "a program ends")},
		{Name: "no-restart", Kind: spec.Always, Event: on(trace.Restored, "somebody restarts")},
		{Name: "sender-lives", Kind: spec.Always, Global: true, Event: alive},
		{Name: "first-life", Kind: spec.Final, End: lives(0)},
		{Name: "few-restarts", Kind: spec.Monitor, Watched: restarts,
			Memory: &spec.Remembers[int]{Observe: count(0)}},
		{Name: "looks-at-senders", Kind: spec.Monitor, Watched: both, Looked: both[1:],
			Memory: &spec.Remembers[bool]{Observe: remembers, Look: looks}},
	}
	kept = []spec.Property{
		{Name: "no-halt", Kind: spec.Always, Event: on(trace.Halted, "somebody gives up")},
		{Name: "lives", Kind: spec.Always, Global: true, Event: on(trace.Adopted, "a host")},
		{Name: "second-life", Kind: spec.Final, End: lives(1)},
		{Name: "some-restarts", Kind: spec.Monitor, Watched: restarts,
			Memory: &spec.Remembers[int]{Observe: count(1)}},
		{Name: "looks-at-the-end", Kind: spec.Monitor, Watched: restarts,
			Memory: &spec.Remembers[int]{Observe: count(1), Look: looksAtTheEnd}},
		{Name: "restarts", Kind: spec.Sometimes, Event: on(trace.Restored, "seen")},
	}
	return broken, kept
}

// TestOwnProperties asks what an author asks, beside the house, in the search with and without
// reductions and of goroutines whose runs are repeated in the world: what a run breaks is found,
// the same everywhere, and nothing else is.
func TestOwnProperties(t *testing.T) {
	broken, kept := strangers()
	c := twoRanks(t)
	reductions := []checker.Reduction{checker.Unreduced, checker.Singletons | checker.Crashes,
		checker.Sleep}
	for _, p := range broken {
		c.Properties = append(kept[:len(kept):len(kept)], p)
		for _, r := range reductions {
			out, err := world.Check(t.Context(), c, checker.Options{Reduce: r})
			if err != nil {
				t.Fatalf("%s: %v", p.Name, err)
			}
			if len(out.Found) != 1 || out.Found[0].Property != p.Name {
				t.Errorf("%s, reduction %v: %v %+v", p.Name, r, out.Verdict, out.Found)
			}
		}
		out, err := soak.Soak(t.Context(), c, soak.Options{Runs: 200, Seed: 1})
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		if out.Found == nil || out.Found.Violation.Property != p.Name || out.Found.Stale != nil {
			t.Errorf("%s: goroutines break %+v", p.Name, out.Found)
		}
	}
	c.Properties, c.MustSee = kept, []string{"restarts", "recovers"}
	for _, r := range reductions {
		out, err := world.Check(t.Context(), c, checker.Options{Reduce: r})
		if err != nil {
			t.Fatal(err)
		}
		if out.Verdict != spec.Holds {
			t.Errorf("reduction %v: %v: %s %+v", r, out.Verdict, out.Reason, out.Found)
		}
	}
	c.Model.Failures = 0
	if out, err := world.Check(t.Context(), c, checker.Options{}); err != nil ||
		out.Verdict != spec.Unknown ||
		!strings.HasSuffix(out.Reason, "no run shows restarts, recovers") {
		t.Errorf("without failures: %+v, %v, want that nobody restarts", out, err)
	}
}

// TestOwnPairs asks for something that must be the same in all runs and is not: in which order the
// programs end. One run alone does not break it.
func TestOwnPairs(t *testing.T) {
	c := twoRanks(t)
	c.Properties = []spec.Property{{Name: "one-pace", Kind: spec.Pair,
		Relate: func(_ *spec.Facts, v spec.View, e trace.Event) (key, value string) {
			if e.Kind != trace.Finished {
				return "", ""
			}
			return fmt.Sprint("the life in which ", e.Proc, " ends"), fmt.Sprint(e.Incarnation)
		}}}
	out, err := world.Check(t.Context(), c, checker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Found) != 1 || out.Found[0].Property != "one-pace" ||
		!out.World.Relates("one-pace") || out.World.Relates("fifo") {
		t.Errorf("%v %+v", out.Verdict, out.Found)
	}
}

// stutterer logs every message twice.
type stutterer struct{ core.Machine }

func (m stutterer) Step(in core.Input, out []core.Effect) []core.Effect {
	before := len(out)
	out = m.Machine.Step(in, out)
	for _, e := range out[before:] {
		if e.What == trace.Logged {
			out = append(out, e)
		}
	}
	return out
}

func (m stutterer) History() *trace.History { return core.HistoryOf(m.Machine) }

// TestOwnPropertyKillsAMutant wraps a mutant around the protocol that breaks no property of the
// house, and one of its author.
func TestOwnPropertyKillsAMutant(t *testing.T) {
	own := spec.Property{Name: "logs-once", Kind: spec.Monitor, Watched: []trace.Kind{trace.Logged,
		trace.Restored},
		Doc: "no message is put into a log twice by one life",
		Memory: &spec.Remembers[[]string]{Observe: func(f *spec.Facts, logged *[]string,
			e trace.Event) string {
			name := fmt.Sprintf("%d:%s", e.Proc, f.Layout.Label(e.ID))
			switch {
			case e.Kind == trace.Restored:
				*logged = nil
			case slices.Contains(*logged, name):
				return "it logs " + name + " twice"
			default:
				*logged = append(*logged, name)
			}
			return ""
		}}}
	for _, mutated := range []bool{false, true} {
		for _, properties := range [][]spec.Property{nil, {own}} {
			c := twoRanks(t)
			c.Properties = properties
			if setup := *c.Setup; mutated {
				c.Setup = &setup
				fresh := setup.New
				setup.New = func(p core.Proc) core.Machine {
					if int(p) < setup.Layout.Ranks {
						return stutterer{fresh(p)}
					}
					return fresh(p)
				}
			}
			out, err := world.Check(t.Context(), c, checker.Options{})
			if err != nil {
				t.Fatal(err)
			}
			killed := len(out.Found) == 1 && out.Found[0].Property == own.Name
			if want := mutated && properties != nil; killed != want ||
				!want && out.Verdict != spec.Holds {
				t.Errorf("mutated %t, %d own properties: %v %+v", mutated, len(properties),
					out.Verdict, out.Found)
			}
		}
	}
}

// TestPanickingProperty checks that a property that panics, by itself or because it looks where it
// may not, ends the search, the sampling and the judgement of goroutines with an error that names
// it and the event.
func TestPanickingProperty(t *testing.T) {
	panics := func(*spec.Facts, spec.View, trace.Event) string { panic("mine is odd") }
	for _, tt := range []struct {
		property spec.Property
		want     string // beside the name
	}{
		{spec.Property{Kind: spec.Always, Event: panics}, `on the event "`},
		{spec.Property{Kind: spec.Always, Global: true, Event: panics}, `on the event "`},
		{spec.Property{Kind: spec.Sometimes, Event: panics}, `on the event "`},
		{spec.Property{Kind: spec.Final, End: func(*spec.Facts, spec.View) string {
			panic("mine is odd")
		}}, "at the end of a run: mine is odd"},
		{spec.Property{Kind: spec.Pair, Relate: func(*spec.Facts, spec.View,
			trace.Event) (key, value string) {
			panic("mine is odd")
		}}, `on the event "`},
		{spec.Property{Kind: spec.Monitor, Watched: []trace.Kind{trace.Sent},
			Memory: &spec.Remembers[string]{Observe: func(*spec.Facts, *string,
				trace.Event) string {
				panic("mine is odd")
			}}}, `on the event "sent`},
	} {
		c := twoRanks(t)
		tt.property.Name = "mine"
		c.Properties = []spec.Property{tt.property}
		says := func(by string, err error) {
			t.Helper()
			if err == nil || !strings.Contains(err.Error(), `property "mine" can not be judged`) ||
				!strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s, %v property: got error %v, want the name and %q", by,
					tt.property.Kind, err, tt.want)
			}
		}
		_, err := world.Check(t.Context(), c, checker.Options{})
		says("the search", err)
		_, err = world.Check(t.Context(), c, checker.Options{All: true, Workers: 2})
		says("the search for all", err)
		strategy, err := sample.ParseStrategy("random", 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = world.Sample(t.Context(), c, strategy, sample.Options{Runs: 20})
		says("sampling", err)
		_, err = soak.Soak(t.Context(), c, soak.Options{Runs: 20, Seed: 1})
		says("goroutines", err)
	}
	c := twoRanks(t)
	c.Properties = []spec.Property{{Name: "mine", Kind: spec.Always,
		Event: func(_ *spec.Facts, v spec.View, e trace.Event) string {
			_ = v.Observed(1 - e.Proc)
			return ""
		}}}
	if _, err := world.Check(t.Context(), c, checker.Options{}); err == nil ||
		!strings.Contains(err.Error(), "a local property reads only the proc of the event") {
		t.Errorf("a local property that looks at another proc: %v", err)
	}
}

// TestOwnPropertiesAreRefused checks that a property that can not be asked ends each way to ask
// with an error that names it.
func TestOwnPropertiesAreRefused(t *testing.T) {
	c := twoRanks(t)
	c.Properties = []spec.Property{{Name: "fifo", Kind: spec.Always,
		Event: on(trace.Sent, "odd")}}
	_, searched := world.Check(t.Context(), c, checker.Options{})
	_, ran := soak.Soak(t.Context(), c, soak.Options{Runs: 1})
	_, judged := soak.NewJudge(world.FactsOf(c.Setup, &c.Model, nil, c.Properties...))
	for _, err := range []error{searched, ran, judged} {
		if err == nil || !strings.Contains(err.Error(), `two properties of the name "fifo"`) {
			t.Errorf("got error %v, want one that names the property", err)
		}
	}
}
