package trace

import "slices"

// Delivery is one message that a program received.
type Delivery struct {
	_      struct{} `cbor:",toarray"`
	ID     MsgID    `json:"id"`
	Stamp  Stamp    `json:"stamp"`
	Digest uint64   `json:"digest"` // of the payload
}

// History is what the program of one rank has done along its surviving past: a rollback cuts it
// back to the restored point. It is plain data; a History handed to a property is read-only.
type History struct {
	_ struct{} `cbor:",toarray"`
	// number of the last message sent: how many sends the program has come past, those that it did
	// not execute included
	Sent      uint32     `json:"sent"`
	Delivered []Delivery `json:"delivered"`
	Done      bool       `json:"done"`   // the program has ended
	Digest    uint64     `json:"digest"` // state of the program when it ended, 0 before

	// What follows is of the live incarnation, not of the past of the program: a restart empties
	// it.
	// what it declared to keep for others, in the order of Item.compare
	Memory     []Item `json:"memory"`
	Recovering bool   `json:"recovering"` // it was restarted and has not declared Recovered
}

// Line is the history of a recovery line that is committed after so many sends and deliveries; of
// the memory, what waits in the image.
func (h *History) Line(sent, received uint32) *History {
	line := History{Sent: sent, Delivered: h.Delivered[:min(int(received), len(h.Delivered))]}
	for _, i := range h.Memory {
		if i.Sort == Waiting {
			line.Memory = append(line.Memory, i)
		}
	}
	return &line
}

// Waits reports whether a message waits for the program of a proc in the image of this line.
func (h *History) Waits(p Proc, id MsgID) bool {
	return h.Holds(Item{Sort: Waiting, Peer: p, ID: id})
}

// Received reports whether the history holds the delivery of the message.
func (h *History) Received(id MsgID) bool {
	return slices.ContainsFunc(h.Delivered, func(d Delivery) bool { return d.ID == id })
}

// Apply folds one event of the rank into its history. Restored and Resumed cut back to the counts
// that the event names; an event that a history does not depend on changes nothing.
func (h *History) Apply(e Event) {
	switch e.Kind {
	case Sent:
		h.Sent = max(h.Sent+1, e.ID.Number)
	case Delivered:
		h.Delivered = append(h.Delivered[:len(h.Delivered):len(h.Delivered)],
			Delivery{ID: e.ID, Stamp: e.Stamp, Digest: e.Digest})
	case Finished:
		h.Done, h.Digest = true, e.Digest
	case Restored, Resumed:
		h.Sent = min(e.Sent, h.Sent)
		h.Delivered = h.Delivered[:min(int(e.Received), len(h.Delivered))]
		h.Done, h.Digest = e.Digest != 0, e.Digest
		h.Memory, h.Recovering = nil, true
	case Kept:
		h.Keep(e.Item())
	case Forgotten:
		h.Forget(e.Item())
	case Recovered:
		h.Recovering = false
	}
}

// Clone is an independent copy.
func (h *History) Clone() *History {
	c := *h
	c.Delivered = slices.Clone(h.Delivered)
	c.Memory = slices.Clone(h.Memory)
	return &c
}
