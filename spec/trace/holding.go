package trace

import "slices"

// HeldCopy is one message that a proc holds for the recovery of its receiver.
type HeldCopy struct {
	_  struct{} `cbor:",toarray"`
	ID MsgID    `json:"id"`
	To Proc     `json:"to"`
	// its place among the deliveries of the receiver, 0 when this copy does not tell
	Order uint32 `json:"order"`
	// an image held here contains its delivery: the copy itself may be gone
	Covered bool `json:"covered"`
	Gone    bool `json:"gone"` // it is: what remains is that it is covered
}

// HeldImage is the image of a rank that a proc holds in its memory.
type HeldImage struct {
	_        struct{} `cbor:",toarray"`
	Of       Proc     `json:"of"`
	Sent     uint32   `json:"sent"`
	Received uint32   `json:"received"`
}

// Holding is what one incarnation of a proc, rank or service, has declared to hold for the recovery
// of ranks, by Logged, Pruned, and Kept of the sort Image, which procs run on its node (Adopted),
// whom it watches, what it has Declared, whether it has given up, whether it has got its image
// back, and by Snapped and Ruled what has become of snapshots and failures. It is lost in a crash.
// It is plain data; a Holding handed to a property is read-only.
type Holding struct {
	_       struct{}    `cbor:",toarray"`
	Copies  []HeldCopy  `json:"copies"`  // by message, then receiver
	Images  []HeldImage `json:"images"`  // by rank
	Hosts   []Proc      `json:"hosts"`   // adopted, ascending
	Watches []Proc      `json:"watches"` // ascending
	Said    []string    `json:"said"`    // declared, ascending
	Halted  bool        `json:"halted"`
	// Resumed: a rank that restarted without its image has got it.
	Resumed bool `json:"resumed"`
	// of failures and of snapshots of the job
	Ruling Ruling `json:"ruling"`
}

// Apply folds one event of the proc; an event that a holding does not depend on changes nothing.
func (h *Holding) Apply(e Event) {
	switch e.Kind {
	case Logged:
		h.log(e)
	case Pruned:
		h.Copies = slices.DeleteFunc(slices.Clone(h.Copies), func(c HeldCopy) bool {
			return c.ID == e.ID && c.To == e.Peer && !c.Covered
		})
		for i := range h.Copies {
			c := &h.Copies[i]
			c.Gone = c.Gone || c.ID == e.ID && c.To == e.Peer
		}
	case Kept:
		if e.Text == Image {
			h.keep(e)
		}
	case Adopted:
		if i, found := slices.BinarySearch(h.Hosts, e.Peer); !found {
			h.Hosts = slices.Insert(slices.Clone(h.Hosts), i, e.Peer)
		}
	case Disowned:
		h.Hosts = slices.DeleteFunc(slices.Clone(h.Hosts), func(p Proc) bool { return p == e.Peer })
	case Watched:
		if i, found := slices.BinarySearch(h.Watches, e.Peer); !found {
			h.Watches = slices.Insert(slices.Clone(h.Watches), i, e.Peer)
		}
	case Unwatched:
		if i, found := slices.BinarySearch(h.Watches, e.Peer); found {
			h.Watches = slices.Delete(slices.Clone(h.Watches), i, i+1)
		}
	case Declared:
		if i, found := slices.BinarySearch(h.Said, e.Text); !found {
			h.Said = slices.Insert(slices.Clone(h.Said), i, e.Text)
		}
	case Halted:
		h.Halted = true
	case Resumed:
		h.Resumed = true
	case Snapped, Ruled:
		h.Ruling.Apply(e)
	case Crashed, Restored:
		*h = Holding{}
	}
}

func (h *Holding) log(e Event) {
	h.Copies = slices.Clone(h.Copies)
	i, found := slices.BinarySearchFunc(h.Copies, e, func(c HeldCopy, e Event) int {
		switch {
		case c.ID.From != e.ID.From:
			return int(c.ID.From) - int(e.ID.From)
		case c.ID.Number != e.ID.Number:
			return int(c.ID.Number) - int(e.ID.Number)
		}
		return int(c.To) - int(e.Peer)
	})
	if found {
		h.Copies[i].Order, h.Copies[i].Gone = e.Received, false
		return
	}
	h.Copies = slices.Insert(h.Copies, i, HeldCopy{ID: e.ID, To: e.Peer, Order: e.Received})
}

func (h *Holding) keep(e Event) {
	h.Copies, h.Images = slices.Clone(h.Copies), slices.Clone(h.Images)
	for i := range h.Copies {
		c := &h.Copies[i]
		c.Covered = c.Covered || c.To == e.Peer && c.Order != 0 && c.Order <= e.Received
	}
	image := HeldImage{Of: e.Peer, Sent: e.Sent, Received: e.Received}
	i, found := slices.BinarySearchFunc(h.Images, e.Peer, func(l HeldImage, p Proc) int {
		return int(l.Of) - int(p)
	})
	if found {
		h.Images[i] = image
		return
	}
	h.Images = slices.Insert(h.Images, i, image)
}

// Copy returns the copy of a message for a receiver, if one is held.
func (h *Holding) Copy(id MsgID, to Proc) (HeldCopy, bool) {
	if h == nil {
		return HeldCopy{}, false
	}
	i := slices.IndexFunc(h.Copies, func(c HeldCopy) bool { return c.ID == id && c.To == to })
	if i < 0 {
		return HeldCopy{}, false
	}
	return h.Copies[i], true
}

// Image returns the image of a rank, if one is held.
func (h *Holding) Image(rank Proc) (HeldImage, bool) {
	if h == nil {
		return HeldImage{}, false
	}
	i := slices.IndexFunc(h.Images, func(l HeldImage) bool { return l.Of == rank })
	if i < 0 {
		return HeldImage{}, false
	}
	return h.Images[i], true
}
