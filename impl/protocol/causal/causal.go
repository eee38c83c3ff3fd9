package causal

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/protocol/part/snapshot"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// Options chooses how many failures at a time the protocol tolerates, and between the repaired
// protocol and what the paper prints.
type Options struct {
	F         int  // [0, ranks-1]
	Errata    Set  // errata switched on; the zero value is the repaired protocol
	Unordered bool // the network does not keep the order of a channel: the protocol restores it
	many      bool // what is kept is kept as with more than MaxRanks ranks
}

// Channel is what a rank keeps about one source of messages: another rank, or a group.
type Channel struct {
	_ struct{} `cbor:",toarray"`
	// a rank, or behind all ranks a group
	Source core.Rank `cbor:"-" json:"-"`
	// of the last message delivered; messages of one source are delivered in the order of their
	// numbers
	Last    SSN     `json:"last"`
	Arrived []Entry `json:"arrived"` // received and not delivered, in that order
}

// About implements core.Ranked.
func (c *Channel) About() *core.Rank { return &c.Source }

// Channels are by rank, then by group.
type Channels = core.ByRank[Channel, *Channel]

// State is everything that a rank keeps. SSN, RSN, Deliveries, Channels, Groups and parts of Saving
// are saved in checkpoints; the rest is lost in a crash.
type State struct {
	_   struct{} `cbor:",toarray"`
	SSN SSN      `json:"ssn"`
	RSN RSN      `json:"rsn"`
	// of the program; less than RSN when one reception has several parts
	Deliveries uint32   `json:"deliveries"`
	Channels   Channels `json:"channels"`
	Groups     Groups   `json:"groups"`
	// detLog and detBuf: all that are held here, by receiver and number
	Dets     Table            `json:"dets"`
	Log      MessageLog       `json:"log"` // msgLog: a sequence, in the order of the sends
	Inc      core.Incarnation `json:"inc"`
	SavedInc core.Incarnation `json:"savedInc"` // of the image; only erratum S6 reads it
	Lives    Lives            `json:"lives"`    // incMap, and our own
	Heard    Lives            `json:"heard"`    // last life whose failure notice was handled
	Muted    RankSet          `json:"muted"`    // recovering: sends to them wait for the replay

	Recovering bool    `json:"recovering"`
	Collecting bool    `json:"collecting"` // determinants are not complete, the program waits
	Round      uint32  `json:"round"`      // of the collection
	Answered   RankSet `json:"answered"`
	Awaited    RankSet `json:"awaited"` // have not ended their replay

	Saving       saving      `json:"saving"`
	Links        links       `json:"links"` // only where the network does not keep order
	Barrier      barrier     `json:"barrier"`
	Deferred     []Message   `json:"deferred"`
	DeferredFrom []core.Rank `json:"deferredFrom"`
}

// Extension is what a protocol that is built on this one adds.
type Extension interface {
	// Request handles a request of the program that this package does not know, Received such a
	// message.
	Request(in core.Input, out []core.Effect) []core.Effect
	Received(from core.Rank, m *Message, out []core.Effect) []core.Effect
	// Answer adds to the answer for a recovering rank, Answered takes such an answer, Running comes
	// when all are in.
	Answer(to core.Rank, m *Message)
	Answered(from core.Rank, m *Message, out []core.Effect) []core.Effect
	Running(out []core.Effect) []core.Effect
	// Replays reports whether a logged entry is sent again to a recovering rank.
	Replays(e *Entry, to core.Rank) bool
	// Prune removes what the recovery line of everybody has made superfluous.
	Prune(out []core.Effect) []core.Effect
	// Restored comes after a checkpoint is loaded.
	Restored()
	// SameGroup reports whether two group numbers of determinants count as one; Children are a
	// rank's own in a group.
	SameGroup(a, b core.Group) bool
	Children(g core.Group) []core.Rank
	// Stays reports whether a logged contribution to a group is kept until a checkpoint.
	Stays(g core.Group) bool
	// Got reports whether the first so many multicasts of a group are here, if this rank gets them.
	Got(g core.Group, multicasts uint32) bool
}

// config is shared by the ranks of one setup and never changes.
type config struct {
	ranks, groups, f int
	errata           Set
	unordered        bool
	replies          bool // how much a rank has sent at a checkpoint depends on what it received
	saving           bool // there are checkpoints
	holders          holders
}

// Has reports whether an erratum is switched on.
func (c *config) Has(e Erratum) bool { return c.errata.Has(e) }

// Layer is the protocol layer of one rank.
type Layer struct {
	*config
	Rank      core.Rank
	App       core.Application
	S         State
	extension Extension
	data
}

// NewSetup prepares SCMEL for the programs.
func NewSetup(layout trace.Layout, programs []core.Program, options Options) (*core.Setup, error) {
	return Extend("causal", layout, programs, options, func(l *Layer) Extension { return plain{l} })
}

// Extend prepares a protocol that is built on this one: extend makes its part for the layer of a
// rank.
func Extend(name string, layout trace.Layout, programs []core.Program, options Options,
	extend func(*Layer) Extension) (*core.Setup, error) {
	setup := &core.Setup{Protocol: name, Layout: layout, Programs: programs}
	if err := setup.Validate(); err != nil {
		return nil, err
	}
	n := layout.Ranks
	if err := limited(name, programs, len(layout.Trees), options.F); err != nil {
		return nil, err
	}
	for r, k := range layout.Clusters {
		if slices.Index(layout.Clusters, k) != r {
			return nil,
				blame("clusters", 0,
					"%s: ranks %s and %s share a cluster, but each rank rolls back alone", name,
					layout.Names[slices.Index(layout.Clusters, k)], layout.Names[r])
		}
	}
	if err := suitable(name, layout.Names, programs); err != nil {
		return nil, err
	}
	if err := backwards(name, &layout, programs); err != nil {
		return nil, err
	}
	c := &config{ranks: n, groups: len(layout.Trees), f: options.F, errata: options.Errata,
		unordered: options.Unordered, replies: replies(&layout, programs),
		saving:  slices.ContainsFunc(programs, checkpoints),
		holders: holders{many: n > MaxRanks || options.many}}
	setup.Layout.Clusters = nil
	setup.Layout.Labels, setup.Layout.Roles = core.Labels(programs), roles()
	setup.Layout.Collectives = core.Collectives(programs, layout.Trees)
	setup.NewMessage = func() core.Message { return new(Message) }
	setup.Promises = promise.Promises{Logging: "causal, sender", Lines: "coordinated",
		MaxFailures: max(options.F, -1), RollsBack: promise.FailedOnly, Needs: promise.Piecewise,
		PostsWait: true, FIFO: !options.Unordered, Reliable: true,
		Recovers: true, Holders: true, StableKeys: []string{snapshot.ImageKey, snapshot.CommitKey},
		Writes: snapshot.Writes(), Flow: promise.Everything,
		// a delivery: those whose determinants came with it are told
		Traffic: promise.Traffic{Promised: true, Delivery: 1 + options.F, Line: 3, Told: true}}
	if options.F == 0 {
		setup.Promises.MaxFailures = -1
		setup.Promises.Limits = map[string]string{"failures": "nobody but a rank itself holds " +
			"what it has delivered, with one rank, or with tolerates: 0"}
	}
	setup.New = func(p core.Proc) core.Machine {
		rank := core.Rank(p)
		h := program.NewHost(rank, programs[rank], func(app core.Application) core.Layer {
			l := &Layer{config: c, Rank: rank, App: app}
			l.extension = extend(l)
			return sourced{l}
		})
		return h.PostsWait()
	}
	setup.Reads = func(p core.Proc) []core.Proc { return snapshot.Reads(0, p) }
	return setup, setup.Validate()
}

func blame(key string, rank core.Rank, format string, args ...any) error {
	return &core.ChoiceError{Key: key, Rank: rank, Err: fmt.Errorf(format, args...)}
}

// mostSaved bounds what the ranks keep together about checkpoints: something about each pair of
// ranks, and of each group about each of them.
const mostSaved = 1 << 26

// limited reports how many failures at a time can not be tolerated, and what can not be done with
// so many ranks.
func limited(name string, programs []core.Program, groups, f int) error {
	switch n := len(programs); {
	case n > MaxRanks && f >= MaxHolders:
		return blame("tolerates", 0, "%s: tolerates %d failures at a time, want [0, %d] with more "+
			"than %d ranks", name, f, MaxHolders-1, MaxRanks)
	case n > MaxRanks && n*n*(1+groups) > mostSaved && slices.ContainsFunc(programs, checkpoints):
		return blame("program", MaxRanks, "%s: checkpoints of %d ranks in %d groups: each keeps "+
			"where each rank is, and in which round each is of each group; at most %d of them in "+
			"all are supported", name, n, groups, mostSaved)
	case f < 0 || f > n-1:
		return blame("tolerates", 0, "%s: tolerates %d failures at a time, want [0, %d] with %d "+
			"ranks", name, f, n-1, n)
	}
	return nil
}

// checkpoints reports whether a program takes any.
func checkpoints(p core.Program) bool {
	return slices.ContainsFunc(p, func(op core.Op) bool { return op.Kind == core.OpCheckpoint })
}

// suitable reports checkpoints that not everybody takes.
func suitable(name string, names []string, programs []core.Program) error {
	checkpoints := make([]int, len(programs))
	for r, p := range programs {
		for _, op := range p.Unrolled() {
			if op.Kind == core.OpCheckpoint {
				checkpoints[r]++
			}
		}
		if checkpoints[r] != checkpoints[0] {
			return blame("program", core.Rank(r),
				"%s: checkpoints are taken by all ranks together: %s has %d, %s has %d", name,
				names[0], checkpoints[0],
				names[r], checkpoints[r])
		}
	}
	return nil
}

// State implements core.Layer.
func (l *Layer) State() any { return &l.S }

// waits reports whether the program must not go on.
func (l *Layer) waits() bool {
	return l.S.Collecting && !l.Has(S2) || l.S.Barrier.Waits || l.saves()
}

// Ready implements core.Layer.
func (l *Layer) Ready(core.Rank) bool { return !l.waits() }

// Holds implements core.Holder: a program that is at a checkpoint does not come to the next one. 1.
// b passes two checkpoints at once; 2. the marks of the others for the first one arrive; 3. b
// stores no image of it, so nobody ever goes on.
func (l *Layer) Holds(op core.OpKind) bool {
	return op == core.OpCheckpoint && (l.saves() || l.S.Saving.Asked)
}

// saves reports whether the program is at a checkpoint that is not the recovery line yet.
func (l *Layer) saves() bool { return l.S.Saving.Wanted > l.S.Saving.Line && !l.Has(S8) }

// Sources implements core.Layer.
func (l *Layer) Sources(buf []core.Rank) []core.Rank {
	if l.waits() {
		return buf
	}
	for i := range l.S.Channels {
		c := &l.S.Channels[i]
		if len(c.Arrived) == 0 || !l.Turn(&c.Arrived[0]) {
			continue
		}
		if int(c.Source) < l.ranks {
			buf = append(buf, c.Source)
		} else {
			buf = append(buf, core.Group(int(c.Source)-l.ranks+1).Source())
		}
	}
	return buf
}

// sourced is a layer that can say of one source whether something of it waits: Has of the layer is
// about errata.
type sourced struct{ *Layer }

// Has implements core.Sourced.
func (l sourced) Has(source core.Rank) bool {
	if _, group := core.SourceGroup(source); !group && int(source) >= l.ranks {
		return false // no rank: groups are at those places
	}
	c := l.S.Channels.Find(l.place(source))
	return c != nil && len(c.Arrived) > 0 && !l.waits() && l.Turn(&c.Arrived[0])
}

// place is that of a source among the channels.
func (l *Layer) place(source core.Rank) core.Rank {
	if g, ok := core.SourceGroup(source); ok {
		return core.Rank(l.ranks + int(g) - 1)
	}
	return source
}

// channel is the one of a source, valid until the next one is asked for.
func (l *Layer) channel(source core.Rank) *Channel { return l.S.Channels.At(l.place(source)) }

// GroupChannel is the channel of a group, valid until the next one is asked for.
func (l *Layer) GroupChannel(g core.Group) *Channel { return l.channel(g.Source()) }

// Life is the live one of a rank, as far as is known here.
func (l *Layer) Life(q core.Rank) core.Incarnation {
	return l.holders.life(l.S.Lives, q)
}

// Hear notes that something of a life has come.
func (l *Layer) Hear(q core.Rank, life core.Incarnation) {
	if life > l.Life(q) {
		l.holders.live(&l.S.Lives, q, life)
	}
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

// reset puts the layer into the state of a rank that has done nothing.
func (l *Layer) reset() {
	l.enough, l.marked = 0, 0
	l.S = State{Channels: core.NewByRank[Channel](l.ranks + l.groups),
		Groups: core.NewByRank[Group](l.groups), Lives: l.holders.noLives(l.ranks),
		Heard: l.holders.noLives(l.ranks)}
	if !l.holders.many || l.saving {
		l.S.Saving.Marks = make([]uint32, l.ranks)
	}
	if l.unordered {
		l.S.Links = core.NewByRank[link](l.ranks)
	}
}

// step handles an input, messages in the order of their channel.
func (l *Layer) step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start:
		l.reset()
		return out
	case core.Restore:
		return l.restore(in, out)
	case core.Send:
		return l.send(in, out)
	case core.Receive:
		return l.deliver(core.Rank(in.From), out)
	case core.Checkpoint:
		return l.reach(out)
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
		return l.arrive(from, m, out)
	case Ack:
		return l.acknowledged(from, m, out)
	case Holding:
		if reason := l.Refuse(from, m); reason != "" {
			return append(out, core.DropInput(from.Proc(), core.MsgID{}, reason))
		}
		return l.Accept(from, m.Dets, out)
	case Recover:
		return l.recover(from, m, out)
	case Answer:
		return l.answered(from, m, out)
	case ReplayRequest:
		return l.replay(from, m, out)
	case ReplayEnd:
		return l.replayed(from, m, out)
	case Mark:
		return l.mark(from, m, out)
	case Saved:
		return l.saved(from, m, out)
	case CommitNotice:
		return l.commitNotice(m, out)
	case Committed:
		return l.committed(from, m, out)
	case PruneNotice:
		return l.prune(m, out)
	}
	return l.mayStore(l.extension.Received(from, m, out))
}

// plain is the extension of SCMEL itself: nothing.
type plain struct{ l *Layer }

func (p plain) Request(in core.Input, out []core.Effect) []core.Effect {
	return append(out, core.DropInput(in.From, core.MsgID{}, "no handler"))
}

func (p plain) Received(from core.Rank, m *Message, out []core.Effect) []core.Effect {
	return append(out, core.DropInput(from.Proc(), core.MsgID{},
		"no handler for "+m.Describe().Kind))
}
func (p plain) Answer(core.Rank, *Message)                                        {}
func (p plain) Answered(_ core.Rank, _ *Message, out []core.Effect) []core.Effect { return out }
func (p plain) Running(out []core.Effect) []core.Effect                           { return out }
func (p plain) Replays(e *Entry, to core.Rank) bool {
	return e.To == to
}
func (p plain) Prune(out []core.Effect) []core.Effect { return out }
func (p plain) Restored()                             {}
func (p plain) SameGroup(a, b core.Group) bool        { return a == b }
func (p plain) Children(core.Group) []core.Rank       { return nil }
func (p plain) Stays(core.Group) bool                 { return true }
func (p plain) Got(core.Group, uint32) bool           { return true }
