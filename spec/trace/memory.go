package trace

import (
	"cmp"
	"slices"
)

// The sorts of things that a proc keeps in memory for the recovery of others.
const (
	Determinant = "determinant" // that Peer's delivery number Number (from 1) was that of ID
	// a message to be sent again: ID, Peer (destination; of a group its root)
	Copy = "copy"
	// of the program of Peer, after Past sends and Number deliveries; see Holding
	Image = "image"
	// round Number of a reduction, for Peer: ID (the contribution of the rank at the top of the
	// subtree)
	Part = "part"
	// message ID that was on its way through the recovery line of Peer and is in its image: in the
	// memory of a line alone, see History.Line
	Waiting = "waiting"
)

// Item is one thing that a proc keeps in memory, by its own declaration; a crash loses it.
type Item struct {
	_      struct{} `cbor:",toarray"`
	Sort   string   `json:"sort"`
	Peer   Proc     `json:"peer"`
	Number uint32   `json:"number,omitempty"`
	ID     MsgID    `json:"id"`
	// determinant: receptions of the sender before it sent the message; image: sends
	Past uint32 `json:"past,omitempty"`
}

// compare orders items.
func (i Item) compare(j Item) int {
	return cmp.Or(cmp.Compare(i.Sort, j.Sort), cmp.Compare(i.Peer, j.Peer),
		cmp.Compare(i.Number, j.Number),
		cmp.Compare(i.ID.From, j.ID.From), cmp.Compare(i.ID.Number, j.ID.Number),
		cmp.Compare(i.Past, j.Past))
}

// Item is what a Kept or Forgotten event is about.
func (e Event) Item() Item {
	return Item{Sort: e.Text, Peer: e.Peer, Number: e.Received, ID: e.ID, Past: e.Sent}
}

// Keep adds an item to the memory; one that is there already changes nothing.
func (h *History) Keep(i Item) {
	at, found := slices.BinarySearchFunc(h.Memory, i, Item.compare)
	if !found {
		h.Memory = slices.Insert(slices.Clone(h.Memory), at, i)
	}
}

// Forget removes an item from the memory; one that is not there changes nothing.
func (h *History) Forget(i Item) {
	if at, found := slices.BinarySearchFunc(h.Memory, i, Item.compare); found {
		h.Memory = slices.Delete(slices.Clone(h.Memory), at, at+1)
	}
}

// Holds reports whether the memory has the item.
func (h *History) Holds(i Item) bool {
	_, found := slices.BinarySearchFunc(h.Memory, i, Item.compare)
	return found
}
