package page_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/report/page"
	"github.com/domino-check/domino/spec/trace"
)

// made is a page of a run that is written here: procs pass messages on in a ring, one of them
// crashes and comes back in the middle, and the last step breaks a property. Every text in it comes
// from the function, which is given what would be a sensible one.
func made(steps, procs int, text func(string) string) *page.Page {
	t := trace.Trace{Layout: trace.Layout{Ranks: procs, Labels: map[trace.MsgID]string{}}}
	for p := range procs {
		t.Layout.Names = append(t.Layout.Names, text(fmt.Sprintf("p%d", p)))
	}
	run := &report.Run{Title: text("a ring"), Command: text("domino replay ring.txtar")}
	states := &page.States{}
	state := func(k, p int) []byte {
		entry, err := json.Marshal(text("entry"))
		if err != nil {
			panic(err)
		}
		return fmt.Appendf(nil, `{"program":{"pc":%d,"value":%d},"protocol":{"log":[%s],"phase":%d}}`,
			k, uint64(k)*0x9e3779b97f4a7c15, entry, k/10+p)
	}
	var now []json.RawMessage
	for p := range procs {
		states.Start = append(states.Start, page.Local{State: state(0, p)})
		now = append(now, states.Start[p].State)
	}
	add := func(k int, e trace.Event) {
		e.Step = k
		t.Events = append(t.Events, e)
	}
	sent := make([]uint32, procs)
	for k := 1; k <= steps; k++ {
		from := trace.Proc((k - 1) / 2 % procs)
		to := trace.Proc(((k-1)/2 + 1) % procs)
		event := text("step") + fmt.Sprintf(" %d", k)
		id := trace.MsgID{From: trace.Rank(from), Number: sent[from] + 1}
		changed := to
		switch {
		case k == steps/2+1 && steps > 4:
			changed = from
			add(k, trace.Event{Kind: trace.Crashed, Proc: from})
		case k == steps/2+2 && steps > 4:
			changed = trace.Proc((k - 2) / 2 % procs)
			add(k, trace.Event{Kind: trace.Restored, Proc: changed, Incarnation: 1})
		case k%2 == 1:
			t.Layout.Labels[id] = text(fmt.Sprintf("m%d", k))
			add(k, trace.Event{Kind: trace.Sent, Proc: from, Peer: to, ID: id})
			add(k, trace.Event{Kind: trace.Emitted, Proc: from, Peer: to, ID: id,
				Text: text("App")})
			changed = from
		default:
			add(k, trace.Event{Kind: trace.Arrived, Proc: to, Peer: from, ID: id,
				Text: text("App")})
			add(k, trace.Event{Kind: trace.Delivered, Proc: to, Peer: from, ID: id})
			sent[from]++
		}
		next := state(k, int(changed))
		run.Steps = append(run.Steps, report.Step{Event: event,
			Diff: report.Diff(t.Layout.Names[changed], now[changed], next)})
		now[changed] = next
		around := page.Around{Line: text("the start"), Waits: []string{text("an answer")},
			Timers: []string{text("again")}, Notices: []string{text("p1")},
			Writing: []string{text("write log")},
			Stable:  []page.Record{{Key: text("log"), Value: next}, {Key: text("old"), Torn: true}}}
		if k%2 == 1 {
			around.Inbox = []page.Channel{{From: text("p0"),
				Messages: []string{text("App"), text(fmt.Sprintf("Pull %d", k))}}}
		}
		states.Steps = append(states.Steps, []page.Local{{Proc: changed, State: next,
			Around: around}})
	}
	others := make([][]string, steps)
	for k := range others {
		others[k] = []string{text("another"), run.Steps[k].Event}
	}
	run.Trace = t
	run.Violation = &spec.Violation{Property: text("fifo"), Step: steps,
		Message: text("m7 overtakes m5")}
	run.Reading = []string{text("a note")}
	run.Why = []string{text("because"), text("so")}
	run.Property = &spec.Property{Name: text("fifo"), Doc: text("messages do not overtake"),
		Source: text("[Paper] 2")}
	run.Also = []spec.Violation{{Property: text("once"), Message: text("m5 comes twice"), Step: 1}}
	return &page.Page{Model: report.Understand(run), Name: text("ring"), Protocol: text("toy"),
		Variant: text("repaired+T1"), Verdict: spec.Violated, Quote: text("send at once"),
		Place: text("[Paper] p. 3"), Switched: text("It sends at once."),
		Repair: text("It waits."), Scope: []string{text("one failure")},
		States: states, Alternatives: others, Properties: []page.Judged{
			{Name: text("fifo"), Applies: true, Broken: []int{steps}},
			{Name: text("exactly-once"), Applies: true}, {Name: text("line")}},
		Version: text("1.0"), Source: text("-- scenario --"), Data: []byte(`{"run": true}`),
		Repaired: &page.Beside{Model: report.Understand(run), Same: steps / 2,
			Words: text("It ends.")},
		Free: &page.Beside{Model: report.Understand(run), Same: -1, Words: text("It ends, too."),
			Ranks: []page.Alignment{{Rank: text("p0"), End: text("1"), FreeEnd: text("2"),
				Items: []page.Aligned{{Text: text("m1"), Sort: page.Equal},
					{Text: text("m3"), Sort: page.Missing}}}}},
		Small: &page.Small{Words: []string{text("nothing smaller")},
			Trials: []page.Trial{{Left: text("p1"), Outcome: text("holds")}}}}
}

// talkative is a run in which a protocol message goes with every message of the programs, so that
// there are three views of the figure.
func talkative(m *report.Model) *report.Model {
	run := *m.Run
	run.Trace.Events = nil
	for _, e := range m.Run.Trace.Events {
		run.Trace.Events = append(run.Trace.Events, e)
		if e.Kind == trace.Emitted || e.Kind == trace.Arrived {
			run.Trace.Events = append(run.Trace.Events, trace.Event{Step: e.Step, Kind: e.Kind,
				Proc: e.Proc, Incarnation: e.Incarnation, Peer: e.Peer, Text: "Pull"})
		}
	}
	return report.Understand(&run)
}

// plain leaves texts as they are.
func plain(s string) string { return s }

// written is the page as a file.
func written(t testing.TB, p *page.Page) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := page.Write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
