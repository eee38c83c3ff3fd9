package processes_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/spec/processes"
	"github.com/domino-check/domino/spec/trace"
)

// Aim: every rule of the package comment is kept by a run, and broken by the same run with one
// thing changed. Method: runs by hand, of three procs of which y is killed once.

const x, y, z = 0, 1, 2

// good is a run in which x has sent y and z a frame each, y has sent x two and died, z had sent y a
// frame that is lost; then all agree, y begins again, and x sends it one more.
func good() *processes.Run {
	put := func(to trace.Proc, clock uint64) processes.Mark {
		return processes.Mark{What: processes.Put, Peer: to, Clock: clock, Step: clock}
	}
	took := func(from trace.Proc, clock, step uint64) processes.Mark {
		return processes.Mark{What: processes.Took, Peer: from, Clock: clock, Step: step}
	}
	dead := []trace.Proc{y}
	agreed := func(at uint64) []processes.Mark {
		return []processes.Mark{{What: processes.Learnt, Procs: dead, Epoch: 1, Step: at},
			{What: processes.Agreed, Procs: dead, Epoch: 1, Step: at}}
	}
	xs := append([]processes.Mark{put(y, 10), put(z, 11), took(y, 20, 25), took(y, 21, 26)},
		agreed(40)...)
	xs = append(xs, processes.Mark{What: processes.Put, Peer: y, Clock: 60, Epoch: 1, Step: 60})
	after := took(x, 60, 70)
	after.Epoch = 1
	zs := append([]processes.Mark{took(x, 11, 15), put(y, 30)}, agreed(41)...)
	return &processes.Run{Layout: &trace.Layout{Names: []string{"x", "y", "z"}, Ranks: 3},
		Complete: true, Untrusted: make([]bool, 3),
		Failures: []processes.Failure{{Procs: dead, Lives: []trace.Incarnation{0}}},
		Lives: []processes.Life{
			{Proc: x, Gone: make([]int, 3), InOrder: true, Marks: xs},
			{Proc: y, Gone: make([]int, 3), Marks: []processes.Mark{took(x, 10, 12), put(x, 20)}},
			{Proc: y, Number: 1, Clock: 50, Epoch: 1, Gone: []int{0, 1, 0}, InOrder: true,
				Marks: []processes.Mark{after}},
			{Proc: z, Gone: make([]int, 3), InOrder: true, Marks: zs}}}
}

// insert puts a mark among those of a life.
func insert(l *processes.Life, at int, m processes.Mark) {
	l.Marks = append(l.Marks[:at:at], append([]processes.Mark{m}, l.Marks[at:]...)...)
}

func cut(l *processes.Life, at int) { l.Marks = append(l.Marks[:at:at], l.Marks[at+1:]...) }

func TestConsistentCut(t *testing.T) {
	tests := []struct {
		name   string
		change func(*processes.Run)
		want   string // "" = accepted
	}{
		{"as it is", func(*processes.Run) {}, ""},
		{"lives: before all have agreed", func(r *processes.Run) { r.Lives[2].Clock = 41 },
			"y/1 begins at clock 41, and somebody agrees on the end of y/0 at 41"},
		{"lives: who was about to be killed is not waited for", func(r *processes.Run) {
			r.Lives[2].Clock, r.Lives[3].InOrder = 41, false
		}, ""},
		{"lives: told of a life too many", func(r *processes.Run) { r.Lives[2].Gone[x] = 1 },
			"y/1 is told at 1 failures that 1 lives of x are over, want 0"},
		{"lives: not told of the failure", func(r *processes.Run) {
			r.Lives[2].Epoch, r.Lives[2].Gone[y] = 0, 0
		}, "y/1 begins when 0 lives of y are over, want 1"},
		{"agreement: on nothing", func(r *processes.Run) { cut(&r.Lives[3], 3) },
			"z/0 ends in order and has agreed on 0 failures, want all 1"},
		{"agreement: a run that was ended", func(r *processes.Run) {
			cut(&r.Lives[3], 3)
			r.Complete = false
		}, ""},
		{"agreement: twice", func(r *processes.Run) { insert(&r.Lives[3], 4, r.Lives[3].Marks[3]) },
			"z/0 agrees on failure 1, want 2"},
		{"agreement: on another victim", func(r *processes.Run) {
			r.Lives[3].Marks[3].Procs = []trace.Proc{x}
		}, "z/0 agrees that failure 1 is of x, want y"},
		{"drained: not", func(r *processes.Run) { r.Lives[3].Marks[3].Open = []trace.Proc{y} },
			"the connection with y is open, want its end"},
		{"over: a frame of the dead", func(r *processes.Run) {
			m := r.Lives[0].Marks[3]
			m.Step = 45
			cut(&r.Lives[0], 3)
			insert(&r.Lives[0], 5, m)
		}, "x/0 takes a frame from y/0, which it has agreed is over"},
		{"over: of a life to come", func(r *processes.Run) { r.Lives[0].Marks[3].Life = 1 },
			"got life 1, want 0"},
		{"over: behind the news", func(r *processes.Run) {
			insert(&r.Lives[0], 2, r.Lives[0].Marks[4])
			r.Nothing = true
		}, "x/0 takes a frame from y/0 when the news of its end has come, want nothing more"},
		{"over: behind the news, in another model", func(r *processes.Run) {
			insert(&r.Lives[0], 2, r.Lives[0].Marks[4])
		}, ""},
		{"epoch: as it travels", func(r *processes.Run) { r.Lives[3].Marks[0].Epoch = 1 },
			"z/0 takes a frame from x/0 that knows of 1 failures, and knows of 0 itself"},
		{"epoch: as it is", func(r *processes.Run) { // x sends z when it has agreed
			m := r.Lives[0].Marks[1]
			m.Clock, m.Step = 45, 45
			cut(&r.Lives[0], 1)
			insert(&r.Lives[0], 5, m)
			r.Lives[3].Marks[0].Clock, r.Lives[3].Marks[0].Step = 45, 46
			r.Lives[3].Marks[3].Step, r.Lives[2].Clock = 48, 49
		}, "z/0 takes frame 1 of x/0 at 0 failures, and it was put there at 1"},
		{"epoch: it says more than its sender knew", func(r *processes.Run) {
			r.Lives[2].Marks[0].Epoch = 0
		}, "y/1 takes frame 1 of x/0, which says that its sender knew of 0 failures, and it was " +
			"put there at 1"},
		{"prefix: one is lost", func(r *processes.Run) {
			insert(&r.Lives[1], 2, r.Lives[1].Marks[1])
			r.Lives[1].Marks[2].Clock = 21
			cut(&r.Lives[0], 2)
		}, "x/0 takes as frame 1 of y/0 one of clock 21, want that of clock 20"},
		{"prefix: one comes twice", func(r *processes.Run) {
			r.Lives[0].Marks[3].Clock = 20
		}, "x/0 takes 2 frames from y/0, which has put 1 there"},
		{"prefix: of who was not killed", func(r *processes.Run) {
			r.Lives[1].InOrder, r.Complete = true, false
		},
			"x/0 takes 2 frames from y/0, which has put 1 there"},
		{"prefix: for the life before", func(r *processes.Run) {
			insert(&r.Lives[2], 0, processes.Mark{What: processes.Took, Peer: z, Clock: 30,
				Step: 65})
		}, "y/1 takes 1 frames from z/0, which has put 0 there"},
		{"all: one is left", func(r *processes.Run) { cut(&r.Lives[2], 0) },
			"y/1 has taken 0 frames of x/0 at the end, want all 1"},
		{"clock: before it left", func(r *processes.Run) { r.Lives[2].Marks[0].Step = 60 },
			"left at clock 60 in a step that began at 60, want later"},
		{"no such proc", func(r *processes.Run) { r.Lives[0].Marks[0].Peer = 7 },
			"x/0 puts a frame for proc 7: there are 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := good()
			tt.change(r)
			judged(t, r, processes.ConsistentCut.Name, tt.want)
		})
	}
}

// judged wants the run to be broken so, or accepted.
func judged(t *testing.T, r *processes.Run, property, want string) {
	t.Helper()
	got := r.Judge()
	switch {
	case want == "" && got != nil:
		t.Errorf("%s: %s, want nothing", got.Property, got.Message)
	case want != "" && (got == nil || got.Property != property ||
		!strings.Contains(got.Message, want)):
		t.Errorf("got %+v, want %s: ... %s ...", got, property, want)
	}
}

// TestStableKept has y write a and b, with a acknowledged, and die; its next life is handed
// records.
func TestStableKept(t *testing.T) {
	writing := func(key string, digest uint64) processes.Mark {
		return processes.Mark{What: processes.Writing, Key: key, Digest: digest}
	}
	erasing := func(key string) processes.Mark {
		return processes.Mark{What: processes.Erasing, Key: key}
	}
	stable, refused := processes.Mark{What: processes.Stable},
		processes.Mark{What: processes.Refused}
	rec := func(key string, digest uint64) processes.Record {
		return processes.Record{Key: key, Digest: digest}
	}
	torn := func(key string) processes.Record { return processes.Record{Key: key, Torn: true} }
	before := []processes.Mark{writing("a", 1), stable, writing("b", 2), writing("a", 3)}
	tests := []struct {
		name   string
		before []processes.Mark
		handed []processes.Record
		broken bool
	}{
		{"what was acknowledged", before, []processes.Record{rec("a", 1)}, false},
		{"and one more", before, []processes.Record{rec("a", 1), rec("b", 2)}, false},
		{"all", before, []processes.Record{rec("a", 3), rec("b", 2)}, false},
		{"nothing", before, nil, true},
		{"the last without that before", before, []processes.Record{rec("a", 3)}, true},
		{"another value", before, []processes.Record{rec("a", 9)}, true},
		{"a record that nobody wrote", before, []processes.Record{rec("a", 1), rec("c", 1)}, true},
		{"the next one torn", before, []processes.Record{rec("a", 1), torn("b")}, false},
		{"one behind it torn", append(before, writing("c", 4)),
			[]processes.Record{rec("a", 1), torn("c")}, true},
		{"an older value torn", before, []processes.Record{rec("b", 2), torn("a")}, true},
		{"all acknowledged", append(before, stable), []processes.Record{rec("a", 1), rec("b", 2)},
			true},
		{"deleted", append(before, erasing("a"), stable), []processes.Record{rec("b", 2)}, false},
		{"deleted, and there again", append(before, erasing("a"), stable),
			[]processes.Record{rec("a", 3), rec("b", 2)}, true},
		{"refused", append(before, refused, writing("d", 5)),
			[]processes.Record{rec("a", 1), rec("d", 5)}, false},
		{"refused, and there", append(before, refused, writing("d", 5)),
			[]processes.Record{rec("a", 1), rec("b", 2)}, true},
		{"one refused", append(before, processes.Mark{What: processes.Refused, Key: "b"}, stable),
			[]processes.Record{rec("a", 3)}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := good()
			r.Lives[1].Marks = append(r.Lives[1].Marks, tt.before...)
			insert(&r.Lives[2], 0, processes.Mark{What: processes.Handed, Records: tt.handed})
			want := ""
			if tt.broken {
				want = "y/1 is handed by its disk "
			}
			judged(t, r, processes.StableKept.Name, want)
			r.Untrusted[y] = true
			judged(t, r, "", "")
		})
	}
}

// TestStableTold has y write and be told.
func TestStableTold(t *testing.T) {
	mark := func(what processes.What, key string) processes.Mark {
		return processes.Mark{What: what, Key: key}
	}
	before := []processes.Mark{mark(processes.Writing, "a"), mark(processes.Stable, ""),
		mark(processes.Writing, "b"), mark(processes.Writing, "a")}
	told := func(key string) processes.Mark { return mark(processes.Acked, key) }
	stable := mark(processes.Stable, "")
	for _, tt := range []struct {
		name  string
		marks []processes.Mark
		want  string // ""= accepted
	}{
		{"of each", []processes.Mark{told("a"), stable, told("b"), told("a")}, ""},
		{"late", []processes.Mark{stable, told("a"), told("a"), told("b")}, ""},
		{"not", nil, ""},
		{"before it is stable", []processes.Mark{told("b"), stable}, `"b"`},
		{"twice", []processes.Mark{told("a"), told("a"), stable}, `"a"`},
		{"of what was refused", []processes.Mark{mark(processes.Refused, ""), stable, told("b")},
			`"b"`},
		{"of a delete", []processes.Mark{mark(processes.Erasing, "c"), stable, told("c")}, `"c"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := good()
			r.Lives[1].Marks = slices.Concat(r.Lives[1].Marks, before, tt.marks)
			if tt.want != "" {
				tt.want = "y/0 is told that a write of " + tt.want + " is stable, and the disk " +
					"has acknowledged none"
			}
			judged(t, r, processes.StableKept.Name, tt.want)
		})
	}
	t.Run("in the next life", func(t *testing.T) {
		r := good()
		r.Lives[1].Marks = append(r.Lives[1].Marks, before...)
		insert(&r.Lives[2], 0, told("a"))
		judged(t, r, processes.StableKept.Name, "y/1 is told that a write of ")
	})
	t.Run("of what was handed", func(t *testing.T) {
		r := good()
		r.Lives[1].Marks = append(r.Lives[1].Marks, before[:2]...)
		insert(&r.Lives[1], len(r.Lives[1].Marks), processes.Mark{What: processes.Handed,
			Records: []processes.Record{{Key: "a"}}})
		insert(&r.Lives[1], len(r.Lives[1].Marks), told("a"))
		judged(t, r, processes.StableKept.Name, "y/0 is told that a write of ")
	})
}
