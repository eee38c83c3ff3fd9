package replicated

import (
	"slices"

	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/domino-check/domino/impl/core"
)

// When members stand for election. In Raft a clock tells them, with chance so that they do not all
// stand at once. Here they go by what they are told: whose life has ended, who runs again. One
// member, the first of those that live, stands for all. If it is refused, it waits until all that
// live have answered, and hands over to the one of them with the longest log.
//
// So the group comes to rest only with a leader, while a majority lives and every end of a life is
// reported. Suppose it rests without one, and T is the highest term of those that live. Somebody,
// D, has stood for T. If its life has ended, whoever has heard of T from it has no leader, and
// calls for an election when the end is reported (lost), which is after its last message: the first
// that lives then stands in a higher term (elected). If D lives, its questions
// have arrived at all others that live, or these have said Hello since, whereupon it has stood
// again. A majority of votes would have made it leader, so one of them, R, has refused, and all
// answers are here: D has handed over, or stood again itself (count).
//
// And no election goes on for ever when no more lives end. Each call leads to one candidate at a
// time: one candidate is followed by another only when all have answered it. Of two that run at the
// same time, one in a lower term is over when its candidate hears of the higher one, and two in the
// same term hand over to the same member. One that is alone ends with the second candidate at the
// latest: it has the longest log of all that live, so nobody refuses it.
//
// Raft is safe whoever stands whenever, so nothing here can make two members decide differently.

// other is what a member knows of another one.
type other struct {
	_    struct{}         `cbor:",toarray"`
	Life core.Incarnation `json:"life"` // lives before this one have ended
	Gone bool             `json:"gone"` // and no later one is known to have begun
}

// poll is what has become of the candidacy of a member, while it is open.
type poll struct {
	_       struct{} `cbor:",toarray"`
	Term    uint64   `json:"term"`    // 0: none is open
	Answers []answer `json:"answers"` // by member
}

// answer is that of one member.
type answer struct {
	_       struct{} `cbor:",toarray"`
	From    uint64   `json:"from"`
	Refused bool     `json:"refused"`
	Term    uint64   `json:"term"` // of the last entry of its log
	Index   uint64   `json:"index"`
}

// leaderless tells that the member can not hope for anybody to lead.
func (r *replica) leaderless() bool {
	return r.s.Member.Role != leader && r.s.Member.Lead == 0
}

// packet is a message of the library.
func (r *replica) packet(from uint64, m *Message) {
	p := &m.Packet
	if p.From != from {
		return
	}
	if o := r.s.Others[from-1]; o.Gone && m.Life < o.Life {
		r.know(from, other{Life: m.Life}) // the report was false
	}
	r.act(func(member *member) []packet { return r.receive(member, p) })
	if poll := &r.s.Poll; p.Type == int32(pb.MsgVoteResp) && p.Term == poll.Term {
		poll.without(from) // who runs again was asked again
		poll.Answers = append(poll.Answers,
			answer{From: from, Refused: p.Reject, Term: p.LogTerm, Index: p.Index})
		slices.SortFunc(poll.Answers, func(a, b answer) int { return int(a.From) - int(b.From) })
		r.count()
	}
	r.close()
}

// without forgets an answer.
func (p *poll) without(id uint64) {
	p.Answers = slices.DeleteFunc(slices.Clone(p.Answers), func(a answer) bool {
		return a.From == id
	})
}

// close ends the poll of a member that is a candidate no more, or a leader.
func (r *replica) close() {
	if m := &r.s.Member; r.s.Poll.Term != m.Term || !r.leaderless() {
		r.s.Poll = poll{}
	}
}

// stand makes the member a candidate, in a new term.
func (r *replica) stand() {
	r.act(r.campaign)
	r.s.Poll = poll{Term: r.s.Member.Term}
}

// call asks the first member that lives to stand, since there is no leader; not the one that has
// failed, which may or may not have been heard of again.
func (r *replica) call(failed uint64) {
	for i, o := range r.s.Others {
		if id := uint64(i + 1); id != failed && !o.Gone {
			r.hand(id)
			return
		}
	}
}

// hand makes a member stand.
func (r *replica) hand(id uint64) {
	if id == r.self {
		r.stand()
		return
	}
	r.send(r.replicas[id-1], Message{Kind: Elect, Term: r.s.Member.Term})
}

// elected is the wish of another member without a leader that this one stands. It is out of date if
// somebody stands in a later term, or this one has a leader of the same term or waits for answers.
func (r *replica) elected(from, term uint64) {
	m := &r.s.Member
	if m.Term > term || m.Term == term && (!r.leaderless() || r.s.Poll.Term != 0) {
		return
	}
	if m.Term < term { // hears of the term, and steps back if it leads
		r.act(func(m *member) []packet {
			return r.receive(m, &packet{Type: int32(pb.MsgHeartbeatResp), From: from, To: r.self,
				Term: term})
		})
	}
	r.stand()
}

// count looks at the answers when all that live have given theirs. With refusals among them, the
// one with the longest log is to stand; of two with equal logs, such as two candidates who refuse
// each other, the one with the smaller number, so that both choose the same. Without, too few live,
// and the next that says Hello is asked.
func (r *replica) count() {
	if r.s.Poll.Term == 0 || !r.leaderless() {
		return
	}
	term, index := r.s.Member.last()
	best := answer{From: r.self, Term: term, Index: index}
	refused := false
	for i, o := range r.s.Others {
		id := uint64(i + 1)
		k := slices.IndexFunc(r.s.Poll.Answers, func(a answer) bool { return a.From == id })
		switch {
		case k < 0 && id != r.self && !o.Gone:
			return // its answer will come
		case k >= 0 && r.s.Poll.Answers[k].Refused:
			refused = true
			if a := r.s.Poll.Answers[k]; a.before(&best) {
				best = a
			}
		}
	}
	if refused {
		r.s.Poll = poll{}
		r.hand(best.From)
	}
}

// before is the order of those that the group should elect.
func (a *answer) before(b *answer) bool {
	switch {
	case a.Term != b.Term:
		return a.Term > b.Term
	case a.Index != b.Index:
		return a.Index > b.Index
	}
	return a.From < b.From
}

// lost is the report that a life of another member has ended.
func (r *replica) lost(id uint64, life core.Incarnation) {
	o := r.s.Others[id-1]
	if life < o.Life && !o.Gone {
		return // it is known to run again
	}
	r.know(id, other{Life: max(o.Life, life+1), Gone: true})
	r.s.Poll.without(id)
	r.miss(id)
}

// hello is the news that a member runs again. A leader sends it what it may have missed, and who
// waits for answers asks it again.
func (r *replica) hello(id uint64, life core.Incarnation) {
	news := life > r.s.Others[id-1].Life
	r.know(id, other{Life: life})
	switch {
	case r.s.Member.Role == leader:
		r.act(func(m *member) []packet { return r.restarted(m, id) })
	case r.s.Member.Role == candidate:
		r.act(func(m *member) []packet { return r.question(m, id) })
	case r.leaderless() && r.s.Member.Vote == r.self:
		r.stand() // too many have refused
	case news:
		r.miss(id)
	}
}

// know notes what is known of another member.
func (r *replica) know(id uint64, o other) {
	r.s.Others = slices.Clone(r.s.Others)
	r.s.Others[id-1] = o
}

// miss is what the end of a life of another member changes: who followed it follows nobody, who
// waited for its answer waits no more, and who has no leader calls for one.
func (r *replica) miss(id uint64) {
	if m := &r.s.Member; m.Role == follower && m.Lead == id {
		r.act(r.forget)
	}
	switch {
	case !r.leaderless():
	case r.s.Poll.Term != 0:
		r.count()
	default:
		r.call(id)
	}
}
