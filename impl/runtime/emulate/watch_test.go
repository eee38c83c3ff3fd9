package emulate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/emulate"
	"github.com/domino-check/domino/spec/trace"
)

func watch(p core.Proc) core.Effect { return core.Effect{Kind: core.Watch, To: p} }

// Aim: watchdogs about p2, which stops after 10.3 s and is up again 2 s later, to the nanosecond. A
// trip takes 250 ms with the overheads on both sides, and silence 5 s. Signs of life come every
// second, so the last one leaves at 10 s: p0 hears it at 10.25 s. p1 starts its watchdog at 10.28 s
// again, after that one, and waits 5 s from then on; p3 has stopped its own; p4 starts one at 11 s,
// when p2 is down, and gets it though p2 is up by then; p5 starts one at 13 s, about the new life,
// and hears nothing until p2 stops again at 20.4 s: the signs of its second life come every second
// since 12.3 s, the last one at 20.3 s. Without a period signs of life go on to the end.
func TestWatchdogs(t *testing.T) {
	at := map[core.Proc]time.Duration{1: 10280 * time.Millisecond, 3: 10 * time.Second,
		4: 11 * time.Second, 5: 13 * time.Second}
	for every, lines := range map[time.Duration]string{
		time.Second: `12.3s p2 restart as incarnation 1 on p2
			15.25s p0 silence of p2
			15.28s p1 silence of p2
			16s p4 silence of p2
			22.4s p2 restart as incarnation 2 on p2
			25.55s p5 silence of p2`,
		0: `12.3s p2 restart as incarnation 1 on p2
			15.55s p0 silence of p2
			15.55s p1 silence of p2
			16s p4 silence of p2
			22.4s p2 restart as incarnation 2 on p2
			25.65s p5 silence of p2`} {
		s := newStage(6, func(p core.Proc, in core.Input) []core.Effect {
			switch {
			case in.Kind == core.Start && (p < 2 || p == 3):
				return []core.Effect{watch(2)}
			case in.Kind == core.Checkpoint && p == 3:
				return []core.Effect{{Kind: core.Unwatch, To: 2}}
			case in.Kind == core.Checkpoint:
				return []core.Effect{watch(2)}
			}
			return nil
		})
		s.setup.Watchdogs = true
		got := s.play(t, emulate.Config{Costs: emulate.Costs{Heartbeat: every,
			Watchdog: 5 * time.Second, Restart: 2 * time.Second,
			Between: emulate.Link{Latency: 50 * time.Millisecond,
				Overhead: 100 * time.Millisecond}}}, func(r *emulate.Run) {
			for p, when := range at {
				r.After(when, func() { r.Request(p) })
			}
			r.After(10300*time.Millisecond, func() { r.Crash(2) })
			r.After(20400*time.Millisecond, func() { r.Crash(2) })
		})
		var heard []string
		for _, line := range got {
			if !strings.Contains(line, "checkpoint") {
				heard = append(heard, line)
			}
		}
		want(t, heard, lines)
	}
}

// Aim: who is adopted starts on the node of who has adopted it, a launch later, and again when it
// fails alone there; it stops with that node, and then nowhere; one that is disowned, or whose new
// node fails before it has started, waits for the next one to adopt it.
func TestAdoption(t *testing.T) {
	tell := func(what trace.Kind) core.Effect {
		return core.Effect{Kind: core.Declare, What: what, To: 0}
	}
	s := newStage(3, func(p core.Proc, in core.Input) []core.Effect {
		switch {
		case in.Kind == core.Start && p == 1, in.Kind == core.Checkpoint:
			return []core.Effect{tell(trace.Adopted)}
		case in.Kind == core.Received:
			return []core.Effect{tell(trace.Disowned)}
		}
		return nil
	})
	s.setup.Layout.Hosted = map[core.Proc]bool{0: true, 1: false, 2: false}
	got := s.play(t, emulate.Config{Costs: emulate.Costs{Restart: 3 * time.Second,
		Launch: time.Second}}, func(r *emulate.Run) {
		r.After(1*time.Second, func() { r.Crash(0) }) // up at 4 s, on p1
		r.After(5*time.Second, func() { r.Crash(1) }) // with p0, which waits
		r.After(20*time.Second, func() { r.Request(2) })
	})
	want(t, got, `4s p0 restart as incarnation 1 on p1
		20s p2 checkpoint request
		21s p0 restart as incarnation 2 on p2`)
	got = s.play(t, emulate.Config{Costs: emulate.Costs{Launch: 2 * time.Second}},
		func(r *emulate.Run) {
			r.After(1*time.Second, func() { r.Crash(1) })
			r.After(2*time.Second, func() { r.Request(2) })
			r.After(3*time.Second, func() { r.Tell(0, 2, &parcel{Name: "no"}) }) // disowned
		})
	want(t, got, `2s p2 checkpoint request
		3s p2 no from p0`)
}
