package export

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/trace"
)

// chromeEvent is an event of the trace format of Chrome. Times are microseconds.
type chromeEvent struct {
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Phase    string         `json:"ph"`
	Time     float64        `json:"ts"`
	Duration *float64       `json:"dur,omitempty"`
	Process  int            `json:"pid"`
	Thread   int            `json:"tid"`
	ID       int            `json:"id,omitempty"`
	Binding  string         `json:"bp,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
}

// chrome collects a trace.
type chrome struct {
	*report.Model
	events []chromeEvent
	from   []float64 // by event of the model: when it begins
	to     []float64
	groups map[trace.Proc]int
}

// ChromeTrace writes the run in the trace format of Chrome, for Perfetto and others like it: a
// process is a node or a cluster, a thread a proc, a slice a life or, in it, what the proc does in
// one step, and a flow a message. Times are those of the run; in one without a clock, a step takes
// a millisecond, which its events share.
func ChromeTrace(w io.Writer, m *report.Model) error {
	c := &chrome{Model: m, groups: map[trace.Proc]int{}}
	c.times()
	c.threads()
	c.lives()
	c.steps()
	c.flows()
	body, err := json.Marshal(struct {
		Events []chromeEvent `json:"traceEvents"`
		Unit   string        `json:"displayTimeUnit"`
	}{c.events, "ms"})
	if err != nil {
		return fmt.Errorf("export: encode the trace: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s\n", body)
	return err
}

// times gives each event its part of the time of its step.
func (c *chrome) times() {
	n := len(c.Events)
	c.from, c.to = make([]float64, n), make([]float64, n)
	moves := false // virtual time need not
	for i := range c.Events {
		moves = moves || c.Events[i].At > c.Events[0].At
	}
	if moves {
		c.measured()
	} else {
		c.even()
	}
}

// even lets all steps last a millisecond.
func (c *chrome) even() {
	n := len(c.Events)
	for i, step := 0, 0; i < n; step++ {
		end := i
		for end < n && c.Events[end].Step == c.Events[i].Step {
			end++
		}
		for k := i; k < end; k++ {
			// whole nanoseconds, so that an end is where the next one begins
			c.from[k] = float64(1_000_000*step+1_000_000*(k-i)/(end-i)) / 1000
			c.to[k] = float64(1_000_000*step+1_000_000*(k-i+1)/(end-i)) / 1000
		}
		i = end
	}
}

// longest is how long, in nanoseconds, an event is drawn whose end nobody has measured.
const longest = 1000

// measured lets each step begin when it did. Clocks of processes differ a little, and many steps of
// a run in virtual time happen at once: what a proc does comes behind what it did before, a
// nanosecond an event at least, and an arrival behind its send.
func (c *chrome) measured() {
	var pieces [][]int // the events of a proc in one step
	last, next := map[trace.Proc]int{}, map[int]int{}
	for i := range c.Events {
		e := &c.Events[i]
		k, ok := last[e.Proc]
		if ok && c.Events[pieces[k][0]].Step == e.Step {
			pieces[k] = append(pieces[k], i)
			continue
		}
		if ok {
			next[k] = i
		}
		last[e.Proc] = len(pieces)
		pieces = append(pieces, []int{i})
	}
	free := map[trace.Proc]int64{} // when a proc has nothing to do
	left := make([]int64, len(c.Messages))
	for k, events := range pieces {
		p, n := c.Events[events[0]].Proc, int64(len(events))
		at := max(c.Events[events[0]].At, free[p])
		for _, i := range events {
			if m := c.Events[i].Message; m != report.Never && c.Messages[m].Arrived == i {
				at = max(at, left[m])
			}
		}
		length := n * longest
		if i, ok := next[k]; ok {
			length = min(length, max(n, c.Events[i].At-at))
		}
		for j, i := range events {
			from, to := at+length*int64(j)/n, at+length*int64(j+1)/n
			c.from[i], c.to[i] = float64(from)/1000, float64(to)/1000
			if m := c.Events[i].Message; m != report.Never && c.Messages[m].Sent == i {
				left[m] = to
			}
		}
		free[p] = at + length
	}
}

// threads names processes and threads.
func (c *chrome) threads() {
	ids := map[string]int{}
	for _, l := range c.Lanes {
		name := groupOf(c.Model, &l)
		if _, ok := ids[name]; !ok {
			ids[name] = len(ids) + 1
			c.meta("process_name", ids[name], 0, name)
		}
		c.groups[l.Proc] = ids[name]
		c.meta("thread_name", ids[name], int(l.Proc), l.Name)
	}
}

// groupOf is the node or the cluster that a proc begins in.
func groupOf(m *report.Model, l *report.Lane) string {
	switch {
	case l.Node >= 0 && l.Node < len(m.Lanes):
		return "node " + m.Lanes[l.Node].Name
	case l.Role == report.RoleNode:
		return "node " + l.Name
	case l.Cluster >= 0:
		return fmt.Sprintf("cluster %d", l.Cluster+1)
	case l.Role == report.RoleRank:
		return "ranks"
	}
	return "services"
}

func (c *chrome) meta(what string, process, thread int, name string) {
	c.events = append(c.events, chromeEvent{Name: what, Phase: "M", Process: process,
		Thread: thread, Args: map[string]any{"name": name}})
}

// slice adds what a proc does from one event to another.
func (c *chrome) slice(name, category string, p trace.Proc, first, last int,
	args map[string]any) {
	d := c.to[last] - c.from[first]
	c.events = append(c.events, chromeEvent{Name: name, Category: category, Phase: "X",
		Time: c.from[first], Duration: &d, Process: c.groups[p], Thread: int(p), Args: args})
}

// lives adds a slice for each life in which something happens.
func (c *chrome) lives() {
	first, last := map[int]int{}, map[int]int{}
	for i, e := range c.Events {
		if e.Life == report.Never {
			continue
		}
		if _, ok := first[e.Life]; !ok {
			first[e.Life] = i
		}
		last[e.Life] = i
	}
	for i, l := range c.Lives {
		if at, ok := first[i]; ok {
			c.slice(fmt.Sprintf("life %d", l.Incarnation), "life", l.Proc, at, last[i], nil)
		}
	}
}

// steps adds a slice for what a proc does in a step within one life.
func (c *chrome) steps() {
	type key struct {
		proc       trace.Proc
		life, step int
	}
	first, last := map[key]int{}, map[key]int{}
	words := map[key][]string{}
	var order []key
	for i, e := range c.Events {
		k := key{e.Proc, e.Life, e.Step}
		if _, ok := first[k]; !ok {
			first[k] = i
			order = append(order, k)
		}
		last[k] = i
		words[k] = append(words[k], c.Layout.Describe(e.Event))
	}
	for _, k := range order {
		args := map[string]any{"step": k.step}
		if v := c.Run.Violation; v != nil && v.Step > 0 && v.Step == k.step {
			args["breaks"] = v.Property + ": " + v.Message
		}
		c.slice(strings.Join(words[k], "; "), "step", k.proc, first[k], last[k], args)
	}
}

// flows adds a flow for each message that both leaves and arrives, from the middle of one event to
// the middle of the other.
func (c *chrome) flows() {
	for i := range c.Messages {
		m := &c.Messages[i]
		if m.Sent == report.Never || m.Arrived == report.Never || m.Arrived < m.Sent {
			continue
		}
		category := "protocol"
		if m.App() {
			category = "message"
		}
		for _, end := range []struct {
			phase, binding string
			event          int
		}{{"s", "", m.Sent}, {"f", "e", m.Arrived}} {
			p := c.Events[end.event].Proc
			c.events = append(c.events, chromeEvent{Name: m.Name(), Category: category,
				Phase: end.phase, Binding: end.binding, ID: i + 1,
				Time:    (c.from[end.event] + c.to[end.event]) / 2,
				Process: c.groups[p], Thread: int(p)})
		}
	}
}
