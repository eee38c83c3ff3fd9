package emulate_test

import (
	"testing"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/emulate"
)

// Aim: a message that is prepared before it leaves, and travels at a rate of its own, keeps back
// those behind it on its channel and nobody else; a node that fails while it is prepared takes it
// and them along; a message that is put before a proc comes at once.
func TestCarriage(t *testing.T) {
	s := newStage(3, func(p core.Proc, in core.Input) []core.Effect {
		if in.Kind == core.Start && p == 0 {
			return []core.Effect{send(1, "slow", 100), send(1, "behind", 0), send(2, "aside", 0)}
		}
		return nil
	})
	c := emulate.Config{Costs: emulate.Costs{Between: emulate.Link{Latency: time.Second,
		Rate: 1000, Chunk: 10}, Restart: time.Hour},
		Carry: func(_ *emulate.Run, _, _ core.Proc, m core.Message) (w emulate.Carriage) {
			if m.(*parcel).Name == "slow" {
				w.Wait, w.Rate = 2*time.Second, 50
			}
			return w
		}}
	// it leaves at 2 s, takes 2 s at its own rate, and 1 s of latency
	want(t, s.play(t, c, func(r *emulate.Run) {
		r.After(500*time.Millisecond, func() { r.Tell(0, 2, &parcel{Name: "told"}) })
	}), `500ms p2 told from p0
		1s p2 aside from p0
		5s p1 slow from p0
		5s p1 behind from p0`)
	c.Costs.Restart = 0
	want(t, s.play(t, c, func(r *emulate.Run) {
		r.After(1500*time.Millisecond, func() { r.Crash(0) })
	}), `1s p2 aside from p0
		1.5s p0 restart as incarnation 1 on p0`)
	// within a node there is no card: it takes the longer of both, 2 s and 5 s
	for rate, text := range map[int64]string{1000: `1s p2 aside from p0
		5s p1 slow from p0
		5s p1 behind from p0`, 20: `1s p2 aside from p0
		8s p1 slow from p0
		8s p1 behind from p0`} {
		c.PerNode, c.Costs.Within = 3, emulate.Link{Latency: time.Second, Rate: rate}
		want(t, s.play(t, c, nil), text)
	}
}

// idler is an actor with two steps that it may take, and counts which it takes.
type idler struct {
	actor
	taken *[]core.Choice
}

func (m *idler) Choices(buf []core.Choice) []core.Choice { return append(buf, 3, 7) }

func (m *idler) Step(in core.Input, out []core.Effect) []core.Effect {
	if in.Kind == core.Advance {
		*m.taken = append(*m.taken, in.Choice)
	}
	return out
}

// Aim: whoever watches the run says which step is taken and when; nobody takes one otherwise.
func TestChoose(t *testing.T) {
	s := newStage(1, nil)
	var taken []core.Choice
	s.setup.New = func(core.Proc) core.Machine { return &idler{taken: &taken} }
	left := 0
	s.play(t, emulate.Config{Choose: func(_ *emulate.Run, _ core.Proc, list []core.Choice) (
		core.Choice, bool) {
		left--
		return list[1], left >= 0
	}}, func(r *emulate.Run) {
		r.After(time.Second, func() {
			left = 2
			r.Wake(0)
		})
	})
	if len(taken) != 2 || taken[0] != 7 || taken[1] != 7 {
		t.Errorf("steps %v are taken, want the second one twice", taken)
	}
}
