package monnet_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/baseline/coordinated"
	"github.com/domino-check/domino/impl/protocol/baseline/induced"
	"github.com/domino-check/domino/impl/protocol/baseline/monnet"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// ask is a protocol asked to run a program.
func ask(t *testing.T, text, options string, clusters []int) protocol.Request {
	t.Helper()
	names, programs, err := script.Parse(text, 1)
	if err != nil {
		t.Fatal(err)
	}
	return protocol.Request{Programs: programs, Options: options,
		Layout: trace.Layout{Names: names, Ranks: len(names), Clusters: clusters}}
}

// quiet is the run in which nothing fails and always the first possible step is taken.
func quiet(t *testing.T, p protocol.Protocol, r protocol.Request) *world.Run {
	t.Helper()
	setup, err := p.Make(r)
	if err != nil {
		t.Fatal(err)
	}
	var m fault.Model
	w, err := world.New(world.Config{Setup: setup, Model: m, Facts: world.FactsOf(setup, &m, nil)})
	if err != nil {
		t.Fatal(err)
	}
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
		schedule = append(schedule, texts[0])
		state = x.State(0, nil)
	}
	if run, err = w.Replay(schedule); err != nil || run.Violation != nil {
		t.Fatal(err, run.Violation)
	}
	return run
}

// TestPingPong is B15 of the smallest runs: two groups of two answer each other, and every message
// forces a checkpoint of the group that receives it: k messages, k checkpoints, 2k images.
func TestPingPong(t *testing.T) {
	for k := 1; k <= 5; k++ {
		text := fmt.Sprintf("a: loop %d; send c; recv c; end\nb:\n"+
			"c: loop %d; recv a; send a; end\nd:", k, k)
		run := quiet(t, monnet.Protocol, ask(t, text, "", []int{0, 0, 1, 1}))
		forced, images := 0, 0
		for _, e := range run.Trace.Events {
			if e.Kind == trace.Imaged {
				images++
				if e.Text == trace.ImageForced {
					forced++
				}
			}
		}
		if forced != 2*k || images != 4*k {
			t.Errorf("%d messages: %d checkpoints are forced, of %d images; want %d and %d", 2*k,
				forced, images, 2*k, 4*k)
		}
	}
}

// messages counts what is sent in a run, by kind, without what the recovery process gets.
func messages(run *world.Run) map[string]int {
	count := map[string]int{}
	for _, e := range run.Trace.Events {
		if e.Kind == trace.Emitted && int(e.Peer) < run.Trace.Layout.Ranks &&
			int(e.Proc) < run.Trace.Layout.Ranks {
			kind, _, _ := strings.Cut(e.Text, " ")
			count[kind]++
		}
	}
	return count
}

// TestOneGroup: with one group it sends the messages of coordinated between ranks. States can not
// be as many: here the recovery process hears of images, and opens a round behind a failure.
func TestOneGroup(t *testing.T) {
	const text = "a: send b; checkpoint; recv b\nb: recv a; send a; send c\nc: recv b"
	flat := messages(quiet(t, coordinated.Protocol, ask(t, text, "style=markers", nil)))
	group := messages(quiet(t, monnet.Protocol, ask(t, text, "", []int{0, 0, 0})))
	if diff := cmp.Diff(flat, group); diff != "" {
		t.Errorf("coordinated and one group (-coordinated +monnet):\n%s", diff)
	}
}

// TestAlone: with every rank alone its runs are those of induced with rule=vector, event by event.
func TestAlone(t *testing.T) {
	const text = "a: send b; checkpoint; recv b; send c\nb: recv a; send a; checkpoint\nc: recv a"
	flat := quiet(t, induced.Protocol, ask(t, text, "rule=vector", nil))
	alone := quiet(t, monnet.Protocol, ask(t, text, "", nil))
	if diff := cmp.Diff(flat.Trace.Events, alone.Trace.Events); diff != "" {
		t.Errorf("induced and alone (-induced +monnet):\n%s", diff)
	}
}

// TestRefused: groups that are not of all ranks are refused, at the place where they are written.
func TestRefused(t *testing.T) {
	for _, clusters := range [][]int{{0}, {0, 0, 1}, {0, -1}} {
		_, err := monnet.Protocol.Setup(ask(t, "a: send b\nb: recv a", "", clusters))
		choice, ok := err.(*core.ChoiceError)
		if !ok || choice.Key != "clusters" {
			t.Errorf("%v: %v", clusters, err)
		}
	}
	r := ask(t, "RP: send b\nb: recv RP", "", nil)
	if _, err := monnet.Protocol.Setup(r); err == nil || !strings.Contains(err.Error(), "RP") {
		t.Errorf("a rank called RP: %v", err)
	}
	if err := induced.Protocol.Options("rule=none"); err == nil ||
		!strings.Contains(err.Error(), "want index or vector") {
		t.Errorf("unknown rule: %v", err)
	}
}
