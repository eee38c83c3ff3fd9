package figure_test

import (
	"bytes"
	"fmt"

	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/report/figure"
	"github.com/domino-check/domino/spec/trace"
)

// A message is sent and received, and its sender crashes. The document can be put into a paper; a
// page writes the figure by SVG, with the style sheet CSS, and what Legend says.
func ExampleLayout() {
	x := trace.MsgID{From: 0, Number: 1}
	m := report.Understand(&report.Run{Trace: trace.Trace{
		Layout: trace.Layout{Names: []string{"a", "b"}, Ranks: 2,
			Labels: map[trace.MsgID]string{x: "x"}},
		Events: []trace.Event{
			{Step: 1, Kind: trace.Sent, Proc: 0, Peer: 1, ID: x},
			{Step: 1, Kind: trace.Emitted, Proc: 0, Peer: 1, ID: x, Text: "App"},
			{Step: 2, Kind: trace.Arrived, Proc: 1, Peer: 0, ID: x, Text: "App"},
			{Step: 3, Kind: trace.Delivered, Proc: 1, Peer: 0, ID: x},
			{Step: 4, Kind: trace.Crashed, Proc: 0},
		},
	}})
	f := figure.Layout(m, figure.Options{})
	var document bytes.Buffer
	if err := f.Document(&document); err != nil {
		fmt.Println(err)
	}
	for _, s := range f.Slots {
		fmt.Println("step", s.First)
	}
	for _, e := range f.Legend() {
		fmt.Println(e.Words)
	}
	// Output:
	// step 1
	// step 3
	// step 4
	// sent
	// received by the program
	// crash
	// down
}
