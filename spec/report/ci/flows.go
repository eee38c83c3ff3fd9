package ci

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"github.com/domino-check/domino/spec/trace"
)

// mostLocations is how many places of one thread receivers of SARIF show; the last ones are kept,
// since the violation is behind them.
const mostLocations = 1000

type (
	sarifCodeFlow struct {
		Message sarifText    `json:"message"`
		Threads []sarifFlows `json:"threadFlows"`
	}
	sarifFlows struct {
		ID        string      `json:"id"`
		Message   sarifText   `json:"message"`
		Locations []sarifFlow `json:"locations"`
	}
	sarifFlow struct {
		Location   sarifLocation `json:"location"`
		Order      int           `json:"executionOrder"`
		Importance string        `json:"importance"`
	}
)

// codeFlows is the run of a case: a thread for each proc that does something, whose places are its
// steps.
func codeFlows(c *Case) []sarifCodeFlow {
	if c.Run == nil || len(c.Run.Trace.Events) == 0 {
		return nil
	}
	layout := &c.Run.Trace.Layout
	threads := map[trace.Proc]*sarifFlows{}
	last := trace.Proc(0)
	for _, e := range c.Run.Trace.Events {
		t := threads[e.Proc]
		if t == nil {
			name := layout.Name(e.Proc)
			t = &sarifFlows{ID: name, Message: sarifText{unlinked(name)}}
			threads[e.Proc] = t
			last = max(last, e.Proc)
		}
		text, weight := unlinked(layout.Describe(e)), importance(c, e)
		if n := len(t.Locations); n > 0 && t.Locations[n-1].Order == e.Step {
			l := &t.Locations[n-1]
			l.Location.Message.Text += "; " + text
			l.Importance = heavier(l.Importance, weight)
			continue
		}
		text = fmt.Sprintf("step %d, %s: %s", e.Step, t.Message.Text, text)
		t.Locations = append(t.Locations, sarifFlow{Order: e.Step, Importance: weight,
			Location: sarifLocation{Physical: physical(c),
				Logical: []sarifLogical{{Name: layout.Name(e.Proc)}},
				Message: &sarifText{text}}})
	}
	flow := sarifCodeFlow{Message: sarifText{unlinked(c.Run.Title)}}
	for p := 0; p <= int(last); p++ { // not a Proc, which would never be more than the largest
		if t := threads[trace.Proc(p)]; t != nil {
			t.Locations = t.Locations[max(0, len(t.Locations)-mostLocations):]
			flow.Threads = append(flow.Threads, *t)
		}
	}
	return []sarifCodeFlow{flow}
}

// weights are the words of SARIF for what a reader looks at first, the lightest first.
var weights = [...]string{"unimportant", "important", "essential"}

// heavier is the one of two weights that a reader looks at first.
func heavier(a, b string) string {
	for i := len(weights) - 1; i >= 0; i-- {
		if weights[i] == a || weights[i] == b {
			return weights[i]
		}
	}
	return a
}

// importance is what an event means to a reader: the accused step, what the program and the
// environment do, or what only the protocol does.
func importance(c *Case, e trace.Event) string {
	if c.Violation != nil && c.Violation.Step > 0 && c.Violation.Step == e.Step {
		return weights[2]
	}
	switch e.Kind {
	case trace.Sent, trace.Delivered, trace.Crashed, trace.Restored, trace.Resumed,
		trace.Committed, trace.Finished, trace.Halted, trace.Released, trace.Decided:
		return weights[1]
	}
	return weights[0]
}

// fingerprint is the same for the same finding, whenever and however it is found: it is made of
// protocol, variant, property, and what each proc does in the run, which is the same for schedules
// that only swap steps of different procs. Numbers of steps and states are no part of it, nor is
// any time. Without a run the name of the case stands for it.
func fingerprint(c *Case) string {
	h := sha256.New()
	write := func(word string) {
		// lengths, so that no two lists of words are one text; a hash takes everything
		_, _ = fmt.Fprintf(h, "%d:", len(word))
		_, _ = io.WriteString(h, word)
	}
	write(c.Protocol)
	write(c.Variant)
	write(c.breaks())
	if c.Run == nil || len(c.Run.Trace.Events) == 0 {
		write(c.Name)
		return hex.EncodeToString(h.Sum(nil)[:16])
	}
	layout := &c.Run.Trace.Layout
	procs := map[trace.Proc][]string{}
	last := 0
	for _, e := range c.Run.Trace.Events {
		procs[e.Proc] = append(procs[e.Proc], layout.Describe(e))
		last = max(last, int(e.Proc))
	}
	for p := 0; p <= last; p++ {
		if events := procs[trace.Proc(p)]; events != nil {
			write(layout.Name(trace.Proc(p)))
			write(strings.Join(events, "\n"))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
