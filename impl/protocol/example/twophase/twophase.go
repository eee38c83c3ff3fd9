package twophase

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// The decisions.
const (
	Commit = "commit"
	Abort  = "abort"
)

// manager is the proc of the transaction manager; the resource managers follow it.
const manager core.Proc = 0

// Options direct the protocol. The zero value is the protocol as it must be.
type Options struct {
	Resources int // resource managers, at least 1
	// broken on purpose: the transaction manager does not wait for the last resource manager
	Hasty bool
}

// NewSetup prepares a transaction.
func NewSetup(o Options) (*core.Setup, error) {
	if o.Resources < 1 || o.Resources > 64 {
		return nil, fmt.Errorf("two-phase commit: %d resource managers, want [1, 64]", o.Resources)
	}
	s := &core.Setup{
		Protocol:   "two-phase",
		Layout:     trace.Layout{Names: []string{"TM"}, Roles: roles()},
		NewMessage: func() core.Message { return new(Message) },
		Promises: promise.Promises{MaxFailures: -1, Decisions: []string{Commit, Abort},
			Deciders: 1 + o.Resources},
		New: func(p core.Proc) core.Machine {
			if p == manager {
				return &transaction{options: o}
			}
			return new(resource)
		},
	}
	for i := range o.Resources {
		s.Layout.Names = append(s.Layout.Names, fmt.Sprintf("rm%d", i+1))
		s.Alike = append(s.Alike, manager+1+core.Proc(i))
	}
	return s, s.Validate()
}

// Message is all that is ever said.
type Message struct {
	_    struct{} `cbor:",toarray"`
	Kind Kind
}

// Kind says what a message is.
type Kind uint8

// The kinds.
const (
	// resource manager to transaction manager: I can commit, and will not abort any more
	Prepared    Kind = iota
	CommitOrder      // transaction manager to all: the transaction is committed
	AbortOrder       // transaction manager to all: it is aborted
)

// Describe implements core.Message.
func (m *Message) Describe() trace.Wire {
	return trace.Wire{Kind: [...]string{"Prepared", "Commit", "Abort"}[m.Kind]}
}

// roles are what the kinds are for.
func roles() trace.Roles {
	return trace.Roles{}.With(trace.RoleAgreement, "Prepared Commit Abort")
}

// What a machine may do of its own accord.
const (
	chooseCommit core.Choice = iota + 1
	chooseAbort
	choosePrepare
)

// decide declares a decision.
func decide(out []core.Effect, what string) []core.Effect {
	return append(out, core.Effect{Kind: core.Decide, Key: what})
}

// transaction is the transaction manager.
type transaction struct {
	options Options
	s       transactionState
}

type transactionState struct {
	_        struct{} `cbor:",toarray"`
	Decision string   `json:"decision"` // "" = none yet
	Prepared uint64   `json:"prepared"` // a bit each resource manager, from the lowest
}

func (t *transaction) State() []any { return []any{&t.s} }

// Rename implements core.Renamer.
func (t *transaction) Rename(to func(core.Proc) core.Proc) {
	t.s.Prepared = core.RenameBits(t.s.Prepared, manager+1, to)
}

// Choices implements core.Machine: it commits when all have prepared, and aborts at any time, until
// it has decided.
func (t *transaction) Choices(buf []core.Choice) []core.Choice {
	if t.s.Decision != "" {
		return buf
	}
	if t.ready() {
		buf = append(buf, chooseCommit)
	}
	return append(buf, chooseAbort)
}

func (t *transaction) ready() bool {
	missing := (1<<t.options.Resources - 1) &^ t.s.Prepared
	return missing == 0 || t.options.Hasty && missing&(missing-1) == 0
}

func (t *transaction) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Received:
		bit := uint64(1) << (in.From - 1)
		switch {
		case t.s.Decision != "":
			return append(out, core.DropInput(in.From, core.MsgID{}, "decided"))
		case t.s.Prepared&bit != 0:
			return append(out, core.DropInput(in.From, core.MsgID{}, "known"))
		}
		t.s.Prepared |= bit
	case core.Advance:
		order := &Message{Kind: CommitOrder}
		t.s.Decision = Commit
		if in.Choice == chooseAbort {
			t.s.Decision, order.Kind = Abort, AbortOrder
		}
		out = decide(out, t.s.Decision)
		for i := range t.options.Resources {
			out = append(out, core.SendTo(manager+1+core.Proc(i), order))
		}
	}
	return out
}

// resource is a resource manager.
type resource struct{ s resourceState }

type resourceState struct {
	_        struct{} `cbor:",toarray"`
	Prepared bool     `json:"prepared"`
	Decision string   `json:"decision"` // "" = none yet
}

func (r *resource) State() []any { return []any{&r.s} }

// Choices implements core.Machine: it prepares or aborts, until it has done one of the two or been
// told.
func (r *resource) Choices(buf []core.Choice) []core.Choice {
	if r.s.Prepared || r.s.Decision != "" {
		return buf
	}
	return append(buf, choosePrepare, chooseAbort)
}

// Step implements core.Machine. It obeys every order, also one against its own decision: that there
// is none is for the checker to find out.
func (r *resource) Step(in core.Input, out []core.Effect) []core.Effect {
	switch {
	case in.Kind == core.Advance && in.Choice == choosePrepare:
		r.s.Prepared = true
		return append(out, core.SendTo(manager, &Message{Kind: Prepared}))
	case in.Kind == core.Advance:
		return r.decide(Abort, out)
	case in.Kind == core.Received:
		what := Commit
		if in.Message.(*Message).Kind == AbortOrder {
			what = Abort
		}
		if r.s.Decision == what {
			return append(out, core.DropInput(in.From, core.MsgID{}, "decided"))
		}
		return r.decide(what, out)
	}
	return out
}

// decide forgets whether it had prepared: the message says so.
func (r *resource) decide(what string, out []core.Effect) []core.Effect {
	r.s = resourceState{Decision: what}
	return decide(out, what)
}
