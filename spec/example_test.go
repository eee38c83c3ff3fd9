package spec_test

import (
	"fmt"

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
