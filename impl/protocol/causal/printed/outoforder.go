package printed

import (
	"cmp"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// OUTOFORDER, of which the paper gives no lines but three conditions (section 2.3.1): a message is
// old when its incarnation number is lower than the current one of its sender; a duplicate when it
// has already been received; out of order when "it has an rsn already assigned, but the receiving
// process is behind that number". The first two are discarded, the third is held.
//
// A message without a number meets none of them, whatever numbers are assigned to others (S3).

// OutOfOrder gives the reason to discard a message, or "".
func (l *Layer) OutOfOrder(from core.Rank, msg *Message) string {
	switch {
	case l.Unreachable():
		return "nobody is there yet"
	// a multicast is not discarded for its age (section 3.1)
	case msg.Kind != Multicast && msg.Inc < l.S.IncMap[from]:
		return "old"
	case l.S.RsnMap.received(msg):
		return "duplicate"
	}
	l.S.IncMap[from] = max(l.S.IncMap[from], l.inc(from, msg))
	return ""
}

// inc is what a message tells about the life of who has put it on the network.
func (l *Layer) inc(from core.Rank, msg *Message) core.Incarnation {
	if from != msg.Sender {
		return 0 // passed on: the number is that of the root
	}
	return msg.Inc
}

// Unreachable reports that application messages to this process are lost: a failed process "ceases
// all activity and becomes unreachable" (section 2.2), and its new incarnation is there when it
// leaves the barrier. Nothing says so. With any earlier moment, what was sent to it by processes
// that had not heard of the failure would mix with the replay (S2, S4); all of that is logged, and
// comes after the barrier.
func (l *Layer) Unreachable() bool { return l.S.Collecting }

// Behind reports whether the process is behind the number that a message has, so that the message
// is held in its queue. What its sender has sent after it waits, too: messages between the same two
// processes can not be reordered (section 2.2).
func (l *Layer) Behind(msg *Message) bool {
	return l.S.RsnMap.number(msg.Sender, msg.key(), msg.SSN) > l.S.RSN+1
}

// Map is rsnMap: numbers of messages, and which have been received. How a process knows the latter
// is not said; the number alone would not tell, because RECEIVEDETS assigns it in advance.
type Map []Assigned

// Assigned is one entry, in the order of groups, senders and ssn.
type Assigned struct {
	_        struct{}   `cbor:",toarray"`
	Group    core.Group `json:"group,omitempty"`
	Sender   core.Rank  `json:"sender"`
	SSN      uint32     `json:"ssn"`
	RSN      uint32     `json:"rsn"` // 0: none
	Received bool       `json:"received"`
}

// at is the place of an entry.
func (m Map) at(sender core.Rank, group core.Group, ssn uint32) (int, bool) {
	return slices.BinarySearchFunc(m, Assigned{Group: group, Sender: sender, SSN: ssn},
		func(a, b Assigned) int {
			return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Sender, b.Sender),
				cmp.Compare(a.SSN, b.SSN))
		})
}

// entry is the entry, made if there is none.
func (m *Map) entry(sender core.Rank, group core.Group, ssn uint32) *Assigned {
	at, found := m.at(sender, group, ssn)
	if !found {
		*m = slices.Insert(slices.Clone(*m), at, Assigned{Group: group, Sender: sender, SSN: ssn})
	}
	return &(*m)[at]
}

// assign is rsnMap(sender, ssn) <- rsn.
func (m *Map) assign(sender core.Rank, group core.Group, ssn, rsn uint32) {
	m.entry(sender, group, ssn).RSN = rsn
}

// number is rsnMap(sender, ssn), 0 if there is none.
func (m Map) number(sender core.Rank, group core.Group, ssn uint32) uint32 {
	if at, found := m.at(sender, group, ssn); found {
		return m[at].RSN
	}
	return 0
}

// highest is the highest number that is assigned.
func (m Map) highest() (rsn uint32) {
	for _, a := range m {
		rsn = max(rsn, a.RSN)
	}
	return rsn
}

// Receive notes that a message has been received.
func (m *Map) Receive(msg *Message) { m.entry(msg.Sender, msg.key(), msg.SSN).Received = true }

// received reports whether it has been.
func (m Map) received(msg *Message) bool {
	at, found := m.at(msg.Sender, msg.key(), msg.SSN)
	return found && m[at].Received
}

// key is the group under which the reception of a message is known: none but that of a reduction.
func (m *Message) key() core.Group {
	if m.Kind == Reduction {
		return m.Group
	}
	return 0
}
