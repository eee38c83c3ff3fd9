package sample_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/sample"
	"github.com/domino-check/domino/spec"
)

// lanes is a system of procs that take so many steps each and do not wait for each other. A state
// holds the procs of the last steps, so a terminal state is an interleaving.
type lanes struct {
	lengths   []int
	dependent bool              // every two steps race
	crashes   int               // crashes of proc 0, each of which makes it take two more steps
	bad       func(string) bool // of the interleaving at the end, a letter a step
	ends      map[string]int    // how often a run ended so
}

// The words of lanes: the steps of each proc, crashes left, the number of steps, then the
// interleaving, a letter a word.
func (l lanes) history() int { return len(l.lengths) + 2 }

func (l lanes) Words() int {
	n := l.history() + 3*l.crashes
	for _, m := range l.lengths {
		n += m
	}
	return n
}

func (l lanes) Initial(state []uint32) int {
	clear(state)
	for i, n := range l.lengths {
		state[i] = uint32(n)
	}
	state[len(l.lengths)] = uint32(l.crashes)
	return 0
}

// Faults have codes from 100.
func (l lanes) Expand(state []uint32, _ checker.Reduction, x *checker.Expansion) {
	x.Begin(state)
	n := len(l.lengths)
	step := func(s checker.Step, letter byte) {
		x.Add(s)
		x.Set(l.history()+int(state[n+1]), uint32(letter))
		x.Set(n+1, state[n+1]+1)
	}
	for i := range n {
		if state[i] > 0 {
			step(checker.Step{Code: uint64(i)}, byte('a'+i))
			x.Set(i, state[i]-1)
		}
	}
	if state[n] > 0 {
		step(checker.Step{Code: 100, Fault: true}, 'X')
		x.Set(n, state[n]-1)
		x.Set(0, state[0]+2)
	}
}

func (l lanes) word(state []uint32) string {
	var b strings.Builder
	for _, letter := range state[l.history():][:state[len(l.lengths)+1]] {
		b.WriteByte(byte(letter))
	}
	return b.String()
}

func (l lanes) Terminal(state []uint32) int {
	if l.ends != nil {
		l.ends[l.word(state)]++
	}
	if l.bad != nil && l.bad(l.word(state)) {
		return 1
	}
	return 0
}

func (l lanes) Violation(int) spec.Violation { return spec.Violation{Property: "bad"} }

func (l lanes) Footprint(_ []uint32, code uint64) checker.Footprint {
	if l.dependent {
		return checker.Everything()
	}
	return checker.Footprint{Writes: [4]uint64{1 << (code % 100)}}
}

func (l lanes) Owner(code uint64) (proc, fault int) { return int(code % 100), 0 }

func (l lanes) Budgets() []int { return []int{l.crashes} }

// strategy is a fresh one.
func strategy(t *testing.T, name string, depth int) sample.Strategy {
	t.Helper()
	s, err := sample.ParseStrategy(name, depth)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fits compares counts with probabilities by Pearson's chi-square: an error when the statistic is
// more than six standard deviations above its mean, which chance alone does less than once in a
// million seeds.
func fits(t *testing.T, what string, counts map[string]int, runs int, want map[string]float64) {
	t.Helper()
	statistic, cells := 0.0, 0
	for key, p := range want {
		expected := p * float64(runs)
		if expected < 5 {
			t.Fatalf("%s: only %.1f of %q are expected", what, expected, key)
		}
		d := float64(counts[key]) - expected
		statistic += d * d / expected
		cells++
	}
	for key := range counts {
		if _, ok := want[key]; !ok {
			t.Errorf("%s: %q can not happen", what, key)
		}
	}
	free := float64(cells - 1)
	t.Logf("%s: chi-square %.1f with %.0f degrees of freedom", what, statistic, free)
	if statistic > free+6*math.Sqrt(2*free) {
		t.Errorf("%s: the counts %v do not fit %v", what, counts, want)
	}
}

// interleavings enumerates the words over lanes of these lengths, each with the probability that a
// step of proc i has among the enabled ones.
func interleavings(lengths []int, weight func(left []int, i int) float64) map[string]float64 {
	list := map[string]float64{}
	var walk func(left []int, word string, p float64)
	walk = func(left []int, word string, p float64) {
		total := 0.0
		for i, n := range left {
			if n > 0 {
				total += weight(left, i)
			}
		}
		if total == 0 {
			list[word] = p
			return
		}
		for i, n := range left {
			if n == 0 {
				continue
			}
			next := append([]int(nil), left...)
			next[i]--
			walk(next, word+string(rune('a'+i)), p*weight(left, i)/total)
		}
	}
	walk(lengths, "", 1)
	return list
}

// TestDistributions draws interleavings of small systems and compares their frequencies with exact
// probabilities: for random walks by enumeration of all interleavings; for URW, whose counts are
// exact here, all are equally probable (7!/(2!2!3!) of them); for POS one event a among m events b,
// each of which draws a number of its own, so a comes after j of them with 1/((j+1)(j+2)), and
// after all of them with 1/(m+1), as calculus says; when all race, POS is a random walk; PCTCP of
// depth 1 runs chain after chain.
func TestDistributions(t *testing.T) {
	t.Parallel()
	three := []int{2, 2, 3}
	uniform := interleavings(three, func(left []int, i int) float64 { return float64(left[i]) })
	if len(uniform) != 210 || math.Abs(uniform["abcabcc"]-1.0/210) > 1e-12 {
		t.Fatalf("%d interleavings, want 210 equally probable ones", len(uniform))
	}
	even := func([]int, int) float64 { return 1 }
	pos := map[string]float64{"bbbba": 1.0 / 5}
	for j := range 4 {
		pos[strings.Repeat("b", j)+"a"+strings.Repeat("b", 4-j)] = 1 / float64((j+1)*(j+2))
	}
	tests := []struct {
		name, strategy string
		lanes          lanes
		want           map[string]float64
	}{
		{"random", "random", lanes{lengths: three}, interleavings(three, even)},
		{"random, one step against four", "random", lanes{lengths: []int{1, 4}},
			interleavings([]int{1, 4}, even)},
		{"urw", "urw", lanes{lengths: three}, uniform},
		{"urw, one step against four", "urw", lanes{lengths: []int{1, 4}},
			interleavings([]int{1, 4}, func(left []int, i int) float64 {
				return float64(left[i])
			})},
		{"pos", "pos", lanes{lengths: []int{1, 4}}, pos},
		{"pos, all race", "pos", lanes{lengths: []int{1, 4}, dependent: true},
			interleavings([]int{1, 4}, even)},
		{"pctcp, depth 1", "pctcp", lanes{lengths: []int{1, 1, 2}},
			map[string]float64{"abcc": 1.0 / 6, "accb": 1.0 / 6, "bacc": 1.0 / 6,
				"bcca": 1.0 / 6, "ccab": 1.0 / 6, "ccba": 1.0 / 6}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			const runs = 21000
			tt.lanes.ends = map[string]int{}
			r := sample.Draw(t.Context(), tt.lanes, strategy(t, tt.strategy, 1),
				sample.Options{Runs: runs, Seed: 1})
			if r.Runs != runs || r.Verdict != spec.Unknown || r.Terminals != len(tt.lanes.ends) ||
				r.Cut != 0 {
				t.Errorf("%d runs, %v, %d terminal states", r.Runs, r.Verdict, r.Terminals)
			}
			fits(t, tt.name, tt.lanes.ends, runs, tt.want)
		})
	}
}

// TestDeepBugs draws runs for bugs of known depth. Two of them a random walk must miss: it takes
// one given interleaving of 2 chains with a probability of 2^-k as long as both are enabled. PCTCP
// must find each with at least its guaranteed probability 1/(chains * n^(d-1)).
func TestDeepBugs(t *testing.T) {
	t.Parallel()
	long := strings.Repeat
	tests := []struct {
		name     string
		lengths  []int
		depth    int
		bad      func(string) bool
		expected float64 // probability with PCTCP
		exact    bool    // not only a bound
		misses   bool    // a random walk
	}{
		{"depth 1: one step after forty", []int{1, 40}, 1, func(w string) bool {
			return strings.HasSuffix(w, "a")
		}, 1.0 / 2, true, true},
		{"depth 2: ten steps between two others", []int{10, 10}, 2, func(w string) bool {
			return w == long("a", 5)+long("b", 10)+long("a", 5)
		},
			1.0 / 2 / 20, true, true},
		{"depth 3: a, b and a interrupt each other", []int{4, 4}, 3,
			func(w string) bool { return w == "aabb"+"aa"+"bb" }, 1.0 / 2 / 8 / 8, false, false},
		{"depth 2 of three chains", []int{3, 3, 3}, 2, func(w string) bool {
			return strings.Index(w, "b") > strings.LastIndex(w, "c") &&
				strings.LastIndex(w, "a") > strings.LastIndex(w, "b")
		}, 1.0 / 3 / 9, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			const runs = 8000
			hits := func(name string) int {
				l := lanes{lengths: tt.lengths, ends: map[string]int{}}
				sample.Draw(t.Context(), l, strategy(t, name, tt.depth),
					sample.Options{Runs: runs, Seed: 2})
				n := 0
				for word, count := range l.ends {
					if tt.bad(word) {
						n += count
					}
				}
				return n
			}
			got, mean := float64(hits("pctcp")), tt.expected*runs
			margin := 6 * math.Sqrt(mean)
			t.Logf("PCTCP %.5f, theory %.5f; random %.5f, POS %.5f, URW %.5f", got/runs,
				tt.expected, float64(hits("random"))/runs,
				float64(hits("pos"))/runs, float64(hits("urw"))/runs)
			if got < mean-margin || tt.exact && got > mean+margin {
				t.Errorf("PCTCP hits %.0f times, theory says %.0f", got, mean)
			}
			if n := hits("random"); tt.misses && n > 5 {
				t.Errorf("a random walk hits %d times", n)
			}
		})
	}
}

// TestFaultPlaces counts where in the history of its victim a crash strikes: the proc has 5 steps,
// so 6 places, equally probable; with two crashes, each of which makes the history longer by 2, all
// places of the second, too, before and during the added steps and behind them, occur.
func TestFaultPlaces(t *testing.T) {
	t.Parallel()
	const runs = 12001
	count := func(crashes int) map[string]int {
		l := lanes{lengths: []int{5, 3}, crashes: crashes, ends: map[string]int{}}
		r := sample.Draw(t.Context(), l, strategy(t, "random", 0),
			sample.Options{Runs: runs, Seed: 3})
		if r.Faults < runs-1 {
			t.Errorf("%d faults in %d runs", r.Faults, runs)
		}
		places := map[string]int{}
		for word, n := range l.ends {
			own := strings.ReplaceAll(word, "b", "")
			place := ""
			for i := range own {
				if own[i] == 'X' {
					place += fmt.Sprint(" ", i)
				}
			}
			if crashes == 1 && place == "" {
				continue // the first run, and ends of runs that go on with a crash
			}
			places[place] += n
		}
		return places
	}
	want := map[string]float64{}
	for i := range 6 {
		want[fmt.Sprint(" ", i)] = 1.0 / 6
	}
	fits(t, "one crash", count(1), runs-1, want)
	two := count(2)
	for first := range 6 {
		for second := first + 1; second <= 8; second++ { // the first one takes a place itself
			if key := fmt.Sprintf(" %d %d", first, second); two[key] < 30 {
				t.Errorf("crashes at%s: %d times in %d runs", key, two[key], runs)
			}
		}
	}
}

// TestSampleLimits ends sampling early in each way, and cuts runs off: the verdict is never holds.
func TestSampleLimits(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	tests := []struct {
		name    string
		ctx     context.Context
		options sample.Options
		runs    int
		bound   string
	}{
		{"runs", context.Background(), sample.Options{Runs: 7}, 7, "7 runs"},
		{"default", context.Background(), sample.Options{}, sample.DefaultRuns,
			"10000 runs"},
		{"time", context.Background(), sample.Options{MaxTime: 1}, 0, "time limit 1ns"},
		{"cancelled", cancelled, sample.Options{}, 0, "interrupted"},
	}
	for _, tt := range tests {
		r := sample.Draw(tt.ctx, lanes{lengths: []int{2, 2}}, strategy(t, "pos", 0), tt.options)
		if r.Verdict != spec.Unknown || r.Runs != tt.runs || r.Bound != tt.bound ||
			len(r.Found) != 0 {
			t.Errorf("%s: %v after %d runs, bound %q", tt.name, r.Verdict, r.Runs, r.Bound)
		}
	}
	r := sample.Draw(t.Context(), lanes{lengths: []int{9, 9}, ends: map[string]int{}},
		strategy(t, "urw", 0), sample.Options{Runs: 3, MaxSteps: 17})
	if r.Cut != 3 || r.Terminals != 0 || r.Steps != 51 || r.Longest != 17 {
		t.Errorf("cut off: %+v", r)
	}
}

// TestSampleTwice draws the same runs twice with each strategy: everything but the time is the
// same, and another seed gives others.
func TestSampleTwice(t *testing.T) {
	for _, name := range sample.Strategies() {
		sample := func(seed uint64) (sample.Result, map[string]int) {
			l := lanes{lengths: []int{4, 4, 4}, crashes: 2, ends: map[string]int{},
				bad: func(w string) bool {
					return strings.HasSuffix(w, "Xaa")
				}}
			r := sample.Draw(t.Context(), l, strategy(t, name, 3),
				sample.Options{Runs: 300, Seed: seed, All: true})
			r.Elapsed, r.Bytes = 0, 0
			return r, l.ends
		}
		first, firstEnds := sample(5)
		second, secondEnds := sample(5)
		other, otherEnds := sample(6)
		if d := cmp.Diff(first, second) + cmp.Diff(firstEnds, secondEnds); d != "" {
			t.Errorf("%s is not deterministic:\n%s", name, d)
		}
		if cmp.Equal(firstEnds, otherEnds) || other.Runs != 300 {
			t.Errorf("%s draws the same with another seed", name)
		}
	}
}
