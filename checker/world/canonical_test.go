package world

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/impl/protocol/hydee"
	"github.com/domino-check/domino/spec/fault"
)

// brokenWorld is a judged world of HydEE with an erratum.
func brokenWorld(t *testing.T, program string, clusters []int, id string, m fault.Model) *World {
	t.Helper()
	var errata hydee.Set
	if id != "" {
		e, ok := hydee.Errata().Find(id)
		if !ok {
			t.Fatalf("no erratum %s", id)
		}
		errata = errata.With(e)
	}
	p, err := hydeePair(program, clusters, errata)
	if err != nil {
		t.Fatal(err)
	}
	w, _, err := Open(t.Context(), Case{Setup: p.setup, Baseline: p.baseline, Model: m},
		checker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

const twoMessages = "a: send b x; send b y\nb: recv a; recv a\n"

// everyRun calls visit for each run of the length that ends with the violation, by plain recursion;
// steps is the run so far.
func everyRun(w *World, property string, length int, state []uint32, steps []checker.Step,
	visit func([]checker.Step)) {
	x := checker.NewExpansion(w.Words())
	w.Expand(state, checker.Unreduced, x)
	if len(steps) == length {
		progress := slices.ContainsFunc(x.Steps, func(s checker.Step) bool { return !s.Fault })
		if n := w.Terminal(state); !progress && n != 0 && w.Violation(n).Property == property {
			visit(steps)
		}
		return
	}
	for i, s := range x.Steps {
		next := append(slices.Clone(steps), s)
		switch {
		case s.Violation == 0:
			everyRun(w, property, length, x.State(i, nil), next, visit)
		case len(next) == length && w.Violation(s.Violation).Property == property:
			visit(next)
		}
	}
}

// firstOf is the better of two runs in the order of preference, step by step.
func firstOf(a, b []checker.Step) []checker.Step {
	last := uint64(0)
	for i := range a {
		p, q := preferenceOf(a[i], last), preferenceOf(b[i], last)
		if p != q {
			if p.before(q) {
				return a
			}
			return b
		}
		last = a[i].Code
	}
	return a
}

// TestCanonical enumerates every run of the least length that breaks a property and takes the first
// in the order of preference; Canonical must find the same one. With a bound that is too small it
// must say so.
func TestCanonical(t *testing.T) {
	tests := []struct {
		name, erratum, property, program string
		model                            fault.Model
		length                           int
	}{
		{"violation by a step", "H7", "legal-order", twoMessages,
			fault.Model{Failures: 1, KeepToDead: true}, 7},
		{"violation by a checkpoint", "H13c", "prune-safe", twoMessages,
			fault.Model{Checkpoints: 1}, 7},
		{"violation by the end", "H5", "terminates", "a: send b x\nb: recv a\n",
			fault.Model{Failures: 1}, 8},
		{"the lower proc fails", "H5", "terminates", "a: recv b\nb: send a x\n",
			fault.Model{Failures: 1}, 8},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := brokenWorld(t, tt.program, []int{0, 1}, tt.erratum, tt.model)
			r := search.Explore(t.Context(), w,
				checker.Options{Order: checker.BreadthFirst, Only: tt.property})
			if len(r.Found) != 1 || len(r.Found[0].Path) != tt.length {
				t.Fatalf("found %+v, want a run of %d steps", r.Found, tt.length)
			}
			initial := make([]uint32, w.Words())
			w.Initial(initial)
			var best []checker.Step
			runs, latest := 0, 0
			everyRun(w, tt.property, tt.length, initial, nil, func(steps []checker.Step) {
				runs++
				latest = max(latest, beforeFault(steps))
				if best == nil {
					best = steps
				}
				best = firstOf(best, steps)
			})
			var want []uint64
			for _, s := range best {
				want = append(want, s.Code)
			}
			got, ok := w.Canonical(t.Context(), tt.property, tt.length, 1<<20)
			if diff := cmp.Diff(want, got); diff != "" || !ok {
				t.Errorf("canonical of %d runs (-want +got), ok %t:\n%s", runs, ok, diff)
			}
			if n := beforeFault(best); n != latest {
				t.Errorf("the first fault comes after %d steps, in another run after %d", n, latest)
			}
			if runs < 2 {
				t.Errorf("%d runs, so there is nothing to choose", runs)
			}
			run, err := w.Follow(got)
			if err != nil || run.Violation == nil || run.Violation.Property != tt.property {
				t.Errorf("the canonical run breaks %+v, %v", run.Violation, err)
			}
			if _, ok := w.Canonical(t.Context(), tt.property, tt.length, 3); ok {
				t.Error("three states are enough")
			}
			if path, ok := w.Canonical(t.Context(), tt.property, tt.length-1, 1<<20); ok {
				t.Errorf("a run of fewer steps than the least: %v", path)
			}
		})
	}
}

// beforeFault is the number of steps before the first fault.
func beforeFault(steps []checker.Step) int {
	if i := slices.IndexFunc(steps, func(s checker.Step) bool { return s.Fault }); i >= 0 {
		return i
	}
	return len(steps)
}

// TestPreference checks the order of steps after one of proc 2: no fault comes before any fault,
// then proc 2 goes on, then lower procs come first, and what is left is decided by the kind of the
// event.
func TestPreference(t *testing.T) {
	last := uint64(code(deliver, 2, 0))
	inOrder := []checker.Step{code(deliver, 2, 1).step(), code(persisted, 2, 0).step(),
		code(restart, 0, 0).step(), code(advance, 1, 0).step(),
		code(advance, 3, 0).step(), code(crash, 2, 0).fault(),
		code(checkpoint, 0, 0).fault(), code(crash, 0, 0).fault()}
	for i := range inOrder {
		for j := range inOrder {
			if got := preferenceOf(inOrder[i],
				last).before(preferenceOf(inOrder[j], last)); got != (i < j) {
				t.Errorf("step %d before step %d: %t", i, j, got)
			}
		}
	}
	if first := preferenceOf(inOrder[2], 0); !first.before(preferenceOf(inOrder[0], 0)) {
		t.Error("without a last step, the lowest proc is not first")
	}
}

// shuffle swaps random adjacent steps of a run that commute.
func shuffle(w *World, r *rand.Rand, codes []uint64) []uint64 {
	for range 4 * len(codes) {
		k := r.IntN(len(codes)-1) + 1
		swapped := slices.Clone(codes)
		swapped[k-1], swapped[k] = codes[k], codes[k-1]
		before, err := w.Follow(codes)
		after, err2 := w.Follow(swapped)
		if err == nil && err2 == nil && slices.Equal(before.last(), after.last()) &&
			cmp.Equal(before.Violation, after.Violation) &&
			slices.Equal(before.States[k+1], after.States[k+1]) {
			codes = swapped
		}
	}
	return codes
}

// TestReorder shuffles runs that a depth-first search finds, where they commute: the order
// afterwards must be the same for all shuffles, have the same steps, end in the same state with the
// same violation, and have no failure earlier than before.
func TestReorder(t *testing.T) {
	tests := []struct {
		name, erratum, program string
		clusters               []int
		model                  fault.Model
	}{
		{"two messages, one failure", "H1", twoMessages, []int{0, 1}, fault.Model{Failures: 1}},
		{"a checkpoint", "H13d", twoMessages, []int{0, 1},
			fault.Model{Failures: 1, Checkpoints: 1}},
		{"three ranks", "H17", "x: send y m2\ny: recv *; send c m3; recv *\nc: recv y; send y m7\n",
			[]int{0, 0, 1}, fault.Model{Failures: 1}},
		{"two failures, violation by the end", "H12a", "a: send b x; recv b\nb: recv a; send a y\n",
			[]int{0, 1}, fault.Model{Failures: 2}},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if i > 1 {
				effort.Seconds(t)
			}
			r := rand.New(rand.NewPCG(uint64(i), 1))
			w := brokenWorld(t, tt.program, tt.clusters, tt.erratum, tt.model)
			found := search.Explore(t.Context(), w, checker.Options{}).Found
			if len(found) != 1 {
				t.Fatal("nothing is found")
			}
			codes := found[0].Path
			want := w.reordered(codes)
			before, _ := w.Follow(codes)
			after, err := w.Follow(want)
			if err != nil || !cmp.Equal(before.Violation, after.Violation) ||
				!slices.Equal(before.last(), after.last()) {
				t.Fatalf("reordered: %v, violation %+v, want %+v", err, after.Violation,
					before.Violation)
			}
			if !slices.Equal(slices.Sorted(slices.Values(codes)),
				slices.Sorted(slices.Values(want))) {
				t.Error("other steps")
			}
			if crashes(before) > crashes(after) {
				t.Errorf("failures at %d in all, before at %d", crashes(after), crashes(before))
			}
			if run, err := w.Reorder(before); err != nil ||
				!slices.Equal(run.Schedule, after.Schedule) {
				t.Errorf("Reorder: %v, %v", run.Schedule, err)
			}
			changed := 0
			for range 5 {
				shuffled := shuffle(w, r, codes)
				if !slices.Equal(shuffled, codes) {
					changed++
				}
				if got := w.reordered(shuffled); !slices.Equal(got, want) {
					run, _ := w.Follow(got)
					t.Fatalf("the order depends on the run (-want +got):\n%s",
						cmp.Diff(after.Schedule, run.Schedule))
				}
			}
			if changed == 0 {
				t.Error("no run was shuffled")
			}
		})
	}
}

// crashes adds up the places of the crashes of a run.
func crashes(r *Run) (sum int) {
	for i, text := range r.Schedule {
		if len(text) > 5 && text[:5] == "crash" {
			sum += i
		}
	}
	return sum
}

// TestAttempt gives a schedule to a world in which some of its events can not happen: they are left
// out, and the rest breaks the property all the same. The budgets that a run uses are counted.
func TestAttempt(t *testing.T) {
	w := brokenWorld(t, twoMessages, []int{0, 1}, "H1",
		fault.Model{Failures: effort.Of(1, 2), Checkpoints: 1})
	r := search.Explore(t.Context(), w, checker.Options{Order: checker.BreadthFirst,
		Only: "exactly-once"})
	run, err := w.Follow(r.Found[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	noise := append([]string{"crash nobody"}, run.Schedule...)
	noise = slices.Insert(noise, 4, "step b end", "deliver z->a App")
	got := w.Attempt(noise, "exactly-once")
	if diff := cmp.Diff(run.Schedule, got.Schedule); diff != "" || got.Violation == nil ||
		got.Violation.Property != "exactly-once" {
		t.Errorf("violation %+v, schedule (-want +got):\n%s", got.Violation, diff)
	}
	if spent := w.Spent(got); spent.Failures != 1 || spent.Checkpoints != 0 {
		t.Errorf("spent %+v, want one failure", spent)
	}
	repaired := brokenWorld(t, twoMessages, []int{0, 1}, "",
		fault.Model{Failures: 2, Checkpoints: 1})
	if got := repaired.Attempt(noise, "exactly-once"); got.Violation != nil || !got.Complete {
		t.Errorf(
			"the repaired protocol: violation %+v, complete %t, want the run without failures to "+
				"its end", got.Violation, got.Complete)
	}
}
