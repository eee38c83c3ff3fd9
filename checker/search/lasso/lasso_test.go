package lasso_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/checker/search/lasso"
	"github.com/domino-check/domino/spec"
)

// web is a random graph. A state is a node and how many faults are left.
type web struct {
	edges  [][]edge // by node
	faults uint32
	owed   uint // events, a bit each
}

type edge struct {
	to, event int
	fault     bool
	violation bool
}

func (w web) Words() int { return 2 }

func (w web) Initial(state []uint32) int {
	state[0], state[1] = 0, w.faults
	return 0
}

func (w web) Expand(state []uint32, _ checker.Reduction, x *checker.Expansion) {
	x.Begin(state)
	for i, e := range w.edges[state[0]] {
		if e.fault && state[1] == 0 {
			continue
		}
		s := checker.Step{Code: uint64(e.event)<<8 | uint64(i), Fault: e.fault}
		if e.violation {
			s.Violation = 1
		}
		x.Add(s)
		x.Set(0, uint32(e.to))
		if e.fault {
			x.Set(1, state[1]-1)
		}
	}
}

func (w web) Terminal([]uint32) int { return 2 }

func (w web) Violation(n int) spec.Violation {
	return spec.Violation{Property: []string{"", "step", "end", "endless"}[n]}
}

func (w web) Event(_ []uint32, code uint64) (uint64, bool) {
	return code >> 8, w.owed>>(code>>8)&1 != 0
}

func (w web) Endless([]uint32) int { return 3 }

// randomWeb draws a graph with few edges, so that some have no cycle, and a few events.
func randomWeb(r *rand.Rand) web {
	w := web{faults: uint32(r.IntN(2)), owed: uint(r.IntN(16)), edges: make([][]edge, 1+r.IntN(6))}
	for n := range w.edges {
		for range r.IntN(4) {
			w.edges[n] = append(w.edges[n], edge{to: r.IntN(len(w.edges)), event: r.IntN(4),
				fault: r.IntN(8) == 0, violation: r.IntN(16) == 0})
		}
	}
	return w
}

// endless says by definition whether the web has a fair endless run: some set of reachable states,
// with all steps between them, is strongly connected, has a step, and takes each owed event that is
// possible in all of it. All sets are tried.
func (w web) endless() bool {
	reach := map[[2]uint32]bool{}
	var list [][2]uint32
	var visit func(s [2]uint32)
	visit = func(s [2]uint32) {
		if reach[s] {
			return
		}
		reach[s] = true
		list = append(list, s)
		for _, e := range w.edges[s[0]] {
			if e.fault && s[1] > 0 && !e.violation {
				visit([2]uint32{uint32(e.to), s[1] - 1})
			} else if !e.fault && !e.violation {
				visit([2]uint32{uint32(e.to), s[1]})
			}
		}
	}
	visit([2]uint32{0, w.faults})
	for set := 1; set < 1<<len(list); set++ {
		if w.fairRunThrough(list, uint(set)) {
			return true
		}
	}
	return false
}

// fairRunThrough reports whether an endless run may visit exactly the states of the set again and
// again.
func (w web) fairRunThrough(list [][2]uint32, set uint) bool {
	everywhere, taken, steps := uint(1<<4-1), uint(0), 0
	next := make([]uint, len(list)) // successors inside
	for i, s := range list {
		if set>>i&1 == 0 {
			continue
		}
		possible := uint(0)
		for _, e := range w.edges[s[0]] {
			if e.fault {
				continue
			}
			possible |= 1 << e.event
			j := slices.Index(list, [2]uint32{uint32(e.to), s[1]})
			if !e.violation && set>>j&1 != 0 {
				next[i] |= 1 << j
				taken |= 1 << e.event
				steps++
			}
		}
		everywhere &= possible
	}
	if steps == 0 || everywhere&w.owed&^taken != 0 {
		return false
	}
	for i := range list { // every state reaches all of the set
		if set>>i&1 == 0 {
			continue
		}
		reached := uint(1) << i
		for again := true; again; {
			before := reached
			for j := range list {
				if reached>>j&1 != 0 {
					reached |= next[j]
				}
			}
			again = reached != before
		}
		if reached != set {
			return false
		}
	}
	return true
}

// TestLassoAgainstBruteForce compares the search for endless fair runs on random graphs, a budget
// of faults, violations and dead ends included, with their definition, tried on all sets of states;
// and everything else with the plain search. Each loop that is found must lead back to where it
// begins and be fair.
func TestLassoAgainstBruteForce(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 2))
	endless, cyclic := 0, 0
	for n := range effort.Cases(800, 4000) {
		w := randomWeb(r)
		plain := search.Explore(t.Context(), w, checker.Options{All: true})
		got := search.Explore(t.Context(), w, checker.Options{All: true, Lasso: true})
		want := w.endless()
		i := slices.IndexFunc(got.Found, func(f checker.Found) bool {
			return f.Property == "endless"
		})
		if want != (i >= 0) {
			t.Fatalf("web %d: endless %t, want %t\n%+v", n, i >= 0, want, w)
		}
		if want {
			endless++
			if problem := w.broken(got.Found[i]); problem != "" {
				t.Fatalf("web %d: %s in %+v\n%+v", n, problem, got.Found[i], w)
			}
			got.Found = slices.Delete(got.Found, i, i+1)
		} else if w.cycle() {
			cyclic++
		}
		figures := func(r checker.Result) []any {
			var names []string
			for _, f := range r.Found {
				names = append(names, f.Property)
			}
			slices.Sort(names)
			return []any{r.States, r.Transitions, r.Terminals, names, r.Bound}
		}
		if d := cmp.Diff(figures(plain), figures(got)); d != "" {
			t.Fatalf("web %d: plain search and lasso differ:\n%s\n%+v", n, d, w)
		}
	}
	t.Logf("%d webs have an endless fair run, %d only unfair ones", endless, cyclic)
	if endless < effort.Of(100, 500) || cyclic < effort.Of(20, 100) {
		t.Errorf("%d and %d say little", endless, cyclic)
	}
}

// cycle reports whether every owed event set aside there is an endless run.
func (w web) cycle() bool {
	w.owed = 0
	return w.endless()
}

// broken says what is wrong with an endless run, or "".
func (w web) broken(f checker.Found) string {
	state := make([]uint32, 2)
	w.Initial(state)
	x := checker.NewExpansion(2)
	var start []uint32
	for i, code := range f.Path {
		if i == len(f.Path)-f.Loop {
			start = slices.Clone(state)
		}
		w.Expand(state, checker.Unreduced, x)
		j := slices.IndexFunc(x.Steps, func(s checker.Step) bool { return s.Code == code })
		if j < 0 || x.Steps[j].Violation != 0 || start != nil && x.Steps[j].Fault {
			return fmt.Sprintf("step %d is not possible", i+1)
		}
		state = x.State(j, nil)
	}
	if f.Loop == 0 || !slices.Equal(start, state) {
		return "the loop does not lead back"
	}
	possible, taken := ^uint(0), uint(0)
	for _, code := range f.Path[len(f.Path)-f.Loop:] {
		here := uint(0)
		for _, e := range w.edges[state[0]] {
			if !e.fault {
				here |= 1 << e.event
			}
		}
		possible &= here
		taken |= 1 << (code >> 8)
		w.Expand(state, checker.Unreduced, x)
		state = x.State(slices.IndexFunc(x.Steps, func(s checker.Step) bool {
			return s.Code == code
		}), nil)
	}
	if bits.OnesCount(possible&w.owed&^taken) > 0 {
		return "the loop is not fair"
	}
	if returns, fair := lasso.Repeats(w, start, f.Path[len(f.Path)-f.Loop:]); !returns || !fair {
		return fmt.Sprintf("Repeats says %t, %t", returns, fair)
	}
	return ""
}

// TestRepeats refuses what is no endless fair run: no step, a step that is not possible, a fault, a
// loop that does not lead back, one that puts an owed event off.
func TestRepeats(t *testing.T) {
	w := web{owed: 1 << 1, faults: 1, edges: [][]edge{
		{{to: 1}, {to: 1, event: 1}, {to: 0, event: 2}, {to: 0, event: 3, fault: true}},
		{{to: 0}, {to: 1, event: 1}}}}
	tests := []struct {
		name          string
		codes         []uint64
		returns, fair bool
	}{
		{"nothing", nil, false, true},
		{"unknown step", []uint64{7}, false, false},
		{"fault", []uint64{3<<8 | 3}, false, false},
		{"half", []uint64{1<<8 | 1}, false, true},
		{"unfair", []uint64{0, 0}, true, false},
		{"unfair with one state", []uint64{2<<8 | 2}, true, false},
		{"fair", []uint64{0, 1<<8 | 1, 0}, true, true},
	}
	for _, tt := range tests {
		returns, fair := lasso.Repeats(w, []uint32{0, 1}, tt.codes)
		if returns != tt.returns || returns && fair != tt.fair {
			t.Errorf("%s: %t, %t, want %t, %t", tt.name, returns, fair, tt.returns, tt.fair)
		}
	}
}

// counter is a proc that retries for ever, and may count its tries up to a number at any time: a
// web without end.
type counter struct{ web }

func (c counter) Expand(state []uint32, _ checker.Reduction, x *checker.Expansion) {
	x.Begin(state)
	x.Add(checker.Step{Code: 0}) // resend
	x.Set(0, state[0]+1)
	if state[0] > 0 {
		x.Add(checker.Step{Code: 1 << 8}) // deliver, and ignore
		x.Set(0, state[0]-1)
	}
}

// TestLassoBeyondLimits explores a system without bounds, resends that are ignored: the search ends
// by its limit and still finds the loop. Without the loop it is unknown.
func TestLassoBeyondLimits(t *testing.T) {
	c := counter{web{owed: 3}}
	for _, o := range []checker.Options{{MaxStates: 50}, {MaxStates: 5000}, {MaxBytes: 1 << 20}} {
		o.Lasso = true
		r := search.Explore(t.Context(), c, o)
		if r.Verdict != spec.Violated || len(r.Found) != 1 || r.Found[0].Loop != 2 ||
			len(r.Found[0].Path) != 2 || r.Bound == "" {
			t.Errorf("%+v: %v, %+v", o, r.Verdict, r)
		}
		if o.MaxStates != 0 && r.States != o.MaxStates {
			t.Errorf("%d states, want %d", r.States, o.MaxStates)
		}
	}
	if r := search.Explore(t.Context(), web{edges: [][]edge{{{to: 1}}, {{to: 2}}, {}}},
		checker.Options{Lasso: true, MaxStates: 2}); r.Verdict != spec.Unknown ||
		r.Bound != "limit of 2 states" {
		t.Errorf("%+v", r)
	}
	if r := search.Explore(t.Context(), web{edges: [][]edge{{{to: 1}}, {}}},
		checker.Options{Lasso: true, MaxStates: 2, Only: "step"}); r.Verdict != spec.Holds {
		t.Errorf("exactly the limit: %+v", r)
	}
}
