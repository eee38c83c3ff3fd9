package hydee_test

import (
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/hydee"
)

// checkpointing is a cluster of two that exchange messages, with a third rank outside.
const checkpointing = "a: send b i1; send b i2; send c o\nb: recv a; recv a; send a k\nc: recv a"

var request = core.Input{Kind: core.Checkpoint}

// TestCoordinatedCheckpoint follows one checkpoint of a cluster by hand: markers on every channel
// inside it, each image when all channels are closed, commit when all images are stable, and only
// then the notice to the members.
func TestCoordinatedCheckpoint(t *testing.T) {
	r := newRig(t, checkpointing, "a b | c")
	r.want("first rank", r.step("a", request), "to b: Marker number 1")
	r.want("again while under way", r.step("a", request), "drop from a: a checkpoint is under way")
	r.want("member", r.arrive("a", "b"), "to a: Marker number 1", "write image/1")
	r.want("channel of b closes", r.arrive("b", "a"), "write image/1")
	r.want("image of a is stable", r.store("a"))
	r.want("image of b is stable", r.store("b"), "to a: Saved number 1")
	r.want("all are stable", r.arrive("b", "a"), "write commit/1")
	r.want("nothing outside takes part", r.flight("a", "c"))
	r.want("commit is stable", r.store("a"), "to b: Commit number 1",
		"recovery line: sent 0 received 0")
	r.want("notice", r.arrive("a", "b"), "recovery line: sent 0 received 0")
	r.want("twice", r.give("a", "b", hydee.Message{Kind: hydee.CommitNotice, Number: 1}),
		"drop from a: commit of another checkpoint")
}

// checkpoint takes a whole checkpoint of the cluster {a, b}.
func (r *rig) checkpoint() {
	r.t.Helper()
	r.step("a", request)
	r.arrive("a", "b") // marker
	r.arrive("b", "a") // marker
	r.store("a")
	r.store("b")
	r.arrive("b", "a") // saved
	r.store("a")
	r.arrive("a", "b") // commit
}

// TestOldImageIsDeleted checks that the record of the checkpoint before goes away after the next
// commit, not earlier.
func TestOldImageIsDeleted(t *testing.T) {
	r := newRig(t, checkpointing, "a b | c")
	r.checkpoint()
	r.step("a", request)
	r.arrive("a", "b")
	r.arrive("b", "a")
	r.want("images", r.store("a"))
	r.want("images", r.store("b"), "to a: Saved number 2")
	r.want("saved", r.arrive("b", "a"), "write commit/2")
	if len(r.stable[0]) != 3 || len(r.stable[1]) != 2 {
		t.Errorf("stable before the commit: %v and %v, want both checkpoints", r.stable[0],
			r.stable[1])
	}
	r.want("commit", r.store("a"), "to b: Commit number 2", "recovery line: sent 0 received 0",
		"delete image/1", "delete commit/1")
	r.want("member", r.arrive("a", "b"), "recovery line: sent 0 received 0", "delete image/1")
	if len(r.stable[0]) != 2 || len(r.stable[1]) != 1 {
		t.Errorf("stable after the commit: %v and %v, want one checkpoint", r.stable[0],
			r.stable[1])
	}
}

// TestChannelStateIsSaved checks R10 and erratum H19: a message inside the cluster that was sent
// before the line and received after it is in the image, and is there after the restart, where it
// waits for its phase (R3, erratum H24); without it, it is lost.
func TestChannelStateIsSaved(t *testing.T) {
	for _, tt := range []struct {
		name       string
		errata     []hydee.Erratum
		want, then []string
	}{
		{"recorded", nil, nil, []string{"b"}},
		{"H24 hands it over at once", []hydee.Erratum{hydee.H24}, []string{"b"}, []string{"b"}},
		{"H19 loses it", []hydee.Erratum{hydee.H19}, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, "a: recv b\nb: send a m", "a b", tt.errata...)
			r.run("b") // m in flight to a
			r.step("a", request)
			r.want("b saves at once", r.arrive("a", "b"), "to a: Marker number 1", "write image/1")
			r.want("m is recorded", r.arrive("b", "a"))
			r.want("marker behind it", r.arrive("b", "a"), "write image/1")
			r.store("a")
			r.store("b")
			r.arrive("b", "a")
			r.want("commit", r.store("a"), "to b: Commit number 1",
				"recovery line: sent 0 received 0")
			r.crash("a")
			r.want("restart of a", r.restart("a"), "recovery line: sent 0 received 0")
			r.want("restart of b", r.restart("b"), "recovery line: sent 1 received 0")
			r.want("m at the restart", r.can("a"), tt.want...)
			r.allow("a", 0)
			r.want("m in phase 0", r.can("a"), tt.want...)
			r.give("RP", "a", allowing(1))
			r.want("m in phase 1", r.can("a"), tt.then...)
		})
	}
}

// allow takes a rank of the first cluster, in its second life, through round 1, which is about that
// cluster, and announces a frontier.
func (r *rig) allow(name string, phase hydee.Phase) {
	begin := hydee.Message{Kind: hydee.Begin, Round: 1, Clusters: []int{0}}
	r.give("RP", name, begin)
	for q, cluster := range r.setup.Layout.Clusters {
		if cluster != 0 {
			r.give(r.name(core.Proc(q)), name,
				hydee.Message{Kind: hydee.Status, Round: 1, Clusters: begin.Clusters})
		}
	}
	r.give("RP", name, allowing(phase))
}

// allowing is a frontier of round 1 for a second life.
func allowing(phase hydee.Phase) hydee.Message {
	m := opening(1, phase)
	m.Incarnation = 1
	return m
}

// TestMessageAfterTheLine checks that a message that arrived and was not delivered before the image
// is in it once, and that what comes behind the marker is not.
func TestMessageAfterTheLine(t *testing.T) {
	r := newRig(t, checkpointing, "a b | c")
	r.run("a")
	r.arrive("a", "b") // i1 waits at b
	r.step("a", request)
	r.run("a") // i2 behind the marker
	r.arrive("a", "b")
	r.want("i2", r.arrive("a", "b"))
	r.want("marker of b", r.arrive("b", "a"), "write image/1")
	r.store("a")
	r.store("b")
	r.arrive("b", "a")
	r.store("a")
	r.crash("a")
	r.want("a has sent i1", r.restart("a"), "recovery line: sent 1 received 0")
	r.want("b has received nothing", r.restart("b"), "recovery line: sent 0 received 0")
	r.allow("b", 1)
	r.want("i1 once", r.run("b", "a"), "deliver i1 from a, date 1 phase 1")
	r.want("nothing else", r.can("b"))
}

// TestMemberAsksTheFirst checks that a request at a member goes to the first rank of its cluster,
// and one that finds a checkpoint under way is dropped with a reason.
func TestMemberAsksTheFirst(t *testing.T) {
	r := newRig(t, checkpointing, "a b | c")
	r.want("member", r.step("b", request), "to a: SaveRequest")
	r.want("first", r.arrive("b", "a"), "to b: Marker number 1")
	r.want("member again", r.step("b", request), "to a: SaveRequest")
	r.want("under way", r.arrive("b", "a"), "drop from a: a checkpoint is under way")
	r.want("alone in its cluster", r.step("c", request), "write image/1")
	r.want("stable", r.store("c"), "write commit/1")
	r.want("committed", r.store("c"), "recovery line: sent 0 received 0")
}

// TestMarkerOvertakesCommit checks that a marker of the next checkpoint tells a member of the
// commit that is still on its way to it from another channel, and that markers of other lives and
// other checkpoints are dropped.
func TestMarkerOvertakesCommit(t *testing.T) {
	r := newRig(t, "a: checkpoint\nb: checkpoint\nc: checkpoint", "a b c")
	r.step("a", request)
	for _, q := range []string{"b", "c"} {
		r.arrive("a", q)
	}
	r.want("b closes c", r.arrive("c", "b"), "write image/1")
	r.want("c closes b", r.arrive("b", "c"), "write image/1")
	r.want("other life", r.give("b", "a", hydee.Message{Kind: hydee.Marker, Number: 1,
		Incarnation: 1}),
		"drop from b: other incarnation of the group")
	r.want("other number", r.give("b", "a", hydee.Message{Kind: hydee.Marker, Number: 5}),
		"drop from b: marker of another checkpoint")
	r.arrive("b", "a")
	r.want("a closes both", r.arrive("c", "a"), "write image/1")
	for _, q := range []string{"a", "b", "c"} {
		r.store(q)
	}
	r.want("one of two", r.arrive("b", "a"))
	r.want("both", r.arrive("c", "a"), "write commit/1")
	r.store("a") // Commit is on its way to b and c
	r.want("next", r.step("a", request), "to b: Marker number 2", "to c: Marker number 2")
	r.arrive("a", "b")
	r.want("b begins the next", r.arrive("a", "b"), "to a: Marker number 2",
		"to c: Marker number 2")
	r.want("c learns of the commit", r.arrive("b", "c"), "recovery line: sent 0 received 0",
		"to a: Marker number 2", "to b: Marker number 2")
	r.want("the notice comes late", r.arrive("a", "c"), "drop from a: commit of another checkpoint")
	r.want("image of c", r.arrive("a", "c"), "write image/2")
}

// TestCrashBeforeCommit checks the two phases: without the commit record the cluster restarts from
// the line before, and the next checkpoint reuses the number.
func TestCrashBeforeCommit(t *testing.T) {
	r := newRig(t, checkpointing, "a b | c")
	r.run("a")
	r.step("a", request)
	r.arrive("a", "b") // i1
	r.arrive("a", "b") // marker
	r.arrive("b", "a")
	r.store("a")
	r.store("b")
	r.arrive("b", "a") // commit is being written
	r.crash("a")
	r.want("initial state", r.restart("a"))
	r.want("initial state", r.restart("b"))
	r.want("image of a former life", r.give("b", "a", hydee.Message{Kind: hydee.Saved, Number: 1}),
		"drop from b: other incarnation of the group")
	r.checkpoint()
	r.crash("b")
	r.want("new line", r.restart("a"), "recovery line: sent 0 received 0")
	r.want("new line", r.restart("b"), "recovery line: sent 0 received 0")
}
