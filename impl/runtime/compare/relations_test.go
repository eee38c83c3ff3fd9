package compare_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/impl/runtime/compare"
)

// logging are protocols that replay what was received, alone.
var logging = []string{"pessimistic", "sbml", "rbml", "hmpl"}

// TestMoreImages: the more images, the less is lost. Each plan has all instants of the one before.
// It is asked of protocols of which an image holds nothing up: where it does, as in those of RADIC,
// the program is elsewhere when the failure comes.
func TestMoreImages(t *testing.T) {
	effort.Seconds(t)
	for _, protocol := range []string{"pessimistic", "manetho keep=store", "manetho keep=family",
		"optimistic"} {
		for _, shape := range []string{"ring 4 12", "stencil 4 30"} {
			for _, at := range []string{"2ms", "3.1ms", "4.3ms"} {
				last := 1 << 30
				for _, every := range []string{"", "images every 2.7ms together; ",
					"images every 900\u00b5s together; ", "images every 300\u00b5s together; "} {
					f := play(t, fmt.Sprintf("%s; program %s; %sfail r1 at %s", protocol, shape,
						every, at))
					if len(f.Losses) != 1 {
						t.Fatalf("%s: %+v", f.Case, f.Losses)
					}
					lost := f.Losses[0].All()
					if lost > last {
						t.Errorf("%s: %d lost, and %d with fewer images", f.Case, lost, last)
					}
					last = lost
				}
			}
		}
	}
}

// TestSameResults: programs without races end with the same results under every protocol that
// replays, whatever fails, and however long messages take.
func TestSameResults(t *testing.T) {
	for _, shape := range []string{"ring 4 6", "stencil 4 10", "all-to-all 4 4", "reduction 4 4"} {
		want := play(t, "none; program "+shape).Finals
		for _, protocol := range append([]string{"causal", "coordinated", "induced",
			"uncoordinated"}, logging...) {
			images := "images every 700\u00b5s"
			if protocol == "causal" {
				images = "images of the program 2"
			}
			for seed := 1; seed < 4; seed++ {
				f := play(t, fmt.Sprintf("%s; program %s; %s; fail r%d at 1ms; write 50\u00b5s; "+
					"seed %d", protocol, shape, images, seed, seed))
				if diff := cmp.Diff(want, f.Finals); diff != "" || !f.Ended {
					t.Errorf("%s (-without a protocol +got):\n%s", f.Case, diff)
				}
			}
		}
	}
}

// TestMoreFailures: who survives more failures at a time carries no less.
func TestMoreFailures(t *testing.T) {
	for _, shape := range []string{"ring 5 6", "stencil 5 10", "all-to-all 5 4",
		"master-worker 5 4"} {
		var last compare.Load
		for f := 1; f < 4; f++ {
			l := compare.Carried(play(t, fmt.Sprintf("causal; program %s; tolerates %d", shape, f)))
			if l.Mean < last.Mean || l.Max < last.Max {
				t.Errorf("%s: %+v with f = %d, %+v with one less", shape, l, f, last)
			}
			last = l
		}
	}
}

// TestDominoGrows: two ranks with independent images lose all that they have done, however often
// they take one: each sends and receives once a turn, and there is one message more, so 4k + 2.
// Nobody else loses more with more turns.
func TestDominoGrows(t *testing.T) {
	list := []int{1, 2, 3, 5, 8}
	if effort.Long() {
		list = append(list, 4, 13, 21, 34, 50)
	}
	for _, name := range []string{"uncoordinated", "induced", "pessimistic"} {
		p, err := all.Protocols().Find(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range list {
			d, err := compare.Domino(t.Context(), &compare.Case{Protocol: p}, k)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case d.Done != 4*k+2:
				t.Errorf("%s: %d sends and receptions of %d turns", name, d.Done, k)
			case name == "uncoordinated" && d.Lost != d.Done:
				t.Errorf("%s: %d of %d lost", name, d.Lost, d.Done)
			case name != "uncoordinated" && d.Lost > 4:
				t.Errorf("%s: %d lost of %d turns", name, d.Lost, k)
			}
		}
	}
}

// measure is a row with groups.
func measure(t *testing.T, protocol string, groups [][]core.Rank) *compare.Study {
	t.Helper()
	s, err := compare.Measure(t.Context(), compare.Row{Table: "2", Paper: "[test]",
		Protocol: protocol, Grouped: groups != nil}, compare.Scale{Ranks: 4, Groups: groups,
		Programs: []string{"ring"}}, all.Protocols())
	if err != nil {
		t.Fatal(err)
	}
	if s.Why != "" {
		t.Fatalf("%s: %s", protocol, s.Why)
	}
	return s
}

// compositions are hierarchical protocols, what each has inside its groups, and between them. That
// of Monnet is not among them: its groups commit an image in more steps than a flat protocol.
var compositions = [][3]string{
	{"teams", "coordinated style=markers", "pessimistic"},
	{"yang", "coordinated style=markers", "pessimistic"},
	{"vaidya", "coordinated style=markers", "optimistic"},
	{"causal-teams", "coordinated style=markers", "manetho keep=family"},
}

// TestCompositions: a run of a hierarchical protocol with one group shows the same as one of what
// it has inside, with groups of one as one of what it has between: times, messages, images, writes,
// logs and what a failure costs.
func TestCompositions(t *testing.T) {
	for _, c := range compositions {
		for i, groups := range []string{"r0 r1 r2 r3", "r0 | r1 | r2 | r3"} {
			for _, shape := range []string{"ring 4 8", "stencil 4 12", "all-to-all 4 4"} {
				var both []*compare.Facts
				for _, protocol := range []string{c[0], c[1+i]} {
					f := play(t, fmt.Sprintf("%s; program %s; groups %s; images every 900\u00b5s; "+
						"fail r1 at 1.3ms; write 50\u00b5s; seed 1", protocol, shape, groups))
					f.Case = nil
					for j := range f.Writes {
						f.Writes[j].Key = ""
					}
					f.Messages = nil
					both = append(both, f)
				}
				if diff := cmp.Diff(both[1], both[0]); diff != "" {
					t.Errorf("%s, %s, %s (-%s +%s):\n%s", c[0], shape, groups, c[1+i], c[0], diff)
				}
			}
		}
	}
}

// TestCompositionsMeasure is the same of all cells.
func TestCompositionsMeasure(t *testing.T) {
	if !effort.Long() {
		t.Skip("takes a minute: " + effort.More)
	}
	for i, groups := range [][][]core.Rank{{{0, 1, 2, 3}}, {{0}, {1}, {2}, {3}}} {
		parts := map[string]*compare.Study{} // what several have inside is measured once
		for _, c := range compositions {
			study := measure(t, c[0], groups)
			if parts[c[1+i]] == nil {
				parts[c[1+i]] = measure(t, c[1+i], groups)
			}
			for j, want := range parts[c[1+i]].Cells {
				got := study.Cells[j]
				if got.Value != want.Value || got.Figures != want.Figures {
					t.Errorf("%s, %s, %s: %s (%s), want %s (%s)", c[0], c[1+i], want.Column,
						got.Value, got.Figures, want.Value, want.Figures)
				}
			}
		}
	}
}

// TestEqualInstants: epochs that begin at the same place of all programs, where nothing is on its
// way, cross no message, so nothing is logged; with images at instants of their own some is.
func TestEqualInstants(t *testing.T) {
	for _, shape := range []string{"stencil 4 12", "all-to-all 4 6", "ring 4 6"} {
		f := play(t, "epochs; program "+shape+"; images of the program 3")
		if k := f.Log; k.Intra+k.Inter > 0 || len(f.Images) == 0 {
			t.Errorf("%s: %+v, %d images", f.Case, k, len(f.Images))
		}
	}
	f := play(t, "epochs; program stencil 4 12; images every 700\u00b5s")
	if f.Log.Inter == 0 {
		t.Errorf("%s: %+v", f.Case, f.Log)
	}
}
