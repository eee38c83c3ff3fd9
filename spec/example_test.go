package spec_test

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// A property of one's own is a value: a name, a sentence, a kind and a function. It judges what was
// recorded of a run, whoever has made it.
func ExampleJudge() {
	quiet := spec.Property{Name: "quiet", Kind: spec.Always,
		Doc: "nobody sends more than one message",
		Event: func(f *spec.Facts, v spec.View, e trace.Event) string {
			if e.Kind == trace.Sent && e.ID.Number > 1 {
				return fmt.Sprintf("%s sends message %d", f.Layout.Name(e.Proc), e.ID.Number)
			}
			return ""
		}}
	layout := trace.Layout{Names: []string{"a", "b"}, Ranks: 2}
	run := trace.Trace{Layout: layout}
	for n := range uint32(2) {
		run.Events = append(run.Events, trace.Event{Step: int(n) + 1, Kind: trace.Sent, Proc: 0,
			Peer: 1, ID: trace.MsgID{From: 0, Number: n + 1}})
	}
	facts := &spec.Facts{Layout: &layout, Own: []spec.Property{quiet}}
	fmt.Println(quiet.Check())
	found, err := spec.Judge(facts, &run, []spec.Property{quiet}, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range found {
		fmt.Printf("step %d breaks %s: %s\n", v.Step, v.Property, v.Message)
	}
	// Output:
	// <nil>
	// step 2 breaks quiet: a sends message 2
}

// A property with a memory says what it remembers by a type of its own. It may change what it is
// given: that is a copy.
func ExampleRemembers() {
	type known struct {
		Senders []trace.Proc // in the order in which they have sent for the first time
	}
	inTurn := spec.Property{Name: "in-turn", Kind: spec.Monitor,
		Doc:     "nobody sends twice before everybody has sent once",
		Watched: []trace.Kind{trace.Sent},
		Memory: &spec.Remembers[known]{Observe: func(f *spec.Facts, m *known,
			e trace.Event) string {
			if slices.Contains(m.Senders, e.Proc) {
				return fmt.Sprintf("%s sends again", f.Layout.Name(e.Proc))
			}
			if m.Senders = append(m.Senders, e.Proc); len(m.Senders) == f.Layout.Ranks {
				m.Senders = nil // what is over is forgotten, so that runs can meet
			}
			return ""
		}}}
	layout := trace.Layout{Names: []string{"a", "b"}, Ranks: 2}
	run := trace.Trace{Layout: layout}
	for i, p := range []trace.Proc{0, 1, 1, 1} {
		run.Events = append(run.Events, trace.Event{Step: i + 1, Kind: trace.Sent, Proc: p})
	}
	found, err := spec.Judge(&spec.Facts{Layout: &layout}, &run, []spec.Property{inTurn}, false)
	fmt.Println(inTurn.Check(), err, found)
	// Output: <nil> <nil> [{in-turn b sends again 4}]
}
