package verify_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/checker/world"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/scenarios"
)

// waited are kept runs, and behind some of their steps what everybody waits for, as the papers have
// it: who has failed waits for whoever coordinates, that for the answers to what it has asked.
var waited = map[string]map[int][]string{
	"epochs-on-its-way": {
		2: nil,
		4: {"a: the beginning of a recovery round of RP"},
		9: {"a: leave to go on, or to go back, in round 0.1 of RP",
			"c: leave to go on, or to go back, in round 0.1 of RP",
			"k: leave to go on, or to go back, in round 0.1 of RP",
			"RP: the report in round 0.1 of c, k"},
	},
	"m10": {4: {"p0: its image and its log of Lp0"}, 6: nil},
	"m28-rejoin": {
		2:  {"N2: a sign of life of N3"},
		5:  nil,
		8:  {"Lb: an image of its rank, as it has lost what it had of b"},
		18: {"N2: word that it has adopted the ranks of a dead node of S1"},
		22: {"b: its image and its log of Lb", "a: word where rank 0 runs of N3",
			"N2: word that it has adopted the ranks of a dead node of S1"},
	},
	"w9": {
		3: {"a: the end of the pause for snapshot 1.0 of head",
			"head: the part of snapshot 1.0 of N1"},
		8:  nil,
		33: {"head: word that the lost are stopped of N1"},
		36: {"head: stable storage to have what it has decided"},
		37: {"head: word that nothing runs there any more of N1"},
		48: {"a: leave to run, after its restart of head", "head: word that it runs again of a"},
	},
	"coordinated-early": {
		3: {"a: the marker of checkpoint 1 of b"},
		5: {"a: the marker of checkpoint 1 of b", "b: the commit of checkpoint 1 of a"},
		7: {"a: word that all images of checkpoint 1 are stable, as 1 of 2 are",
			"b: the commit of checkpoint 1 of a"},
		9: {"a: stable storage to have checkpoint 1 as the line",
			"b: the commit of checkpoint 1 of a"},
	},
	"crmig-m5": {
		5: {"a: the marker of the pause for move 1 of b",
			"b: the end of the pause for move 1 of head",
			"head: what it has to bring to a pause, or an image of a, b"},
		12: {"a: the end of the pause for move 1 of head",
			"b: the end of the pause for move 1 of head",
			"head: word that the old ranks are stopped of N2"},
		17: {"a: the end of the pause for move 1 of head",
			"b: leave to run, after its restart of head", "head: word that it runs again of b"},
		26: nil,
	},
}

// TestWaits asks everybody behind steps of kept runs. What a program waits for is left out.
func TestWaits(t *testing.T) {
	for name, steps := range waited {
		w, run := kept(t, name)
		names := &w.Setup.Layout
		for k, want := range steps {
			var got []string
			for p := range names.Names {
				for _, wait := range w.Waiting(run.States[k], core.Proc(p)) {
					if wait.What == "a message" || strings.HasPrefix(wait.What, "leave to send ") {
						continue
					}
					text := names.Name(core.Proc(p)) + ": " + wait.What
					if len(wait.From) > 0 {
						text += " of " + strings.ReplaceAll(names.NamesOf(wait.From), " ", ", ")
					}
					got = append(got, text)
					if !slices.IsSorted(wait.From) {
						t.Errorf("%s, step %d: %s is not in order", name, k, text)
					}
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, behind step %d (-want +got):\n%s", name, k, diff)
			}
		}
	}
}

// kept is a run that the package of figures keeps.
func kept(t *testing.T, name string) (*world.World, *world.Run) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	s, err := scenarios.Load(filepath.Join("../../spec/report/figure/testdata/runs", name+".txtar"))
	must(err)
	c, err := verify.NewCatalogue(all.Protocols()...)
	must(err)
	r, err := c.Resolve(s)
	must(err)
	r.Case.Cuts = true
	w, _, err := world.Open(t.Context(), r.Case, checker.Options{})
	must(err)
	if w.Relates(s.Breaks) {
		w.Attempt(nil, "") // what other runs are compared with
	}
	run, err := w.Replay(s.Schedule)
	must(err)
	return w, run
}
