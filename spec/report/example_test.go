package report_test

import (
	"fmt"
	"os"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/trace"
)

// A rank sends, the other receives, and the sender restarts from the start: what the other has is
// an orphan.
func ExampleText() {
	x := trace.MsgID{From: 0, Number: 1}
	r := &report.Run{
		Title: "orphan: a restart forgets a send",
		Violation: &spec.Violation{Property: "no-orphan",
			Message: "b has received x, which a has not sent", Step: 5},
		Also: []spec.Violation{{Property: "terminates", Message: "the run is stuck"}},
		Trace: trace.Trace{
			Layout: trace.Layout{Names: []string{"a", "b"}, Ranks: 2,
				Labels: map[trace.MsgID]string{x: "x"}},
			Events: []trace.Event{
				{Step: 1, Kind: trace.Sent, Proc: 0, Peer: 1, ID: x},
				{Step: 1, Kind: trace.Emitted, Proc: 0, Peer: 1, ID: x, Text: "App"},
				{Step: 2, Kind: trace.Arrived, Proc: 1, Peer: 0, ID: x, Text: "App"},
				{Step: 3, Kind: trace.Delivered, Proc: 1, Peer: 0, ID: x},
				{Step: 4, Kind: trace.Crashed, Proc: 0},
				{Step: 5, Kind: trace.Restored, Proc: 0, Incarnation: 1},
			},
		},
		Steps:   []report.Step{}, // or what each step is called and what it changed
		Command: "domino replay orphan.txtar",
	}
	if err := report.Text(os.Stdout, r, report.Options{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// orphan: a restart forgets a send
	// ================================
	//
	// VIOLATED  no-orphan
	//
	//           step 5: b has received x, which a has not sent
	// also      terminates, at the end of the run: the run is stuck
	//
	// step     a       b
	//          |       |
	//  1-3     o--x--->*     orphan since 5
	//    4     X       |     a crashes
	//    5     R1      |     a restarts from the start  <== here
	//          |       |
	//
	//   o sent   * received by the program   X crash   : down   R1 restart as incarnation 1
	//
	// Replay
	//   domino replay orphan.txtar
}
