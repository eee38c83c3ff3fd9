package uncoordinated_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/baseline/uncoordinated"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// walk goes on with the first step that is none of the environment's, up to the end, and returns
// the run behind all steps.
func walk(t *testing.T, w *world.World, schedule []string) (*world.Run, []string) {
	t.Helper()
	run, err := w.Replay(schedule)
	if err != nil || run.Violation != nil {
		t.Fatal(err, run.Violation)
	}
	for state := run.States[len(run.States)-1]; ; {
		texts, x := w.Enabled(state)
		next := -1
		for i, text := range texts {
			if !strings.HasPrefix(text, "crash") && !strings.HasPrefix(text, "cut") {
				next = i
				break
			}
		}
		if next < 0 {
			break
		}
		schedule = append(schedule, texts[next])
		state = x.State(next, nil)
	}
	if run, err = w.Replay(schedule); err != nil || run.Violation != nil {
		t.Fatal(err, run.Violation)
	}
	return run, schedule
}

// TestDomino is B1 of the smallest runs: two ranks receive, take an image and send in turn, k
// times, and one of them fails when all is done. The line is the beginning, so everything is lost,
// however many images there are: 2k+1 messages are sent, and received, once more.
func TestDomino(t *testing.T) {
	for k := 1; k <= 6; k++ {
		text, err := script.Generate(fmt.Sprint("domino 2 ", k))
		if err != nil {
			t.Fatal(err)
		}
		names, programs, err := script.Parse(text, 1)
		if err != nil {
			t.Fatal(err)
		}
		p := uncoordinated.Protocol
		setup, err := p.Make(protocol.Request{Programs: programs,
			Layout: trace.Layout{Names: names, Ranks: 2}})
		if err != nil {
			t.Fatal(err)
		}
		m := fault.Model{Failures: 1}
		w, err := world.New(world.Config{Setup: setup, Model: m,
			Facts: world.FactsOf(setup, &m, nil)})
		if err != nil {
			t.Fatal(err)
		}
		_, schedule := walk(t, w, nil)
		run, _ := walk(t, w, append(schedule, "crash r0"))
		images, done, lines := 0, 0, 0
		for _, e := range run.Trace.Events {
			switch e.Kind {
			case trace.Sent, trace.Delivered:
				done++
			case trace.Imaged:
				images++
			case trace.Lined:
				lines++
				if e.Sent+e.Received != 0 || e.Text != trace.LineBack {
					t.Errorf("k %d: the line has %s at %d sent, %d received", k,
						names[e.Peer], e.Sent, e.Received)
				}
			}
		}
		if want := 2 * (2*k + 1); lines != 2 || images != 4*k || done != 2*want {
			t.Errorf("k %d: %d lines, %d images, %d sends and receptions, want 2, %d and %d", k,
				lines, images, done, 4*k, 2*want)
		}
	}
}
