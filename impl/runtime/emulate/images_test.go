package emulate_test

import (
	"testing"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/emulate"
)

// keeping is a machine on which disks of nodes take 100 bytes a second, cards 1,000, and latency a
// second, and messages called image and copy carry an image of 1,000 bytes: a copy comes from a
// disk, too.
func keeping() emulate.Config {
	return emulate.Config{Costs: emulate.Costs{Keep: emulate.Disk{Write: 100, Read: 100},
		Between: emulate.Link{Latency: time.Second, Rate: 1000, Chunk: 10}},
		Images: func(_ *emulate.Run, _, _ core.Proc, m core.Message) (i emulate.Images) {
			switch m.(*parcel).Name {
			case "copy":
				i = emulate.Images{More: 900, Read: 1000, Written: 1000}
			case "image":
				i = emulate.Images{More: 900, Written: 1000}
			}
			return i
		}}
}

// Aim: an image is read before it leaves, takes the cards for all of its bytes, and is written
// before it is handed over, behind others on either disk; those behind it on its channel come
// with it, others of its sender do not wait. The copy is read until 10 s, is off the card at 11 s,
// there at 12 s, and written until 22 s. Of two images that leave at once, the second one is off
// its card at 2 s and there at 3 s, where the first one of the other sender, there at 2 s, is
// written from then until 12 s: it is written until 22 s.
func TestImages(t *testing.T) {
	s := newStage(4, func(p core.Proc, in core.Input) []core.Effect {
		if in.Kind == core.Start && p == 0 {
			return []core.Effect{send(1, "copy", 100), send(1, "behind", 0), send(2, "aside", 0)}
		}
		return nil
	})
	const copied = `1s p2 aside from p0
		22s p1 copy from p0
		22s p1 behind from p0`
	want(t, s.play(t, keeping(), nil), copied)
	s = newStage(4, func(p core.Proc, in core.Input) []core.Effect {
		switch {
		case in.Kind == core.Start && p == 0:
			return []core.Effect{send(3, "image", 100)}
		case in.Kind == core.Start && p == 1:
			return []core.Effect{send(2, "image", 100), send(3, "image", 100)}
		}
		return nil
	})
	want(t, s.play(t, keeping(), nil), `12s p2 image from p1
		12s p3 image from p0
		22s p3 image from p1`)
}

// Aim: who shares a node shares its disk: two copies are read one after the other, until 10 and
// 20 s, and are there at 12 and at 22 s, each on a node of its own.
func TestImagesOfANode(t *testing.T) {
	s := newStage(5, func(p core.Proc, in core.Input) []core.Effect {
		if in.Kind == core.Start && p < 2 {
			return []core.Effect{send(3+p, "copy", 100)}
		}
		return nil
	})
	s.setup.Layout.Nodes = []core.Proc{2, 2}
	want(t, s.play(t, keeping(), nil), `22s p3 copy from p0
		32s p4 copy from p1`)
}

// Aim: a copy of who fails while it is read never leaves, and one of who fails when it has left
// comes; what comes to who is down is not written there, and to who fails while it is written is
// lost.
func TestImagesAndFailures(t *testing.T) {
	for _, tt := range []struct {
		who  core.Proc
		at   time.Duration
		name string
		text string
	}{{0, 9 * time.Second, "copy", "1h0m9s p0 restart as incarnation 1 on p0"},
		{0, 11500 * time.Millisecond, "copy", `22s p1 copy from p0
		1h0m11.5s p0 restart as incarnation 1 on p0`},
		{1, 5 * time.Second, "copy", `1h0m5s p1 restart as incarnation 1 on p1`},
		{1, 5 * time.Second, "image", `6s p0 checkpoint request
		1h0m5s p1 restart as incarnation 1 on p1
		1h0m5s p1 image from p0`}} {
		s := newStage(2, func(p core.Proc, in core.Input) []core.Effect {
			if in.Kind == core.Start && p == 0 || in.Kind == core.Checkpoint {
				return []core.Effect{send(1, tt.name, 100)}
			}
			return nil
		})
		c := keeping()
		c.Costs.Restart = time.Hour
		want(t, s.play(t, c, func(r *emulate.Run) {
			r.After(tt.at, func() { r.Crash(tt.who) })
			if tt.name == "image" {
				r.After(6*time.Second, func() { r.Request(0) })
			}
		}), tt.text)
	}
}

// Aim: an image for a life that is over is not written, and keeps no other one waiting: the first
// one is there at 2 s, half a second after its addressee began anew; the second one at 5 s.
func TestImageForALostLife(t *testing.T) {
	s := newStage(2, func(p core.Proc, in core.Input) []core.Effect {
		if in.Kind == core.Start && p == 0 || in.Kind == core.Checkpoint {
			return []core.Effect{send(1, "image", 100)}
		}
		return nil
	})
	c := keeping()
	c.Costs.Restart = time.Second
	want(t, s.play(t, c, func(r *emulate.Run) {
		r.After(500*time.Millisecond, func() { r.Crash(1) })
		r.After(3*time.Second, func() { r.Request(0) })
	}), `1.5s p1 restart as incarnation 1 on p1
		3s p0 checkpoint request
		15s p1 image from p0`)
}

// Aim: an image that is cut off, because its sender fails in the middle of it, is not written, and
// keeps no other one waiting. One of 3,000 bytes leaves from 0 to 3 s, its first byte is there at
// 1 s, and its sender fails before that, or behind it. The image of the other sender leaves from
// 3 to 4 s, is there at 5 s, and written until 15 s; it would wait until 11 or 14 s for the disk
// otherwise, and be written until 21 or 24 s.
func TestImageCutOff(t *testing.T) {
	for _, at := range []time.Duration{500 * time.Millisecond, 2 * time.Second} {
		s := newStage(3, func(p core.Proc, in core.Input) []core.Effect {
			switch {
			case in.Kind == core.Start && p == 0:
				return []core.Effect{send(1, "image", 2100)}
			case in.Kind == core.Checkpoint:
				return []core.Effect{send(1, "image", 100)}
			}
			return nil
		})
		c := keeping()
		c.Costs.Restart = time.Hour
		got := s.play(t, c, func(r *emulate.Run) {
			r.After(at, func() { r.Crash(0) })
			r.After(3*time.Second, func() { r.Request(2) })
		})
		want(t, got[:len(got)-1], `3s p2 checkpoint request
			15s p1 image from p2`) // who fails is there an hour later
	}
}
