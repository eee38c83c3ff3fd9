package world_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
)

// These tests interrupt a search at many points (a limit of states stands for the signal), go on
// from the file in a world that knows nothing, and compare with the search that was not
// interrupted: not only the outcome but each state that is expanded, in order.

// witness is a world that notes which states are expanded.
type witness struct {
	*world.World
	states []uint64
}

func (w *witness) Expand(state []uint32, reduce checker.Reduction, x *checker.Expansion) {
	h := fnv.New64a()
	_ = binary.Write(h, binary.LittleEndian, state)               // a hash takes everything
	if n := len(w.states); n == 0 || w.states[n-1] != h.Sum64() { // or it is expanded once more
		w.states = append(w.states, h.Sum64())
	}
	w.World.Expand(state, reduce, x)
}

// fresh makes the world of an embedded scenario in a variant.
func fresh(t *testing.T, name, variant string) *witness {
	t.Helper()
	s, err := load(name)
	if err != nil {
		t.Fatal(err)
	}
	if s.Variant = variant; variant == "" {
		s.Variant = "repaired"
	}
	r, err := resolve(s)
	if err != nil {
		t.Fatal(err)
	}
	oracle, err := world.Oracle(t.Context(), r.Baseline, checker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.New(world.Config{Setup: r.Setup, Model: r.Model,
		Facts: world.FactsOf(r.Setup, &r.Model, oracle), Twice: true})
	if err != nil {
		t.Fatal(err)
	}
	return &witness{World: w}
}

// outcome is everything that must be the same.
type outcome struct {
	Verdict                                                  string
	States, Transitions, Terminals, Depth, Covered, Frontier int
	Saved                                                    checker.Savings
	Found                                                    string
	Seen                                                     []string
	LocalSteps, LocalStates                                  int
}

func outcomeOf(w *witness, r checker.Result) outcome {
	o := outcome{Verdict: r.Verdict.String(), States: r.States, Transitions: r.Transitions,
		Terminals: r.Terminals, Depth: r.Depth,
		Covered: r.Covered, Frontier: r.Frontier, Saved: r.Saved, Found: fmt.Sprint(r.Found)}
	o.Seen, _ = w.Seen()
	o.LocalSteps, o.LocalStates = w.LocalSteps()
	return o
}

func explore(t *testing.T, w *witness, o checker.Options) checker.Result {
	t.Helper()
	r, err := search.Run(t.Context(), w, o)
	if err != nil || r.Unsaved != nil {
		t.Fatal(err, r.Unsaved)
	}
	return r
}

// TestResume interrupts and resumes with one worker: the same states in the same order, the same
// counts, findings, and sets of what was seen.
func TestResume(t *testing.T) {
	tests := []struct {
		scenario, variant string
		options           checker.Options
		every             int // states between interrupts, growing
	}{
		{"s1", "", checker.Options{}, 61},
		{"s1", "", checker.Options{Reduce: checker.Singletons | checker.Crashes}, 67},
		{"s1", "", checker.Options{Order: checker.BreadthFirst}, 53},
		{"s1", "published", checker.Options{All: true,
			Reduce: checker.Singletons | checker.Crashes}, 97},
		{"h9-twice", "repaired+H9b", checker.Options{Order: checker.BreadthFirst}, 11},
		{"h1", "repaired+H1", checker.Options{Order: checker.BreadthFirst, All: true}, 31},
		// checkpoints: commits, writes, deletions
		{"h8", "", checker.Options{Reduce: checker.Singletons | checker.Crashes}, 500},
		// torn writes
		{"ping-torn", "", checker.Options{}, 9000},
		// observed payloads
		{"wildcard", "", checker.Options{Order: checker.BreadthFirst}, 900},
		// holdings
		{"radic-rbml-spare", "", checker.Options{Reduce: checker.Singletons | checker.Crashes},
			1500},
		{"s1-staggered", "", checker.Options{}, 2500},
		{"intra-flight", "", checker.Options{Reduce: checker.Singletons | checker.Crashes},
			7000},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s %s %v reduced %s", tt.scenario, tt.variant, tt.options.Order,
			tt.options.Reduce), func(t *testing.T) {
			t.Parallel()
			if tt.every >= 900 && tt.scenario != "radic-rbml-spare" && !effort.Long() {
				t.Skip("large: " + effort.More)
			}
			whole := fresh(t, tt.scenario, tt.variant)
			want := outcomeOf(whole, explore(t, whole, tt.options))
			o := tt.options
			o.Saving.File = filepath.Join(t.TempDir(), "run")
			var states []uint64
			parts := 0
			for limit := 1; ; limit += tt.every + limit*effort.Of(3, 1)/4 {
				w := fresh(t, tt.scenario, tt.variant)
				o.MaxStates = limit
				r := explore(t, w, o)
				// the rest shows the path of a violation
				states = append(states, w.states[:min(len(w.states), r.States-len(states))]...)
				parts++
				if r.Bound == "" {
					if d := cmp.Diff(want, outcomeOf(w, r)); d != "" {
						t.Errorf("after %d parts (-want +got):\n%s", parts, d)
					}
					break
				}
				if r.File == "" || r.States != limit {
					t.Fatalf("%d states, saved in %q, want %d", r.States, r.File, limit)
				}
				o.Saving.Resume = o.Saving.File
			}
			if n := want.States; parts < 4 || len(states) != n ||
				!slices.Equal(states, whole.states[:n]) {
				t.Errorf("%d parts with %d states, want the %d of the whole in the same order",
					parts, len(states), n)
			}
		})
	}
}

// TestResumedAnswer interrupts a search after a rank has said that it can not be recovered: the
// verdict of the rest is the one of the whole.
func TestResumedAnswer(t *testing.T) {
	s, err := load("rbml-related")
	if err != nil {
		t.Fatal(err)
	}
	r, err := resolve(s)
	if err != nil {
		t.Fatal(err)
	}
	c := world.Case{Setup: r.Setup, Baseline: r.Baseline, Model: r.Model}
	check := func(o checker.Options) *world.Outcome {
		t.Helper()
		out, err := world.Check(t.Context(), c, o)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	want := check(checker.Options{})
	file := filepath.Join(t.TempDir(), "run")
	check(checker.Options{MaxStates: want.States - 1, Saving: checker.Saving{File: file}})
	got := check(checker.Options{Saving: checker.Saving{Resume: file}})
	if want.Verdict != spec.OutOfModel || got.Verdict != want.Verdict ||
		got.Reason != want.Reason || got.States != want.States {
		t.Errorf("%v after %d states: %s\nwant %v after %d: %s", got.Verdict, got.States,
			got.Reason, want.Verdict, want.States, want.Reason)
	}
}

// TestResumeWorkers interrupts a search of two workers and goes on with one, two and three: the
// same counts and verdict.
func TestResumeWorkers(t *testing.T) {
	for _, order := range []checker.Order{checker.DepthFirst, checker.BreadthFirst} {
		want := outcomeOf(fresh(t, "h8", ""),
			search.Explore(t.Context(), fresh(t, "h8", "").World, checker.Options{Order: order}))
		file := filepath.Join(t.TempDir(), "run")
		o := checker.Options{Order: order, Workers: 2, MaxStates: 300,
			Saving: checker.Saving{File: file}}
		r := checker.Result{Bound: "not begun"}
		for i := 0; r.Bound != ""; i++ {
			r = explore2(t, fresh(t, "h8", "").World, o)
			o.MaxStates, o.Saving.Resume, o.Workers = o.MaxStates+700, file, 1+i%3
		}
		got := outcome{Verdict: r.Verdict.String(), States: r.States, Transitions: r.Transitions,
			Terminals: r.Terminals}
		if d := cmp.Diff(outcome{Verdict: want.Verdict, States: want.States,
			Transitions: want.Transitions, Terminals: want.Terminals}, got); d != "" {
			t.Errorf("%v (-want +got):\n%s", order, d)
		}
	}
}

func explore2(t *testing.T, w *world.World, o checker.Options) checker.Result {
	t.Helper()
	r, err := search.Run(t.Context(), w, o)
	if err != nil || r.Unsaved != nil {
		t.Fatal(err, r.Unsaved)
	}
	return r
}

// TestAutosave saves while a search goes on, without disturbing it; a search that goes on from what
// the last save left has the same end.
func TestAutosave(t *testing.T) {
	for _, workers := range []int{1, 2} {
		for _, o := range []checker.Options{{Reduce: checker.Singletons | checker.Crashes},
			{Order: checker.BreadthFirst}} {
			if !effort.Long() && (workers == 2) != (o.Order == checker.BreadthFirst) {
				continue
			}
			o.Workers = workers
			want := search.Explore(t.Context(), fresh(t, "intra-flight", "").World, o)
			file := filepath.Join(t.TempDir(), "run")
			o.Saving = checker.Saving{File: file, Every: 20 * time.Millisecond}
			r := explore2(t, fresh(t, "intra-flight", "").World, o)
			o.Saving = checker.Saving{Resume: file}
			again := explore2(t, fresh(t, "intra-flight", "").World, o)
			for _, got := range []checker.Result{r, again} {
				if got.States != want.States || got.Transitions != want.Transitions ||
					got.Verdict != want.Verdict || got.Bound != "" {
					t.Errorf("%v, %d workers: %d states, %d transitions, want %d, %d", o.Order,
						workers, got.States, got.Transitions, want.States, want.Transitions)
				}
			}
		}
	}
}

// TestRefused resumes from files that are damaged or of something else: each is refused, by name,
// and the file stays as it is.
func TestRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run")
	saving := checker.Saving{File: file, Build: "b1", Subject: "one\ntwo"}
	explore(t, fresh(t, "s1", ""), checker.Options{MaxStates: 300,
		Reduce: checker.Singletons | checker.Crashes, Saving: saving})
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, content []byte, edit func(*checker.Options), want string) {
		t.Helper()
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		o := checker.Options{Reduce: checker.Singletons | checker.Crashes, Saving: saving}
		o.Saving.Resume = file
		edit(&o)
		w := fresh(t, "s1", "")
		r, err := search.Run(t.Context(), w, o)
		if !errors.Is(err, search.ErrRefused) || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), file) || r.States != 0 {
			t.Errorf("%s: %d states, error %v, want %q", what, r.States, err, want)
		}
		if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, content) {
			t.Errorf("%s: the file has changed, %v", what, err)
		}
	}
	same := func(*checker.Options) {}
	// dense at the front, then some in each region
	for at := 0; at < len(data); at += 1 + at/effort.Of(7, 37) {
		damaged := slices.Clone(data)
		damaged[at] ^= 0x10
		refused(fmt.Sprintf("byte %d", at), damaged, same, "")
		refused(fmt.Sprintf("cut to %d", at), data[:at], same, "")
	}
	for at := len(data) - effort.Of(10, 40); at < len(data); at++ {
		damaged := slices.Clone(data)
		damaged[at] ^= 1
		refused(fmt.Sprintf("byte %d", at), damaged, same, "it is damaged or cut off")
	}
	refused("longer", append(slices.Clone(data), 0), same, "it is damaged or cut off")
	if _, err := search.Run(t.Context(), fresh(t, "s1", ""), checker.Options{
		Saving: checker.Saving{Resume: t.TempDir()}}); !errors.Is(err, search.ErrRefused) {
		t.Errorf("a folder: %v, want that it is refused", err)
	}
	refused("text", []byte("-- scenario --\n"), same, "it is not a saved run")
	refused("format", bytes.Replace(data, []byte("format 2"), []byte("format 1"), 1), same,
		"it has another format")
	refused("build", data, func(o *checker.Options) {
		o.Saving.Build = "b2"
	}, `it was saved by another build of domino, "b1"; this is "b2"`)
	refused("subject", data, func(o *checker.Options) {
		o.Saving.Subject = "one\nthree"
	}, `it has "two" where this has "three"`)
	refused("order", data, func(o *checker.Options) {
		o.Order = checker.BreadthFirst
	}, "its search is dfs, this one is bfs")
	refused("reduction", data, func(o *checker.Options) {
		o.Reduce = checker.Unreduced
	}, "its reductions are singletons,crashes, here they are none")
	refused("all", data, func(o *checker.Options) { o.All = true }, "it looks for other violations")
	w := fresh(t, "s0-free", "")
	o := checker.Options{Reduce: checker.Singletons | checker.Crashes, Saving: saving}
	o.Saving.Resume = file
	if _, err := search.Run(t.Context(), w, o); !errors.Is(err, search.ErrRefused) {
		t.Errorf("the world of another program: %v", err)
	}
	o.Saving.Resume = file + ".none"
	if _, err := search.Run(t.Context(), fresh(t, "s1", ""), o); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// embeddedOnce reads the embedded scenarios, of which nobody may change anything.
var embeddedOnce = sync.OnceValues(scenarios.Embedded)

// load returns a copy of an embedded scenario, whose fields may be set.
func load(name string) (*scenarios.Scenario, error) {
	all, err := embeddedOnce()
	if err != nil {
		return nil, err
	}
	found, err := scenarios.Named(all, name)
	if err != nil || len(found) != 1 {
		return nil, fmt.Errorf("%d scenarios of the name %s, %w", len(found), name, err)
	}
	s := *found[0]
	return &s, nil
}
