package errmgr

import (
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/errmgr/sstore"
)

// quiet are two programs that do nothing: what matters is their images.
const quiet = "a:\nb:"

// damage flips a bit of a record, or with cut takes its second half away.
func (g *rig) damage(p core.Proc, key string, cut bool) {
	g.Helper()
	v, ok := g.disks[p][key]
	if !ok {
		g.Fatalf("%s has no %s: %v", g.name(p), key, g.disks[p])
	}
	v = slices.Clone(v)
	v[len(v)-1] ^= 1
	if cut {
		v = v[:len(v)/2]
	}
	g.disks[p][key] = v
}

// restartOne starts a rank and returns what the head hears.
func (g *rig) restartOne(r core.Rank, s SnapID, f File, node core.Proc,
	sources ...core.Proc) []*Message {
	return g.order(&Message{Kind: Restart, Epoch: 1, Snap: s, File: f, Ranks: []core.Rank{r},
		Sources: sources}, node)
}

// TestSources asks for the file of a rank in the order that the head gives, and always for the same
// snapshot: what is damaged, cut off or not there is passed over, and without a good one the head
// is told which have failed.
func TestSources(t *testing.T) {
	tests := []struct {
		name   string
		before func(*rig)
		failed []core.Proc // nil: it runs
	}{
		{"the cache", func(g *rig) { g.damage(7, "file/1.0/0", false) }, nil},
		{"a damaged cache", func(g *rig) { g.damage(2, "file/1.0/0", false) }, nil},
		{"a cache that is cut off", func(g *rig) { g.damage(2, "file/1.0/0", true) }, nil},
		{"no cache", func(g *rig) { delete(g.disks[2], "file/1.0/0") }, nil},
		{"nothing", func(g *rig) {
			g.damage(2, "file/1.0/0", false)
			delete(g.disks[7], "file/1.0/0")
		}, []core.Proc{2, 7}},
		{"two damaged ones", func(g *rig) {
			g.damage(2, "file/1.0/0", false)
			g.damage(7, "file/1.0/0", true)
		}, []core.Proc{2, 7}},
	}
	for _, codec := range []string{"none", "gzip"} {
		for _, tt := range tests {
			t.Run(codec+", "+tt.name, func(t *testing.T) {
				g := newTestRig(t, "codec="+codec, "autor", quiet)
				files := g.copyAll(g.take(first), 7)
				tt.before(g)
				g.fence(1)
				list := g.restartOne(0, first, files[0], 2, 2, 7)
				runs, naks := only(list, Restored), only(list, RestartNak)
				if tt.failed == nil && (len(runs) != 1 || len(naks) > 0) ||
					tt.failed != nil && (len(runs) > 0 || len(naks) != 1 ||
						!slices.Equal(naks[0].Sources, tt.failed)) {
					t.Errorf("runs: %v, not: %v, want %v", runs, naks, tt.failed)
				}
			})
		}
	}
}

// TestOtherBytes refuses a file that is whole, and not the one that the head has named.
func TestOtherBytes(t *testing.T) {
	g := newTestRig(t, "", "autor", pingPong)
	g.work(0, 2)
	files := g.copyAll(g.take(first), 7)
	g.fence(1)
	if list := g.restartOne(0, first, files[1], 2, 2); len(only(list, RestartNak)) != 1 {
		t.Errorf("a starts from the file of b: %v", list)
	}
}

// TestReadBack damages a file, or its copy, between writing and reading back, or leaves no room for
// it: it does not count, and is deleted.
func TestReadBack(t *testing.T) {
	for _, holder := range []core.Proc{2, 7, 4} { // the node, the store, another node
		for _, what := range []string{"bit", "half", "lost", "full"} {
			options, key, kind := "", "file/1.0/0", CopyDone
			if holder == 4 {
				options = "store=peers"
			}
			g := newTestRig(t, options, "autor", quiet)
			var list []*Message
			if holder == 2 {
				kind = LocalDone
				list = g.spoiled(holder, key, what, func() {
					g.send(g.head, 0, &Message{Kind: Quiesce, Snap: first})
					g.send(g.head, 1, &Message{Kind: Quiesce, Snap: first})
				})
			} else {
				g.take(first)
				list = g.spoiled(holder, key, what, func() {
					g.send(g.head, 2, &Message{Kind: Copy, Snap: first, Ranks: ranks[:1],
						Nodes: []core.Proc{holder}})
				})
			}
			list = slices.DeleteFunc(only(list, kind), func(m *Message) bool {
				return m.Ranks[0] != 0
			})
			if len(list) != 1 || !list[0].Missing || list[0].Reason == "" {
				t.Errorf("%s at %s: %+v", what, g.name(holder), list)
			}
			if _, there := g.disks[holder][key]; there {
				t.Errorf("%s at %s: the file is not deleted", what, g.name(holder))
			}
		}
	}
}

// spoiled begins something and spoils a record as soon as it is written.
func (g *rig) spoiled(p core.Proc, key, what string, begin func()) []*Message {
	if what == "full" {
		g.full = p
	}
	begin()
	for done := what == "full"; len(g.inputs) > 0; {
		d := g.inputs[0]
		g.inputs = g.inputs[1:]
		g.step(d.to, d.in)
		if _, written := g.disks[p][key]; written && !done {
			done = true
			switch what {
			case "lost":
				delete(g.disks[p], key)
			default:
				g.damage(p, key, what == "half")
			}
		}
	}
	return g.run()
}

// TestCache keeps the files of the newest snapshots of a rank, as many as it is for, and lets go of
// others when the head says that a newer one is established; never of the newest one.
func TestCache(t *testing.T) {
	for _, tt := range []struct{ options, want string }{
		{"cache=2", "file/2.0/0 file/3.0/0"}, {"cache=off", "file/3.0/0"},
		{"cache=3", "file/1.0/0 file/2.0/0 file/3.0/0"},
		{"store=peers", "file/1.0/0 file/2.0/0 file/3.0/0"},
	} {
		g := newTestRig(t, tt.options, "autor", quiet)
		for seq := range uint32(3) {
			g.take(SnapID{Seq: seq + 1})
			if seq < 2 {
				g.order(&Message{Kind: Keep, Snap: SnapID{Seq: seq + 1}}, 2, 3)
			}
		}
		g.files(tt.options+", 3 not established", 2, map[string]string{
			"cache=2": "file/1.0/0 file/2.0/0 file/3.0/0"}[tt.options], tt.want)
		g.order(&Message{Kind: Keep, Snap: SnapID{Seq: 3}}, 2, 3)
		g.files(tt.options, 2, map[string]string{"cache=off": "-"}[tt.options], tt.want)
	}
}

// files compares what is on a disk: with the first text, unless that is empty ("-" is nothing).
func (g *rig) files(when string, p core.Proc, want, otherwise string) {
	g.Helper()
	if want == "" {
		want = otherwise
	}
	var names []string
	for key := range g.disks[p] {
		names = append(names, key)
	}
	slices.Sort(names)
	if got := strings.Join(names, " "); got != strings.Trim(want, "-") {
		g.Errorf("%s: files %s, want %s", when, got, want)
	}
}

// TestVoid deletes what there is of a snapshot and refuses what comes late, at nodes and the store.
func TestVoid(t *testing.T) {
	g := newTestRig(t, "", "autor", quiet)
	g.copyAll(g.take(first), 7)
	g.order(&Message{Kind: Void, Snap: first}, 2, 3, 7)
	g.send(0, 2, &Message{Kind: Save, Snap: first, Ranks: ranks[:1], Data: []byte("late")})
	g.send(2, 7, &Message{Kind: Put, Snap: first, Ranks: ranks[:1],
		File: sstore.Describe([]byte("late")), Data: []byte("late")})
	if list := g.run(); len(list) > 0 {
		t.Errorf("what is late counts: %v", list)
	}
	for _, p := range []core.Proc{2, 3, 7} {
		g.files("void", p, "-", "")
	}
}

// TestStops stops the ranks that it is told to, once, and names their last lives; an order of a
// former episode is late, and its answer is not given.
func TestStops(t *testing.T) {
	g := newTestRig(t, "nodes=1", "autor", quiet)
	list := g.order(&Message{Kind: Stabilise, Epoch: 2, Ranks: ranks[1:]}, 2)
	if acks := only(list, StableAck); len(acks) != 1 || !slices.Equal(acks[0].Ranks, ranks[1:]) ||
		!slices.Equal(acks[0].Lives, []core.Incarnation{0}) || !g.up[0] || g.up[1] {
		t.Errorf("b alone is to be stopped: %+v", acks)
	}
	if list := g.order(&Message{Kind: Fence, Epoch: 1}, 2); len(list) > 0 || !g.up[0] {
		t.Errorf("an order of episode 1 in episode 2: %v", list)
	}
	d := g.machines[2].(*daemon)
	fence := &Message{Kind: Fence, Epoch: 2}
	kills := 0
	for range 2 {
		in := core.Input{Kind: core.Received, From: g.head, Message: fence}
		for _, e := range d.Step(in, nil) {
			if e.Kind == core.Kill {
				kills++
			}
		}
	}
	if kills != 1 {
		t.Errorf("a is stopped %d times, want once", kills)
	}
	out := d.Step(core.Input{Kind: core.Killed, From: 0, Incarnation: 4}, nil)
	if len(out) != 2 || out[0].Message.(*Message).Lives[0] != 4 {
		t.Errorf("two orders, two answers: %v", out)
	}
}

// TestAborted stops all ranks, and starts none any more.
func TestAborted(t *testing.T) {
	g := newTestRig(t, "", "abort", quiet)
	if list := only(g.order(&Message{Kind: AbortAll, Epoch: 1}, 2), AbortAck); len(list) != 1 ||
		g.up[0] {
		t.Errorf("a runs, %v", list)
	}
	if list := g.restartOne(0, SnapID{}, File{}, 2); len(list) > 0 || g.up[0] {
		t.Errorf("a is started when the job is given up: %v", list)
	}
}

// TestStabiliseStopsCopies reads a file for a copy that the next episode has no use for: it is not
// sent.
func TestStabiliseStopsCopies(t *testing.T) {
	g := newTestRig(t, "", "autor", quiet)
	g.take(first)
	g.send(g.head, 2, &Message{Kind: Copy, Snap: first, Ranks: ranks[:1], Nodes: []core.Proc{7}})
	g.send(g.head, 2, &Message{Kind: Stabilise, Epoch: 1})
	g.run()
	g.files("after the episode has begun", 7, "-", "")
}

// TestDrain answers when nothing is read any more, and forgets images of a move that is over.
func TestDrain(t *testing.T) {
	g := newTestRig(t, "", "crmig", quiet)
	g.take(first)
	g.send(g.head, 2, &Message{Kind: Copy, Snap: first, Ranks: ranks[:1], Nodes: []core.Proc{7}})
	g.send(g.head, 2, &Message{Kind: Drain, Move: 1})
	list := g.run()
	if len(list) != 2 || list[0].Kind == list[1].Kind {
		t.Errorf("a copy and the end of all: %v", list)
	}
	g.order(&Message{Kind: Drop, Move: 1}, 2)
	g.order(&Message{Kind: Carry, Move: 1, Ranks: ranks[:1], Nodes: []core.Proc{4}}, 2)
	if d := g.machines[2].(*daemon); len(d.s.Images) > 0 {
		t.Error("an order of a move that is over is kept")
	}
}

// TestStoreRestarts finds its files by their names after a restart, hands them out, and deletes
// what is no file of a snapshot.
func TestStoreRestarts(t *testing.T) {
	g := newTestRig(t, "", "autor", quiet)
	files := g.copyAll(g.take(first), 7)
	g.disks[7]["move/1/0"] = []byte("image")
	g.machines[7] = g.make(7)
	in := core.Input{Kind: core.Restore, Incarnation: 1}
	for _, key := range []string{"file/1.0/0", "file/1.0/1", "move/1/0"} {
		in.Records = append(in.Records, core.Record{Owner: 7, Key: key, Value: g.disks[7][key]})
	}
	g.step(7, in)
	g.files("restarted", 7, "file/1.0/0 file/1.0/1", "")
	g.fence(1)
	if list := g.restartOne(0, first, files[0], 4, 7); len(only(list, Restored)) != 1 {
		t.Errorf("a does not run: %v", list)
	}
	g.order(&Message{Kind: DropFile, Snap: first}, 7)
	g.files("dropped", 7, "-", "")
}
