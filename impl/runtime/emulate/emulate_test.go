package emulate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/emulate"
	"github.com/domino-check/domino/spec/trace"
)

// parcel is a message of so many bytes.
type parcel struct {
	_     struct{} `cbor:",toarray"`
	Name  string
	Bytes int64
}

func (m *parcel) Describe() trace.Wire { return trace.Wire{Kind: "Parcel", Text: m.Name} }

// actor is a machine that does what a function says, and lists what it is told, with the time.
type actor struct {
	core.Service
	proc core.Proc
	do   func(p core.Proc, in core.Input) []core.Effect
	note func(p core.Proc, in core.Input)
	seen uint64
}

func (a *actor) State() []any { return []any{&a.seen} }

func (a *actor) Step(in core.Input, out []core.Effect) []core.Effect {
	a.note(a.proc, in)
	return append(out, a.do(a.proc, in)...)
}

// stage runs actors and returns what they were told, each with its time, in order.
type stage struct {
	setup core.Setup
	run   *emulate.Run
	story []string
}

func newStage(procs int, do func(p core.Proc, in core.Input) []core.Effect) *stage {
	s := new(stage)
	s.setup = core.Setup{Protocol: "test",
		NewMessage: func() core.Message { return new(parcel) },
		New: func(p core.Proc) core.Machine {
			return &actor{proc: p, do: do, note: s.note}
		}}
	for p := range procs {
		s.setup.Layout.Names = append(s.setup.Layout.Names, fmt.Sprint("p", p))
	}
	return s
}

// note writes down what a proc is told.
func (s *stage) note(p core.Proc, in core.Input) {
	if s.run == nil || in.Kind == core.Start {
		return
	}
	what := in.Name(s.run.Layout())
	switch in.Kind {
	case core.Received:
		what = fmt.Sprintf("%s from p%d", in.Message.(*parcel).Name, in.From)
	case core.Killed:
		what = fmt.Sprintf("%s life %d", what, in.Incarnation)
	case core.Down:
		what = fmt.Sprintf("%s life %d", what, in.Incarnation)
	case core.Restore:
		what += fmt.Sprintf(" on p%d", in.From)
		for _, r := range in.Records {
			what += fmt.Sprintf(" %s=%s", r.Key, r.Value)
		}
	}
	s.story = append(s.story, fmt.Sprintf("%v p%d %s", s.run.Now(), p, what))
}

// play runs to the end; prepare may change what the run will be.
func (s *stage) play(t *testing.T, c emulate.Config, prepare func(*emulate.Run)) []string {
	t.Helper()
	c.Size = func(m core.Message) int64 { return m.(*parcel).Bytes }
	if c.Weight == nil {
		c.Weight = func(_ core.Proc, _ string, value []byte) int64 { return int64(len(value)) }
	}
	run, err := emulate.New(&s.setup, c)
	if err != nil {
		t.Fatal(err)
	}
	s.run, s.story = run, nil
	if prepare != nil {
		prepare(run)
	}
	if _, err := run.Run(); err != nil {
		t.Fatal(err)
	}
	return s.story
}

func want(t *testing.T, got []string, text string) {
	t.Helper()
	var list []string
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		list = append(list, strings.TrimSpace(line))
	}
	if diff := cmp.Diff(list, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func put(key string, bytes int) core.Effect {
	return core.Effect{Kind: core.Persist, Key: key, Value: make([]byte, bytes)}
}

func send(to core.Proc, name string, bytes int64) core.Effect {
	return core.SendTo(to, &parcel{Name: name, Bytes: bytes})
}

// Aim: a bucket serves in the order of arrival, each for the price of a file and its bytes; what is
// read for the first time comes from memory, later from the disk; a delete takes its turn.
func TestBucketInOrder(t *testing.T) {
	s := newStage(1, func(_ core.Proc, in core.Input) []core.Effect {
		read := core.Effect{Kind: core.Read, Key: "a"}
		switch {
		case in.Kind == core.Start:
			return []core.Effect{put("a", 200), put("b", 100), read, read,
				{Kind: core.Persist, Key: "a"}, read}
		}
		return nil
	})
	disk := emulate.Disk{Write: 100, Read: 50, Fresh: 1000, File: time.Second,
		Open: 500 * time.Millisecond}
	got := s.play(t, emulate.Config{Costs: emulate.Costs{Disk: disk}}, nil)
	// a: 1 + 2; b: 1 + 1; fresh read .2; read .5 + 4; deleted; nothing there
	want(t, got, `3s p0 persisted a
		5s p0 persisted b
		5.2s p0 read back a
		9.7s p0 read back a
		9.7s p0 read back a`)
}

// Aim: two writers share the disk of a third proc, and the price of a file is another one when more
// than one other waits.
func TestTwoWriters(t *testing.T) {
	s := newStage(3, func(p core.Proc, in core.Input) []core.Effect {
		switch {
		case in.Kind == core.Start && p < 2:
			return []core.Effect{send(2, fmt.Sprint("x", p), 0), send(2, fmt.Sprint("y", p), 0)}
		case in.Kind == core.Received:
			return []core.Effect{put(in.Message.(*parcel).Name, 100)}
		}
		return nil
	})
	own := []emulate.Own{{Proc: 2, Disk: emulate.Disk{Write: 100, File: time.Second, Crowd: 1,
		Crowded: 3 * time.Second}}}
	got := s.play(t, emulate.Config{Costs: emulate.Costs{Disks: own}}, nil)
	got = slices.DeleteFunc(got, func(s string) bool { return strings.Contains(s, "from") })
	// x0 and the next one wait with at most one other, the last two with two and three
	want(t, got, `2s p2 persisted x0
		4s p2 persisted y0
		8s p2 persisted x1
		12s p2 persisted y1`)
}

// Aim: bulk waits for bulk on the cards of sender and addressee, anything else for a chunk only; on
// one channel nothing overtakes.
func TestCards(t *testing.T) {
	s := newStage(3, func(p core.Proc, in core.Input) []core.Effect {
		switch {
		case in.Kind == core.Start && p == 0:
			return []core.Effect{send(1, "bulk", 1000), send(1, "behind", 10), send(2, "aside", 10),
				send(2, "more", 1000)}
		case in.Kind == core.Start && p == 2:
			return []core.Effect{send(1, "other", 1000)}
		}
		return nil
	})
	c := emulate.Costs{Between: emulate.Link{Latency: time.Second, Rate: 100, Chunk: 100}}
	// p0 out: bulk 0 to 10; behind and aside come between two chunks, 0 to .1 and .1 to .2; more
	// follows the bulk and both small ones, 10.2 to 20.2. p1 in: bulk 1 to 11; behind 1 to 1.1, but
	// it is kept back until bulk is there; other comes at 1, too, and is served after both, 11.1 to
	// 21.1
	want(t, s.play(t, emulate.Config{Costs: c}, nil), `1.2s p2 aside from p0
		11s p1 bulk from p0
		11s p1 behind from p0
		21.1s p1 other from p2
		21.2s p2 more from p0`)
}

// Aim: bulk pays for the gap behind what passes it, too: aside is off the card at .1 s, more leaves
// 10 s + 1 s + .1 s + 1 s after the beginning.
func TestGapOfPassing(t *testing.T) {
	s := newStage(3, func(p core.Proc, in core.Input) []core.Effect {
		if in.Kind == core.Start && p == 0 {
			return []core.Effect{send(1, "bulk", 1000), send(2, "aside", 10), send(2, "more", 1000)}
		}
		return nil
	})
	c := emulate.Costs{Between: emulate.Link{Latency: time.Second, Rate: 100, Chunk: 100,
		Gap: time.Second}}
	want(t, s.play(t, emulate.Config{Costs: c}, nil), `1.1s p2 aside from p0
		11s p1 bulk from p0
		23.1s p2 more from p0`)
}

// Aim: a crash loses the write in progress, what has not left the node, and what is on its way to
// who crashes; the detector tells; the next life has what was stable; what is sent meanwhile waits.
func TestCrashAndRestart(t *testing.T) {
	s := newStage(2, func(p core.Proc, in core.Input) []core.Effect {
		switch {
		case in.Kind == core.Start && p == 0:
			return []core.Effect{put("a", 0), put("b", 0), send(1, "small", 0),
				send(1, "bulk", 1000)}
		case in.Kind == core.Start:
			return []core.Effect{{Kind: core.SetTimer, Timer: "early", Ticks: 1},
				{Kind: core.SetTimer, Timer: "late", Ticks: 2}}
		case in.Kind == core.Tick:
			return []core.Effect{send(0, in.Timer, 0)}
		}
		return nil
	})
	s.setup.Watchers = []core.Proc{0, 1}
	c := emulate.Costs{Disk: emulate.Disk{File: time.Second}, Tick: time.Second,
		Between: emulate.Link{Latency: 600 * time.Millisecond, Rate: 100, Chunk: 100},
		Restart: 3 * time.Second, Detect: 2 * time.Second}
	got := s.play(t, emulate.Config{Costs: c}, func(r *emulate.Run) {
		r.After(1500*time.Millisecond, func() { r.Crash(0) })
	})
	want(t, got, `600ms p1 small from p0
		1s p0 persisted a
		1s p1 timer early
		2s p1 timer late
		3.5s p1 down p0 life 0
		4.5s p0 restart as incarnation 1 on p0 a=
		4.5s p0 late from p1`)
}

// Aim: the detector knows nodes: what runs on one and stops without it is not reported.
func TestOnlyNodesAreReported(t *testing.T) {
	s := newStage(3, func(core.Proc, core.Input) []core.Effect { return nil })
	s.setup.Watchers = []core.Proc{2}
	s.setup.Layout.Nodes = []core.Proc{1}
	s.setup.Layout.Hosted = map[core.Proc]bool{0: true, 1: false}
	want(t, s.play(t, emulate.Config{Costs: emulate.Costs{Detect: time.Second}},
		func(r *emulate.Run) {
			r.After(time.Second, func() { r.Crash(0) })
			r.After(3*time.Second, func() { r.Crash(1) })
		}), "4s p2 down p1 life 0")
}

// Aim: where procs are launched, a node takes what runs on it, for which nobody is told apart; its
// proc starts when and where somebody launches it, with one record; who launches can stop it again,
// and is answered; a start by somebody who has stopped, or has it stopped since, never comes.
func TestLaunch(t *testing.T) {
	launch := func(to core.Proc) core.Effect {
		return core.Effect{Kind: core.Launch, To: to, Key: "image", Value: []byte("v")}
	}
	s := newStage(4, func(p core.Proc, in core.Input) []core.Effect {
		switch {
		case p == 2 && in.Kind == core.Down && in.Procs[0] == 1:
			return []core.Effect{launch(0)}
		case p == 3 && in.Kind == core.Down && in.Procs[0] == 1:
			return []core.Effect{launch(0)} // in vain: it fails before
		case p == 2 && in.Kind == core.Checkpoint:
			return []core.Effect{{Kind: core.Kill, To: 0}, {Kind: core.Kill, To: 0}}
		}
		return nil
	})
	s.setup.Launched, s.setup.Watchers = true, []core.Proc{2, 3}
	s.setup.Layout.Nodes = []core.Proc{1}
	s.setup.Layout.Hosted = map[core.Proc]bool{0: false, 1: false, 3: false}
	c := emulate.Costs{Launch: 5 * time.Second, Detect: time.Second, Stop: time.Second}
	got := s.play(t, emulate.Config{Costs: c}, func(r *emulate.Run) {
		r.After(time.Second, func() { r.Crash(1) })
		r.After(2500*time.Millisecond, func() { r.Crash(3) })
		r.After(8*time.Second, func() { r.Request(2) })
	})
	want(t, got, `2s p2 down p1 life 0
		2s p3 down p1 life 0
		3.5s p2 down p3 life 0
		7s p0 restart as incarnation 1 on p2 image=v
		8s p2 checkpoint request
		9s p2 p0 is stopped life 1
		9s p2 p0 is stopped life 1`)
	got = s.play(t, emulate.Config{Costs: c}, func(r *emulate.Run) {
		r.After(time.Second, func() { r.Crash(1) })
		r.After(3*time.Second, func() { r.Request(2) })
	})
	want(t, got, `2s p2 down p1 life 0
		2s p3 down p1 life 0
		3s p2 checkpoint request
		4s p2 p0 is stopped life 0
		4s p2 p0 is stopped life 0
		7s p0 restart as incarnation 1 on p3 image=v`)
}
