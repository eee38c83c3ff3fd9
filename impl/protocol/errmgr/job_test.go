package errmgr

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

const pingPong = "a: loop 4; send b; recv b; end\nb: loop 4; recv a; send a; end"

// reference is what the programs end in when nothing happens.
func reference(t *testing.T, text string) []uint64 {
	t.Helper()
	return newTestRig(t, "", "autor", text).finish()
}

// fence stops everybody, as an episode does.
func (g *rig) fence(episode uint32) {
	g.Helper()
	if n := len(only(g.order(&Message{Kind: Fence, Epoch: episode}, 2, 3), FenceAck)); n != 2 {
		g.Fatalf("%d nodes have stopped their ranks, want 2", n)
	}
}

// restart starts ranks from a snapshot at nodes, from one source, and lets them run.
func (g *rig) restart(episode uint32, s SnapID, files []File, nodes, sources []core.Proc) {
	g.Helper()
	var list []*Message
	for i, p := range nodes {
		m := &Message{Kind: Restart, Epoch: episode, Snap: s, Ranks: []core.Rank{core.Rank(i)},
			Sources: sources}
		if files != nil {
			m.File = files[i]
		}
		list = append(list, g.order(m, p)...)
	}
	if n := len(only(list, Restored)); n != len(nodes) {
		g.Fatalf("%d ranks run again, want %d: %v", n, len(nodes), list)
	}
	g.order(&Message{Kind: Resume, Epoch: episode, Ranks: ranks, Lives: g.lives[:2]}, 0, 1)
}

// TestRollback takes a snapshot after any number of steps, runs on, stops both ranks and starts
// them from it elsewhere: the programs end as if nothing had happened, by way of every component.
func TestRollback(t *testing.T) {
	want := reference(t, pingPong)
	for _, options := range []string{"store=central", "store=stage codec=s2", "store=peers"} {
		for steps := range 9 {
			g := newTestRig(t, options, "autor", pingPong)
			for range steps {
				g.work(0, 1)
				g.work(1, 1)
				g.run()
			}
			files := g.take(first)
			source := []core.Proc{7}
			if options == "store=peers" {
				source = []core.Proc{4}
			}
			if options != "store=central" {
				files = g.copyAll(files, source[0])
			}
			g.work(0, 2)
			g.run()
			g.work(1, 3)
			g.work(0, 1)
			g.fence(1)
			g.restart(1, first, files, []core.Proc{4, 5}, source)
			if got := g.finish(); !slices.Equal(got, want) {
				t.Errorf("%s, %d steps: ends in %x, want %x", options, steps, got, want)
			}
		}
	}
}

// copyAll has all files copied, and returns how they are described there.
func (g *rig) copyAll(files []File, to core.Proc) []File {
	g.Helper()
	files = slices.Clone(files)
	for r := range ranks {
		list := only(g.order(&Message{Kind: Copy, Snap: first, Ranks: ranks[r : r+1],
			Nodes: []core.Proc{to}}, core.Proc(2+r)), CopyDone)
		if len(list) != 1 || list[0].Missing {
			g.Fatalf("file of rank %d is not copied: %+v", r, list)
		}
		files[r] = list[0].File
	}
	return files
}

// TestFromStart starts both ranks from the beginning: no snapshot was established.
func TestFromStart(t *testing.T) {
	g := newTestRig(t, "", "autor", pingPong)
	g.work(0, 1)
	g.run()
	g.work(1, 2)
	g.fence(1)
	g.restart(1, SnapID{}, nil, []core.Proc{2, 3}, nil)
	if got, want := g.finish(), reference(t, pingPong); !slices.Equal(got, want) {
		t.Errorf("ends in %x, want %x", got, want)
	}
}

// TestPause holds both programs from the request on, and takes an image when the marker of the
// other is here: what was on its way is in it.
func TestPause(t *testing.T) {
	g := newTestRig(t, "", "autor", "a: send b; send b; output\nb: recv a; recv a")
	g.work(0, 2)
	g.send(g.head, 1, &Message{Kind: Quiesce, Snap: first})
	g.run()
	if g.machines[1].Choices(nil) != nil {
		t.Error("b does something, though it is to stand still")
	}
	if slices.Contains(g.declared, "b: taken b") {
		t.Error("b takes its image before it knows what is on its way")
	}
	g.order(&Message{Kind: Quiesce, Snap: first}, 0)
	for _, want := range []string{"a: paused a", "a: taken a", "b: taken b", "N1: local a"} {
		if !slices.Contains(g.declared, want) {
			t.Errorf("not declared: %s", want)
		}
	}
	if g.machines[0].Choices(nil) != nil || g.machines[1].Choices(nil) != nil {
		t.Error("somebody does something in the pause")
	}
	g.order(&Message{Kind: Resume, Snap: first}, 0, 1)
	if len(g.machines[0].Choices(nil)) == 0 || len(g.machines[1].Choices(nil)) == 0 {
		t.Error("somebody does nothing after the pause")
	}
}

// TestVoidPause ends a pause before all markers are here; those that come later are of a pause that
// is over, also when another one has begun.
func TestVoidPause(t *testing.T) {
	g := newTestRig(t, "", "autor", pingPong)
	second := SnapID{Seq: 2}
	g.lost = 1 // the marker of a is delayed
	g.order(&Message{Kind: Quiesce, Snap: first}, 0)
	g.lost = nobody
	g.order(&Message{Kind: Quiesce, Snap: first}, 1)
	g.order(&Message{Kind: Resume, Snap: first}, 0, 1)
	g.order(&Message{Kind: Quiesce, Snap: second}, 1)
	g.send(0, 1, &Message{Kind: Marker, Snap: first}) // now it comes
	g.run()
	if slices.Contains(g.declared, "b: taken b") {
		t.Error("b takes an image with the marker of another pause")
	}
	g.order(&Message{Kind: Quiesce, Snap: second}, 0)
	if !slices.Contains(g.declared, "b: taken b") {
		t.Error("b takes no image")
	}
}

// TestFencedOut sends a message of a former life, and one to a former life: neither is received.
func TestFencedOut(t *testing.T) {
	g := newTestRig(t, "", "autor", pingPong)
	g.fence(1)
	g.restart(1, SnapID{}, nil, []core.Proc{2, 3}, nil)
	for _, m := range []Message{{Kind: App, Number: 1, Life: 0, ToLife: 1},
		{Kind: App, Number: 1, Life: 1, ToLife: 0}} {
		g.send(0, 1, &m)
		g.run()
		if len(g.machines[1].(*rank).job.s.In[0]) > 0 {
			t.Errorf("b takes a message from life %d to life %d", m.Life, m.ToLife)
		}
	}
}

// TestLight restarts b alone after any number of steps behind the snapshot: a sends again what b
// has lost, b drops what it has, a drops what b does again.
func TestLight(t *testing.T) {
	want := reference(t, pingPong)
	for before := range 4 {
		for after := range 5 {
			g := newTestRig(t, "", "light(1) autor", pingPong)
			advance := func(n int) {
				for range n {
					g.work(0, 1)
					g.work(1, 1)
					g.run()
				}
			}
			advance(before)
			files := g.copyAll(g.take(first), 7)
			g.order(&Message{Kind: Covered, Snap: first}, 0, 1)
			advance(after)
			g.work(0, 1) // on its way when b fails
			g.up[1] = false
			g.run()
			g.order(&Message{Kind: Stabilise, Epoch: 1, Ranks: ranks[1:]}, 3)
			list := g.order(&Message{Kind: Restart, Epoch: 1, Snap: first, File: files[1],
				Ranks: ranks[1:], Sources: []core.Proc{3, 7}}, 3)
			if len(only(list, Restored)) != 1 {
				t.Fatalf("b does not run again: %v", list)
			}
			g.order(&Message{Kind: Resume, Epoch: 1, Ranks: ranks, Lives: g.lives[:2]}, 1)
			g.work(1, 2) // it may be ahead of the news
			g.order(&Message{Kind: Replay, Epoch: 1, Snap: first, Ranks: ranks[1:],
				Lives: g.lives[1:2]}, 0)
			if got := g.finish(); !slices.Equal(got, want) {
				t.Errorf("%d, %d steps: ends in %x, want %x", before, after, got, want)
			}
		}
	}
}

// TestPruned keeps of what was sent what is newer than the established snapshot.
func TestPruned(t *testing.T) {
	g := newTestRig(t, "", "light(1) autor", "a: send b; send b; send b\nb: recv a; recv a")
	g.work(0, 2)
	g.run()
	g.take(first)
	g.work(0, 1)
	log := func() int { return len(g.machines[0].(*rank).job.s.Log[1]) }
	if log() != 3 {
		t.Errorf("%d messages kept before the snapshot is established, want 3", log())
	}
	g.order(&Message{Kind: Covered, Snap: first}, 0, 1)
	if log() != 1 {
		t.Errorf("%d messages kept afterwards, want 1", log())
	}
}

// TestHeldOutput holds an output until what it follows from is covered, and asks for that once;
// with W20 it leaves.
func TestHeldOutput(t *testing.T) {
	const text = "a: send b\nb: recv a; output"
	g := newTestRig(t, "outputs=held", "autor", text)
	g.work(0, 1)
	g.run()
	g.work(1, 1)
	if n := len(only(g.run(), WantSnapshot)); n != 1 || g.machines[1].Choices(nil) != nil {
		t.Errorf("asks %d times for a snapshot, want once, and waits", n)
	}
	list := g.order(&Message{Kind: Quiesce, Snap: first}, 0, 1)
	list = append(list, g.order(&Message{Kind: Resume, Snap: first}, 0, 1)...)
	if only(list, WantSnapshot) != nil {
		t.Error("asks for another one, and this one is not over")
	}
	if g.machines[1].Choices(nil) != nil {
		t.Error("the output leaves before the snapshot is established")
	}
	g.order(&Message{Kind: Covered, Snap: first}, 0, 1)
	if len(g.machines[1].Choices(nil)) == 0 {
		t.Error("the output waits for ever")
	}
	g = newTestRig(t, "outputs=held", "autor", text, W20)
	g.work(0, 1)
	g.run()
	g.work(1, 1)
	if len(g.machines[1].Choices(nil)) == 0 {
		t.Error("W20: the output waits")
	}
}

// TestSustain runs on without b: what has arrived can be received, nothing more comes, nobody sends
// to it, and a pause does not wait for it.
func TestSustain(t *testing.T) {
	g := newTestRig(t, "", "sustain", "a: recv b; send b; recv b\nb: send a; send a")
	g.work(1, 1)
	g.run()
	g.order(&Message{Kind: Quiesce, Snap: first}, 0)
	list := g.order(&Message{Kind: Sustain, Epoch: 1, Ranks: ranks[1:]}, 0)
	if len(only(list, SustainAck)) != 1 {
		t.Errorf("no answer: %v", list)
	}
	for _, want := range []string{"a: sustained b", "a: taken a"} {
		if !slices.Contains(g.declared, want) {
			t.Errorf("declared %v, want %s", g.declared, want)
		}
	}
	g.order(&Message{Kind: Resume, Epoch: 1, Snap: first}, 0)
	g.send(1, 0, &Message{Kind: App, Number: 2, Payload: core.Payload{Data: make([]byte, 8)}})
	g.work(0, 2)
	g.run()
	if _, received := g.host(0).Executed(); received != 1 {
		t.Errorf("a has received %d messages, want the one that was there", received)
	}
}

// TestMove carries the image of b to another node, in both ways; it goes on there, and a talks to
// its new life.
func TestMove(t *testing.T) {
	want := reference(t, pingPong)
	for _, options := range []string{"path=direct", "path=store"} {
		for _, early := range []bool{false, true} {
			g := newTestRig(t, options, "crmig autor", pingPong)
			g.work(0, 1)
			g.run()
			g.work(1, 2)
			g.run()
			carry := &Message{Kind: Carry, Move: 1, Ranks: ranks[1:], Nodes: []core.Proc{4}}
			quiesce := &Message{Kind: Quiesce, Move: 1, Ranks: ranks[1:]}
			var list []*Message
			if early {
				list = g.order(carry, 3)
				list = append(list, g.order(quiesce, 0, 1)...)
			} else {
				list = g.order(quiesce, 0, 1)
				list = append(list, g.order(carry, 3)...)
			}
			if len(only(list, Still)) != 1 || len(only(list, Carried)) != 1 {
				t.Fatalf("%s: a stands still, and the image of b is at its new node: %v", options,
					list)
			}
			g.order(&Message{Kind: Rewire, Move: 1, Ranks: ranks[1:], Lives: g.lives[:1]}, 0)
			stop := &Message{Kind: Release, Move: 1, Ranks: ranks[1:], Missing: true}
			if list := only(g.order(stop, 3), ReleaseAck); len(list) != 1 || list[0].Lives[0] != 0 {
				t.Fatalf("b is not stopped: %v", list)
			}
			list = g.order(&Message{Kind: Release, Move: 1, Ranks: ranks[1:]}, 4)
			if len(only(list, Restored)) != 1 || !slices.Contains(g.declared, "b: moved b") {
				t.Fatalf("b does not run at its new node: %v", list)
			}
			g.order(&Message{Kind: Resume, Move: 1, Ranks: ranks, Lives: g.lives[:2]}, 0, 1)
			if got := g.finish(); !slices.Equal(got, want) {
				t.Errorf("%s: ends in %x, want %x", options, got, want)
			}
			if len(g.machines[3].(*daemon).s.Images) > 0 {
				t.Error("the old node has an image left")
			}
		}
	}
}

// TestImageRoundTrip restarts from an image that holds whatever one can.
func TestImageRoundTrip(t *testing.T) {
	g := newTestRig(t, "", "light(1)", "a: send b; send b\nb: recv a; recv a")
	g.work(0, 2)
	g.run()
	g.work(1, 1)
	j := g.machines[1].(*rank).job
	j.s.Dead, j.s.Pause.Snap = []core.Rank{0}, first
	data, sent, received := j.image()
	if sent != 0 || received != 1 {
		t.Errorf("position %d, %d, want 0, 1", sent, received)
	}
	m := newRank(g.config, 1, g.programs[1]).(*rank)
	out := m.Step(core.Input{Kind: core.Restore, From: 4, Incarnation: 3, Records: []core.Record{
		{Value: core.Encode(&launch{Epoch: 2, Snap: first, Data: data})}}}, nil)
	if diff := cmp.Diff(core.Encode(&j.s.In), core.Encode(&m.job.s.In)); diff != "" {
		t.Errorf("arrived (-want +got):\n%s", diff)
	}
	want := jobState{Life: 3, Epoch: 2, Daemon: 4, Waits: true, Lives: []core.Incarnation{0, 3},
		Dead: j.s.Dead, In: j.s.In, Parts: j.s.Parts, Got: []uint32{2, 0}, Out: []uint32{0, 0},
		Log: make([][]logged, 2), Last: first, Over: finished{Snap: first}}
	if diff := cmp.Diff(core.Encode(&want), core.Encode(&m.job.s)); diff != "" {
		t.Errorf("(-want +got):\n%s\ngot %+v", diff, m.job.s)
	}
	if e := out[0]; e.What != trace.Snapped || e.Key != trace.SnapRestored ||
		e.Digest != core.Digest(data) || e.Received != 1 || e.Stamp.Round != 2 {
		t.Errorf("declares %+v", e)
	}
}

// TestDamagedImage starts a rank from every damage of one byte of its image: it gives up, or runs
// from what it can read, and never fails otherwise.
func TestDamagedImage(t *testing.T) {
	g := newTestRig(t, "", "autor", pingPong)
	g.work(0, 1)
	data, _, _ := g.machines[0].(*rank).job.image()
	for i := range data {
		b := slices.Clone(data)
		b[i] ^= 0xff
		m := newRank(g.config, 0, g.programs[0])
		out := m.Step(core.Input{Kind: core.Restore, From: 2, Incarnation: 1,
			Records: []core.Record{{Value: core.Encode(&launch{Data: b})}}}, nil)
		if len(out) != 2 {
			t.Errorf("byte %d: %d effects, want restored, and an answer", i, len(out))
		}
	}
}

// TestReport passes on what the detector of a rank says.
func TestReport(t *testing.T) {
	g := newTestRig(t, "reports=peers", "autor", pingPong)
	g.step(0, core.Input{Kind: core.Down, Procs: []core.Proc{1, 3, 7}, Incarnation: 2})
	list := only(g.run(), Report)
	if len(list) != 1 || !slices.Equal(list[0].Ranks, ranks[1:]) ||
		!slices.Equal(list[0].Lives, []core.Incarnation{2}) ||
		!slices.Equal(list[0].Nodes, []core.Proc{3}) {
		t.Errorf("reports %+v", list)
	}
}
