package world

import (
	"encoding/json"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// Surroundings are what there is around a proc in a state, for reports.
type Surroundings struct {
	Inbox   []Channel   // what is on its way to it
	Stable  []Stored    // by key
	Writing []string    // changes of stable storage on their way, oldest first
	Notices []core.Proc // who has failed, and it will be told; of a group the first one
	Timers  []string    // set
	Line    *trace.History
}

// Stored is a record of stable storage.
type Stored struct {
	Key   string
	Value json.RawMessage // what is written, as far as its form tells; null for one that is torn
	Torn  bool
}

// Channel is what one life of a proc has on its way to another proc.
type Channel struct {
	From        core.Proc
	Incarnation core.Incarnation
	Messages    []string // oldest first, where order is kept
}

// Surroundings are those of a proc. Line is nil before its first checkpoint.
func (w *World) Surroundings(state []uint32, p core.Proc) Surroundings {
	e := w.env(state, p)
	s := Surroundings{Notices: e.Pending, Timers: e.Timers, Line: w.line(e)}
	for i := range w.inbox(state, p).channels {
		c := &w.inbox(state, p).channels[i]
		list := Channel{From: c.from, Incarnation: c.inc}
		for _, number := range c.messages {
			message := w.messages.at(w.packets.at(number).message).value
			list.Messages = append(list.Messages, w.describeMessage(message))
		}
		s.Inbox = append(s.Inbox, list)
	}
	for _, r := range e.Store {
		s.Stable = append(s.Stable, Stored{r.Key, storedJSON(r), r.Torn})
	}
	for _, r := range e.Writing {
		verb := "write "
		switch {
		case r.Gone:
			verb = "delete "
		case r.Read:
			verb = "read "
		}
		s.Writing = append(s.Writing, verb+r.Key)
	}
	return s
}

// Same reports whether nothing of a proc or around it differs between two states.
func (w *World) Same(a, b []uint32, p core.Proc) bool { return a[procWord(p)] == b[procWord(p)] }

// storedJSON is a record as JSON: the names of its fields are not stored.
func storedJSON(r write) json.RawMessage {
	var value any
	if r.Torn {
		return json.RawMessage("null")
	}
	if core.Decode(r.Value, &value) != nil {
		value = r.Value
	}
	b, err := json.Marshal(jsonable(value))
	if err != nil {
		return json.RawMessage("null") // not reached: jsonable leaves what JSON has
	}
	return b
}
