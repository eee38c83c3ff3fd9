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
			return trace.Event{Kind: trace.Emitted, Peer: e.To, Text: "former " + wire.Kind}
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
	case ProgramDone:
		return trace.Event{Kind: trace.Finished, Digest: e.Digest}
	case Output:
		return trace.Event{Kind: trace.Released, Digest: e.Digest}
	case Commit:
		return trace.Event{Kind: trace.Committed, Sent: e.Sent, Received: e.Received}
	case Resume:
		event := trace.Event{Kind: trace.Resumed, Sent: e.Sent, Received: e.Received}
		if v.After != nil {
			event.Digest = v.After.Digest // of a program that had ended when the image was taken
		}
		return event
	case Rollback:
		return trace.Event{Kind: trace.Crashed, Text: "rollback"}
	}
	return declared(e)
}

// declared is the event of an effect that the environment does not act on but for handing it out.
func declared(e *Effect) trace.Event {
	switch e.Kind {
	case Drop:
		return trace.Event{Kind: trace.Dropped, Peer: e.From, ID: e.ID, Text: e.Reason}
	case Halt:
		return trace.Event{Kind: trace.Halted, Text: e.Reason}
	case Log:
		return trace.Event{Kind: trace.Logged, Peer: e.To, ID: e.ID, Received: e.Received}
	case Prune:
		return trace.Event{Kind: trace.Pruned, Peer: e.To, ID: e.ID}
	case Decide:
		return trace.Event{Kind: trace.Decided, Text: e.Key}
	case Invoke:
		return trace.Event{Kind: trace.Invoked, Text: e.Key}
	case Return:
		return trace.Event{Kind: trace.Returned, Text: e.Key}
	case Keep:
		return trace.Event{Kind: trace.Kept, Text: e.Key, ID: e.ID, Peer: e.To,
			Received: e.Received, Sent: e.Sent}
	case Forget:
		return trace.Event{Kind: trace.Forgotten, Text: e.Key, ID: e.ID, Peer: e.To,
			Received: e.Received, Sent: e.Sent}
	case Recovered:
		return trace.Event{Kind: trace.Recovered}
	case Adopt:
		return trace.Event{Kind: trace.Adopted, Peer: e.To}
	case Watch:
		return trace.Event{Kind: trace.Watched, Peer: e.To}
	case Unwatch:
		return trace.Event{Kind: trace.Unwatched, Peer: e.To}
	case Disown:
		return trace.Event{Kind: trace.Disowned, Peer: e.To}
	case Declare:
		return trace.Event{Kind: trace.Declared, Text: e.Key}
	}
	return trace.Event{}
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
		Decide, Invoke, Return:
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
	}
	return "program step"
}
