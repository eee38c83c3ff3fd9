package app

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/spec/trace"
)

// TestParseSpoils reads damage to disks.
func TestParseSpoils(t *testing.T) {
	setup := &core.Setup{Layout: core.Layout{Names: []string{"a", "store"}}}
	tests := []struct{ text, want string }{
		{"store@3", ""}, {"store", "want PROC@N"}, {"store@-1", "want PROC@N"},
		{"store@soon", "want PROC@N"}, {"shop@3", `no proc "shop", there are a store`},
	}
	for _, tt := range tests {
		list, err := parseSpoils(plan.Full, []string{tt.text}, setup)
		if tt.want == "" {
			want := []plan.Spoil{{Proc: 1, After: 3, What: plan.Full}}
			if diff := cmp.Diff(want, list); diff != "" || err != nil {
				t.Errorf("%s: %v (-want +got):\n%s", tt.text, err, diff)
			}
		} else if err == nil || !strings.Contains(err.Error(), tt.want) ||
			!strings.HasPrefix(err.Error(), "--disk-full "+tt.text) {
			t.Errorf("%s: %v, want %s", tt.text, err, tt.want)
		}
	}
}

// TestPhase: of the failures of a plan some strike behind a phase that was seen in runs, as often
// as it was seen, and none is lost.
func TestPhase(t *testing.T) {
	r := &cluster.Result{}
	for _, e := range []trace.Event{{Kind: trace.Ruled, Proc: 3, Text: "opened"},
		{Kind: trace.Ruled, Proc: 3, Text: "opened"}, {Kind: trace.Snapped, Proc: 1, Text: "taken"},
		{Kind: trace.Declared, Proc: 1, Text: "else"}} {
		r.Trace.Events = append(r.Trace.Events, e)
	}
	seen := phases{}
	seen.note(r)
	seen.note(&cluster.Result{})
	rng, got := rand.New(rand.NewPCG(1, 1)), map[string]int{}
	for range 200 {
		k := strikes{Plan: plan.Plan{Failures: []plan.Failure{{Victims: []core.Proc{0}},
			{Victims: []core.Proc{1}}}}}
		k.phase(rng, seen, seen)
		if n := len(k.Plan.Failures) + len(k.Reached); n != 2 {
			t.Fatalf("%d failures of 2", n)
		}
		early := strikes{Plan: plan.Plan{Failures: k.Plan.Failures}}
		if early.phase(rng, nil, seen); len(k.Plan.Failures) > 0 && len(early.Plan.Failures) == 0 {
			t.Fatal("the first failure strikes behind a phase of runs with failures")
		}
		for _, r := range k.Reached {
			got[fmt.Sprint(r.By, r.What, r.Word, r.Number)]++
		}
	}
	for _, want := range []string{fmt.Sprint(1, cluster.Said, "taken", 1),
		fmt.Sprint(3, cluster.Said, "opened", 1), fmt.Sprint(3, cluster.Said, "opened", 2)} {
		if got[want] == 0 {
			t.Errorf("%s does not come up", want)
		}
		delete(got, want)
	}
	if len(got) > 0 {
		t.Errorf("phases that were not seen: %v", got)
	}
}

// TestEpisodeTally: the table has a line for each policy, with the episodes that were resumed.
func TestEpisodeTally(t *testing.T) {
	const ms = time.Millisecond
	var tally episodeTallies
	var out strings.Builder
	if err := tally.print(&out); err != nil || out.Len() > 0 {
		t.Errorf("of no episodes %q %v", out.String(), err)
	}
	list := []cluster.Episode{{Number: 1, Owner: "light"},
		{Number: 2, Owner: "autor", Resumed: true, Steps: [cluster.Steps]time.Duration{ms, 2 * ms}}}
	tally.note(list)
	tally.note(list[1:])
	if err := tally.print(&out); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(out.String()) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	want := []string{"",
		"policy episodes resumed detect stabilise select fence restore connect all",
		"autor 2 2 1ms 1ms 1ms 2ms 2ms 2ms - - - - 3ms 3ms 3ms", "light 1 0 - - - - - - -"}
	if diff := cmp.Diff(want, lines[:4]); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	out.Reset()
	printEpisodes(&out, &core.Layout{Names: []string{"a", "N1"}}, []cluster.Episode{
		{Number: 2, Failed: []core.Proc{1}, Owner: "autor", Resumed: true,
			Steps: [cluster.Steps]time.Duration{ms, 0, 2 * ms}}, {Number: 3}})
	if got, want := out.String(), "episode 2: N1, by autor: detect 1ms, select 2ms, resumed after "+
		"3ms\nepisode 3: , by nobody: it was overtaken, or gave up after 0s\n"; got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
