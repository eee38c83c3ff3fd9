package figure_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/spec/report/figure"
)

// shown are the elements of a figure.
func shown(t *testing.T, name string, o figure.Options) []element {
	t.Helper()
	list, err := elements(document(t, figure.Layout(stored(t, name), o)))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestH10 looks for what a reader has to find in the figure of H10: two lives that were undone, the
// line at the start that their restarts go back to, the orphan m3, the accused m7 and m2, which is
// missing.
func TestH10(t *testing.T) {
	for _, o := range []figure.Orientation{figure.Across, figure.Down} {
		undone := 0
		found := map[string]bool{}
		for _, e := range shown(t, "h10", figure.Options{Orientation: o}) {
			switch {
			case e.class == "l lh" && !e.moved: // the legend is moved
				undone++
			case e.name == "g" && e.class == "rl":
				found[e.title] = true
			case e.name == "g" && strings.HasPrefix(e.class, "m or"):
				found["orphan: "+e.title] = true
			case e.name == "g" && strings.HasPrefix(e.class, "m v"):
				found["accused: "+e.title] = true
			case e.name == "g" && e.role != "":
				found[e.role+": "+e.title] = true
			}
		}
		if undone != 2 {
			t.Errorf("%d undone lives, want 2", undone)
		}
		for _, want := range []string{
			"recovery line: x at 0 sent, 0 received, y at 0 sent, 0 received",
			"orphan: m3 from y to c (App), sent in step 4, arrived in step 5, received in " +
				"step 6, an orphan since a restart in step 11",
			"accused: m7 from d to y (App), sent in step 28, still on its way",
			"missing: m2 missing",
			"culprit: m7 leaves d although it depends on m2, which x has not sent again",
		} {
			if !found[want] {
				t.Errorf("nothing shows %q in %v", want, found)
			}
		}
	}
}

// TestRelevant: the protocol messages that lead to the violation are there unasked, and no others;
// of a run that is stuck in a recovery all are.
func TestRelevant(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"h13-clock", "Acknowledge"},
		{"m10", "LogData LogFetch Pull Suppress"},
		{"causal-s1", "Answer Answer Recover Recover Recover Recover"},
		{"h10", ""},
	} {
		var kinds []string
		for _, e := range shown(t, tt.name, figure.Options{}) {
			if e.name == "g" && slices.Contains(strings.Fields(e.class), "c") && e.title != "" &&
				strings.Contains(e.title, " from ") && !strings.HasPrefix(e.title, "step") {
				kind, _, _ := strings.Cut(e.title, " ")
				kinds = append(kinds, kind)
			}
		}
		slices.Sort(kinds)
		if got := strings.Join(kinds, " "); got != tt.want {
			t.Errorf("%s shows %q, want %q", tt.name, got, tt.want)
		}
	}
}
