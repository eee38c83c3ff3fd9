package replicated

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// Protocol is a register that is replicated: the least service with which the replication can be
// judged, by whether its clients can tell it from one register that never fails.
var Protocol = protocol.Protocol{
	Name:     "replicated",
	Doc:      "an example outside recovery: a register on replicas that agree by Raft [Raft]",
	Roles:    []string{"replicas", "clients"},
	Variants: faultNames[1:],
	Mutants:  mutants,
	// the house asks for agreement among answers, not for answers
	Properties: []spec.Property{Answered},
	Build: func(counts []int, variant string) (*core.Setup, error) {
		return NewRegister(counts[0], counts[1], Fault(max(0, slices.Index(faultNames, variant))))
	},
}

// Answered: clients get answers. It remembers how many operations have not ended.
var Answered = spec.Property{
	Name: "answered", Kind: spec.Monitor, Source: "[ErrMgr] section 3",
	Doc:     "in the end every operation of every client has ended",
	Watched: []trace.Kind{trace.Invoked, trace.Returned},
	Memory: &spec.Remembers[int]{
		Observe: func(_ *spec.Facts, open *int, e trace.Event) string {
			if e.Kind == trace.Invoked {
				*open++
			} else if *open > 0 {
				*open--
			}
			return ""
		},
		Settle: func(_ *spec.Facts, open *int) string {
			if *open == 0 {
				return ""
			}
			return fmt.Sprintf("%d operations have no answer in the end", *open)
		},
	},
}

// NewRegister prepares a register with replicas and at most 26 clients, each of which writes a
// value of its own and then reads.
func NewRegister(replicas, clients int, f Fault) (*core.Setup, error) {
	if clients < 1 || clients > 26 {
		return nil, fmt.Errorf("replicated: %d clients, want [1, 26]", clients)
	}
	single := &core.Setup{Protocol: "replicated",
		NewMessage: func() core.Message { return new(operation) },
		Promises: promise.Promises{MaxFailures: (replicas - 1) / 2, Suspicions: -1, FIFO: true,
			Reliable: true, Register: true},
		New: func(p core.Proc) core.Machine {
			if p == 0 {
				return new(register)
			}
			return &user{value: string(rune('A' - 1 + p))}
		}}
	single.Layout.Names = []string{"r"}
	single.Layout.Roles = trace.Roles{}.With(trace.RoleService, "Write Read")
	for i := range clients {
		single.Layout.Names = append(single.Layout.Names, fmt.Sprintf("c%d", i+1))
	}
	return Setup(single, Options{Service: 0, Replicas: replicas, Fault: f})
}

// operation is what a client asks for, or the answer.
type operation struct {
	_     struct{} `cbor:",toarray"`
	Write bool
	Value string
}

// Describe implements core.Message.
func (o *operation) Describe() trace.Wire {
	if o.Write {
		return trace.Wire{Kind: "Write", Text: o.Value}
	}
	return trace.Wire{Kind: "Read", Text: o.Value}
}

// register is the service: it holds what was written last.
type register struct {
	core.Service
	s registerState
}

// registerState is what it holds.
type registerState struct {
	_     struct{} `cbor:",toarray"`
	Value string   `json:"value"`
}

func (r *register) State() []any { return []any{&r.s} }

func (r *register) Step(in core.Input, out []core.Effect) []core.Effect {
	if in.Kind != core.Received {
		return out
	}
	o := *in.Message.(*operation)
	if o.Write {
		r.s.Value = o.Value
	} else {
		o.Value = r.s.Value
	}
	return append(out, core.SendTo(in.From, &o))
}

// user is a client.
type user struct {
	core.Service
	value string
	s     userState
}

// userState is how many of its operations have begun.
type userState struct {
	_     struct{} `cbor:",toarray"`
	Begun uint8    `json:"begun"`
}

func (u *user) State() []any { return []any{&u.s} }

// Step takes an answer for that of the operation that has begun last, as one may who is answered
// once.
func (u *user) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start:
	case core.Received:
		out = append(out, core.Effect{Kind: core.Return, Key: in.Message.(*operation).answer()})
	default:
		return out
	}
	u.s.Begun++
	switch u.s.Begun {
	case 1:
		out = append(out, core.Effect{Kind: core.Invoke, Key: "write " + u.value})
		return append(out, core.SendTo(0, &operation{Write: true, Value: u.value}))
	case 2:
		out = append(out, core.Effect{Kind: core.Invoke, Key: "read"})
		return append(out, core.SendTo(0, &operation{}))
	}
	return out
}

// answer is what the client learns.
func (o *operation) answer() string {
	if o.Write {
		return ""
	}
	return o.Value
}
