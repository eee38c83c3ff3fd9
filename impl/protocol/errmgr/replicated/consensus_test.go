package replicated

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/domino-check/domino/impl/core"
)

// living is a node of the library that lives on, beside the member that is rebuilt for each step.
type living struct {
	group
	member member
	node   *node
}

// both lets the member and the node take the same step, and compares what comes of it.
func (l *living) both(t *testing.T, do func(*node)) []packet {
	t.Helper()
	if l.node == nil { // began anew
		l.node = l.group.node(&l.member)
	}
	do(l.node)
	lived := l.node.work()
	sent := l.run(&l.member, do)
	other := l.member
	l.save(l.node, &other)
	if a, b := core.Encode(&l.member), core.Encode(&other); !bytes.Equal(a, b) {
		t.Fatalf("member %d is rebuilt as %+v, and lives on as %+v", l.self, l.member, other)
	}
	if a, b := core.Encode(needed(sent)), core.Encode(needed(lived)); !bytes.Equal(a, b) {
		t.Fatalf("member %d rebuilt sends %+v, and lives on to send %+v", l.self, sent, lived)
	}
	return sent
}

// needed leaves out appends without an entry: they tell what is committed, and how often that is
// told is all that the library remembers beside what a member does. The order of messages to
// different members means nothing.
func needed(sent []packet) []packet {
	sent = slices.DeleteFunc(slices.Clone(sent), func(p packet) bool {
		return p.Type == int32(pb.MsgApp) && len(p.Entries) == 0
	})
	slices.SortStableFunc(sent, func(a, b packet) int { return int(a.To) - int(b.To) })
	return sent
}

// TestRebuilt runs members that are rebuilt for every step beside nodes that live on, through long
// random schedules with elections, proposals, lost channels and restarts: both are in the same
// state after each step and send the same. A node that lives on draws other election timeouts, so
// these do not matter either.
func TestRebuilt(t *testing.T) {
	elections := uint64(0)
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 0))
		size := 3 + 2*random.IntN(2)
		members := make([]*living, size)
		for i := range members {
			g := group{self: uint64(i + 1), size: size}
			members[i] = &living{group: g, member: g.founded()}
		}
		var network []packet
		for range 400 {
			l := members[random.IntN(size)]
			switch n := random.IntN(40); {
			case n == 0 && l.member.Role != leader:
				network = append(network, l.both(t, func(n *node) { n.stand() })...)
			case n < 4 && l.member.Role == leader:
				data := []byte{byte(random.IntN(256))}
				network = append(network, l.both(t, func(n *node) { must(n.Propose(data)) })...)
			case n == 4: // it restarts, and the leaders hear of it
				l.member.Role, l.member.Lead = follower, 0
				l.member.Votes, l.member.Peers, l.node = nil, nil, nil
				network = slices.DeleteFunc(network, func(p packet) bool { return p.To == l.self })
				for _, other := range members {
					if other.member.Role == leader {
						network = append(network, other.both(t, func(n *node) {
							n.again(l.self, other.member.Term)
						})...)
					}
				}
			case len(network) > 0:
				p := network[0]
				for _, q := range network { // the oldest on a channel
					if random.IntN(3) == 0 {
						p = q
						break
					}
				}
				k := slices.IndexFunc(network, func(q packet) bool {
					return q.From == p.From && q.To == p.To
				})
				p = network[k]
				network = slices.Delete(network, k, k+1)
				network = append(network, members[p.To-1].take(t, &p)...)
			}
		}
		for _, l := range members {
			elections = max(elections, l.member.Term)
		}
	}
	if elections < 10 {
		t.Errorf("no schedule has more than %d terms: the test looks at nothing", elections)
	}
}

// take is a message for both.
func (l *living) take(t *testing.T, p *packet) []packet {
	t.Helper()
	before := l.member
	sent := l.both(t, func(n *node) { n.take(p) })
	again := before
	l.receive(&again, p) // notes votes, which the library does not show
	l.member.Votes = again.Votes
	return sent
}

// TestDescribe gives messages with bytes from anywhere a name.
func TestDescribe(t *testing.T) {
	m := Message{Kind: Plain, Body: []byte{1, 2, 3}, fresh: func() core.Message {
		return new(operation)
	}}
	if got := m.Describe().Kind; got != "Plain" {
		t.Errorf("got %q", got)
	}
	m.Body = core.Encode(&operation{Write: true, Value: "A"})
	m.Kind, m.Number = Order, 7
	if got := m.Describe(); got.Kind != "Write" || got.Text != "A Order 7" {
		t.Errorf("got %+v", got)
	}
	if got := Kind(99).String(); got != "Kind(99)" {
		t.Errorf("got %q", got)
	}
}
