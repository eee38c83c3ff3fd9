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
// one step, and a flow a message. A step takes a millisecond, which its events share.
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

// times gives each event its part of the millisecond of its step.
func (c *chrome) times() {
	n := len(c.Events)
	c.from, c.to = make([]float64, n), make([]float64, n)
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
