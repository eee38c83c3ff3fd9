package world

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// wanderAgreed makes a run of drawn steps such as real processes make: a delete is stable at once,
// and what is not taken from the dead when they stop is lost; where all is held back both come at
// any time.
func (w *World) wanderAgreed(seed uint64, held bool) *Run {
	r := w.begin()
	draw := rand.New(rand.NewPCG(seed, 7))
	for range 200 {
		texts, x := w.Enabled(r.last())
		var list []int
		for j, s := range x.Steps {
			c := eventCode(s.Code)
			switch kind := c.kind(); {
			case held:
			case kind == erase || kind == cut:
				list = []int{j}
			case kind == deliver:
				box := w.inbox(r.last(), c.proc())
				if w.Model.FromDead == fault.Prefix &&
					w.dead(r.last(), &box.channels[box.head(c.arg()).channel]) {
					continue
				}
			}
			if len(list) == 1 && list[0] == j {
				break
			}
			list = append(list, j)
		}
		if len(list) == 0 {
			break
		}
		j := list[draw.IntN(len(list))]
		w.take(r, texts[j], x.Steps[j].Code, x.Steps[j].Violation, x.State(j, nil))
	}
	return r
}

// record is the recording that real processes would make of a run of wanderAgreed. The clocks are
// what tells the order of steps that do not depend on each other.
func (w *World) record(r *Run) *Recording {
	out := &Recording{Steps: make([][]Recorded, w.procs)}
	for p := range out.Steps {
		s := Recorded{Kind: core.Start, Proc: core.Proc(p), State: w.digest(r.States[0],
			core.Proc(p))}
		for _, e := range eventsAt(&r.Trace, 0) {
			if int(e.Proc) == p {
				s.Events = append(s.Events, e)
			}
		}
		out.Steps[p] = append(out.Steps[p], s)
	}
	epoch := uint64(0)
	for i, number := range r.codes {
		c, before, after := eventCode(number), r.States[i], r.States[i+1]
		clock := uint64(i+1) * 10
		if c.kind() == erase || c.kind() == cut {
			continue
		}
		tell := func() {
			f := Stopped{Clock: clock, Epoch: epoch + 1, Ordered: c.kind() == kill}
			for p := range core.Proc(w.procs) {
				_, life := w.seems(before, p)
				if w.env(before, p).Back {
					life-- // which it has ended itself
				}
				if w.of(before, p).there && !w.of(after, p).there {
					f.Procs = append(f.Procs, p)
					f.Lives = append(f.Lives, core.Incarnation(life))
					if s := out.Steps[p]; !(c.kind() == kill && p == c.proc()) {
						s[len(s)-1].Last = true
					}
				}
			}
			if len(f.Procs) > 0 && !w.fallen(before, c) {
				epoch++
				out.Stopped = append(out.Stopped, f)
			}
		}
		ends := c.kind() == crash || c.kind() == stop
		if ends || c.kind() == kill {
			tell()
		}
		if ends {
			continue
		}
		s := w.recordStep(before, after, c, eventsAt(&r.Trace, i+1))
		s.Clock, s.Epoch = clock+1, epoch
		out.Steps[c.proc()] = append(out.Steps[c.proc()], s)
		if c.kind() != kill {
			tell()
		}
	}
	return out
}

// fallen reports whether a proc stops only to roll back, which nobody is told of.
func (w *World) fallen(before []uint32, c eventCode) bool {
	tr, ok := w.localStep(before, c)
	return ok && c.cut() == 0 && c.kind() != kill && slices.ContainsFunc(w.transitions.at(tr).acts,
		func(a act) bool { return a.kind == actRollback })
}

func (w *World) digest(state []uint32, p core.Proc) uint64 {
	if content := w.Content(state, p); content != nil {
		return core.StateDigest(content)
	}
	return 0
}

// recordStep is what was recorded of one step.
func (w *World) recordStep(before, after []uint32, c eventCode, events []trace.Event) Recorded {
	p := c.proc()
	s := Recorded{Proc: p, State: w.digest(after, p), Effects: c.cut(), Last: c.cut() > 0}
	for _, e := range events {
		if e.Proc == p && e.Kind != trace.Crashed {
			s.Events = append(s.Events, e)
		}
	}
	switch c.kind() {
	case vanish:
		s.Harm = RecordLost
		return s
	case spoil:
		_, how := splitSpoil(c.arg())
		s.Harm = RecordChanged + Harm(how)
		return s
	}
	tr, _ := w.localStep(before, c)
	in := w.inputs.at(w.transitions.at(tr).input)
	s.Kind, s.From, s.Procs, s.Choice = in.Kind, in.From, in.Procs, in.Choice
	s.False, s.Name = c.kind() == suspect, in.Key
	if in.Kind == core.Tick {
		s.Name = in.Timer
	}
	if c.cut() == 0 {
		s.Effects = len(w.transitions.at(tr).acts)
	}
	return s
}

// TestLift records runs of random toys as real processes would have recorded them, with other
// clocks for steps that do not depend on each other, and finds them again.
func TestLift(t *testing.T) {
	steps, stopped, cuts, late := 0, 0, 0, 0
	for n := range effort.Cases(60, 1500) {
		draw := rand.New(rand.NewPCG(uint64(n), 3))
		toy := randomToy(draw, toyFeatures{crashes: true, groups: n%3 == 0, reads: n%5 == 0,
			restoreSends: true, hosts: n%7 == 0, launches: n%4 == 1, rollback: n%6 == 2,
			watched: n%12 == 2})
		m := fault.Model{Failures: draw.IntN(4), Checkpoints: 1, Suspicions: draw.IntN(2),
			FromDead: []fault.Survival{fault.Prefix, fault.Nothing}[draw.IntN(2)],
			Joint:    draw.IntN(2) == 0, DetectAny: draw.IntN(2) == 0, Torn: draw.IntN(2)}
		w, err := New(Config{Setup: toy.setup(), Model: m, Cuts: n%2 == 0})
		if err != nil {
			t.Fatal(err)
		}
		held := n%4 >= 2
		run := w.wanderAgreed(uint64(n), held)
		recording := w.record(run)
		recording.Held = held
		for i, c := range run.codes {
			if c := eventCode(c); c.kind() == deliver {
				box := w.inbox(run.States[i], c.proc())
				if w.dead(run.States[i], &box.channels[box.head(c.arg()).channel]) {
					late++
				}
			}
		}
		got, err := w.Lift(recording, 20_000)
		if err != nil {
			t.Fatal(err)
		}
		if !got.Found {
			t.Fatalf("toy %d: %d of %d: %s: %s %v\nthe run:\n%s\nfound:\n%s", n, got.Explained,
				got.Of, got.Stuck, got.Why, got.Unknown, strings.Join(run.Schedule, "\n"),
				strings.Join(got.Run.Schedule, "\n"))
		}
		if _, err := w.Replay(got.Run.Schedule); err != nil {
			t.Errorf("toy %d: %v", n, err)
		}
		steps, stopped = steps+len(run.Schedule), stopped+len(recording.Stopped)
		for _, c := range run.codes {
			if eventCode(c).cut() > 0 {
				cuts++
			}
		}
	}
	if steps < 500 || stopped < 20 || cuts < 2 || late < 10 {
		t.Errorf("%d steps, %d failures, %d inside steps, %d messages of the dead: hardly "+
			"anything was tried", steps, stopped, cuts, late)
	}
}

// TestLiftWrong changes recordings of a plain run of three messages and a failure: none is found
// any more, and what does not fit is named.
func TestLiftWrong(t *testing.T) {
	base := func() (*World, *Recording) {
		w, err := New(Config{Setup: streamSetup(), Model: fault.Model{Failures: 1,
			DetectAny: true}})
		if err != nil {
			t.Fatal(err)
		}
		run := w.begin()
		for _, kind := range []kind{advance, advance, advance, deliver, deliver, deliver, crash,
			told, restart} {
			texts, x := w.Enabled(run.last())
			j := slices.IndexFunc(x.Steps, func(s checker.Step) bool {
				c := eventCode(s.Code)
				return c.kind() == kind && (kind != crash || c.proc() == 0)
			})
			if j < 0 {
				t.Fatalf("nothing of kind %d in %q", kind, texts)
			}
			w.take(run, texts[j], x.Steps[j].Code, 0, x.State(j, nil))
		}
		return w, w.record(run)
	}
	deaf := func(r *Recording, n int) { // b hears n messages, then of the failure
		b := r.Steps[1]
		b[len(b)-1].State = 0
		r.Steps[1] = append(b[:1+n:1+n], b[len(b)-1])
	}
	late := func(r *Recording) {
		b := r.Steps[1]
		b[3], b[4] = b[4], b[3]
		b[3].Clock, b[4].Clock, b[4].Epoch = b[4].Clock, b[3].Clock, b[3].Epoch
		b[3].State, b[4].State = 0, 0
	}
	for _, tt := range []struct {
		name   string
		change func(r *Recording)
		stuck  string // "": found
	}{
		{"as it was", func(*Recording) {}, ""},
		{"a prefix of what the dead has sent", func(r *Recording) { deaf(r, 1) }, ""},
		{"nothing of what the dead has sent", func(r *Recording) { deaf(r, 0) }, ""},
		{"two swapped", func(r *Recording) {
			b := r.Steps[1]
			b[1].Events, b[2].Events = b[2].Events, b[1].Events
			b[1].State, b[2].State = 0, 0
		}, "step 1 of b: a message from a"},
		{"the first forgotten", func(r *Recording) {
			r.Steps[1] = slices.Delete(r.Steps[1], 1, 2)
			r.Steps[1][1].State, r.Steps[1][2].State, r.Steps[1][3].State = 0, 0, 0
		}, "step 1 of b: a message from a"},
		{"one delivered when all know", late, "step 4 of b: a message from a"},
		{"one delivered when all know, held", func(r *Recording) { late(r); r.Held = true }, ""},
		{"held, and the one before it not", func(r *Recording) {
			late(r)
			r.Steps[1], r.Held = slices.Delete(r.Steps[1], 2, 3), true
			for i := range r.Steps[1] {
				r.Steps[1][i].State = 0
			}
		}, "step 3 of b: a message from a"},
		{"held, and more than was sent", func(r *Recording) {
			late(r)
			b := r.Steps[1]
			r.Steps[1], r.Held = append(b, b[len(b)-1]), true
		}, "step 5 of b: a message from a"},
		{"one delivered twice", func(r *Recording) {
			r.Steps[1] = slices.Insert(r.Steps[1], 2, r.Steps[1][1])
			for i := range r.Steps[1] {
				r.Steps[1][i].State = 0
			}
		}, "step 2 of b: a message from a"},
		{"another state", func(r *Recording) { r.Steps[1][3].State++ },
			"step 3 of b: a message from a"},
		{"told of nothing", func(r *Recording) {
			r.Stopped[0].Epoch, r.Steps[0] = 0,
				r.Steps[0][:4]
		}, "step 4 of b: down a"},
		{"a failure too many", func(r *Recording) {
			f := r.Stopped[0]
			f.Epoch, f.Procs = 0, []core.Proc{1}
			r.Stopped = append(r.Stopped, f)
		}, "the end of b"},
		{"more must happen", func(r *Recording) {
			r.Complete, r.Stopped, r.Steps[0] = true, nil, r.Steps[0][:4]
			r.Steps[1] = r.Steps[1][:3]
		}, "the end of the run"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, r := base()
			tt.change(r)
			got, err := w.Lift(r, 1000)
			if err != nil {
				t.Fatal(err)
			}
			if got.Found != (tt.stuck == "") || got.Unknown ||
				!strings.HasPrefix(got.Stuck, tt.stuck) {
				t.Errorf("found %t, unknown %t, %q (%s) does not fit, want %q", got.Found,
					got.Unknown, got.Stuck, got.Why, tt.stuck)
			}
		})
	}
}

// TestLiftLastDelete has a delete a record in the last step of its life. Then b starts again, which
// reads what a has, and a stops: the record was gone before, or it was not.
func TestLiftLastDelete(t *testing.T) {
	for _, erased := range []bool{true, false} {
		w, err := New(Config{Setup: eraserSetup(), Model: fault.Model{Failures: 2}})
		if err != nil {
			t.Fatal(err)
		}
		run := w.begin()
		for _, next := range []struct {
			kind kind
			proc core.Proc
		}{{persisted, 0}, {crash, 1}, {advance, 0}, {erase, 0}, {restart, 1}, {crash, 0}} {
			if next.kind == erase && !erased {
				continue
			}
			texts, x := w.Enabled(run.last())
			j := slices.IndexFunc(x.Steps, func(s checker.Step) bool {
				c := eventCode(s.Code)
				return c.kind() == next.kind && c.proc() == next.proc && c.cut() == 0
			})
			if j < 0 {
				t.Fatalf("nothing of kind %d in %q", next.kind, texts)
			}
			w.take(run, texts[j], x.Steps[j].Code, 0, x.State(j, nil))
		}
		r := w.record(run)
		if s := r.Steps[0]; !s[len(s)-1].Last || s[len(s)-1].Kind != core.Advance {
			t.Fatalf("the last step of a is %+v", s[len(s)-1])
		}
		got, err := w.Lift(r, 1000)
		if err != nil || !got.Found {
			t.Errorf("erased %t: %v, %d of %d: %s (%s)", erased, err, got.Explained, got.Of,
				got.Stuck, got.Why)
		}
		b := r.Steps[1]
		b[len(b)-1].State++
		if got, err = w.Lift(r, 1000); err != nil || got.Found || got.Unknown {
			t.Errorf("erased %t: another state is found, or unknown: %+v, %v", erased, got, err)
		}
	}
}

// eraser has a record, which it deletes, or is handed those of whoever has.
type eraser struct {
	core.Service
	Has  bool
	Seen int
}

func (k *eraser) State() []any { return []any{&k.Has, &k.Seen} }

func (k *eraser) Choices(buf []core.Choice) []core.Choice {
	if k.Has {
		buf = append(buf, 0)
	}
	return buf
}

func (k *eraser) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start:
		if k.Has {
			return append(out, core.Effect{Kind: core.Persist, Key: "k", Value: []byte{1}})
		}
	case core.Advance:
		k.Has = false
		return append(out, core.Effect{Kind: core.Persist, Key: "k"})
	case core.Restore:
		k.Seen = 1 + len(in.Records)
	}
	return out
}

// eraserSetup has a delete its record, which b reads when it starts again.
func eraserSetup() *core.Setup {
	return &core.Setup{Protocol: "eraser", Layout: core.Layout{Names: []string{"a", "b"}},
		Reads:      func(core.Proc) []core.Proc { return []core.Proc{0} },
		NewMessage: func() core.Message { return new(streamed) },
		New:        func(p core.Proc) core.Machine { return &eraser{Has: p == 0} }}
}

// TestLiftBound ends a search.
func TestLiftBound(t *testing.T) {
	w, err := New(Config{Setup: streamSetup()})
	if err != nil {
		t.Fatal(err)
	}
	got, err := w.Lift(w.record(w.wanderAgreed(1, false)), 2)
	if err != nil || got.Found || !got.Unknown {
		t.Errorf("got %+v, %v, want unknown", got, err)
	}
}

// stream is a proc that sends three numbers to b, or b, which remembers them.
type stream struct {
	core.Service
	Sent int
	Got  []int
}

type streamed struct{ N int }

func (m *streamed) Describe() trace.Wire { return trace.Wire{Kind: fmt.Sprint("number ", m.N)} }

func (s *stream) State() []any { return []any{&s.Sent, &s.Got} }

func (s *stream) Choices(buf []core.Choice) []core.Choice {
	if s.Sent > 0 && s.Sent <= 3 {
		buf = append(buf, 0)
	}
	return buf
}

func (s *stream) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start:
		s.Sent = 1
	case core.Advance:
		s.Sent++
		return append(out, core.SendTo(1, &streamed{s.Sent - 1}))
	case core.Received:
		s.Got = append(s.Got, in.Message.(*streamed).N)
	}
	return out
}

// streamSetup has a send three numbers to b, who is told of failures.
func streamSetup() *core.Setup {
	return &core.Setup{Protocol: "stream", Layout: core.Layout{Names: []string{"a", "b"}},
		Watchers: []core.Proc{1}, NewMessage: func() core.Message { return new(streamed) },
		New: func(p core.Proc) core.Machine {
			if p == 0 {
				return new(stream)
			}
			return &listener{}
		}}
}

// listener is b.
type listener struct {
	core.Service
	stream stream
}

func (l *listener) State() []any { return l.stream.State() }

func (l *listener) Step(in core.Input, out []core.Effect) []core.Effect {
	if in.Kind == core.Received {
		return l.stream.Step(in, out)
	}
	return out
}
