package policy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
)

// four is a job of ranks 0 and 1, which run on nodes 10 and 11, with spares 12 and 13, and one
// established snapshot.
func four() *View {
	return &View{
		Ranks: []RankView{{Node: 10, Alive: true}, {Node: 11, Alive: true}},
		Nodes: []NodeView{{Node: 10, Alive: true, Room: 1}, {Node: 11, Alive: true, Room: 1},
			{Node: 12, Alive: true, Room: 1}, {Node: 13, Alive: true, Room: 1}},
		Head:      20,
		Snapshots: []SnapView{{Members: []core.Rank{0, 1}}},
		Resends:   true, MostTries: 3,
	}
}

// lose makes ranks dead and is the status of the episode about them.
func lose(v *View, ranks ...core.Rank) *Status {
	s := &Status{Episode: 1, Stable: true}
	for _, r := range ranks {
		v.Ranks[r].Alive = false
		s.Group.Lost = append(s.Group.Lost, Lost{Rank: r})
	}
	return s
}

// stack reads one that is good.
func stack(t *testing.T, text string) Stack {
	t.Helper()
	s, err := Parse(text, append(House(), Maker{Name: "silent",
		Make: func([]int) (Policy, error) { return silent{}, nil }}))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// silent says that it is done before it has begun, and never anything about its order.
type silent struct{ light }

func (silent) Name() string                          { return "silent" }
func (silent) Fault(*View, *Status) Decision         { return Decision{Verdict: Completed} }
func (silent) Predicted(*View, *Prediction) Decision { return Decision{} }

// lines is a log, an entry a line.
func lines(log []Entry) string {
	var b strings.Builder
	for _, e := range log {
		fmt.Fprintf(&b, "%s %s", e.Verdict, e.Policy)
		if e.Reason != "" {
			fmt.Fprintf(&b, ": %s", e.Reason)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestWalk gives the log of a walk for one stack and one fault, worked out by hand from the rules.
func TestWalk(t *testing.T) {
	const surprise = "offered crmig\ndeferred crmig: it was not predicted in time\n"
	tests := []struct {
		name, stack string
		change      func(v *View)
		lost        []core.Rank
		log         string
		order       Order
	}{
		{name: "in order, down to the first claim", stack: "crmig light(1) autor", // rules 1, 2
			lost: []core.Rank{1}, log: surprise + "offered light\nclaimed light\n",
			order: Order{Kind: RestoreSome, Ranks: []core.Rank{1}}},
		{name: "a large group is for the heavy one", stack: "crmig light(1) autor",
			lost: []core.Rank{0, 1}, log: surprise + "offered light\ndeferred light: size\n" +
				"offered autor\nclaimed autor\n", order: Order{Kind: RestoreAll}},
		{name: "two are few enough for two", stack: "light(2) autor", lost: []core.Rank{0, 1},
			log:   "offered light\nclaimed light\n",
			order: Order{Kind: RestoreSome, Ranks: []core.Rank{0, 1}}},
		{name: "abort is at the bottom", lost: []core.Rank{0}, // rule 5
			log: "offered abort\nclaimed abort\n", order: Order{Kind: Abort}},
		{name: "no snapshot", stack: "autor", lost: []core.Rank{0},
			change: func(v *View) { v.Snapshots = nil },
			log: "offered autor\nfailed autor: no established snapshot\n" +
				"offered abort\nclaimed abort\n", order: Order{Kind: Abort}},
		{name: "from the start", stack: "autor", lost: []core.Rank{0},
			change: func(v *View) { v.Snapshots, v.FromStart = nil, true },
			log:    "offered autor\nclaimed autor\n", order: Order{Kind: RestoreAll}},
		{name: "the next older one", stack: "autor", lost: []core.Rank{0},
			change: func(v *View) { v.Snapshots = []SnapView{{Tries: 3}, {Tries: 2}} },
			log:    "offered autor\nclaimed autor\n", order: Order{Kind: RestoreAll, Back: 1}},
		{name: "all tried", stack: "autor", lost: []core.Rank{0},
			change: func(v *View) { v.Snapshots = []SnapView{{Tries: 3}, {Tries: 3}} },
			log: "offered autor\nfailed autor: every snapshot has been tried too often\n" +
				"offered abort\nclaimed abort\n", order: Order{Kind: Abort}},
		{name: "nothing to send again", stack: "light(1) autor", lost: []core.Rank{0},
			change: func(v *View) { v.Resends = false },
			log: "offered light\ndeferred light: messages can not be sent again\n" +
				"offered autor\nclaimed autor\n", order: Order{Kind: RestoreAll}},
		{name: "run through", stack: "sustain", lost: []core.Rank{0},
			log:   "offered sustain\nclaimed sustain\n",
			order: Order{Kind: RunThrough, Ranks: []core.Rank{0}}},
		{name: "nobody is left", stack: "sustain", lost: []core.Rank{0, 1},
			log: "offered sustain\nfailed sustain: no rank is left\n" +
				"offered abort\nclaimed abort\n", order: Order{Kind: Abort}},
		{name: "those that are gone count", stack: "sustain(1) autor", lost: []core.Rank{0},
			change: func(v *View) {
				v.Ranks = append(v.Ranks, RankView{Node: 12, Gone: true})
			},
			log:   "offered sustain\ndeferred sustain: size\noffered autor\nclaimed autor\n",
			order: Order{Kind: RestoreAll}},
		{name: "an answer that is none fails", stack: "silent autor", lost: []core.Rank{0},
			log: "offered silent\nfailed silent: no answer to a fault: completed\n" +
				"offered autor\nclaimed autor\n", order: Order{Kind: RestoreAll}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := four()
			if tt.change != nil {
				tt.change(v)
			}
			order, log := stack(t, tt.stack).Walk(v, lose(v, tt.lost...), nil)
			if got := lines(log); got != tt.log {
				t.Errorf("got\n%swant\n%s", got, tt.log)
			}
			if d := cmp.Diff(tt.order, order); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestFailureGoesDown: an owner that fails is followed by the one below, never by one above (rule
// 3), and abort has nobody below.
func TestFailureGoesDown(t *testing.T) {
	v := four()
	s, st := lose(v, 1), stack(t, "crmig light(1) autor")
	_, _ = st.Walk(v, s, nil)
	steps := []struct {
		event Event
		order OrderKind
		log   string
		owner string
	}{
		{Event{Kind: NotDone, Reason: "unreadable"}, RestoreAll,
			"failed light: unreadable\noffered autor\nclaimed autor\n", "autor"},
		{Event{Kind: NotDone, Reason: "no place"}, Abort,
			"failed autor: no place\noffered abort\nclaimed abort\n", "abort"},
		{Event{Kind: Done}, Nothing, "completed abort\n", "abort"},
	}
	for _, step := range steps {
		order, log := st.Step(v, s, step.event, nil)
		if got := lines(log); got != step.log || order.Kind != step.order ||
			s.Owner != step.owner {
			t.Fatalf("got %d, owner %s\n%swant %d, owner %s\n%s", order.Kind, s.Owner, got,
				step.order, step.owner, step.log)
		}
	}
}

// TestGroupGrows: a second failure after the claim opens an episode about both, from the top, with
// what was decided before to be read (rule 6); the cheap policy hands over to the heavy one.
func TestGroupGrows(t *testing.T) {
	v := four()
	s, st := lose(v, 0), stack(t, "light(1) autor")
	_, _ = st.Walk(v, s, nil)
	v.Ranks[1].Alive = false
	next := s.Overtaken(2, Fault{Lost: []Lost{{Rank: 1}}, Nodes: []core.Proc{11}})
	if next.Stable {
		t.Error("the runtime counts as repaired before anybody repairs it")
	}
	next.Stable = true
	_, log := st.Walk(v, &next, nil)
	want := "offered light\ndeferred light: size\noffered autor\nclaimed autor\n"
	if got := lines(log); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got, want := lines(next.Before), "failed light: overtaken\n"; got != want {
		t.Errorf("before: got %q, want %q", got, want)
	}
	group := Fault{Lost: []Lost{{Rank: 0}, {Rank: 1}}, Nodes: []core.Proc{11}}
	if d := cmp.Diff(group, next.Group); d != "" {
		t.Error(d)
	}
}

// TestJoin: a failure before the claim joins the group, a later life of the same rank counts once,
// and the walk waits until the runtime is repaired again (rules 4, 6).
func TestJoin(t *testing.T) {
	s := lose(four(), 1)
	s.Join(Fault{Lost: []Lost{{Rank: 0, Life: 1}, {Rank: 1, Life: 2}}, Nodes: []core.Proc{11, 10}})
	want := &Status{Episode: 1, Group: Fault{Lost: []Lost{{Rank: 0, Life: 1}, {Rank: 1, Life: 2}},
		Nodes: []core.Proc{10, 11}}}
	if d := cmp.Diff(want, s); d != "" {
		t.Error(d)
	}
	defer func() {
		if recover() == nil {
			t.Error("a walk before the runtime is repaired goes on")
		}
	}()
	stack(t, "autor").Walk(four(), s, nil)
}

// TestPlace gives where ranks start: a suggestion that is legal, then the default, whatever room
// there is left.
func TestPlace(t *testing.T) {
	tests := []struct {
		name   string
		change func(v *View)
		ranks  []core.Rank
		hints  []core.Proc
		want   []core.Proc // nil: no node
	}{
		{name: "a free node", ranks: []core.Rank{1}, want: []core.Proc{12}},
		{name: "one each", ranks: []core.Rank{0, 1}, want: []core.Proc{11, 10}},
		{name: "the suggested one", ranks: []core.Rank{1}, hints: []core.Proc{13},
			want: []core.Proc{13}},
		{name: "unknown, dead, former, full and predicted are passed over", ranks: []core.Rank{1},
			hints: []core.Proc{99, 12, 11, 10, 13, 14},
			change: func(v *View) {
				v.Nodes[2].Alive, v.Nodes[3].Predicted = false, true
				v.Nodes = append(v.Nodes, NodeView{Node: 14, Alive: true, Room: 1})
			}, want: []core.Proc{14}},
		{name: "a suggestion serves once if there is room for one", ranks: []core.Rank{0, 1},
			hints: []core.Proc{12}, want: []core.Proc{12, 10}},
		{name: "no spare, another node has room", ranks: []core.Rank{1},
			change: func(v *View) { v.Nodes = v.Nodes[:2]; v.Nodes[0].Room = 2 },
			want:   []core.Proc{10}},
		{name: "no room, another node takes one more", ranks: []core.Rank{1},
			change: func(v *View) { v.Nodes = v.Nodes[:2] }, want: []core.Proc{10}},
		{name: "nothing but its own node", ranks: []core.Rank{1},
			change: func(v *View) { v.Nodes = v.Nodes[1:2] }, want: []core.Proc{11}},
		{name: "its own node is lost", ranks: []core.Rank{1},
			change: func(v *View) { v.Nodes = v.Nodes[1:2]; v.Nodes[0].Alive = false }},
		{name: "its own before one that will fail", ranks: []core.Rank{1},
			change: func(v *View) { v.Nodes = v.Nodes[:2]; v.Nodes[0].Predicted = true },
			want:   []core.Proc{11}},
		{name: "one that will fail", ranks: []core.Rank{1},
			change: func(v *View) {
				v.Nodes = v.Nodes[:2]
				v.Nodes[0].Predicted, v.Nodes[1].Alive = true, false
			}, want: []core.Proc{10}},
		{name: "in place", ranks: []core.Rank{1}, change: func(v *View) { v.InPlace = true },
			want: []core.Proc{11}},
		{name: "not in place of a lost node", ranks: []core.Rank{1},
			change: func(v *View) { v.InPlace, v.Nodes[1].Alive = true, false },
			want:   []core.Proc{12}},
		{name: "who is gone takes no room", ranks: []core.Rank{1},
			change: func(v *View) { v.Ranks[0].Gone = true }, want: []core.Proc{10}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := four()
			if tt.change != nil {
				tt.change(v)
			}
			list, ok := stack(t, "autor").Place(v, tt.ranks, tt.hints)
			var got []core.Proc
			for i, p := range list {
				if p.Rank != tt.ranks[i] {
					t.Errorf("place %d is of rank %d, want %d", i, p.Rank, tt.ranks[i])
				}
				got = append(got, p.Node)
			}
			if d := cmp.Diff(tt.want, got); d != "" || ok != (tt.want != nil) {
				t.Errorf("ok %v\n%s", ok, d)
			}
		})
	}
}
