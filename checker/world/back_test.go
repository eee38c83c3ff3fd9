package world

import (
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
)

// goesBack is a toy in which p1 rolls back on a message of p0, while p2 has sent it another one and
// sends a third when it is told to. p0 watches. Kinds: 0 leads to the rollback, 1 and 2 are the
// others, 3 asks p2 for the third.
func goesBack(groups [][]core.Proc) *toy {
	toy := newToy(3, 2, 4)
	toy.on(0, 0, 4+toyStart, 0, toySend{1, 0}, toySend{2, 3})
	toy.on(2, 0, 4+toyStart, 0, toySend{1, 1})
	toy.on(2, 0, 3, 1, toySend{1, 2})
	toy.rules[1][0][0] = toyRule{rollback: true}
	toy.watchers, toy.groups = []core.Proc{0}, groups
	return toy
}

// TestKilledBehindRollback is worked out by hand: p1 has rolled back and is killed before it has
// started again. What is on its way to it is lost, p0 is told of the life that it had ended, and
// the next one is the same as without the kill. What is sent behind the kill arrives.
func TestKilledBehindRollback(t *testing.T) {
	const back, kill, again = "deliver p0->p1 k0", "crash p1", "restart p1 incarnation 1"
	const told, ask = "told p0 down p1", "deliver p0->p2 k3"
	const first, third, other = "deliver p2->p1 k1", "deliver p2->p1 k2", "crash p2"
	for _, tt := range []struct {
		name     string
		change   func(*fault.Model)
		schedule []string
		enabled  []string // in the end, but for what p2 is asked, and crashes of others
	}{
		{"back", nil, []string{back}, []string{kill, again}},
		{"goes on", nil, []string{back, again}, []string{kill, first}},
		{"killed", nil, []string{back, kill}, []string{again, told}},
		{"killed, told", nil, []string{back, kill, told}, []string{again}},
		{"lost", nil, []string{back, kill, told, again}, nil},
		{"not lost", nil, []string{back, kill, ask, again, told}, []string{third}},
		{"kept", func(m *fault.Model) { m.KeepToDead = true }, []string{back, kill, told, again},
			[]string{first}},
		{"no victim", func(m *fault.Model) { m.Victims = []core.Proc{2} }, []string{back},
			[]string{again}},
		{"once", nil, []string{back, other}, []string{again, "restart p2 incarnation 1",
			"told p0 down p2"}},
	} {
		m := fault.Model{Failures: 1}
		if tt.change != nil {
			tt.change(&m)
		}
		w, err := New(Config{Setup: goesBack(nil).setup(), Model: m})
		if err != nil {
			t.Fatal(err)
		}
		if got := but(events(t, w, tt.schedule...), ask, "crash p0", other); !slices.Equal(got,
			tt.enabled) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.enabled)
		}
		if n, err := compareApart(t, goesBack(nil).setup(), &m, 20_000); err != nil || n == 0 {
			t.Errorf("%s: %d states apart: %v", tt.name, n, err)
		}
	}
}

// TestKilledWithMate has p1 roll back, whose mate p2 is up: a crash takes both, with what is on its
// way to either.
func TestKilledWithMate(t *testing.T) {
	toy, m := goesBack([][]core.Proc{{0}, {1, 2}}), fault.Model{Failures: 1}
	w, err := New(Config{Setup: toy.setup(), Model: m})
	if err != nil {
		t.Fatal(err)
	}
	const back, kill = "deliver p0->p1 k0", "crash p1 p2"
	const one, two = "restart p1 incarnation 1", "restart p2 incarnation 1"
	const told, asked = "told p0 down p1 p2", "deliver p0->p2 k3"
	for _, tt := range []struct{ schedule, enabled []string }{
		{[]string{back}, []string{kill, asked}}, // p2 is in the life that p1 has left
		{[]string{back, kill}, []string{one, two, told}},
		{[]string{back, kill, told, two, one}, nil},
	} {
		got := but(events(t, w, tt.schedule...), "crash p0")
		if !slices.Equal(got, tt.enabled) {
			t.Errorf("behind %q: %q, want %q", tt.schedule, got, tt.enabled)
		}
	}
	if n, err := compareApart(t, toy.setup(), &m, 20_000); err != nil || n == 0 {
		t.Errorf("%d states apart: %v", n, err)
	}
}

// but are the other events, without the mark of a fault.
func but(list []string, events ...string) (others []string) {
	for _, e := range list {
		if e = strings.TrimSuffix(e, " (fault)"); !slices.Contains(events, e) {
			others = append(others, e)
		}
	}
	return others
}
