package hydee

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/protocol/part/sendlog"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// Options are how the protocol is broken, if it is.
type Options struct {
	Errata Set // errata switched on; the zero value is the repaired protocol
}

// entry is one logged message ([HydEE] Alg. 1 l. 8).
type entry struct {
	_       struct{}     `cbor:",toarray"`
	Date    Date         `json:"date"`
	Phase   Phase        `json:"phase"`
	Payload core.Payload `json:"payload"`
}

func (e *entry) Number() uint64 { return uint64(e.Date) }

func (e *entry) Content() *core.Payload { return &e.Payload }

// messageLog is what was sent to one rank.
type messageLog = sendlog.Log[entry, *entry]

// reception is one entry of RPP, received per phase ([HydEE] Alg. 1 l. 14): it names a message, not
// its place in the order.
type reception struct {
	_     struct{} `cbor:",toarray"`
	Date  Date     `json:"date"`
	Phase Phase    `json:"phase"`
}

// channel is the part of a rank's state about one other rank that is saved in checkpoints.
type channel struct {
	_        struct{}    `cbor:",toarray"`
	Rank     core.Rank   `cbor:"-" json:"-"`
	Log      messageLog  `json:"log"`      // sent to it, ascending dates; only between clusters
	LastDate Date        `json:"lastDate"` // RPP.maxDate: of the last message delivered from it
	Received []reception `json:"received"` // RPP, ascending dates; only between clusters
}

// message is one application message that has arrived and waits for a receive.
type message struct {
	_       struct{}     `cbor:",toarray"`
	Date    Date         `json:"date"`
	Phase   Phase        `json:"phase"`
	Payload core.Payload `json:"payload"`
}

// peer is what a rank keeps about one other rank and loses in a crash.
type peer struct {
	_          struct{}         `cbor:",toarray"`
	Rank       core.Rank        `cbor:"-" json:"-"`
	Arrived    []message        `json:"arrived"`    // the unexpected queue
	Evaluation Round            `json:"evaluation"` // the last one that was about this channel
	HasStatus  bool             `json:"hasStatus"`  // its Status of this round is here
	StatusDate Date             `json:"statusDate"` // its date
	StatusLife core.Incarnation `json:"statusLife"` // its incarnation
	StatusLast Date             `json:"statusLast"` // date of the last message that it has of us
	// our sends up to this date were received before the failure
	OrphanDate Date    `json:"orphanDate"`
	Resend     []entry `json:"resend"` // logged messages that wait for their phase
	// its next message is answered with an Acknowledge
	OwesAck bool `json:"owesAck"`
	// what that Acknowledge says was received from it
	AckLast Date `json:"ackLast"`
}

// channels and peers are by rank.
type (
	channels = core.ByRank[channel, *channel]
	peers    = core.ByRank[peer, *peer]
)

// About implements core.Ranked.
func (c *channel) About() *core.Rank { return &c.Rank }

// About implements core.Ranked.
func (p *peer) About() *core.Rank { return &p.Rank }

// state is a rank's layer. Date, Phase and Channels are saved in checkpoints, the rest is volatile.
type state struct {
	_           struct{}         `cbor:",toarray"`
	Date        Date             `json:"date"`
	Phase       Phase            `json:"phase"`
	Channels    channels         `json:"channels"`
	Peers       peers            `json:"peers"`
	Incarnation core.Incarnation `json:"incarnation"`
	Round       Round            `json:"round"`
	Clusters    []int            `json:"clusters"` // whose channels this round is about
	Frontier    Phase            `json:"frontier"` // sends up to this phase may leave
	Unjoined    bool             `json:"unjoined"` // restarted and in no round yet
	Evaluated   bool             `json:"evaluated"`
	RolledBack  bool             `json:"rolledBack"`
	RestartDate Date             `json:"restartDate"`
	AckDate     Date             `json:"ackDate"` // date of the committed checkpoint
	Orphans     []Orphan         `json:"orphans"` // as last reported
	Saving      saving           `json:"saving"`
}

// saving is the coordinated checkpoint of the cluster.
type saving = snapshot.State[image, message]

// layer is the protocol layer of one rank.
type layer struct {
	*config
	rank core.Rank
	app  core.Application
	s    state
	data
}

// config is shared by the procs of one setup and never changes.
type config struct {
	ranks    int
	clusters []int
	errata   Set
	members  [][]core.Rank // by cluster, ascending
}

func (c *config) has(e Erratum) bool              { return c.errata.Has(e) }
func (c *config) same(a, b core.Rank) bool        { return c.clusters[a] == c.clusters[b] }
func (c *config) first(r core.Rank) core.Rank     { return c.members[c.clusters[r]][0] }
func (c *config) mates(r core.Rank) []core.Rank   { return c.members[c.clusters[r]] }
func (c *config) recoveryProcess() core.Proc      { return core.Proc(c.ranks) }
func (c *config) outside(r core.Rank) []core.Rank { return c.others(r, false) }

// about reports whether a round for the clusters is about the channels of a rank.
func (c *config) about(clusters []int, r core.Rank) bool {
	return slices.Contains(clusters, c.clusters[r])
}

// others returns the ranks of other clusters, or with the flag also the mates, without r itself.
func (c *config) others(r core.Rank, mates bool) []core.Rank {
	var list []core.Rank
	for q := range core.Rank(c.ranks) {
		if q != r && (mates || !c.same(q, r)) {
			list = append(list, q)
		}
	}
	return list
}

// newConfig reads the clusters, and refuses what HydEE can not run.
func newConfig(layout *trace.Layout, programs []core.Program, options Options) (*config, error) {
	c := &config{ranks: layout.Ranks, clusters: layout.Clusters, errata: options.Errata}
	if len(c.clusters) != c.ranks {
		return nil, fmt.Errorf("hydee: %d ranks, but %d have a cluster", c.ranks, len(c.clusters))
	}
	bare := core.Setup{Protocol: "hydee", Layout: *layout, Programs: programs}
	if err := bare.Validate(); err != nil {
		return nil, err
	}
	if slices.Contains(layout.Names, "RP") {
		return nil,
			fmt.Errorf("hydee: a rank is called RP, which is the name of the recovery process")
	}
	for r, k := range c.clusters {
		if k < 0 || k > c.ranks {
			return nil, fmt.Errorf("hydee: rank %d is in cluster %d, want a number in [0, %d)", r,
				k, c.ranks)
		}
		for len(c.members) <= k {
			c.members = append(c.members, nil)
		}
		c.members[k] = append(c.members[k], core.Rank(r))
	}
	return c, nil
}

// NewSetup prepares HydEE for the programs, with clusters[r] the cluster of rank r. The recovery
// process is the last proc.
func NewSetup(layout trace.Layout, programs []core.Program, options Options) (*core.Setup, error) {
	c, err := newConfig(&layout, programs, options)
	if err != nil {
		return nil, err
	}
	layout.Names = append(layout.Names[:c.ranks:c.ranks], "RP")
	layout.Groups = map[core.Proc][]core.Proc{}
	layout.Labels = core.Labels(programs)
	layout.Kinds, layout.Roles = snapshot.Kinds(), roles()
	layout.Kinds["Frontier"], layout.Kinds["OrphanDone"] = trace.Gate, trace.Replay
	layout.Kinds["Report"] = trace.Evaluated
	setup := &core.Setup{
		Protocol: "hydee", Layout: layout, Programs: programs,
		NewMessage: func() core.Message { return new(Message) },
		Watchers:   []core.Proc{c.recoveryProcess()},
		Promises: promise.Promises{Logging: "sender, between clusters",
			Lines: "coordinated in each cluster", RollsBack: promise.Cluster, Symmetric: true,
			Needs: promise.SendDeterministic, FIFO: true, Reliable: true,
			Phases: true, LogsOutside: true, Suspicions: -1, RestartTogether: true,
			StableKeys: []string{snapshot.ImageKey, snapshot.CommitKey},
			Writes:     snapshot.Writes(), Flow: promise.EvenInLines,
			// a line: markers and notices in the cluster, acknowledgements outside
			Traffic: promise.Traffic{Promised: true, Line: 2}},
	}
	if err := c.groups(setup); err != nil {
		return nil, err
	}
	setup.New = c.machine(programs)
	setup.Reads = func(p core.Proc) []core.Proc {
		if p == c.recoveryProcess() {
			return nil
		}
		return snapshot.Reads(c.first(core.Rank(p)).Proc(), p)
	}
	return setup, setup.Validate()
}

// machine makes the machine of each proc.
func (c *config) machine(programs []core.Program) func(core.Proc) core.Machine {
	return func(p core.Proc) core.Machine {
		if p == c.recoveryProcess() {
			return &recoveryProcess{config: c}
		}
		rank := core.Rank(p)
		return program.NewHost(rank, programs[rank], func(app core.Application) core.Layer {
			return &layer{config: c, rank: rank, app: app}
		})
	}
}

// groups makes each cluster a group of procs that stop together; its first rank begins checkpoints.
func (c *config) groups(setup *core.Setup) error {
	for k, ranks := range c.members {
		if len(ranks) == 0 {
			return fmt.Errorf("hydee: cluster %d has no rank", k)
		}
		group := make([]core.Proc, len(ranks))
		for i, r := range ranks {
			group[i] = r.Proc()
		}
		for _, p := range group {
			setup.Layout.Groups[p] = group
		}
		setup.Initiators = append(setup.Initiators, group[0])
	}
	return nil
}

func (l *layer) State() any { return &l.s }

// Ready implements core.Layer: a send waits for the frontier (R1). Each send does, not only the
// first.
func (l *layer) Ready(core.Rank) bool { return l.s.Phase <= l.s.Frontier }

// Sources implements core.Layer: deliveries are FIFO per source (R3).
func (l *layer) Sources(buf []core.Rank) []core.Rank {
	for i := range l.s.Peers {
		if p := &l.s.Peers[i]; l.released(p) {
			buf = append(buf, p.Rank)
		}
	}
	return buf
}

// Has implements core.Sourced.
func (l *layer) Has(source core.Rank) bool {
	p := l.s.Peers.Find(source)
	return p != nil && l.released(p)
}

// released reports whether the next message of a rank may be received (R3). What a restarted rank
// finds on its way inside its cluster waits for the frontier, as what others send it again does:
//
//  1. p stores its image, then receives k and sends j to d, in another cluster.
//  2. d answers q, a mate of p, which sends m to p, and then gets the marker and stores its image:
//     inside the cluster the cut is consistent, and m is on its way through it.
//  3. The cluster fails. p has not received k, so it must not receive m, which depends on j.
func (l *layer) released(p *peer) bool {
	switch {
	case len(p.Arrived) == 0:
		return false
	case !l.s.RolledBack || !l.same(l.rank, p.Rank) || l.has(H24):
		return true // Deviation: H24 hands over at once what the image has
	}
	return p.Arrived[0].Phase <= l.s.Frontier
}

func (l *layer) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start:
		l.reset()
		l.s.Frontier = infinite
		return out
	case core.Restore:
		return l.restore(in, out)
	case core.Send:
		return l.send(in, out)
	case core.Receive:
		return l.deliver(core.Rank(in.From), out)
	case core.Checkpoint:
		return l.s.Saving.Request(l, out)
	case core.Persisted:
		return l.s.Saving.Persisted(l, in.Key, out)
	case core.Received:
		return l.received(in.From, in.Message.(*Message), out)
	}
	return append(out, core.DropInput(in.From, core.MsgID{}, "no handler"))
}

// received dispatches a message.
func (l *layer) received(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	switch m.Kind {
	case App:
		return l.arrive(core.Rank(from), m, out)
	case Begin:
		return l.begin(m, out)
	case Status:
		return l.status(core.Rank(from), m, out)
	case Frontier:
		return l.frontier(m, out)
	case Acknowledge:
		return l.acknowledged(core.Rank(from), m, out)
	case SaveRequest, Marker, Saved, CommitNotice:
		return l.noticed(core.Rank(from), m, out)
	}
	return append(out, core.DropInput(from, core.MsgID{}, "no handler for "+m.Describe().Kind))
}

// reset puts the layer into the state of a rank that has done nothing, not in any round, gate
// closed.
func (l *layer) reset() {
	l.s = state{Phase: 1, Channels: core.NewByRank[channel](l.ranks),
		Peers: core.NewByRank[peer](l.ranks)}
}

// peer is what is kept about a rank. Whoever is not known yet owes nothing but an answer about the
// last checkpoint, see oweAcks.
func (l *layer) peer(q core.Rank) *peer {
	if p := l.s.Peers.Find(q); p != nil {
		return p
	}
	p := l.s.Peers.At(q)
	p.OwesAck = l.s.Saving.Committed > 0 && !l.same(l.rank, q)
	return p
}
