package printed

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/causal"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/promise"
)

// Form is SCMEL as the paper prints it.
var Form = protocol.Printed{Variant: "published", Paper: "[CAMEL] Alg. 1",
	Setup: func(r protocol.Request) (*core.Setup, error) {
		return NewSetup("causal", r, func(l *Layer) Extension { return plain{l} })
	},
}

// State is Table 1 of [CAMEL], and what stands for the system around it.
type State struct {
	_      struct{}           `cbor:",toarray"`
	SSN    uint32             `json:"ssn"`
	RSN    uint32             `json:"rsn"`
	RsnMap Map                `json:"rsnMap"` // with a group: redRsnMap of Table 2
	DetLog []Det              `json:"detLog"` // a set, in order
	DetBuf []Det              `json:"detBuf"`
	MsgLog []Message          `json:"msgLog"`
	Inc    core.Incarnation   `json:"inc"`
	IncMap []core.Incarnation `json:"incMap"`

	// messages that have arrived and that the program has not asked for, by source: ranks, then
	// groups
	Arrived    [][]Message `json:"arrived"`
	Deliveries uint32      `json:"deliveries"` // of the program; evidence
	Groups     []Group     `json:"groups"`

	Recovering bool      `json:"recovering"`
	AllDets    []bool    `json:"allDets"` // a new incarnation: who has sent its determinants
	Collecting bool      `json:"collecting"`
	Awaited    []bool    `json:"awaited"` // whose log is still to come
	Barrier    bool      `json:"barrier"` // waits in it, for:
	BarrierFor core.Rank `json:"barrierFor"`
	Saving     saving    `json:"saving"`
}

// Group is what impl/protocol/camel/printed keeps about one group; all of it is saved in
// checkpoints but what waits.
type Group struct {
	_       struct{}  `cbor:",toarray"`
	RedSSN  uint32    `json:"redSsn"`  // redSsnMap of Table 2
	Done    uint32    `json:"done"`    // the reduction number: the last one that is complete
	From    []uint32  `json:"from"`    // by child: its last contribution
	Rounds  []Round   `json:"rounds"`  // accumulated, by number
	Waiting []Message `json:"waiting"` // root: contributions that are out of order
}

// Round is what is accumulated of one reduction.
type Round struct {
	_      struct{}  `cbor:",toarray"`
	Number uint32    `json:"number"`
	Parts  []Message `json:"parts"`
}

// Extension is what a protocol that extends Algorithm 1 adds to it.
type Extension interface {
	// Request handles a request of the program, Received such a message, that Algorithm 1 has not.
	Request(in core.Input, out []core.Effect) []core.Effect
	Received(from core.Rank, m *Message, out []core.Effect) []core.Effect
	// Bound reports whether a logged message is bound to a rank (Algorithm 1 l. 39).
	Bound(m *Message, to core.Rank) bool
	// Tell adds to the determinants for a new incarnation, Told takes them.
	Tell(m *Message)
	Told(m *Message)
	// Advanced comes when rsn has grown, or a process runs again.
	Advanced(out []core.Effect) []core.Effect
}

// Layer is Algorithm 1 for one rank.
type Layer struct {
	Rank      core.Rank
	S         State
	app       core.Application
	ranks     int
	groups    int
	extension Extension
}

// NewSetup prepares Algorithm 1, extended or not, for the programs.
func NewSetup(name string, r protocol.Request,
	extend func(*Layer) Extension) (*core.Setup, error) {
	setup := &core.Setup{Protocol: name, Layout: r.Layout, Programs: r.Programs}
	if err := setup.Validate(); err != nil {
		return nil, err
	}
	n := r.Layout.Ranks
	f := r.Survive(min(1, n-1))
	if f > 1 || f > n-1 || f < 0 {
		return nil, &core.ChoiceError{Key: "tolerates", Err: fmt.Errorf(
			"%s as printed tolerates %d failures at a time, want [0, %d]", name, f, min(1, n-1))}
	}
	if err := causal.Refuse(name, &r.Layout, r.Programs); err != nil {
		return nil, err
	}
	setup.Layout.Clusters = nil
	setup.Layout.Labels, setup.Layout.Roles = core.Labels(r.Programs), roles()
	setup.Layout.Collectives = core.Collectives(r.Programs, r.Layout.Trees)
	setup.NewMessage = func() core.Message { return new(Message) }
	setup.Promises = promise.Promises{Logging: "causal, sender", Lines: "coordinated",
		MaxFailures: 1, RollsBack: promise.FailedOnly, Needs: promise.Piecewise, FIFO: true,
		Reliable: true, Recovers: true, Holders: true,
		StableKeys: []string{snapshot.ImageKey, snapshot.CommitKey}}
	if f == 0 {
		setup.Promises.MaxFailures = -1
	}
	setup.New = func(p core.Proc) core.Machine {
		rank := core.Rank(p)
		return program.NewHost(rank, r.Programs[rank], func(app core.Application) core.Layer {
			l := &Layer{Rank: rank, app: app, ranks: n, groups: len(r.Layout.Trees)}
			l.extension = extend(l)
			l.reset()
			return l
		})
	}
	setup.Reads = func(p core.Proc) []core.Proc { return snapshot.Reads(0, p) }
	return setup, setup.Validate()
}

// reset puts the layer into the state of a process that has done nothing.
func (l *Layer) reset() {
	l.S = State{IncMap: make([]core.Incarnation, l.ranks),
		Arrived: make([][]Message, l.ranks+l.groups), Groups: make([]Group, l.groups),
		AllDets: make([]bool, l.ranks), Awaited: make([]bool, l.ranks)}
	l.S.Saving.Saved, l.S.Saving.Moved = make([]bool, l.ranks), make([]uint32, l.ranks)
}

// State implements core.Layer.
func (l *Layer) State() any { return &l.S }

// blocked reports whether the process is in a procedure that waits: in the barrier of FAILURE or of
// RECEIVEDETS, or in CHECKPOINT.
func (l *Layer) blocked() bool {
	return l.S.Barrier || l.S.Collecting || l.S.Saving.Wanted > l.S.Saving.Empty
}

// Ready implements core.Layer.
func (l *Layer) Ready(core.Rank) bool { return !l.blocked() }

// Holds implements core.Holder.
func (l *Layer) Holds(core.OpKind) bool { return l.blocked() }

// Sources implements core.Layer.
func (l *Layer) Sources(buf []core.Rank) []core.Rank {
	if l.blocked() {
		return buf
	}
	for q := range l.S.Arrived {
		if len(l.S.Arrived[q]) == 0 || l.Behind(&l.S.Arrived[q][0]) {
			continue
		}
		if q < l.ranks {
			buf = append(buf, core.Rank(q))
		} else {
			buf = append(buf, core.Group(q-l.ranks+1).Source())
		}
	}
	return buf
}

// Queue is what has arrived of a group.
func (l *Layer) Queue(g core.Group) *[]Message { return &l.S.Arrived[l.ranks+int(g)-1] }

// Step implements core.Layer.
func (l *Layer) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start:
		l.reset()
		return out
	case core.Restore:
		return l.restore(in, out)
	case core.Send:
		return l.sendMsg(in, out)
	case core.Receive:
		return l.processMsg(core.Rank(in.From), out)
	case core.Checkpoint:
		return l.checkpoint(out)
	case core.Persisted:
		return l.persisted(in.Key, out)
	case core.Received:
		return l.received(core.Rank(in.From), in.Message.(*Message), out)
	}
	return l.extension.Request(in, out)
}

// received dispatches a message.
func (l *Layer) received(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	switch m.Kind {
	case App:
		return l.receiveMsg(from, m, out)
	case DetAck:
		return l.receiveDetAck(m, out)
	case Dets:
		return l.receiveDets(from, m, out)
	case Failure:
		return l.failure(from, m, out)
	case Leave:
		return l.leave(from, m, out)
	case Replayed:
		return l.replayed(from, m, out)
	case Saved:
		return l.saved(from, m, out)
	case Commit:
		return l.commit(m, out)
	case Moved:
		return l.moved(from, m, out)
	}
	return l.extension.Received(from, m, out)
}

// NetSend puts a message on the network.
func (l *Layer) NetSend(m Message, to core.Rank, out []core.Effect) []core.Effect {
	m.Dets = slices.Clone(m.Dets)
	return append(out, core.SendTo(to.Proc(), &m))
}

// others are all ranks but this one.
func (l *Layer) others() []core.Rank {
	var list []core.Rank
	for q := range core.Rank(l.ranks) {
		if q != l.Rank {
			list = append(list, q)
		}
	}
	return list
}

// increment is INCREMENT.
func increment(counter *uint32) uint32 {
	*counter++
	return *counter
}

// Drop is a message that is discarded.
func Drop(m *Message, from core.Rank, why string, out []core.Effect) []core.Effect {
	return append(out, core.DropInput(from.Proc(), m.Payload.ID, why))
}

// plain is Algorithm 1 alone.
type plain struct{ l *Layer }

func (p plain) Request(in core.Input, out []core.Effect) []core.Effect {
	return append(out, core.DropInput(in.From, core.MsgID{}, "no handler"))
}

func (p plain) Received(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	return Drop(m, from, "no handler", out)
}
func (p plain) Bound(m *Message, to core.Rank) bool      { return m.Recver == to }
func (p plain) Tell(*Message)                            {}
func (p plain) Told(*Message)                            {}
func (p plain) Advanced(out []core.Effect) []core.Effect { return out }
