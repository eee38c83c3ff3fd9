package emulate_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/emulate"
)

// crashed plays what p0 sends at the start on cards of 100 bytes a second with a latency of a
// second, and p2 at a moment 100 bytes to p1; then p0 fails for good.
func crashed(t *testing.T, chunk int64, at, aside time.Duration, nodes []core.Proc,
	sends ...core.Effect) []string {
	t.Helper()
	s := newStage(4, func(p core.Proc, in core.Input) []core.Effect {
		switch {
		case in.Kind == core.Start && p == 0:
			return sends
		case in.Kind == core.Checkpoint:
			return []core.Effect{send(1, "aside", 100)}
		}
		return nil
	})
	s.setup.Layout.Nodes = nodes
	list := s.play(t, emulate.Config{Costs: emulate.Costs{Restart: time.Hour,
		Between: emulate.Link{Latency: time.Second, Rate: 100, Chunk: chunk}}},
		func(r *emulate.Run) {
			if aside > 0 {
				r.After(aside, func() { r.Request(2) })
			}
			r.After(at, func() { r.Crash(0) })
		})
	return list[:len(list)-1] // who fails is there an hour later
}

// Aim: of what a node has sent, whatever has left it to the last byte when it fails arrives, in the
// same moment too, and nothing else: the first 100 bytes have left after 1 s, the next ones after
// 2 s. Who fails alone on the node of another one leaves that its messages.
func TestLeftBeforeACut(t *testing.T) {
	for _, tt := range []struct {
		at    time.Duration
		nodes []core.Proc
		text  string
	}{{time.Second - 1, nil, ""}, {time.Second, nil, "2s p1 a from p0"},
		{2*time.Second - 1, nil, "2s p1 a from p0"},
		{2 * time.Second, nil, "2s p1 a from p0\n3s p1 b from p0"},
		{time.Second / 2, []core.Proc{3}, "2s p1 a from p0\n3s p1 b from p0"}} {
		got := crashed(t, 0, tt.at, 0, tt.nodes, send(1, "a", 100), send(1, "b", 100))
		if tt.text == "" && len(got) == 0 {
			continue
		}
		want(t, got, tt.text)
	}
}

// Aim: what is cut off before its first byte is at the other card takes no place there. Of 500
// bytes that begin at once and are cut off at .9 s, the first byte would be there at 1 s, and be in
// the way of 100 bytes of p2, which are there as a whole at 1.5 + 2 s.
func TestCutTakesNoPlace(t *testing.T) {
	want(t, crashed(t, 0, 900*time.Millisecond, 1500*time.Millisecond, nil, send(1, "a", 500)),
		`1.5s p2 checkpoint request
		3.5s p1 aside from p2`)
	// otherwise they would have been in the way until 6 s
	want(t, crashed(t, 0, 5*time.Second, 1500*time.Millisecond, nil, send(1, "a", 500)),
		`1.5s p2 checkpoint request
		6s p1 a from p0
		7s p1 aside from p2`)
}

// Aim: of what goes to one proc a prefix arrives: behind bulk that is cut off nothing does, though
// it has passed that and left; what goes to others does.
func TestPrefixOfACut(t *testing.T) {
	want(t, crashed(t, 10, 5*time.Second, 0, nil, send(1, "before", 0), send(1, "bulk", 1000),
		send(1, "behind", 0), send(3, "aside", 0)), `1s p1 before from p0
		1s p3 aside from p0`)
}

// Aim: what its sender still had to send when it failed never takes the card of the node. The first
// life begins to send 500 bytes, for which its processor needs until 1 s, and fails at .5 s; the
// next one runs at .6 s and sends 100 bytes, which leave from 1.6 s to 2.6 s, are there at 3.6 s,
// and are told at 4.6 s. Otherwise the card would be busy until 6 s.
func TestCutBeforeTheCard(t *testing.T) {
	s := newStage(2, func(p core.Proc, in core.Input) []core.Effect {
		switch {
		case in.Kind == core.Start && p == 0:
			return []core.Effect{send(1, "first", 500)}
		case in.Kind == core.Restore:
			return []core.Effect{send(1, "second", 100)}
		}
		return nil
	})
	s.setup.Layout.Nodes = []core.Proc{0} // so that cards take what is there, and nothing ahead
	want(t, s.play(t, emulate.Config{Costs: emulate.Costs{Restart: 100 * time.Millisecond,
		Between: emulate.Link{Latency: time.Second, Overhead: time.Second, Rate: 100}}},
		func(r *emulate.Run) {
			r.After(500*time.Millisecond, func() { r.Crash(0) })
		}), `600ms p0 restart as incarnation 1 on p0
		4.6s p1 second from p0`)
}

// Aim: those that stop together have lives with numbers above those of all of them: one rolls back
// at 1 s alone, so it is in life 1 and the other in life 0 when both stop, and both begin life 2.
func TestLivesOfMates(t *testing.T) {
	for one := range core.Proc(2) {
		s := newStage(2, func(_ core.Proc, in core.Input) []core.Effect {
			if in.Kind == core.Checkpoint {
				return []core.Effect{{Kind: core.Rollback}}
			}
			return nil
		})
		s.setup.Layout.Groups = map[core.Proc][]core.Proc{0: {0, 1}, 1: {0, 1}}
		want(t, s.play(t, emulate.Config{Costs: emulate.Costs{Restart: time.Second}},
			func(r *emulate.Run) {
				r.After(time.Second, func() { r.Request(one) })
				r.After(4*time.Second, func() { r.Crash(0) })
			}), fmt.Sprintf(`1s p%d checkpoint request
			2s p%d restart as incarnation 1 on p%d
			5s p0 restart as incarnation 2 on p0
			5s p1 restart as incarnation 2 on p1`, one, one, one))
	}
}

// Aim: records that are local are lost with the disk of the node, and only then. p0 runs on the
// node of p2: when it stops alone they are there, when the node stops they are not; p1 and p3 are
// nodes of their own, and what p3 writes is not local.
func TestLocalStores(t *testing.T) {
	s := newStage(4, func(p core.Proc, in core.Input) []core.Effect {
		if in.Kind == core.Start {
			return []core.Effect{{Kind: core.Persist, Key: "k", Value: []byte("v")}}
		}
		return nil
	})
	s.setup.Layout.Nodes, s.setup.Local = []core.Proc{2}, []core.Proc{0, 1}
	for _, tt := range []struct {
		who  core.Proc
		text string
	}{{0, "11s p0 restart as incarnation 1 on p0 k=v"},
		{1, "11s p1 restart as incarnation 1 on p1"},
		{2, "11s p0 restart as incarnation 1 on p0\n11s p2 restart as incarnation 1 on p2 k=v"},
		{3, "11s p3 restart as incarnation 1 on p3 k=v"}} {
		got := s.play(t, emulate.Config{Costs: emulate.Costs{Restart: time.Second}},
			func(r *emulate.Run) {
				r.After(10*time.Second, func() { r.Crash(tt.who) })
			})
		want(t, got[4:], tt.text) // behind four records
	}
}

// Aim: a life does not wait for what the one before was writing. On a disk that serves two at once,
// 100 bytes a second each, the first life begins at once to write 10,000 bytes, until 100 s, and
// fails at 1 s; the next one begins at 2 s to write 100, until 3 s.
func TestLivesAndWrites(t *testing.T) {
	s := newStage(1, func(_ core.Proc, in core.Input) []core.Effect {
		switch in.Kind {
		case core.Start:
			return []core.Effect{put("long", 10_000)}
		case core.Restore:
			return []core.Effect{put("short", 100)}
		}
		return nil
	})
	c := emulate.Costs{Restart: time.Second, Disk: emulate.Disk{Write: 100, Servers: 2}}
	want(t, s.play(t, emulate.Config{Costs: c}, func(r *emulate.Run) {
		r.After(time.Second, func() { r.Crash(0) })
	}), `2s p0 restart as incarnation 1 on p0
		3s p0 persisted short`)
}
