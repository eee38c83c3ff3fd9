package printed

import (
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// The forms.
var (
	// SBML is sender-based message logging.
	SBML = protocol.Printed{Variant: "published", Paper: "[RADIC] section 4.1.1",
		Setup: func(r protocol.Request) (*core.Setup, error) {
			return newSetup("sbml", r, nil, func(c *config, p core.Rank,
				app core.Application) core.Layer {
				l := &sender{config: c, rank: p, app: app}
				l.reset()
				return l
			})
		}}
	// RBML is receiver-based message logging.
	RBML = protocol.Printed{Variant: "published", Paper: "[RADIC] section 4.1.2",
		Setup: observed("rbml", config{})}
	// Measured is RBML as section 4.3 measures it.
	Measured = protocol.Printed{Variant: "published-measured", Paper: "[RADIC] section 4.3",
		Setup: observed("rbml", config{whole: true})}
	// HMPL is hybrid message pessimistic logging.
	HMPL = protocol.Printed{Variant: "published", Paper: "[RADIC] section 4.2",
		Setup: observed("hmpl", config{hybrid: true})}
)

// Beside are the repaired protocols with the printed forms of each.
func Beside(list []protocol.Protocol) []protocol.Protocol {
	forms := map[string][]protocol.Printed{"sbml": {SBML}, "rbml": {RBML, Measured},
		"hmpl": {HMPL}}
	for i := range list {
		list[i] = list[i].PrintedAs(forms[list[i].Name]...)
	}
	return list
}

// config is shared by the procs of one setup and never changes.
type config struct {
	ranks  int
	hybrid bool // HMPL
	whole  bool // RBML: the receive call finalizes only after the message is fully saved (4.3)
	// by rank: the senders that its program names in a receive
	named [][]bool
}

// logger is the proc of the logger of a rank.
func (c *config) logger(r core.Rank) core.Proc { return core.Proc(c.ranks) + core.Proc(r) }

// observed is the setup of a form with loggers.
func observed(name string, form config) func(protocol.Request) (*core.Setup, error) {
	return func(r protocol.Request) (*core.Setup, error) {
		return newSetup(name, r, &form, func(c *config, p core.Rank,
			app core.Application) core.Layer {
			l := &observer{config: c, rank: p, app: app}
			l.reset()
			return l
		})
	}
}

// newSetup prepares a form for the programs; form is nil for the one without loggers.
func newSetup(name string, r protocol.Request, form *config,
	layer func(*config, core.Rank, core.Application) core.Layer) (*core.Setup, error) {
	if r.Options != "" {
		return nil, &core.ChoiceError{Key: "options", Err: fmt.Errorf("%s as printed has no "+
			"options: the text does not say what a full buffer does", name)}
	}
	setup := &core.Setup{Protocol: name, Layout: r.Layout, Programs: r.Programs}
	if err := setup.Validate(); err != nil {
		return nil, err
	}
	c := &config{}
	if form != nil {
		*c = *form
	}
	c.ranks, c.named = r.Layout.Ranks, named(r.Programs)
	setup.Layout.Names = r.Layout.Names[:c.ranks:c.ranks]
	setup.Layout.Clusters, setup.Layout.Labels = nil, core.Labels(r.Programs)
	setup.Layout.Holdings, setup.Layout.Roles = true, roles()
	setup.NewMessage = func() core.Message { return new(Message) }
	setup.Promises = promise.Promises{RollsBack: promise.FailedOnly, Needs: promise.Piecewise,
		PostsWait: true, FIFO: true, Reliable: true, Holes: form == nil,
		KeepsCopies: form == nil || form.hybrid, Fetches: form != nil, KeepsLines: form != nil,
		Lines: "uncoordinated"}
	switch {
	case form == nil:
		setup.Promises.Logging, setup.Promises.MaxFailures = "pessimistic, sender", 1
		setup.Promises.StableKeys = []string{imageKey}
	case form.hybrid:
		setup.Promises.Logging = "pessimistic, sender until the receiver has logged"
	default:
		setup.Promises.Logging = "pessimistic, receiver"
	}
	if form != nil {
		for _, rank := range r.Layout.Names[:c.ranks] {
			setup.Layout.Names = append(setup.Layout.Names, "L"+rank)
		}
	}
	for p := range core.Rank(c.ranks) {
		setup.Initiators = append(setup.Initiators, p.Proc())
	}
	setup.New = func(p core.Proc) core.Machine {
		if int(p) >= c.ranks {
			return &logger{config: c, owner: core.Rank(int(p) - c.ranks)}
		}
		rank := core.Rank(p)
		h := program.NewHost(rank, r.Programs[rank], func(app core.Application) core.Layer {
			return layer(c, rank, app)
		})
		return h.PostsWait()
	}
	return setup, setup.Validate()
}

// named finds out which senders the receives of each program name.
func named(programs []core.Program) [][]bool {
	list := make([][]bool, len(programs))
	for r, p := range programs {
		list[r] = make([]bool, len(programs))
		for _, op := range p {
			if (op.Kind == core.OpRecv || op.Kind == core.OpPost) && !op.Any {
				list[r][op.Peer] = true
			}
		}
	}
	return list
}

// others sends a message to all other ranks.
func (c *config) others(self core.Rank, m Message, out []core.Effect) []core.Effect {
	for q := range core.Rank(c.ranks) {
		if q != self {
			out = append(out, core.SendTo(q.Proc(), &m))
		}
	}
	return out
}

// arrival is a message that has arrived and that the program has not received.
type arrival struct {
	_       struct{}     `cbor:",toarray"`
	SSN     SSN          `json:"ssn"`
	Payload core.Payload `json:"payload"`
}

// sequel is a queue without what has been received, by the table of SSN: "the SSN is always checked
// in order to discard already received messages" (4.2.4).
func sequel(queue []arrival, highest SSN) (rest []arrival) {
	for _, a := range queue {
		if a.SSN > highest {
			rest = append(rest, a)
		}
	}
	return rest
}

// first puts messages in the order of their SSN in front of a queue: what was sent to a process
// that recovers is delayed until it has recovered (2.3.2).
func first(entries []Entry, queue []arrival) (list []arrival) {
	for _, e := range entries {
		list = append(list, arrival{SSN: e.SSN, Payload: e.Payload})
	}
	return append(list, queue...)
}

// drop declares that a message was ignored.
func drop(from core.Proc, why string) core.Effect {
	return core.DropInput(from, core.MsgID{}, why)
}

// declare is a declaration without more.
func declare(what trace.Kind) core.Effect { return core.Effect{Kind: core.Declare, What: what} }
