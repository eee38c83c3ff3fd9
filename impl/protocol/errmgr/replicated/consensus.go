package replicated

import (
	"fmt"
	"math"
	"slices"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
	"go.etcd.io/raft/v3/tracker"
)

// role is what a member is to its term.
type role uint8

const (
	follower role = iota
	candidate
	leader
)

// member is one member of the group between two steps, as plain data. The node of the library
// hides its state, so each step builds a node that is in this state, lets it take the one input,
// and reads the state off again: node and save. What a step does is therefore a function of the
// member and the input by definition, whatever a node that lived on would have added (a random
// election timeout, which nothing looks at because no clock ticks, is all there is).
//
// Members are numbered from 1, and so are places in the log, as in the library.
type member struct {
	_      struct{} `cbor:",toarray"`
	Term   uint64   `json:"term"`
	Vote   uint64   `json:"vote"`
	Commit uint64   `json:"commit"` // the last place known to be committed
	Log    []entry  `json:"log"`    // from place 1
	Role   role     `json:"role"`
	Lead   uint64   `json:"lead"` // the leader of the term as far as it knows, 0 = none
	// of a candidate: the answers of others so far, by member
	Votes []vote `json:"votes"`
	// of a leader: how far each member is, in order; its own place is not used
	Peers []progress `json:"peers"`
}

// entry is one entry of the log. The first of each term has no data.
type entry struct {
	_    struct{} `cbor:",toarray"`
	Term uint64   `json:"term"`
	Data []byte   `json:"data"`
}

// vote is the answer of one member to a candidate.
type vote struct {
	_       struct{} `cbor:",toarray"`
	From    uint64   `json:"from"`
	Granted bool     `json:"granted"`
}

// progress is what a leader knows of another member. One that is not probed has been sent the whole
// log. One that is probed has been sent what begins at Next, and nothing more until it answers.
type progress struct {
	_     struct{} `cbor:",toarray"`
	Match uint64   `json:"match"` // the member has stably what is in the log up to here
	Next  uint64   `json:"next"`
	Probe bool     `json:"probe"`
}

// packet is a message between members.
type packet struct {
	_       struct{} `cbor:",toarray"`
	Type    int32
	From    uint64
	To      uint64
	Term    uint64
	LogTerm uint64
	Index   uint64
	Commit  uint64
	Entries []entry
	Reject  bool
	Hint    uint64
}

// group is who a member is, and of how many.
type group struct {
	self uint64
	size int
}

// founded is a member of a new group: member 1 has been elected by all, and the entry with which
// its term begins is stable everywhere. It is the state after a run of the library in which that
// has happened, so nobody has to wait for a first election, and nothing has to be on disk.
func (g group) founded() member {
	m := member{Term: 1, Vote: 1, Commit: 1, Lead: 1, Log: []entry{{Term: 1}}}
	if g.self == 1 {
		m.Role = leader
		m.Peers = slices.Repeat([]progress{{Match: 1, Next: 2}}, g.size)
		m.Peers[0] = progress{}
	}
	return m
}

// last is the term and the place of the last entry.
func (m *member) last() (term, index uint64) {
	n := len(m.Log)
	return m.Log[n-1].Term, uint64(n)
}

// node is the library's node in a state, and its log.
type node struct {
	*raft.RawNode
	log *raft.MemoryStorage
}

// node builds a node that is in the state of the member. A follower is one that starts from its log
// and hears from its leader. A candidate is one that starts in the term before, stands, and hears
// the votes. A leader is one that starts in the term before with the log as it was then, stands,
// is elected, proposes what it has proposed since, and hears how far the others are.
func (g group) node(m *member) *node {
	hard, first := &pb.HardState{}, len(m.Log)
	term, granted, commit := m.Term, m.Vote, m.Commit
	if m.Role != follower {
		term, granted = m.Term-1, raft.None
	}
	if m.Role == leader { // what it has appended itself comes behind
		first = slices.IndexFunc(m.Log, func(e entry) bool { return e.Term == m.Term })
		commit = min(commit, uint64(first))
	}
	hard.Term, hard.Vote, hard.Commit = &term, &granted, &commit
	n := g.start(hard, m.Log[:first])
	switch m.Role {
	case follower:
		if m.Lead != raft.None {
			n.take(&packet{Type: int32(pb.MsgHeartbeat), From: m.Lead, To: g.self, Term: m.Term})
		}
	case candidate:
		n.stand()
		n.work()
		for _, v := range m.Votes {
			n.take(g.answer(m, v.From, v.Granted))
		}
	case leader:
		g.lead(n, m, uint64(first))
	}
	n.work()
	return n
}

// start is a node that has a log on disk and has not been told anything.
func (g group) start(hard *pb.HardState, log []entry) *node {
	storage := raft.NewMemoryStorage()
	members := &pb.ConfState{}
	for id := range uint64(g.size) {
		members.Voters = append(members.Voters, id+1)
	}
	must(storage.ApplySnapshot(&pb.Snapshot{Metadata: &pb.SnapshotMetadata{ConfState: members}}))
	must(storage.SetHardState(hard))
	must(storage.Append(entriesOf(log, 0)))
	raw, err := raft.NewRawNode(&raft.Config{ID: g.self, ElectionTick: 2, HeartbeatTick: 1,
		Storage: storage, Applied: hard.GetCommit(), MaxSizePerMsg: math.MaxUint64,
		MaxInflightMsgs: math.MaxInt32, DisableProposalForwarding: true, Logger: quiet{}})
	must(err)
	return &node{RawNode: raw, log: storage}
}

// lead makes a node that has the log up to first the leader that the member is.
func (g group) lead(n *node, m *member, first uint64) {
	n.stand()
	for id := uint64(1); id <= uint64(g.size); id++ {
		n.work()
		if id != g.self && n.BasicStatus().RaftState != raft.StateLeader {
			n.take(g.answer(m, id, true))
		}
	}
	n.work()
	if rest := m.Log[first+1:]; len(rest) > 0 {
		var data []*pb.Entry
		for i := range rest {
			data = append(data, &pb.Entry{Data: rest[i].Data})
		}
		must(n.Step(&pb.Message{Type: pb.MsgProp.Enum(), From: &g.self, Entries: data}))
	}
	n.work()
	for id := uint64(1); id <= uint64(g.size); id++ {
		p := m.Peers[id-1]
		told := packet{Type: int32(pb.MsgAppResp), From: id, To: g.self, Term: m.Term,
			Index: p.Match}
		switch {
		case id == g.self:
		case p.Match > 0:
			n.take(&told)
			if p.Probe {
				n.again(id, m.Term)
			}
		case p.Next <= first: // it has refused what came behind first
			told.Index, told.Reject, told.Hint = first, true, p.Next-1
			n.take(&told)
		}
	}
}

// answer is what a member has answered to a candidate of the present term.
func (g group) answer(m *member, from uint64, granted bool) *packet {
	return &packet{Type: int32(pb.MsgVoteResp), From: from, To: g.self, Term: m.Term,
		Reject: !granted}
}

// stand makes the node a candidate.
func (n *node) stand() { must(n.Campaign()) }

// again makes a leader probe a member from what that is known to have: it has lost messages.
func (n *node) again(id, term uint64) {
	n.ReportUnreachable(id)
	n.take(&packet{Type: int32(pb.MsgHeartbeatResp), From: id, Term: term})
}

// take gives the node a message. The only ones that it refuses are proposals.
func (n *node) take(p *packet) {
	kind := pb.MessageType(p.Type)
	must(n.Step(&pb.Message{Type: &kind, From: &p.From, To: &p.To, Term: &p.Term,
		LogTerm: &p.LogTerm, Index: &p.Index, Commit: &p.Commit, Reject: &p.Reject,
		RejectHint: &p.Hint, Entries: entriesOf(p.Entries, p.Index)}))
}

// work lets the node do all that it can, as if its disk were done at once, and returns what it
// sends. Whoever sends it on must wait for the disk first.
func (n *node) work() (sent []packet) {
	for n.HasReady() {
		ready := n.Ready()
		if !raft.IsEmptyHardState(ready.HardState) {
			must(n.log.SetHardState(ready.HardState))
		}
		must(n.log.Append(ready.Entries))
		for i := 0; i < len(ready.Messages); i++ {
			m := ready.Messages[i]
			sent = append(sent, packet{Type: int32(m.GetType()), From: m.GetFrom(), To: m.GetTo(),
				Term: m.GetTerm(), LogTerm: m.GetLogTerm(), Index: m.GetIndex(),
				Commit: m.GetCommit(), Entries: plain(m.GetEntries()), Reject: m.GetReject(),
				Hint: m.GetRejectHint()})
		}
		n.Advance(ready)
	}
	return sent
}

// run lets the member take one step and returns what it sends. What is committed is told with the
// next entry: an append without one, to a member that is not probed, is left out, as if it were
// lost. Nobody waits for it, and whoever leads next commits everything by an entry of its own.
func (g group) run(m *member, do func(*node)) (sent []packet) {
	n := g.node(m)
	do(n)
	sent = n.work()
	g.save(n, m)
	return slices.DeleteFunc(sent, func(p packet) bool {
		return p.Type == int32(pb.MsgApp) && len(p.Entries) == 0 && !m.Peers[p.To-1].Probe
	})
}

// save reads the state of a node into the member.
func (g group) save(n *node, m *member) {
	status, before := n.BasicStatus(), *m
	last, err := n.log.LastIndex()
	must(err)
	stored, err := n.log.Entries(1, last+1, math.MaxUint64)
	must(err)
	*m = member{Term: status.GetTerm(), Vote: status.GetVote(), Commit: status.GetCommit(),
		Log: plain(stored), Lead: status.Lead}
	switch status.RaftState {
	case raft.StateCandidate:
		m.Role = candidate
		if m.Term == before.Term {
			m.Votes = before.Votes
		}
	case raft.StateLeader:
		m.Role = leader
		m.Peers = make([]progress, g.size)
		n.WithProgress(func(id uint64, _ raft.ProgressType, p tracker.Progress) {
			if id != g.self {
				m.Peers[id-1] = progress{Match: p.Match, Next: p.Next,
					Probe: p.State == tracker.StateProbe}
			}
		})
	}
}

// receive lets the member take a message.
func (g group) receive(m *member, p *packet) (sent []packet) {
	sent = g.run(m, func(n *node) { n.take(p) })
	answers := p.Type == int32(pb.MsgVoteResp) && p.Term == m.Term && m.Role == candidate
	if answers && !slices.ContainsFunc(m.Votes, func(v vote) bool { return v.From == p.From }) {
		m.Votes = append(slices.Clone(m.Votes), vote{From: p.From, Granted: !p.Reject})
		slices.SortFunc(m.Votes, func(a, b vote) int { return int(a.From) - int(b.From) })
	}
	term, index := m.last()
	for i := range sent { // who is refused is told how long the log is: see replica.count
		if s := &sent[i]; s.Type == int32(pb.MsgVoteResp) && s.Reject {
			s.LogTerm, s.Index = term, index
		}
	}
	return sent
}

// campaign lets the member stand for election, in the next term.
func (g group) campaign(m *member) []packet {
	return g.run(m, func(n *node) { n.stand() })
}

// propose lets a leader append entries.
func (g group) propose(m *member, data []byte) []packet {
	return g.run(m, func(n *node) { must(n.Propose(data)) })
}

// restarted lets a leader send to a member again what may have been lost with its former life.
func (g group) restarted(m *member, id uint64) []packet {
	return g.run(m, func(n *node) { n.again(id, m.Term) })
}

// question is what a candidate has sent to a member: it may have been lost.
func (g group) question(m *member, to uint64) []packet {
	term, index := m.last()
	return []packet{{Type: int32(pb.MsgVote), From: g.self, To: to, Term: m.Term, LogTerm: term,
		Index: index}}
}

// forget lets a follower know that its leader is gone.
func (g group) forget(m *member) []packet {
	return g.run(m, func(n *node) { must(n.ForgetLeader()) })
}

// stableAs reports whether what must be on disk is the same. A term has one entry for each place.
func (m *member) stableAs(o *member) bool {
	return m.Term == o.Term && m.Vote == o.Vote &&
		slices.EqualFunc(m.Log, o.Log, func(a, b entry) bool { return a.Term == b.Term })
}

// entriesOf are entries that come behind a place, for the library.
func entriesOf(list []entry, behind uint64) (entries []*pb.Entry) {
	for i := range list {
		index := behind + uint64(i) + 1
		entries = append(entries, &pb.Entry{Term: &list[i].Term, Index: &index,
			Data: list[i].Data})
	}
	return entries
}

// plain are entries as data.
func plain(entries []*pb.Entry) (list []entry) {
	for _, e := range entries {
		list = append(list, entry{Term: e.GetTerm(), Data: e.GetData()})
	}
	return list
}

// must is for what the library refuses only when it is used in a wrong way.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("invariant: the library takes what it is given: %v", err))
	}
}

// quiet is a log that says nothing. The library counts on Panic and Fatal to stop it.
type quiet struct{}

func (quiet) Debug(...any)            {}
func (quiet) Debugf(string, ...any)   {}
func (quiet) Info(...any)             {}
func (quiet) Infof(string, ...any)    {}
func (quiet) Warning(...any)          {}
func (quiet) Warningf(string, ...any) {}
func (quiet) Error(...any)            {}
func (quiet) Errorf(string, ...any)   {}

func (quiet) Fatal(v ...any)            { panic("invariant: raft: " + fmt.Sprint(v...)) }
func (quiet) Fatalf(f string, v ...any) { panic("invariant: raft: " + fmt.Sprintf(f, v...)) }
func (quiet) Panic(v ...any)            { panic("invariant: raft: " + fmt.Sprint(v...)) }
func (quiet) Panicf(f string, v ...any) { panic("invariant: raft: " + fmt.Sprintf(f, v...)) }

var _ raft.Logger = quiet{}
