package ground

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/hydee"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/trace"
)

// Logged is an entry of Logs.
type Logged struct {
	_       struct{}     `cbor:",toarray"`
	To      core.Rank    `json:"to"`
	Date    Date         `json:"date"`
	Phase   Phase        `json:"phase"`
	Payload core.Payload `json:"payload"`
}

// Reception is an entry of RPP: a message received, by the date of its send.
type Reception struct {
	_     struct{} `cbor:",toarray"`
	Date  Date     `json:"date"`
	Phase Phase    `json:"phase"`
}

// Channel is RPP[j].
type Channel struct {
	_       struct{}    `cbor:",toarray"`
	MaxDate Date        `json:"maxDate"`
	Entries []Reception `json:"entries"`
}

// Variables are what a checkpoint saves with the image of the process ([HydEE] Alg. 1 l. 21).
type Variables struct {
	_     struct{}  `cbor:",toarray"`
	Date  Date      `json:"date"`
	Phase Phase     `json:"phase"`
	Logs  []Logged  `json:"logs"` // in the order of the sends
	RPP   []Channel `json:"rpp"`  // by rank
}

// clone is a copy that changes no more.
func (v *Variables) clone() Variables {
	c := Variables{Date: v.Date, Phase: v.Phase, Logs: slices.Clone(v.Logs),
		RPP: slices.Clone(v.RPP)}
	for j := range c.RPP {
		c.RPP[j].Entries = slices.Clone(c.RPP[j].Entries)
	}
	return c
}

// State is the part of a process that both papers have.
type State struct {
	_ struct{} `cbor:",toarray"`
	Variables
	Arrived [][]Message      `json:"arrived"` // not yet received, by rank
	Life    core.Incarnation `json:"life"`
	Saving  saving           `json:"saving"`
}

type saving = snapshot.State[image, Message]

// Process is one process P_i without its algorithm.
type Process struct {
	*Clusters
	Rank core.Rank
	App  core.Application
	S    *State // a part of the state of the layer
	// Committed, if not nil, comes when a checkpoint of the cluster is the one to restart from
	Committed func()
}

// Clusters are the clusters of a layout.
type Clusters struct {
	Ranks int
	Of    []int // by rank
}

// Same reports whether two processes are in one cluster.
func (c *Clusters) Same(i, j core.Rank) bool { return c.Of[i] == c.Of[j] }

// Members are the processes of a cluster, in order.
func (c *Clusters) Members(cluster int) []core.Rank {
	return c.which(func(k core.Rank) bool { return c.Of[k] == cluster })
}

// Outside are the processes that are not in the cluster of one, in order.
func (c *Clusters) Outside(i core.Rank) []core.Rank {
	return c.which(func(k core.Rank) bool { return !c.Same(i, k) })
}

func (c *Clusters) which(ok func(core.Rank) bool) (list []core.Rank) {
	for k := range core.Rank(c.Ranks) {
		if ok(k) {
			list = append(list, k)
		}
	}
	return list
}

// RecoveryProcess is the last proc.
func (c *Clusters) RecoveryProcess() core.Proc { return core.Proc(c.Ranks) }

// NewSetup is the setup of the repaired protocol with other machines: the clusters that stop
// together, the records and what is promised are the same, and so is what runs are judged by. Every
// process hears of failures ("Upon failure", [HydEE] Alg. 2 and 3).
func NewSetup(r protocol.Request, layer func(*Process) core.Layer,
	recovery func(*Clusters) core.Machine) (*core.Setup, error) {
	setup, err := hydee.NewSetup(r.Layout, r.Programs, hydee.Options{})
	if err != nil {
		return nil, err
	}
	c := &Clusters{Ranks: r.Layout.Ranks, Of: r.Layout.Clusters}
	setup.NewMessage = func() core.Message { return new(Message) }
	setup.Layout.Roles = roles()
	setup.Layout.Kinds = map[string]trace.Meaning{"OrphanNotification": trace.Replay,
		"Notification": trace.Replay}
	setup.Watchers = nil
	for p := range setup.Layout.Names {
		setup.Watchers = append(setup.Watchers, core.Proc(p))
	}
	setup.New = func(p core.Proc) core.Machine {
		if p == c.RecoveryProcess() {
			return recovery(c)
		}
		return program.NewHost(core.Rank(p), r.Programs[p], func(app core.Application) core.Layer {
			return layer(&Process{Clusters: c, Rank: core.Rank(p), App: app})
		})
	}
	return setup, nil
}

// Reset puts the process into its initial state.
func (p *Process) Reset() {
	*p.S = State{Variables: Variables{RPP: make([]Channel, p.Ranks)},
		Arrived: make([][]Message, p.Ranks)}
}

// Sources are the processes of which a message has arrived.
func (p *Process) Sources(buf []core.Rank) []core.Rank {
	for j := range p.S.Arrived {
		if len(p.S.Arrived[j]) > 0 {
			buf = append(buf, core.Rank(j))
		}
	}
	return buf
}

// Arrive queues an application message until the program asks for it. Inside the cluster the
// coordinated protocol drops what another life has sent and notes what was on its way; from outside
// everything is taken, as no line says otherwise.
func (p *Process) Arrive(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	m = &Message{Kind: App, Date: m.Date, Phase: m.Phase, Payload: m.Payload, Life: m.Life}
	if p.Same(p.Rank, from) {
		if m.Life != p.S.Life {
			return append(out, core.DropInput(from.Proc(), m.Payload.ID,
				"another life of the cluster"))
		}
		p.S.Saving.Record(p, from, *m)
	}
	p.S.Arrived[from] = append(p.S.Arrived[from], *m)
	return out
}

// Next takes the first message of a process off the queue.
func (p *Process) Next(from core.Rank) Message { return core.Pop(&p.S.Arrived[from]) }

// Deliver hands a message to the application.
func Deliver(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	out, e := core.Add(out, core.Deliver)
	e.From, e.Payload = from.Proc(), m.Payload
	e.Stamp.Date, e.Stamp.Phase = uint64(m.Date), uint64(m.Phase)
	return out
}

// Log adds a message to Logs.
func (p *Process) Log(to core.Rank, payload core.Payload, out []core.Effect) []core.Effect {
	p.S.Logs = append(p.S.Logs, Logged{To: to, Date: p.S.Date, Phase: p.S.Phase, Payload: payload})
	return append(out, core.Logged(payload.ID, to.Proc(), 0))
}

// Send puts (msg, Date, Phase) on the network.
func (p *Process) Send(to core.Rank, payload core.Payload, out []core.Effect) []core.Effect {
	return append(out, core.SendTo(to.Proc(), &Message{Kind: App, Date: p.S.Date, Phase: p.S.Phase,
		Payload: payload, Life: p.S.Life}))
}

// Checkpoint handles what is about the coordinated checkpoint; ok is false for all other inputs.
func (p *Process) Checkpoint(in *core.Input, out []core.Effect) (effects []core.Effect, ok bool) {
	switch in.Kind {
	case core.Checkpoint:
		return p.S.Saving.Request(p, out), true
	case core.Persisted:
		return p.S.Saving.Persisted(p, in.Key, out), true
	case core.Received:
		m := in.Message.(*Message)
		if kind := slices.Index(noticeKinds, m.Kind); kind >= 0 {
			return p.S.Saving.Received(p, core.Rank(in.From), snapshot.Notice{
				Kind: snapshot.Kind(kind), Number: m.Number, Life: m.Life}, out), true
		}
	}
	return out, false
}
