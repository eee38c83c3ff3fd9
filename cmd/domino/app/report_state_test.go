package app

import (
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/spec/report/page"
)

// exhibitOf is the run that a report of a scenario shows.
func exhibitOf(t *testing.T, name string) *exhibit {
	t.Helper()
	std := streams{Catalogue: catalogue()}
	s, err := std.subject(t.Context(), name, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	what, err := std.search(t.Context(), s, name, &reportFlags{})
	if err != nil {
		t.Fatal(err)
	}
	return what
}

// TestAround compares what a report says of the network and of stable storage, step by step, with
// what can happen there and with what has happened: the first message of each channel, and no other
// one, can be delivered where order is kept, and a write that is done is on its way before and
// stable behind.
func TestAround(t *testing.T) {
	for _, name := range []string{"h10", "op8"} {
		what := exhibitOf(t, name)
		names := what.world.Setup.Layout.Names
		states := statesOf(what.world, what.run)
		now := slices.Clone(states.Start)
		deliveries, writes := 0, 0
		for i, event := range what.run.Schedule {
			var heads []string
			for p, l := range now {
				if l.State == nil || string(l.State) == "null" {
					continue // who is down takes nothing
				}
				for _, c := range l.Around.Inbox {
					heads = append(heads, "deliver "+c.From+"->"+names[p]+" "+c.Messages[0])
				}
			}
			possible, _ := what.world.Enabled(what.run.States[i])
			possible = slices.DeleteFunc(possible, func(e string) bool {
				return !strings.HasPrefix(e, "deliver ")
			})
			slices.Sort(heads)
			slices.Sort(possible)
			if !slices.Equal(heads, possible) {
				t.Fatalf("%s: before step %d %q can be delivered, said are %q", name, i+1, possible,
					heads)
			}
			deliveries += len(heads)
			before := slices.Clone(now)
			for _, l := range states.Steps[i] {
				now[l.Proc] = l
			}
			if f := strings.Fields(event); f[0] == "persisted" {
				p := slices.Index(names, f[1])
				if !slices.Contains(before[p].Around.Writing, "write "+f[2]) ||
					!slices.ContainsFunc(now[p].Around.Stable, func(r page.Record) bool {
						return r.Key == f[2] && !r.Torn
					}) {
					t.Errorf("%s: %s: before it %+v, behind %+v", name, event, before[p].Around,
						now[p].Around)
				}
				writes++
			}
		}
		if deliveries == 0 || name == "op8" && writes == 0 {
			t.Errorf("%s: %d deliveries and %d writes were looked at", name, deliveries, writes)
		}
	}
}

// TestJudged: of H10 the property of the erratum is broken in the last step, and with it refines,
// which is about more of the same; those of other protocols do not apply, and the others hold.
func TestJudged(t *testing.T) {
	what := exhibitOf(t, "h10")
	sorts := map[string]int{}
	for _, j := range judgedOf(what.world, what.run) {
		switch {
		case len(j.Broken) > 0 && (!j.Applies || j.Name != what.run.Violation.Property &&
			j.Name != "refines"):
			t.Errorf("%+v, but the run breaks %s", j, what.run.Violation.Property)
		case len(j.Broken) > 0 && !slices.Equal(j.Broken, []int{len(what.run.Schedule)}):
			t.Errorf("%s is broken in steps %v of %d", j.Name, j.Broken, len(what.run.Schedule))
		case len(j.Broken) > 0:
			sorts["broken"]++
		case j.Applies:
			sorts["holds"]++
		default:
			sorts["does not apply"]++
		}
	}
	if sorts["broken"] != 2 || sorts["holds"] == 0 || sorts["does not apply"] == 0 {
		t.Errorf("properties: %v", sorts)
	}
}
