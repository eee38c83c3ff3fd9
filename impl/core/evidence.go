package core

import (
	"fmt"

	"github.com/domino-check/domino/spec/trace"
)

// Evidence turns what a machine does in one step into events, the same way in every driver. Make a
// new one for each step.
type Evidence struct {
	Proc        Proc
	Incarnation Incarnation
	After       *trace.History // of the machine when the step is over, nil for a service

	sent MsgID // what the program has sent in this step
}

// Of is the event that an effect leaves, without step number; ok is false for one that leaves none,
// such as a write, which is evidence when it has become stable.
func (v *Evidence) Of(e *Effect) (event trace.Event, ok bool) {
	event = v.event(e)
	event.Proc, event.Incarnation = v.Proc, v.Incarnation
	return event, event.Kind != 0
}

// OfInput is the event that an input leaves by itself, before all effects: a record has become
// stable, a watchdog has expired.
func (v *Evidence) OfInput(in *Input) (event trace.Event, ok bool) {
	event = trace.Event{Proc: v.Proc, Incarnation: v.Incarnation}
	switch {
	case in.Kind == Persisted:
		event.Kind, event.Text = trace.Stored, in.Key
	case in.Kind == Tick && in.Timer == Silence:
		event.Kind, event.Peer = trace.Unwatched, in.From
	case in.Kind == Killed:
		event.Kind, event.Peer = trace.Disowned, in.From
	}
	return event, event.Kind != 0
}

// Sender is the incarnation that a message comes from.
func (v *Evidence) Sender(e *Effect) Incarnation {
	if e.Former {
		return v.Incarnation - 1
	}
	return v.Incarnation
}

// Renewed are the events of a Renew: for the judge the proc has crashed and is restored. What comes
// later in the step is of the new incarnation.
func (v *Evidence) Renewed() []trace.Event {
	crashed := trace.Event{Kind: trace.Crashed, Proc: v.Proc, Incarnation: v.Incarnation}
	v.Incarnation++
	return []trace.Event{crashed, v.Restarted()}
}

func (v *Evidence) event(e *Effect) trace.Event {
	switch e.Kind {
	case SendMessage:
		wire := e.Message.Describe()
		// the judge, for whom that one is dead, sees no more than that there is a message
		if e.Former {
			return trace.Event{Kind: trace.Emitted, Peer: e.To, Text: trace.Former(wire.Kind)}
		}
		return trace.Event{Kind: trace.Emitted, Peer: e.To, ID: wire.ID, Stamp: wire.Stamp,
			Text:  wire.Kind,
			Again: !wire.ID.IsZero() && wire.ID != v.sent}
	case ProgramSent:
		v.sent = e.Payload.ID
		return trace.Event{Kind: trace.Sent, Peer: e.To, ID: e.Payload.ID,
			Digest: e.Payload.Digest()}
	case Deliver:
		return trace.Event{Kind: trace.Delivered, Peer: e.From, ID: e.Payload.ID, Stamp: e.Stamp,
			Digest: e.Payload.Digest()}
	case Rollback:
		return trace.Event{Kind: trace.Crashed, Text: "rollback"}
	case Launch:
		return trace.Event{Kind: trace.Adopted, Peer: e.To, Digest: Digest(e.Value)}
	}
	event := e.declared()
	if event.Kind == trace.Resumed && v.After != nil {
		event.Digest = v.After.Digest // of a program that had ended when the image was taken
	}
	return event
}

// Event is the kind of the event that an effect leaves, 0 for one that leaves none.
func (e *Effect) Event() trace.Kind {
	if e.Kind == Declare {
		return e.What
	}
	return events[e.Kind]
}

// events are the kinds of events that effects leave. A Declare names its own.
var events = [1 << 8]trace.Kind{SendMessage: trace.Emitted, Deliver: trace.Delivered,
	Output: trace.Released, Rollback: trace.Crashed, Commit: trace.Committed,
	ProgramSent: trace.Sent, ProgramDone: trace.Finished, Decide: trace.Decided,
	Invoke: trace.Invoked, Return: trace.Returned, Watch: trace.Watched, Unwatch: trace.Unwatched}

// declared is the event of an effect that says itself what is in it.
func (e *Effect) declared() trace.Event {
	return trace.Event{Kind: e.Event(), Peer: e.To, ID: e.ID, Stamp: e.Stamp, Digest: e.Digest,
		Sent: e.Sent, Received: e.Received, Text: e.Key}
}

// Restarted is the event of a restart, with what the new incarnation has made of its records.
func (v *Evidence) Restarted() trace.Event {
	e := trace.Event{Kind: trace.Restored, Proc: v.Proc, Incarnation: v.Incarnation}
	if h := v.After; h != nil {
		e.Sent, e.Received, e.Digest = h.Sent, uint32(len(h.Delivered)), h.Digest
	}
	return e
}

// Acts reports whether the environment acts on the effect, or it leaves the system: a crash may
// fall between any two that do. All others are declarations, which belong to the one before.
func (e *Effect) Acts() bool {
	switch e.Kind {
	case SendMessage, Persist, SetTimer, Watch, Unwatch, Renew, Exit, Rollback, Commit, Output,
		Decide, Invoke, Return, Kill, Launch, Read:
		return true
	}
	return false
}

// HistoryOf is the history of a rank, nil for a service.
func HistoryOf(m Machine) *trace.History {
	if h, ok := m.(interface{ History() *trace.History }); ok {
		return h.History()
	}
	return nil
}

// Name names an input for a reader.
func (in *Input) Name(l *Layout) string {
	switch in.Kind {
	case Start:
		return "start"
	case Restore:
		return fmt.Sprintf("restart as incarnation %d", in.Incarnation)
	case Received:
		if in.Message == nil {
			return "a message from " + l.Name(in.From)
		}
		return l.Message(in.Message.Describe()) + " from " + l.Name(in.From)
	case Persisted:
		return "persisted " + in.Key
	case Down:
		return "down " + l.NamesOf(in.Procs)
	case Tick:
		if in.Timer == Silence {
			return "silence of " + l.Name(in.From)
		}
		return "timer " + in.Timer
	case Checkpoint:
		return "checkpoint request"
	case Killed:
		return l.Name(in.From) + " is stopped"
	case Loaded:
		return "read back " + in.Key
	case Refused:
		return "no room for " + in.Key
	}
	return "program step"
}
