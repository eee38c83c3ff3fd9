package spec_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

func never(*spec.Facts, spec.View, trace.Event) string { return "" }

func neverEnds(*spec.Facts, spec.View) string { return "" }

func forgets(*spec.Facts, *string, trace.Event) string { return "" }

var nothing = &spec.Remembers[string]{Observe: forgets}

// Aim: a property that could not be asked is refused, in words that name it. Method: each thing
// that can be missing or wrong, and a property of each kind that is whole.
func TestOwnPropertiesAreChecked(t *testing.T) {
	seen := []trace.Kind{trace.Sent}
	looks := func(*spec.Facts, spec.View, *string, trace.Event) string { return "" }
	tests := []struct {
		name string
		own  []spec.Property
		want string // part of the error, "" for none
	}{
		{"each kind", []spec.Property{
			{Name: "one", Kind: spec.Always, Event: never},
			{Name: "two", Kind: spec.Sometimes, Event: never},
			{Name: "three", Kind: spec.Final, End: neverEnds},
			{Name: "four", Kind: spec.Monitor, Watched: seen, Memory: nothing},
			{Name: "five", Kind: spec.Pair, Relate: func(*spec.Facts, spec.View,
				trace.Event) (key, value string) {
				return "", ""
			}},
		}, ""},
		{"no name", []spec.Property{{Doc: "all is well", Kind: spec.Always, Event: never}},
			`a property has no name (its words are "all is well")`},
		{"two words", []spec.Property{{Name: "all well", Kind: spec.Always, Event: never}},
			`property "all well" has a name that no list can hold`},
		{"no kind", []spec.Property{{Name: "mine", Event: never}}, `property "mine" has no kind`},
		{"odd kind", []spec.Property{{Name: "mine", Kind: 99, Event: never}},
			`property "mine" has no kind`},
		{"no function", []spec.Property{{Name: "mine", Kind: spec.Final}},
			`property "mine" is of the kind final and has no function End`},
		{"another function", []spec.Property{{Name: "mine", Kind: spec.Final, Event: never}},
			`property "mine" is of the kind final and has no function End`},
		{"two functions", []spec.Property{{Name: "mine", Kind: spec.Always, Event: never,
			End: neverEnds}},
			`property "mine" is of the kind always and has a function End, which is of the kind final`},
		{"no kinds to watch", []spec.Property{{Name: "mine", Kind: spec.Monitor,
			Memory: nothing}}, `property "mine" is of the kind monitor and watches 0 kinds of event`},
		{"crashes", []spec.Property{{Name: "mine", Kind: spec.Monitor, Memory: nothing,
			Watched: []trace.Kind{trace.Crashed}}}, `property "mine" watches crashed`},
		{"looks at what it does not watch", []spec.Property{{Name: "mine", Kind: spec.Monitor,
			Memory: &spec.Remembers[string]{Observe: forgets, Look: looks}, Watched: seen,
			Looked: []trace.Kind{trace.Stored}}},
			`property "mine" looks at stored and does not watch it`},
		{"looks with nothing", []spec.Property{{Name: "mine", Kind: spec.Monitor,
			Memory: nothing, Watched: seen, Looked: seen}},
			`property "mine" is of the kind monitor and looks at 1 kinds of event`},
		{"looks without a memory", []spec.Property{{Name: "mine", Kind: spec.Always, Event: never,
			Looked: seen}}, `property "mine" is of the kind always and looks at 1 kinds of event`},
		{"another memory", []spec.Property{{Name: "mine", Kind: spec.Always, Event: never,
			Memory: nothing}},
			`property "mine" is of the kind always and has a Memory, which is of the kind monitor`},
		{"no memory", []spec.Property{{Name: "mine", Kind: spec.Monitor, Watched: seen}},
			`property "mine" is of the kind monitor and has no Memory`},
		{"a memory that is not asked", []spec.Property{{Name: "mine", Kind: spec.Monitor,
			Watched: seen, Memory: &spec.Remembers[string]{}}},
			`property "mine" remembers a string and has no function Observe`},
		{"a memory with an order of its own", []spec.Property{{Name: "mine", Kind: spec.Monitor,
			Watched: seen, Memory: &spec.Remembers[struct{ seen map[string]bool }]{}}},
			`property "mine" remembers a map[string]bool: only booleans, integers`},
		{"two of one name", []spec.Property{{Name: "mine", Kind: spec.Always, Event: never},
			{Name: "mine", Kind: spec.Final, End: neverEnds}},
			`there are two properties of the name "mine"`},
		{"a name of the house", []spec.Property{{Name: "fifo", Kind: spec.Always, Event: never}},
			`there are two properties of the name "fifo"`},
		{"a name of the drivers", []spec.Property{{Name: "no-panic", Kind: spec.Always,
			Event: never}}, `property "no-panic" has the name of what every driver watches`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := exampleFacts()
			f.Own = tt.own
			list, err := spec.Select(f)
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got error %v, want one with %q", err, tt.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, own := range tt.own {
				if !slices.ContainsFunc(list, func(p spec.Property) bool {
					return p.Name == own.Name
				}) {
					t.Errorf("property %s is not asked", own.Name)
				}
			}
		})
	}
}

// Aim: what the environment does is shown to no property from outside. Method: a run with a message
// that arrives, a crash, and a rank that rolls back, which is a step.
func TestOwnIsNotShownTheEnvironment(t *testing.T) {
	f := exampleFacts()
	var got []trace.Kind
	f.Own = []spec.Property{{Name: "mine", Kind: spec.Always,
		Event: func(_ *spec.Facts, _ spec.View, e trace.Event) string {
			got = append(got, e.Kind)
			return ""
		}}}
	judgedBy(t, f, traceOf(f, []trace.Event{sent(m2, y), {Kind: trace.Arrived, Proc: y},
		crashed(x), restored(x, 1, 0, 0), {Kind: trace.Crashed, Proc: y, Text: "rollback"}}),
		selected(t, f), true)
	if want := []trace.Kind{trace.Sent, trace.Restored, trace.Crashed}; !slices.Equal(got, want) {
		t.Errorf("shown %v, want %v", got, want)
	}
}

// Aim: a property that panics is an error that says which one, on what and where. Method: one of
// each function, judged alone.
func TestPanicsAreNamed(t *testing.T) {
	boom := func() string { return strings.Fields("")[1] }
	looks := func(*spec.Facts, spec.View, *string, trace.Event) string { return boom() }
	tests := []struct {
		property spec.Property
		want     string
	}{
		{spec.Property{Kind: spec.Always, Event: func(*spec.Facts, spec.View, trace.Event) string {
			return boom()
		}}, `property "mine" can not be judged: it panics on the event "sent`},
		{spec.Property{Kind: spec.Final, End: func(*spec.Facts, spec.View) string {
			return boom()
		}}, `property "mine" can not be judged: it panics at the end of a run`},
		{spec.Property{Kind: spec.Monitor, Watched: []trace.Kind{trace.Sent},
			Memory: &spec.Remembers[string]{Observe: func(*spec.Facts, *string,
				trace.Event) string {
				return boom()
			}}}, `property "mine" can not be judged: it panics on the event "sent`},
		{spec.Property{Kind: spec.Monitor, Watched: []trace.Kind{trace.Sent},
			Memory: &spec.Remembers[string]{Observe: forgets,
				Settle: func(*spec.Facts, *string) string { return boom() }}},
			`property "mine" can not be judged: it panics at the end of a run`},
		{spec.Property{Kind: spec.Monitor, Watched: []trace.Kind{trace.Sent},
			Memory: &spec.Remembers[string]{Observe: forgets, Look: looks}},
			`property "mine" can not be judged: it panics at the end of a run`},
		{spec.Property{Kind: spec.Monitor, Watched: []trace.Kind{trace.Sent},
			Looked: []trace.Kind{trace.Sent},
			Memory: &spec.Remembers[string]{Observe: forgets, Look: looks}},
			`property "mine" can not be judged: it panics on the event "sent`},
	}
	f := exampleFacts()
	run := traceOf(f, []trace.Event{sent(m2, y)})
	says := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.HasPrefix(err.Error(), want) ||
			!strings.Contains(err.Error(), "index out of range") ||
			!strings.Contains(err.Error(), "own_test.go:") {
			t.Errorf("got error %v, want %q with the reason and the line", err, want)
		}
	}
	for _, tt := range tests {
		tt.property.Name = "mine"
		_, err := spec.Judge(f, run, []spec.Property{tt.property}, true)
		says(err, tt.want)
	}
	relate := spec.Property{Name: "mine", Kind: spec.Pair,
		Relate: func(*spec.Facts, spec.View, trace.Event) (key, value string) {
			return boom(), ""
		}}
	_, err := new(spec.Witnesses).Judge(f, run, []spec.Property{relate})
	says(err, tests[0].want)
	sees := tests[0].property
	sees.Name, sees.Kind = "mine", spec.Sometimes
	_, err = spec.Shown(f, run, []spec.Property{sees})
	says(err, tests[0].want)
}
