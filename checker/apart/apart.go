// Package apart hands what a certificate is about to who checks it without the world (package
// proofs/recheck): who is who, what the failure model allows, what is promised, and machines that
// take one step at a time, with what is seen of it.
package apart

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/proofs/certificate"
	"github.com/domino-check/domino/proofs/recheck"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/trace"
)

// Subject is what a certificate of a setup is about, under the model and judged by the facts.
func Subject(setup *core.Setup, model *fault.Model, facts *spec.Facts) *recheck.Subject {
	s := &recheck.Subject{Machines: machines{setup}, Layout: &setup.Layout,
		Watchers: setup.Watchers, Initiators: setup.Initiators, Shared: setup.Reads != nil,
		Watchdogs: setup.Watchdogs, Certain: setup.Certain, Launched: setup.Launched,
		Disks: setup.Local, Model: *model, Facts: facts}
	for p := range core.Proc(len(setup.Layout.Names)) {
		owners := []core.Proc{p}
		if setup.Reads != nil {
			if list := setup.Reads(p); len(list) > 0 {
				owners = list
			}
		}
		s.Groups, s.Owners = append(s.Groups, setup.Group(p)), append(s.Owners, owners)
	}
	return s
}

// machines runs the machines of a setup, one step at a time.
type machines struct{ setup *core.Setup }

// machine is one of a proc in a state.
func (m machines) machine(p trace.Proc, state []byte) (core.Machine, error) {
	machine := m.setup.New(p)
	if err := core.DecodeState(state, machine); err != nil {
		return nil, err
	}
	return machine, nil
}

// Blank implements the interface, as do the others.
func (m machines) Blank(p trace.Proc) []byte { return core.EncodeState(m.setup.New(p)) }

func (m machines) Choices(p trace.Proc, state []byte) (list []int, err error) {
	machine, err := m.machine(p, state)
	if err != nil {
		return nil, err
	}
	for _, c := range machine.Choices(nil) {
		list = append(list, int(c))
	}
	return list, nil
}

func (m machines) History(p trace.Proc, state []byte) (*trace.History, error) {
	machine, err := m.machine(p, state)
	if err != nil {
		return nil, err
	}
	if h := core.HistoryOf(machine); h != nil {
		return h.Clone(), nil
	}
	return nil, nil
}

func (machines) Line(content []byte) (*trace.History, error) {
	h := &trace.History{}
	return h, core.Decode(content, h)
}

func (machines) LineContent(h *trace.History) []byte { return core.Encode(h) }

func (machines) Holding(content []byte) (*trace.Holding, error) {
	h := &trace.Holding{}
	return h, core.Decode(content, h)
}

func (machines) HoldingContent(h *trace.Holding) []byte { return core.Encode(h) }

func (m machines) Step(l *certificate.Local, in *recheck.Input) (done *recheck.Done, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the machine panics: %v", r)
		}
	}()
	machine, err := m.machine(l.Proc, l.State)
	if err != nil {
		return nil, err
	}
	input, err := m.input(in)
	if err != nil {
		return nil, err
	}
	effects := machine.Step(input, nil)
	done = &recheck.Done{}
	evidence := core.Evidence{Proc: l.Proc, Incarnation: l.Incarnation,
		After: core.HistoryOf(machine)}
	if evidence.After != nil {
		done.History = evidence.After.Clone()
	}
	if e, ok := evidence.OfInput(&input); ok {
		done.First = &e
	}
	for i := range effects {
		if effects[i].Kind == core.Renew { // for the judge it has crashed and is restored
			events := evidence.Renewed()
			done.Effects = append(done.Effects, recheck.Effect{Event: &events[0]},
				recheck.Effect{Act: recheck.Renews, Event: &events[1]})
			continue
		}
		if words := m.setup.Wrong(&effects[i]); words != "" {
			return nil, fmt.Errorf("the machine breaks its contract: %s", words)
		}
		f, err := effectOf(&effects[i])
		if err != nil {
			return nil, err
		}
		if e, ok := evidence.Of(&effects[i]); ok {
			f.Event = &e
		}
		done.Effects = append(done.Effects, f)
	}
	if in.Happening == recheck.Restarts {
		e := evidence.Restarted()
		done.Restored = &e
	}
	done.State = core.EncodeState(machine)
	return done, nil
}

// inputKinds are the inputs by what happens.
var inputKinds = [...]core.InputKind{recheck.Starts: core.Start, recheck.Restarts: core.Restore,
	recheck.Arrives: core.Received, recheck.Stable: core.Persisted, recheck.Loads: core.Loaded,
	recheck.Fails: core.Down, recheck.Ticks: core.Tick, recheck.Advances: core.Advance,
	recheck.Checkpoint: core.Checkpoint, recheck.Expires: core.Tick,
	recheck.Stops: core.Killed, recheck.Refuses: core.Refused}

func (m machines) input(in *recheck.Input) (core.Input, error) {
	input := core.Input{Kind: inputKinds[in.Happening], From: in.From, Incarnation: in.Incarnation,
		Procs: in.Procs, Key: in.Key, Timer: in.Timer, Choice: core.Choice(in.Choice)}
	if in.Happening == recheck.Expires {
		input.Timer = core.Silence
	}
	for _, r := range in.Records {
		input.Records = append(input.Records, core.Record{Owner: r.Owner, Key: r.Key,
			Value: r.Value, Torn: r.Torn})
	}
	if in.Happening != recheck.Arrives {
		return input, nil
	}
	input.Message = m.setup.NewMessage()
	return input, core.Decode(in.Message, input.Message)
}

// effectOf is an effect for who knows no machines.
func effectOf(e *core.Effect) (recheck.Effect, error) {
	f := recheck.Effect{To: e.To, Key: e.Key, Timer: e.Timer, Sent: e.Sent, Received: e.Received}
	switch e.Kind {
	case core.SendMessage:
		f.Act, f.Message, f.Former = recheck.Sends, core.Encode(e.Message), e.Former
	case core.Persist:
		if f.Act, f.Value = recheck.Writes, e.Value; e.Value == nil {
			f.Act = recheck.Deletes
		}
	case core.Read:
		f.Act = recheck.Reads
	case core.SetTimer:
		f.Act = recheck.Sets
	case core.Commit:
		f.Act = recheck.Commits
	case core.Rollback:
		f.Act = recheck.RollsBack
	case core.Exit:
		f.Act = recheck.Exits
	case core.Kill:
		f.Act = recheck.Kills
	case core.Launch:
		f.Act, f.Value = recheck.Launches, e.Value
	case core.Watch:
		f.Act = recheck.Watches
	case core.Unwatch:
		f.Act = recheck.Unwatches
	case core.Output, core.Decide, core.Invoke, core.Return:
		f.Act = recheck.Leaves
	case core.Deliver, core.ProgramSent, core.ProgramDone, core.Declare:
		f.Act = recheck.Declares
	default:
		return f, fmt.Errorf("%w: an effect of kind %d", recheck.ErrBeyond, e.Kind)
	}
	return f, nil
}
