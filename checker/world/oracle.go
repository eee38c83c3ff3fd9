package world

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// pastReporter is a message that knows how many sends of each rank precede its own.
type pastReporter interface{ Happened() []uint32 }

// Oracle explores every failure-free run of the programs over an ideal network and says what they
// do. The setup must be that of the transparent protocol (impl/protocol/none). An exploration cut
// short by a bound is an error: facts would be missing.
func Oracle(ctx context.Context, setup *core.Setup, bounds checker.Options) (*spec.Oracle, error) {
	w, err := New(Config{Setup: setup, Until: ctx.Done()})
	if err != nil {
		return nil, err
	}
	o := &spec.Oracle{Past: map[trace.MsgID][]uint32{}, Sent: map[trace.MsgID]spec.SendFact{},
		Before: map[trace.MsgID][]trace.MsgID{}, Finals: map[string]bool{}}
	for range setup.Layout.Ranks {
		o.Legal = append(o.Legal, map[string]bool{"": true})
	}
	facts := &spec.Facts{Layout: &setup.Layout}
	watch := &oracleSystem{World: w, facts: facts, oracle: o}
	bounds.Order, bounds.Reduce, bounds.All = checker.DepthFirst, checker.Unreduced, true
	result := search.Explore(ctx, watch, bounds)
	if len(result.Found) > 0 { // nothing but misuse is judged
		return nil, fmt.Errorf("failure-free behaviour of the program: %s", result.Found[0].Message)
	}
	if result.Bound != "" {
		return nil, fmt.Errorf("failure-free behaviour of the program: exploration %w by %s after "+
			"%d states", checker.ErrBound, result.Bound, result.States)
	}
	if err := w.matched(); err != nil {
		return nil, err
	}
	collect(w, facts, o)
	return o, nil
}

// matched holds every local state of the failure-free runs against the programs.
func (w *World) matched() error {
	for i := range w.transitions.len() {
		here := w.locals.at(w.transitions.at(uint32(i)).next)
		if here.history == nil || int(here.proc) >= w.layout.Ranks {
			continue
		}
		rank := core.Rank(here.proc)
		if m := mismatch(w.layout, w.Setup.Programs, rank, here.history); m != "" {
			return fmt.Errorf("%w: %s: %s", ErrMatching, w.layout.Name(here.proc), m)
		}
	}
	return nil
}

// OracleOf is Oracle where there is something to ask: nil for a nil setup.
func OracleOf(ctx context.Context, setup *core.Setup, bounds checker.Options) (*spec.Oracle,
	error) {
	if setup == nil {
		return nil, nil
	}
	return Oracle(ctx, setup, bounds)
}

// oracleSystem looks at the ends of runs.
type oracleSystem struct {
	*World
	facts  *spec.Facts
	oracle *spec.Oracle
}

// Terminal notes how a run ends.
func (s *oracleSystem) Terminal(state []uint32) int {
	v := &view{world: s.World, state: state, self: noProc}
	if m := spec.Terminates.End(s.facts, v); m != "" {
		if s.oracle.Stuck == "" {
			s.oracle.Stuck = m
		}
		return 0
	}
	s.oracle.Finals[spec.FinalKey(s.facts, v)] = true
	if unread := s.unread(v); unread != "" && s.oracle.Stuck == "" {
		s.oracle.Stuck = "nobody receives " + unread
	}
	return 0
}

// unread names the messages that were sent and never received in a complete run.
func (s *oracleSystem) unread(v spec.View) string {
	received, times := map[trace.MsgID]bool{}, map[trace.MsgID]int{}
	for r := range trace.Rank(s.layout.Ranks) {
		for _, d := range v.Observed(r.Proc()).History.Delivered {
			received[d.ID] = true
			times[d.ID]++
		}
	}
	for id, c := range s.layout.Collectives {
		switch t := &s.layout.Trees[c.Tree]; {
		case c.Round > 0 && t.Root() != id.From:
			received[id] = true // it is part of a result
		case c.Round == 0:
			received[id] = times[id] == len(t.Members)-1
		}
	}
	for r, p := range s.Setup.Programs {
		if !p.Sees() {
			continue
		}
		for k, op := range p.Sends() {
			if op.OnError { // it is not sent
				received[trace.MsgID{From: trace.Rank(r), Number: uint32(k + 1)}] = true
			}
		}
	}
	words := ""
	for r := range trace.Rank(s.layout.Ranks) {
		for k := range v.Observed(r.Proc()).History.Sent {
			if id := (trace.MsgID{From: r, Number: k + 1}); !received[id] {
				words += " " + s.layout.Label(id)
			}
		}
	}
	return strings.TrimSpace(words)
}

// collect gathers the facts about single sends and deliveries from the local steps that were met.
func collect(w *World, f *spec.Facts, o *spec.Oracle) {
	b := branches{facts: f, first: map[branch]string{}}
	for i := range w.transitions.len() {
		t := w.transitions.at(uint32(i))
		history := w.locals.at(t.from).history.Clone()
		for _, e := range t.events {
			if e.Kind == trace.Sent {
				noteSend(f, o, history, e)
			}
			b.note(o, history, e)
			history.Apply(e)
			if e.Kind == trace.Delivered {
				o.Legal[e.Proc][spec.SequenceKey(history.Delivered)] = true
			}
		}
		for _, a := range t.acts {
			if a.kind == actSend {
				notePast(o, w.messages.at(w.packets.at(a.packet()).message).value)
			}
		}
	}
}

// noteSend compares a send with the one of the same name in other runs.
func noteSend(f *spec.Facts, o *spec.Oracle, h *trace.History, e trace.Event) {
	fact := spec.SendFact{To: e.Peer, Digest: e.Digest, Before: spec.DeliveredSet(f, h)}
	first, ok := o.Sent[e.ID]
	if !ok {
		o.Sent[e.ID] = fact
		for _, d := range h.Delivered {
			o.Before[e.ID] = append(o.Before[e.ID], d.ID)
		}
		return
	}
	if first == fact || slices.ContainsFunc(o.Differ, func(d spec.Difference) bool {
		return d.ID == e.ID
	}) {
		return
	}
	d := spec.Difference{ID: e.ID}
	switch {
	case first.To != fact.To:
		d.What, d.First, d.Second = "destination", f.Layout.Name(first.To), f.Layout.Name(fact.To)
	case first.Before != fact.Before:
		d.What, d.First, d.Second = "set of messages delivered before it", "{"+first.Before+"}",
			"{"+fact.Before+"}"
	default:
		d.What, d.First, d.Second = "payload", fmt.Sprintf("%x", first.Digest),
			fmt.Sprintf("%x", fact.Digest)
	}
	o.Differ = append(o.Differ, d)
}

// notePast keeps, for each send, what precedes it in every run.
func notePast(o *spec.Oracle, m core.Message) {
	reporter, ok := m.(pastReporter)
	if !ok {
		panic(fmt.Sprintf("invariant: the oracle runs the transparent protocol, not one with %T",
			m))
	}
	past, id := reporter.Happened(), m.Describe().ID
	known, ok := o.Past[id]
	if !ok {
		o.Past[id] = slices.Clone(past)
		return
	}
	for r := range known {
		known[r] = min(known[r], past[r])
	}
}
