package errmgr

import (
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/errmgr/policy"
	"github.com/domino-check/domino/impl/protocol/errmgr/sstore"
	"github.com/domino-check/domino/spec/trace"
)

// head is the head of the job: it hears of failures and predictions, asks the policies, and carries
// out their orders; it coordinates snapshots and keeps account of them. One thing at a time: an
// episode (the answer to a failure) comes before a migration, and that before a snapshot.
type head struct {
	core.Service
	c     *config
	stack policy.Stack
	s     headState
}

// headState is the state of a head.
type headState struct {
	Episode uint32 // the newest one; 0 is none
	Ranks   []rankState
	Nodes   []nodeState // in the order of config.node
	Keeper  sstore.Keeper
	Ever    bool // some snapshot was established
	Tries   []tries

	Open    bool          // an episode is
	Status  policy.Status // of it
	Work    work          // the order of its owner, as far as it is carried out
	Aborted bool

	Pause  taking
	Wanted bool // a snapshot is to be taken when there is time for it
	Move   move
	Moves  uint32 // migrations so far
	// Queue are predictions that wait for what is going on to end.
	Queue []Prediction

	// writes that are not durable yet, by record
	Rulings, Commits, Numbers, Aborts, Drains int

	Drained []core.Proc // nodes that were given up

	// Blind says that the head has restarted and does not know where ranks run: they may have
	// moved in its life before.
	Blind bool
}

// rankState is what the head knows of a rank.
type rankState struct {
	_    struct{} `cbor:",toarray"`
	Node core.Proc
	// Life is the newest life that the head has heard of, Most the newest that there may be: a rank
	// that was to be started on a node that failed may have lived or not.
	Life, Most core.Incarnation
	Up         bool
	Starting   bool
	Waits      bool // it has restarted, and may not run yet
	Stopped    bool // by the head, not by a failure: its node is as good as before
	Failed     bool // it is one of those that the open episode was opened about
	Gone       bool // the job goes on without it
}

// nodeState is what the head knows of a node.
type nodeState struct {
	_         struct{} `cbor:",toarray"`
	Up        bool     // and not given up: nothing is sent to it any more
	Predicted bool
}

// tries counts the episodes that have started from a snapshot, the zero value of which is the
// start of the programs.
type tries struct {
	_    struct{} `cbor:",toarray"`
	Snap SnapID
	N    int
}

// mostTries is how many episodes start from one snapshot before the next older one is taken: a
// program that fails always at one place is not restarted for ever.
const mostTries = 4

func newHead(c *config) core.Machine { return &head{c: c, stack: c.stack} }

// State implements core.Machine.
func (h *head) State() []any { return []any{&h.s} }

// Step implements core.Machine.
func (h *head) Step(in core.Input, out []core.Effect) []core.Effect {
	switch in.Kind {
	case core.Start:
		h.begin()
	case core.Restore:
		out = h.restore(&in, out)
	case core.Received:
		out = h.receive(in.From, in.Message.(*Message).own(), out)
	case core.Persisted:
		out = h.persisted(in.Key, out)
	case core.Refused:
		out = h.noRoom(in.Key, out)
	case core.Down:
		out = h.down(&in, out)
	case core.Checkpoint:
		h.s.Wanted = true
	}
	return h.next(out)
}

// begin is the state of a job of which all ranks run where they are placed.
func (h *head) begin() {
	for _, node := range h.c.placement {
		h.s.Ranks = append(h.s.Ranks, rankState{Node: node, Up: true})
	}
	for range h.c.all() {
		h.s.Nodes = append(h.s.Nodes, nodeState{Up: true})
	}
}

// next begins what has waited for what was going on.
func (h *head) next(out []core.Effect) []core.Effect {
	out = h.drain(out)
	for h.idle() && len(h.s.Queue) > 0 {
		p := h.s.Queue[0]
		h.s.Queue = slices.Clone(h.s.Queue[1:])
		out = h.predicted(&p, out)
	}
	if h.idle() && h.s.Wanted && h.room() {
		out = h.reserve(out)
	}
	return out
}

// room reports whether the caches of the nodes have room for another snapshot beside those that are
// not established yet and the newest one that is.
func (h *head) room() bool {
	// Deviation: W6, there is always room
	return h.c.Cache == 0 || len(h.s.Keeper.Open()) < h.c.Cache-1 || h.c.has(W6)
}

// idle reports whether a migration, or a snapshot, may begin.
func (h *head) idle() bool {
	return !h.s.Open && !h.s.Aborted && h.s.Pause.Stage == 0 && h.s.Move.Stage == 0
}

// receive dispatches a message.
func (h *head) receive(from core.Proc, m *Message, out []core.Effect) []core.Effect {
	if h.s.Aborted && m.Kind != AbortAck {
		return append(out, core.DropInput(from, core.MsgID{}, "the job is given up"))
	}
	switch m.Kind {
	case Report:
		return h.reported(from, m, out)
	case WantSnapshot:
		// a life that is over wants nothing any more, and the next one asks again
		h.s.Wanted = h.s.Wanted || h.s.Ranks[from].Up && h.s.Ranks[from].Life == m.Life
	case LocalDone:
		return h.localDone(from, m, out)
	case CopyDone:
		return h.copyDone(from, m, out)
	case StableAck, FenceAck, SustainAck, AbortAck:
		return h.acknowledged(from, m, out)
	case Restored:
		return h.restored(from, m, out)
	case RestartNak:
		return h.refused(from, m, out)
	case Still, Carried, RewireAck, ReleaseAck, DrainAck:
		return h.moved(from, m, out)
	case Predict:
		return h.foretold(&m.Prediction, out)
	}
	return out
}

// persisted goes on when a record is durable. Of several writes of one record the last one counts.
func (h *head) persisted(key string, out []core.Effect) []core.Effect {
	switch key {
	case recordSeq:
		h.s.Numbers--
		return h.reserved(out)
	case recordRuling:
		h.s.Rulings--
		return h.recorded(out)
	case recordMove:
		if h.s.Commits--; h.s.Commits == 0 && h.s.Move.Stage == committing {
			return h.release(out)
		}
	case recordDrained:
		if h.s.Drains--; h.s.Drains == 0 && h.s.Move.Stage == retiring {
			return h.retired(out)
		}
		return h.recorded(out)
	case recordAbort:
		if h.s.Aborts--; h.s.Aborts == 0 {
			return h.giveUp(out)
		}
	default:
		return h.established(key, out)
	}
	return out
}

// recorded goes on when the ruling is durable, and which nodes may be used.
func (h *head) recorded(out []core.Effect) []core.Effect {
	if h.s.Rulings == 0 && h.s.Drains == 0 && h.s.Work.Stage == recording {
		return h.fence(out)
	}
	return out
}

// message is one of this episode.
func (h *head) message(kind Kind) *Message { return &Message{Kind: kind, Epoch: h.s.Episode} }

// toRanks sends a message to every rank that runs.
func (h *head) toRanks(m *Message, out []core.Effect) []core.Effect {
	for r := range h.s.Ranks {
		if h.s.Ranks[r].Up {
			out = append(out, core.SendTo(core.Proc(r), m))
		}
	}
	return out
}

// running are the ranks that run, and their lives.
func (h *head) running() (ranks []core.Rank, lives []core.Incarnation) {
	for r := range h.s.Ranks {
		if h.s.Ranks[r].Up {
			ranks, lives = append(ranks, core.Rank(r)), append(lives, h.s.Ranks[r].Life)
		}
	}
	return ranks, lives
}

// up are the nodes that run, ascending.
func (h *head) up() (list []core.Proc) {
	for k := range h.s.Nodes {
		if h.s.Nodes[k].Up {
			list = append(list, h.c.node(k))
		}
	}
	return list
}

// node is the state of a node.
func (h *head) node(p core.Proc) *nodeState { return &h.s.Nodes[p-h.c.first] }

// hosting are the nodes that run and on which a rank runs, is to be started, or was when it was
// last heard of: who is declared failed may still run there.
func (h *head) hosting() (list []core.Proc) {
	for _, p := range h.up() {
		if slices.ContainsFunc(h.s.Ranks, func(r rankState) bool {
			// Deviation: W13, where a rank is only to be started nobody is to be stopped
			return r.Node == p && !r.Gone && (r.Up || r.Stopped || !h.c.has(W13))
		}) {
			list = append(list, p)
		}
	}
	return list
}

// rule declares a step of the answer to a failure.
func (h *head) rule(word string, peer core.Proc, out []core.Effect) []core.Effect {
	return append(out, core.Effect{Kind: core.Declare, What: trace.Ruled, To: peer, Key: word,
		Stamp: core.Stamp{Round: uint64(h.s.Episode)}})
}

// entries declares the log of a walk.
func (h *head) entries(log []policy.Entry, out []core.Effect) []core.Effect {
	for _, e := range log {
		out = h.rule(e.Verdict.String()+" "+e.Policy, h.c.head, out)
	}
	return out
}

// snap declares a stage of a snapshot.
func (h *head) snap(word string, id SnapID, peer core.Proc, out []core.Effect) []core.Effect {
	return append(out, core.Effect{Kind: core.Declare, What: trace.Snapped, To: peer, Key: word,
		Stamp: core.Stamp{Date: uint64(id.Seq), Phase: uint64(id.Epoch),
			Round: uint64(h.s.Episode)}})
}

// view is what policies see.
func (h *head) view() *policy.View {
	v := &policy.View{Head: h.c.head, Resends: h.resends(), InPlace: h.c.InPlace,
		MostTries: mostTries, Costs: costs}
	// a start is tried as often as a snapshot
	v.FromStart = (!h.c.Hold || !h.s.Ever) && *h.tried(SnapID{}) < mostTries
	for r := range h.s.Ranks {
		k := &h.s.Ranks[r]
		v.Ranks = append(v.Ranks, policy.RankView{Node: k.Node, Alive: k.Up, Gone: k.Gone,
			Moving: slices.Contains(h.s.Move.Ranks, core.Rank(r))})
	}
	for k := range h.s.Nodes {
		n := &h.s.Nodes[k]
		room := h.c.Capacity
		if room == 0 {
			room = h.c.ranks
		}
		v.Nodes = append(v.Nodes, policy.NodeView{Node: h.c.node(k), Alive: n.Up,
			Predicted: n.Predicted, Room: room})
	}
	for _, id := range h.usable() {
		v.Snapshots = append(v.Snapshots, policy.SnapView{
			Members: h.s.Keeper.Members(&h.c.rules, id), Tries: *h.tried(id)})
	}
	return v
}

// costs are the numbers that a migration is admitted by. There is no clock here: what counts is
// that some predictions leave the time and others do not.
var costs = policy.Costs{Coordinate: 2, Carry: 2, Start: 2}

// usable are the snapshots that are established and can be read, the newest first.
func (h *head) usable() (list []SnapID) {
	for i := range h.s.Keeper.Snaps {
		s := &h.s.Keeper.Snaps[i]
		lacks := slices.ContainsFunc(s.Parts, func(p sstore.Part) bool {
			return !p.Local && len(p.Holders) == 0
		})
		if s.State == sstore.Established && !s.Bad && !lacks {
			list = append(list, s.ID)
		}
	}
	slices.Reverse(list)
	return list
}

// resends reports whether ranks can send again what was sent since the newest snapshot that can be
// read: they keep what the newest established one does not cover, so it must be that one.
func (h *head) resends() bool {
	for i := range slices.Backward(h.s.Keeper.Snaps) {
		if s := &h.s.Keeper.Snaps[i]; s.State == sstore.Established {
			list := h.usable()
			return h.c.logs && len(list) > 0 && list[0] == s.ID
		}
	}
	return h.c.logs && !h.s.Ever
}

// tried counts the episodes that have started from a snapshot.
func (h *head) tried(id SnapID) *int {
	i := slices.IndexFunc(h.s.Tries, func(t tries) bool { return t.Snap == id })
	if i < 0 {
		return new(int)
	}
	return &h.s.Tries[i].N
}
