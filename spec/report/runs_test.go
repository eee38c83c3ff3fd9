package report_test

import (
	"fmt"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/trace"
)

// story builds a run by hand. Procs are named by their place; message k of a rank is its k-th send.
type story struct {
	run  report.Run
	step int
}

func newStory(title string, clusters []int, names ...string) *story {
	ranks := len(names)
	for ranks > 0 && names[ranks-1] == "RP" {
		ranks--
	}
	return &story{run: report.Run{Title: title, Command: "domino replay run.txtar",
		Trace: trace.Trace{Layout: trace.Layout{
			Names: names, Ranks: ranks, Clusters: clusters, Labels: map[trace.MsgID]string{}}}}}
}

// do starts a step.
func (s *story) do(text string, words ...any) {
	s.step++
	s.run.Steps = append(s.run.Steps, report.Step{Event: fmt.Sprintf(text, words...)})
}

// changes adds what the step changed.
func (s *story) changes(list ...string) { s.run.Steps[s.step-1].Changes = list }

func (s *story) event(e trace.Event) {
	e.Step = s.step
	s.run.Trace.Events = append(s.run.Trace.Events, e)
}

func (s *story) name(p trace.Proc) string { return s.run.Trace.Layout.Name(p) }

// send is a step in which a program sends its message with the number; the label is kept for it.
func (s *story) send(from, to trace.Proc, number uint32, label string) trace.MsgID {
	id := trace.MsgID{From: trace.Rank(from), Number: number}
	s.run.Trace.Layout.Labels[id] = label
	s.do("step %s send %s to %s", s.name(from), label, s.name(to))
	s.event(trace.Event{Kind: trace.Sent, Proc: from, Peer: to, ID: id})
	s.emit(from, to, id, "App")
	return id
}

func (s *story) emit(from, to trace.Proc, id trace.MsgID, kind string) {
	s.event(trace.Event{Kind: trace.Emitted, Proc: from, Peer: to, ID: id, Text: kind})
}

// arrive is a step in which the message comes in.
func (s *story) arrive(from, to trace.Proc, id trace.MsgID, kind string) {
	s.do("deliver %s->%s %s", s.name(from), s.name(to), kind)
	s.event(trace.Event{Kind: trace.Arrived, Proc: to, Peer: from, ID: id, Text: kind})
}

// receive is a step in which the program takes the message.
func (s *story) receive(from, to trace.Proc, id trace.MsgID) {
	s.do("step %s receive %s from %s", s.name(to), s.run.Trace.Layout.Label(id), s.name(from))
	s.event(trace.Event{Kind: trace.Delivered, Proc: to, Peer: from, ID: id})
}

// pass is a message from its send to its delivery.
func (s *story) pass(from, to trace.Proc, number uint32, label string) trace.MsgID {
	id := s.send(from, to, number, label)
	s.arrive(from, to, id, "App")
	s.receive(from, to, id)
	return id
}

func (s *story) crash(procs ...trace.Proc) {
	s.do("crash")
	for _, p := range procs {
		s.event(trace.Event{Kind: trace.Crashed, Proc: p})
	}
}

func (s *story) restart(p trace.Proc, life trace.Incarnation, sent, received uint32) {
	s.do("restart %s incarnation %d", s.name(p), life)
	s.event(trace.Event{Kind: trace.Restored, Proc: p, Incarnation: life, Sent: sent,
		Received: received})
}

// one is a step with one event.
func (s *story) one(text string, e trace.Event) {
	s.do("%s", text)
	s.event(e)
}

// breaks says which property the run breaks.
func (s *story) breaks(step int, name, message string) *report.Run {
	s.run.Property = &spec.Property{Name: name, Kind: spec.Always, Doc: "what " + name +
		" means in one sentence", Source: "[Paper] Lemma 1"}
	s.run.Violation = &spec.Violation{Property: name, Message: message, Step: step}
	return &s.run
}

// clean is a run of two ranks without failure.
func clean() *report.Run {
	s := newStory("ping: two ranks, nothing goes wrong", nil, "a", "b")
	s.pass(0, 1, 1, "x")
	s.changes("b: date: 0 -> 1", "b: queue: - {id x}", "b: value: 7 -> 9")
	s.pass(1, 0, 1, "reply")
	s.one("step a end", trace.Event{Kind: trace.Finished, Proc: 0})
	s.one("step b end", trace.Event{Kind: trace.Finished, Proc: 1})
	return &s.run
}

// orphan is a failure whose recovery lets a message pass too early: m3 is an orphan, and m7 is
// still travelling at the end.
func orphan() *report.Run {
	s := newStory("early: a message passes the gate", []int{0, 0, 1}, "x", "y", "c", "RP")
	s.pass(0, 1, 1, "m2")
	s.pass(1, 2, 1, "m3")
	s.changes("c: phase: 1 -> 2",
		"c: orphans: + {from y, phase 1, the rest of it is too long for one line of a report}")
	s.crash(0, 1)
	s.changes("x: state lost", "y: state lost")
	s.restart(0, 1, 0, 0)
	s.restart(1, 1, 0, 0)
	s.one("told RP down x y", trace.Event{Kind: trace.Told, Proc: 3, Text: "x y"})
	for p := range trace.Proc(3) {
		s.emit(3, p, trace.MsgID{}, "Begin")
	}
	for p := range trace.Proc(3) {
		s.arrive(3, p, trace.MsgID{}, "Begin")
		s.emit(p, 3, trace.MsgID{}, "Report")
	}
	for p := range trace.Proc(2) {
		s.arrive(p, 3, trace.MsgID{}, "Report")
	}
	s.send(2, 1, 1, "m7")
	s.run.Reading = []string{"[Paper] Alg. 1 l. 2 prints: nothing is held back.",
		"The repaired protocol waits for m2."}
	return s.breaks(s.step, "causal",
		"m7 leaves c although it depends on m2, which x has not sent again")
}

// lost has every way in which a message does not get there, and one that gets there twice.
func lost() *report.Run {
	s := newStory("lossy: messages that do not arrive", []int{0, 1, 1}, "a", "b", "c")
	s.send(0, 1, 1, "m1")
	m2 := s.send(0, 1, 2, "m2")
	s.send(0, 2, 3, "m3")
	s.one("lose a->c App m3", trace.Event{Kind: trace.Lost, Proc: 2, Peer: 0,
		ID: trace.MsgID{From: 0, Number: 3}, Text: "App"})
	s.do("duplicate a->b App m2")
	s.event(trace.Event{Kind: trace.Arrived, Proc: 1, Peer: 0, ID: m2, Text: "App"})
	s.arrive(0, 1, m2, "App")
	s.event(trace.Event{Kind: trace.Dropped, Proc: 1, Peer: 0, ID: m2, Text: "received before"})
	s.receive(0, 1, m2)
	m4 := s.send(1, 2, 1, "m4")
	s.arrive(1, 2, m4, "App")
	s.send(1, 2, 2, "m5")
	s.crash(2)
	s.send(1, 2, 3, "m6")
	s.restart(2, 1, 0, 0)
	s.one("drop", trace.Event{Kind: trace.Dropped, Proc: 2, Peer: 1, ID: m4,
		Text: "sent before the crash"})
	return s.breaks(0, "terminates", "c waits for m3 for ever")
}

// checkpoint is a restart from a checkpoint: a message across it, an output, a send again from a
// log.
func checkpoint() *report.Run {
	s := newStory("line: a message crosses the recovery line", []int{0, 1}, "left", "right")
	m1 := s.send(0, 1, 1, "m1")
	s.one("told right", trace.Event{Kind: trace.Committed, Proc: 0, Sent: 1})
	s.arrive(0, 1, m1, "App")
	s.receive(0, 1, m1)
	s.pass(0, 1, 2, "m2")
	s.one("output", trace.Event{Kind: trace.Released, Proc: 1})
	s.crash(0)
	s.restart(0, 1, 1, 0)
	s.event(trace.Event{Kind: trace.Committed, Proc: 0, Incarnation: 1, Sent: 1})
	s.one("resend", trace.Event{Kind: trace.Emitted, Proc: 0, Incarnation: 1, Peer: 1, ID: m1,
		Text: "App", Again: true})
	s.arrive(0, 1, m1, "App")
	s.event(trace.Event{Kind: trace.Dropped, Proc: 1, Peer: 0, ID: m1, Text: "received before"})
	s.one("step left send m2 to right", trace.Event{Kind: trace.Sent, Proc: 0, Incarnation: 1,
		Peer: 1, ID: trace.MsgID{From: 0, Number: 2}})
	s.one("halt", trace.Event{Kind: trace.Halted, Proc: 1, Text: "the disk is full"})
	return s.breaks(s.step, "gives-not-up", "right gives up: the disk is full")
}

// fifo has two messages of a channel of which the first is received after the second has arrived.
func fifo() *report.Run {
	s := newStory("", nil, "a", "b")
	x, y := s.send(0, 1, 1, "x"), s.send(0, 1, 2, "y")
	s.arrive(0, 1, x, "App")
	s.arrive(0, 1, y, "App")
	s.receive(0, 1, x)
	s.crash(0)
	s.receive(0, 1, y)
	return s.breaks(0, "orphans", "y stays an orphan of b")
}

// prune is a violation by a change of a log, which no row shows otherwise.
func prune() *report.Run {
	s := newStory("prune: removed too early", []int{0, 1}, "a", "b")
	x := s.pass(0, 1, 1, "x")
	s.emit(1, 0, trace.MsgID{}, "Acknowledge")
	s.arrive(1, 0, trace.MsgID{}, "Acknowledge")
	s.event(trace.Event{Kind: trace.Pruned, Proc: 0, Peer: 1, ID: x})
	return s.breaks(s.step, "prune-safe",
		"a removes x from its log, but b would need it after a failure")
}

// gate is a violation by control messages, without a schedule.
func gate() *report.Run {
	s := newStory("gate: opened too early", []int{0, 1}, "a", "b", "RP")
	s.pass(0, 1, 1, "x")
	s.do("open")
	s.emit(2, 0, trace.MsgID{}, "Frontier")
	s.emit(2, 1, trace.MsgID{}, "Frontier")
	s.run.Steps = nil
	return s.breaks(s.step, "gate-sound", "sends are allowed, but an orphan is outstanding")
}

// ring is a message that goes around.
func ring(n int, clusters []int) *report.Run {
	var names []string
	for p := range n {
		names = append(names, fmt.Sprintf("rank%d", p))
	}
	s := newStory(fmt.Sprintf("ring of %d", n), clusters, names...)
	for p := range n {
		s.pass(trace.Proc(p), trace.Proc((p+1)%n), 1, fmt.Sprintf("m%d", p))
	}
	s.crash(0, 1)
	s.restart(0, 1, 0, 0)
	s.run.Steps = []report.Step{} // no list of steps
	return &s.run
}

// fewOfMany is a run of many ranks in which few do anything.
func fewOfMany() *report.Run {
	r := ring(3, nil)
	for p := len(r.Trace.Layout.Names); p < 50; p++ {
		r.Trace.Layout.Names = append(r.Trace.Layout.Names, fmt.Sprintf("rank%d", p))
	}
	r.Trace.Layout.Ranks = 50
	return r
}
