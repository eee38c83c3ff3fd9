package induced_test

import (
	"math/rand/v2"
	"testing"

	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/baseline/induced"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/order"
	"github.com/domino-check/domino/spec/trace"
)

// TestNoneUseless draws runs without failures, and asks of every image whether some consistent line
// has it: by either rule one has. Messages cross, and are received late, behind sends.
func TestNoneUseless(t *testing.T) {
	const text = "a: checkpoint; send b; send c; recv b; checkpoint; recv c; send b\n" +
		"b: send a; checkpoint; recv c; send c; recv a; recv a\n" +
		"c: send b; recv a; send a; checkpoint; recv b"
	names, programs, err := script.Parse(text, 1)
	if err != nil {
		t.Fatal(err)
	}
	images := 0
	for _, options := range []string{"rule=index", "rule=vector"} {
		p := induced.Protocol
		setup, err := p.Make(protocol.Request{Programs: programs, Options: options,
			Layout: trace.Layout{Names: names, Ranks: 3}})
		if err != nil {
			t.Fatal(err)
		}
		var m fault.Model
		w, err := world.New(world.Config{Setup: setup, Model: m,
			Facts: world.FactsOf(setup, &m, nil)})
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(60) {
			points := pointsOf(t, w, rand.New(rand.NewPCG(seed, 0)), names)
			lines := order.NewLines(&setup.Layout, points)
			for r := range points {
				for place := range points[r] {
					images++
					if lines.Useless(trace.Rank(r), place) {
						t.Fatalf("%s seed %d: image %d of %s is in no consistent line", options,
							seed, place, names[r])
					}
				}
			}
		}
	}
	if images < 1500 {
		t.Errorf("%d images, want at least 1,500: the test looks at nothing", images)
	}
}

// pointsOf are the beginnings, images and ends of a random run.
func pointsOf(t *testing.T, w *world.World, r *rand.Rand, names []string) [][]*trace.History {
	t.Helper()
	run, err := w.Replay(nil)
	if err != nil {
		t.Fatal(err)
	}
	var schedule []string
	for state := run.States[0]; ; {
		texts, x := w.Enabled(state)
		if len(texts) == 0 {
			break
		}
		next := r.IntN(len(texts))
		schedule = append(schedule, texts[next])
		state = x.State(next, nil)
	}
	if run, err = w.Replay(schedule); err != nil || run.Violation != nil {
		t.Fatal(err, run.Violation)
	}
	now, points := make([]trace.History, len(names)), make([][]*trace.History, len(names))
	for i := range names {
		points[i] = append(points[i], new(trace.History))
	}
	for _, e := range run.Trace.Events {
		if int(e.Proc) >= len(names) {
			continue
		}
		now[e.Proc].Apply(e)
		if e.Kind == trace.Imaged {
			points[e.Proc] = append(points[e.Proc], now[e.Proc].Line(e.Sent, e.Received))
		}
	}
	for i := range names {
		points[i] = append(points[i], &now[i])
	}
	return points
}
