package odpor_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/internal/brute"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/spec"
)

// shared is a program of threads over shared variables, each step one read or one write: the
// setting of the paper on optimal reduction.
type shared struct {
	variables int
	threads   []thread
}

// thread makes its next step: from its program counter and register and the variables to new ones,
// and which variable it reads or writes. It returns false when it is over.
type thread func(pc, register uint32, variables []uint32) (next, value uint32, variable int, writes,
	ok bool)

func (s shared) Words() int { return s.variables + 2*len(s.threads) }

func (s shared) Initial(state []uint32) int { clear(state); return 0 }

func (s shared) Expand(state []uint32, _ checker.Reduction, x *checker.Expansion) {
	x.Begin(state)
	for i, t := range s.threads {
		w := s.variables + 2*i
		next, value, variable, writes, ok := t(state[w], state[w+1], state[:s.variables])
		if !ok {
			continue
		}
		x.Add(checker.Step{Code: uint64(i + 1)})
		x.Set(w, next)
		if writes {
			x.Set(variable, value)
		} else {
			x.Set(w+1, value)
		}
	}
}

func (s shared) Terminal([]uint32) int          { return 0 }
func (s shared) Violation(n int) spec.Violation { return spec.Violation{} }
func bit(words *[4]uint64, n int)               { words[n>>6] |= 1 << (n & 63) }

func (s shared) Footprint(state []uint32, code uint64) (f checker.Footprint) {
	i := int(code) - 1
	w := s.variables + 2*i
	_, _, variable, writes, _ := s.threads[i](state[w], state[w+1], state[:s.variables])
	bit(&f.Writes, 128+i)
	if writes {
		bit(&f.Writes, variable)
	} else {
		bit(&f.Reads, variable)
	}
	return f
}

// Hinges implements checker.Hinged: no thread keeps another one from its step.
func (s shared) Hinges() []checker.Footprint { return nil }

// write is a thread that writes a variable once.
func write(variable int, value uint32) thread {
	return func(pc, _ uint32, _ []uint32) (uint32, uint32, int, bool, bool) {
		return 1, value, variable, true, pc == 0
	}
}

// read is a thread that reads a variable once.
func read(variable int) thread {
	return func(pc, _ uint32, v []uint32) (uint32, uint32, int, bool, bool) {
		return 1, v[variable], variable, false, pc == 0
	}
}

// readers is one writer and n readers of one variable.
func readers(n int) shared {
	return shared{1, append(slices.Repeat([]thread{read(0)}, n), write(0, 1))}
}

// lastzero: thread j adds one to what is before it in an array, while another thread looks for the
// last zero from the end.
func lastzero(n int) shared {
	s := shared{variables: n + 1}
	s.threads = append(s.threads, func(pc, register uint32, v []uint32) (uint32, uint32, int, bool,
		bool) {
		i := n - int(pc)
		if i < 0 || pc > 0 && register == 0 {
			return 0, 0, 0, false, false
		}
		return pc + 1, v[i], i, false, true
	})
	for j := 1; j <= n; j++ {
		s.threads = append(s.threads, func(pc, register uint32, v []uint32) (uint32, uint32, int,
			bool, bool) {
			if pc == 0 {
				return 1, v[j-1], j - 1, false, true
			}
			return 2, register + 1, j, true, pc == 1
		})
	}
	return s
}

// TestPublishedTraces compares the number of traces with those of the benchmarks in Abdulla et al.,
// table 1, and with what combinatorics gives.
func TestPublishedTraces(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		system checker.Independence
		want   int
	}{
		{"readers(2)", readers(2), 4},
		{"readers(8)", readers(8), 256},
		{"readers(13)", readers(13), 8192},
		{"lastzero(5)", lastzero(5), 64},
		{"lastzero(10)", lastzero(10), 3328},
		{"five writers", shared{1, []thread{write(0, 1), write(0, 2), write(0, 3), write(0, 4),
			write(0, 5)}}, 120},
		{"two variables", shared{2, []thread{write(0, 1), read(0), write(1, 1), read(1), read(1)}},
			2 * 4},
		{"nothing", shared{}, 1},
	}
	for _, tt := range tests {
		if tt.want > 4000 && !effort.Long() {
			t.Log(tt.name + ": " + effort.More)
			continue
		}
		r := search.Explore(t.Context(), tt.system,
			checker.Options{Order: checker.StatelessOptimal})
		if r.Traces != tt.want || r.Blocked != 0 || r.Verdict != spec.Holds || r.Bound != "" {
			t.Errorf("%s: %d traces, %d blocked, %v %s, want %d traces", tt.name, r.Traces,
				r.Blocked, r.Verdict, r.Bound, tt.want)
		}
	}
}

// TestChannel counts by hand. A sender puts two messages into a channel and a receiver takes them:
// one trace, as the second delivery is after the second send although its code was enabled before.
// Then somebody stops the sender after no, one or two messages. A deliverer that loses a message,
// at most one, may be a fault: with two messages nothing, the first or the second is lost.
func TestChannel(t *testing.T) {
	t.Parallel()
	send := command{times: 2, takes: -1, puts: 0, guards: [][2]int{{0, 0}}, sets: [][2]int{{0, 0}}}
	deliver := command{times: 2, takes: 0, puts: -1}
	stop := command{times: 1, takes: -1, puts: -1, sets: [][2]int{{0, 1}}}
	lose := command{times: 1, takes: 0, puts: -1, fault: true}
	tests := []struct {
		name     string
		commands []command
		want     int
	}{
		{"send and deliver", []command{send, deliver}, 1},
		{"deliver and send", []command{deliver, send}, 1},
		{"stop the sender", []command{send, deliver, stop}, 3},
		{"stop first", []command{stop, deliver, send}, 3},
		{"lose one", []command{send, deliver, lose}, 3},
		{"lose one, stop the sender", []command{send, deliver, stop, lose}, 1 + 2 + 3},
	}
	for _, tt := range tests {
		g := guarded{variables: 1, counters: 1, commands: tt.commands}
		r := search.Explore(t.Context(), g, checker.Options{Order: checker.StatelessOptimal})
		if r.Traces != tt.want || r.Blocked != 0 || r.Bound != "" {
			t.Errorf("%s: %d traces, %d blocked %s, want %d", tt.name, r.Traces, r.Blocked, r.Bound,
				tt.want)
		}
	}
}

// TestTakenTwice is a command, the second one, that each of two independent ones takes away, while
// it waits for a third: the first run tells of it only if one looks without both.
func TestTakenTwice(t *testing.T) {
	t.Parallel()
	g := guarded{variables: 2, counters: 1, commands: []command{
		{times: 1, takes: -1, puts: 0, sets: [][2]int{{0, 1}}},
		{times: 2, takes: 0, puts: -1, guards: [][2]int{{1, 1}, {0, 0}}, sets: [][2]int{{1, 0}}},
		{times: 1, takes: 0, puts: -1},
		{times: 1, takes: -1, puts: -1, guards: [][2]int{{1, 1}}},
		{times: 1, takes: -1, puts: 0, sets: [][2]int{{1, 1}}, fault: true},
	}}
	r := search.Explore(t.Context(), g, checker.Options{Order: checker.StatelessOptimal, All: true})
	want, ok := brute.Classes(g, 1000)
	if !ok || want.Complete != 5 || r.Traces != 5 {
		t.Errorf("%d traces, %+v by brute force, want 5", r.Traces, want)
	}
}

// TestTracesWithoutEnd follows a thread that comes back to where it was: the answer is unknown, a
// violation is found all the same.
func TestTracesWithoutEnd(t *testing.T) {
	t.Parallel()
	loop := func(pc, _ uint32, v []uint32) (uint32, uint32, int, bool, bool) {
		return 1 - pc, v[0], 0, false, true
	}
	long := func(pc, r uint32, _ []uint32) (uint32, uint32, int, bool, bool) {
		return pc + 1, 0, 0, false, true
	}
	for _, threads := range [][]thread{{loop, write(0, 0)}, {long}} {
		r := search.Explore(t.Context(), shared{1, threads},
			checker.Options{Order: checker.StatelessOptimal})
		if r.Verdict != spec.Unknown || !strings.Contains(r.Bound, "not followed further") {
			t.Errorf("%d threads: %v by %q, want unknown", len(threads), r.Verdict, r.Bound)
		}
	}
	back := guarded{variables: 1, commands: []command{{times: 9, takes: -1, puts: -1},
		{times: 1, takes: -1, puts: -1, bad: true}}}
	r := search.Explore(t.Context(), cyclic{back},
		checker.Options{Order: checker.StatelessOptimal, All: true})
	if r.Verdict != spec.Violated || r.Bound == "" || len(r.Found[0].Path) != 1 {
		t.Errorf("%v by %q, %+v, want a violation after one step and a bound", r.Verdict, r.Bound,
			r.Found)
	}
}

// cyclic does not count how often the first command has run.
type cyclic struct{ guarded }

func (c cyclic) Expand(state []uint32, reduce checker.Reduction, x *checker.Expansion) {
	c.guarded.Expand(state, reduce, x)
	y := checker.NewExpansion(c.Words())
	y.Begin(state)
	for i, s := range x.Steps {
		y.Add(s)
		for w, v := range x.State(i, nil) {
			if w != c.variables+c.counters {
				y.Set(w, v)
			}
		}
	}
	*x = *y
}

// TestTracesLimits ends a stateless search early in each way, and asks for what it does not do.
func TestTracesLimits(t *testing.T) {
	t.Parallel()
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	tests := []struct {
		name    string
		ctx     context.Context
		system  checker.System
		options checker.Options
		bound   string
	}{
		{"states", t.Context(), lastzero(10), checker.Options{MaxStates: 100},
			"limit of 100 states"},
		{"time", t.Context(), lastzero(10), checker.Options{MaxTime: time.Nanosecond},
			"time limit 1ns"},
		{"memory", t.Context(), lastzero(10), checker.Options{MaxBytes: 1 << 10},
			"memory limit 1 KiB"},
		{"cancelled", cancelled, lastzero(10), checker.Options{}, "interrupted"},
		{"reduced", t.Context(), lastzero(3),
			checker.Options{Reduce: checker.Singletons | checker.Crashes}, "can not be combined"},
		{"unknown independence", t.Context(), struct{ checker.System }{lastzero(3)},
			checker.Options{}, "does not say which of its steps are independent"},
	}
	for _, tt := range tests {
		tt.options.Order = checker.StatelessOptimal
		r := search.Explore(tt.ctx, tt.system, tt.options)
		if r.Verdict != spec.Unknown || !strings.Contains(r.Bound, tt.bound) || r.Traces >= 3328 {
			t.Errorf("%s: %v by %q after %d traces, want unknown by %q", tt.name, r.Verdict,
				r.Bound, r.Traces, tt.bound)
		}
	}
	calls := 0
	r := search.Explore(t.Context(), lastzero(7),
		checker.Options{Order: checker.StatelessOptimal, Workers: 2, Progress: func(checker.Stats) {
			calls++
		}})
	if r.Traces != 10*32 || calls < 2 {
		t.Errorf("%d traces, %d calls of progress, want 320 and some", r.Traces, calls)
	}
	small := search.Explore(t.Context(), lastzero(7),
		checker.Options{Order: checker.StatelessOptimal, MaxBytes: 400 << 10})
	if small.Traces != r.Traces {
		t.Errorf("%d traces within 400 KiB (%s), want %d", small.Traces, small.Bound, r.Traces)
	}
}

// guarded is a random system of commands over small variables and counters. A command has a guard
// on variables that it reads, changes some, puts into and takes from counters, of which the two
// ends are apart as those of a channel are, and runs a few times. Some are faults. So there is
// every way in which commands disable and enable each other.
type guarded struct {
	variables, counters int
	commands            []command
	only                string
}

type command struct {
	times  uint32
	guards [][2]int // variable, value
	sets   [][2]int
	takes  int // counter, -1 = none
	puts   int
	fault  bool
	bad    bool
}

func randomGuarded(r *rand.Rand) guarded {
	g := guarded{variables: 1 + r.IntN(4), counters: r.IntN(3)}
	faults, bad := r.IntN(2) == 0, r.IntN(4) == 0
	for range 2 + r.IntN(5) {
		c := command{times: 1, takes: -1, puts: -1, fault: faults && r.IntN(3) == 0, bad: bad &&
			r.IntN(6) == 0}
		if r.IntN(5) == 0 {
			c.times = 2
		}
		for range r.IntN(3) {
			c.guards = append(c.guards, [2]int{r.IntN(g.variables), r.IntN(3) / 2})
		}
		for range r.IntN(3) {
			c.sets = append(c.sets, [2]int{r.IntN(g.variables), r.IntN(2)})
		}
		if g.counters > 0 && r.IntN(2) == 0 {
			if n := r.IntN(g.counters); r.IntN(2) == 0 {
				c.takes = n
			} else {
				c.puts = n
			}
		}
		g.commands = append(g.commands, c)
	}
	return g
}

func (g guarded) Words() int { return g.variables + g.counters + len(g.commands) }

func (g guarded) Initial(state []uint32) int { clear(state); return 0 }

func (g guarded) enabled(state []uint32, i int) bool {
	c := &g.commands[i]
	for _, guard := range c.guards {
		if int(state[guard[0]]) != guard[1] {
			return false
		}
	}
	return state[g.variables+g.counters+i] < c.times &&
		(c.takes < 0 || state[g.variables+c.takes] > 0)
}

func (g guarded) Expand(state []uint32, _ checker.Reduction, x *checker.Expansion) {
	x.Begin(state)
	for i, c := range g.commands {
		if !g.enabled(state, i) {
			continue
		}
		s := checker.Step{Code: uint64(i + 1), Fault: c.fault}
		if c.bad {
			s.Violation = i + 1
		}
		x.Add(s)
		for _, set := range c.sets {
			x.Set(set[0], uint32(set[1]))
		}
		if c.takes >= 0 {
			x.Set(g.variables+c.takes, x.At(g.variables+c.takes)-1)
		}
		if c.puts >= 0 {
			x.Set(g.variables+c.puts, x.At(g.variables+c.puts)+1)
		}
		x.Set(g.variables+g.counters+i, state[g.variables+g.counters+i]+1)
	}
}

func (g guarded) Terminal(state []uint32) int {
	if g.variables > 1 && state[0] == 1 && state[1] == 1 {
		return 100
	}
	return 0
}

func (g guarded) Violation(n int) spec.Violation {
	return spec.Violation{Property: fmt.Sprint("v", n)}
}

func (g guarded) Footprint(_ []uint32, code uint64) (f checker.Footprint) {
	c := &g.commands[code-1]
	bit(&f.Writes, 64+int(code))
	for _, guard := range c.guards {
		bit(&f.Reads, guard[0])
	}
	for _, set := range c.sets {
		bit(&f.Writes, set[0])
	}
	if c.takes >= 0 {
		bit(&f.Writes, 128+2*c.takes)
	}
	if c.puts >= 0 {
		bit(&f.Writes, 129+2*c.puts)
	}
	return f
}

// ends notes the states in which runs end.
type ends struct {
	checker.Independence
	at map[string]bool
}

func (e ends) Terminal(state []uint32) int {
	e.at[fmt.Sprint(state)] = true
	return e.Independence.Terminal(state)
}

// TestTracesOfCommands compares the stateless search of random systems with a plain one, in the
// states where runs end and in the violated properties, and the number of its runs with two ways to
// count traces by brute force.
func TestTracesOfCommands(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 12))
	compared, traces, classes, failed := 0, 0, 0, 0
	for range effort.Cases(400, 2500) {
		g := randomGuarded(r)
		want, ok := brute.Sleeping(g, 3000)
		if !ok {
			continue
		}
		var problems []string
		if direct, ok := brute.Classes(g, 500); ok {
			classes++
			if direct != want {
				problems = append(problems, fmt.Sprintf(
					"brute force: %+v by swaps, %+v by sleep sets", direct, want))
			}
		}
		plain, optimal := ends{g, map[string]bool{}}, ends{g, map[string]bool{}}
		a := search.Explore(t.Context(), plain, checker.Options{All: true})
		b := search.Explore(t.Context(), optimal,
			checker.Options{All: true, Order: checker.StatelessOptimal})
		compared++
		traces += want.Complete + want.Violating
		if d := cmp.Diff(plain.at, optimal.at); d != "" {
			problems = append(problems, "ends of runs (-want +got):\n"+d)
		}
		if d := cmp.Diff(properties(a), properties(b)); d != "" {
			problems = append(problems, "violated properties (-want +got):\n"+d)
		}
		if got := (brute.Count{Complete: b.Traces, Violating: b.Violating}); got != want ||
			b.Blocked != 0 || b.Bound != "" {
			problems = append(problems, fmt.Sprintf("%+v, blocked %d %s, want %+v", got, b.Blocked,
				b.Bound, want))
		}
		if len(problems) > 0 {
			if failed++; failed <= 3 {
				t.Errorf("%+v\n%s", g, strings.Join(problems, "\n"))
			}
		}
	}
	t.Logf("%d systems, %d traces, %d systems counted by swaps, too, %d failed", compared, traces,
		classes, failed)
	if compared < effort.Of(300, 2000) || traces < effort.Of(3000, 20000) ||
		classes < effort.Of(150, 1000) {
		t.Errorf("%d systems, %d traces, %d by swaps say little", compared, traces, classes)
	}
}

// properties are the names of those that are violated, in order.
func properties(r checker.Result) (names []string) {
	for _, f := range r.Found {
		names = append(names, f.Property)
	}
	slices.Sort(names)
	return names
}
