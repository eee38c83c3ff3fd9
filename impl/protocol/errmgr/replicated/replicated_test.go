package replicated_test

import (
	"slices"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/errmgr/replicated"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
)

// explore explores a register with three replicas. Every step runs twice, so a machine that depends
// on anything but its state and its input (the library draws election timeouts) is found out.
func explore(t *testing.T, clients int, f replicated.Fault, m fault.Model,
	o checker.Options) checker.Result {
	t.Helper()
	setup, err := replicated.NewRegister(3, clients, f)
	if err != nil {
		t.Fatal(err)
	}
	if m.Victims == nil {
		m.Victims = setup.Watchers // the replicas
	}
	w, err := world.New(world.Config{Setup: setup, Model: m, Twice: true,
		Facts: world.FactsOf(setup, &m, nil, replicated.Answered)})
	if err != nil {
		t.Fatal(err)
	}
	o.Reduce = checker.Crashes | checker.Singletons
	r := search.Explore(t.Context(), w, o)
	if seen, _ := w.Seen(); r.Verdict == spec.Holds && !slices.Contains(seen, "reads-value") {
		t.Errorf("no run reads a value, only %v", seen)
	}
	t.Logf("%v, %d states, %d transitions, %d ends", r.Verdict, r.States, r.Transitions,
		r.Terminals)
	return r
}

// TestHolds explores registers whose clients write and read, completely: the answers are those of
// one register that never fails, and all operations are answered. The numbers of states are there
// so that a lost branch shows.
func TestHolds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		clients int
		model   fault.Model
		states  int
		long    bool
	}{
		{"nothing fails", 1, fault.Model{}, 117, false},
		{"two clients", 2, fault.Model{}, 46_827, false},
		{"a follower fails", 1, fault.Model{Failures: 1, Victims: []core.Proc{2}}, 22_298, false},
		{"the other follower fails", 1, fault.Model{Failures: 1, Victims: []core.Proc{3}}, 22_298,
			false},
		{"a leader lives and is taken for dead", 1, fault.Model{Suspicions: 1}, 62_827, false},
		{"the leader fails, and what it has sent last is lost", 1,
			fault.Model{Failures: 1, Victims: []core.Proc{0}, FromDead: fault.Nothing}, 0, true},
		{"the leader fails", 1, fault.Model{Failures: 1, Victims: []core.Proc{0}}, 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.long && !effort.Long() {
				t.Skip("takes minutes: " + effort.More)
			}
			if tt.model.FromDead == fault.Nothing && tt.long && !effort.Huge() {
				t.Skip("its runs are among those of the next: with " + effort.Variable + "=huge")
			}
			r := explore(t, tt.clients, 0, tt.model, checker.Options{})
			if r.Verdict != spec.Holds || tt.states > 0 && r.States != tt.states {
				t.Errorf("%v with %d states, want %d; %v", r.Verdict, r.States, tt.states, r.Found)
			}
		})
	}
}

// TestBroken checks what each fault breaks. That of replicas which do not wait for their disks
// needs two crashes, see TestRandom.
func TestBroken(t *testing.T) {
	t.Parallel()
	leader := fault.Model{Failures: 1, Victims: []core.Proc{0}}
	tests := []struct {
		name  string
		fault replicated.Fault
		model fault.Model
		order checker.Order
		want  string
	}{
		{"applied before it is committed", replicated.Early, leader, checker.DepthFirst,
			"answered"},
		{"taken without the log", replicated.Local, fault.Model{Suspicions: 1},
			checker.BreadthFirst, "answered"},
		{"requests taken twice", replicated.Twice, leader, checker.DepthFirst, "linearizable"},
		{"orders taken twice", replicated.Echo, fault.Model{Suspicions: 1}, checker.BreadthFirst,
			"linearizable"},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if i%2 > 0 {
				effort.Seconds(t)
			}
			r := explore(t, 1, tt.fault, tt.model, checker.Options{Order: tt.order})
			if r.Verdict != spec.Violated || r.Found[0].Property != tt.want {
				t.Fatalf("%v %v, want %s broken", r.Verdict, r.Found, tt.want)
			}
			t.Logf("%d steps: %s", len(r.Found[0].Path), r.Found[0].Message)
		})
	}
}

// TestBadOptions gives numbers of replicas and clients that make no sense, and services that are
// none.
func TestBadOptions(t *testing.T) {
	for _, n := range [][2]int{{1, 1}, {2, 1}, {4, 1}, {9, 1}, {3, 0}, {3, 27}} {
		if _, err := replicated.NewRegister(n[0], n[1], 0); err == nil {
			t.Errorf("%d replicas and %d clients are accepted", n[0], n[1])
		}
	}
	setup, err := replicated.NewRegister(3, 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := replicated.Setup(setup, replicated.Options{Service: 9, Replicas: 3}); err == nil {
		t.Error("a proc that is not there is replicated")
	}
	setup.Layout.Names[1] = "r12"
	if _, err := replicated.Setup(setup, replicated.Options{Service: 0, Replicas: 3}); err == nil {
		t.Error("two procs have one name")
	}
}
