package kootoueg_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/baseline/kootoueg"
)

// TestRing: with one token round behind the last images, a failure takes every rank of a ring back,
// and none outside of it. The ranks run over channels in order, one message after another; who goes
// back restarts without records, as it has none.
func TestRing(t *testing.T) {
	for ring := 2; ring <= 5; ring++ {
		if got := goneBack(t, ring); got[ring] != 0 || len(got) != ring+1 {
			t.Errorf("ring of %d: gone back %v, want nobody outside", ring, got)
		} else {
			for r, times := range got[1:ring] {
				if times != 1 {
					t.Errorf("ring of %d: rank %d goes back %d times, want 1", ring, r+1, times)
				}
			}
		}
	}
}

// goneBack runs a ring and a rank that talks to nobody, fails rank 0, and counts who goes back.
func goneBack(t *testing.T, ring int) []int {
	lines := []string{"p0: send p1; recv p" + fmt.Sprint(ring-1)}
	for r := 1; r < ring; r++ {
		lines = append(lines, fmt.Sprintf("p%d: recv p%d; send p%d", r, r-1, (r+1)%ring))
	}
	lines = append(lines, fmt.Sprintf("p%d: output", ring))
	layout, programs := parse(t, strings.Join(lines, "\n"))
	s, err := kootoueg.Protocol.Setup(protocol.Request{Layout: layout, Programs: programs})
	if err != nil {
		t.Fatal(err)
	}
	n := ring + 1
	machines, lives, back := make([]core.Machine, n), make([]core.Incarnation, n), make([]int, n)
	type sent struct {
		from, to core.Proc
		message  core.Message
	}
	var network []sent
	var step func(p core.Proc, in core.Input)
	restart := func(p core.Proc) {
		lives[p]++
		machines[p] = s.New(p)
		step(p, core.Input{Kind: core.Restore, Incarnation: lives[p]})
	}
	step = func(p core.Proc, in core.Input) {
		for _, e := range machines[p].Step(in, nil) {
			switch e.Kind {
			case core.SendMessage:
				m := s.NewMessage()
				core.CloneMessage(e.Message, m)
				network = append(network, sent{p, e.To, m})
			case core.Rollback:
				back[p]++
				restart(p)
			}
		}
	}
	deliver := func() {
		for len(network) > 0 {
			m := network[0]
			network = network[1:]
			step(m.to, core.Input{Kind: core.Received, From: m.from, Message: m.message})
		}
	}
	for p := range machines {
		machines[p] = s.New(core.Proc(p))
		step(core.Proc(p), core.Input{Kind: core.Start})
	}
	for moved := true; moved; {
		moved = false
		for p := range machines {
			if c := machines[p].Choices(nil); len(c) > 0 {
				step(core.Proc(p), core.Input{Kind: core.Advance, Choice: c[0]})
				moved = true
			}
			deliver()
		}
	}
	restart(0)
	deliver()
	return back
}
