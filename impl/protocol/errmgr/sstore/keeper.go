package sstore

import (
	"errors"
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// Rules are what the keeper of a job needs to know and never changes.
type Rules struct {
	Kind    Kind
	Copies  int // peers: replicas of each part
	Flow    int // copies that are made at one time
	Ranks   int
	Store   core.Proc   // not for peers
	Nodes   []core.Proc // every node, in the order of the ring
	Domains []int       // what each node fails together with; nil = each with none
	// What changes: nodes that are given up, of which the replicas do not count and no more are
	// made; and how many domains there are beside these, 0 = as many as it takes.
	Leaving []core.Proc
	Left    int

	// Wrong ways to build it.
	Early    bool // W1: a snapshot is complete when all its files are on their nodes
	Unpinned bool // W5: what is read is retired
	Leaks    bool // W10: the token of a node that fails is gone
	Everyone bool // W21: a snapshot has a part for every rank
}

// State is how far a snapshot is.
type State uint8

// The states. A snapshot that is void, or retired, is not kept.
const (
	Writing     State = iota // images are made and written
	Copying                  // every file is on its node
	Recording                // complete, its commit record is being written
	Established              // the record is durable
)

// Part is the file of one member.
type Part struct {
	_       struct{}    `cbor:",toarray"`
	Rank    core.Rank   `json:"rank"`
	Home    core.Proc   `json:"home"`    // node of the rank when it was taken
	Local   bool        `json:"local"`   // home has a replica
	File    File        `json:"file"`    // zero as long as nobody has told
	Holders []core.Proc `json:"holders"` // who else has one: the store, or nodes
	Asked   []core.Proc `json:"asked"`   // who is being sent one, which takes a token
	From    core.Proc   `json:"from"`    // by whom
}

// Snapshot is one that was begun and is neither void nor retired.
type Snapshot struct {
	_      struct{} `cbor:",toarray"`
	ID     SnapID   `json:"id"`
	State  State    `json:"state"`
	Bad    bool     `json:"bad"` // some part can not be read from anywhere
	Pinned bool     `json:"pinned"`
	Parts  []Part   `json:"parts"` // by rank
}

// Keeper is what the head knows of snapshots. It is plain data; the zero value knows none.
type Keeper struct {
	_      struct{}   `cbor:",toarray"`
	Last   uint32     `json:"last"`   // number of the last one that was begun, void or not
	Snaps  []Snapshot `json:"snaps"`  // ascending
	Leaked int        `json:"leaked"` // tokens that are gone for good: W10
}

// The reasons why news of a snapshot are ignored.
var (
	ErrUnknown = errors.New("no such snapshot, or it is void or retired")
	ErrMember  = errors.New("the rank is no member of the snapshot")
	ErrDiffers = errors.New("the file is not the one that the rank gave away")
)

// keep is how many established snapshots stay.
const keep = 2

// Begin begins the snapshot with the next number, whose number the caller has made durable: from
// then on it is used. homes are the nodes of its members.
func (k *Keeper) Begin(epoch uint32, members []core.Rank, homes []core.Proc) SnapID {
	k.Last++
	s := Snapshot{ID: SnapID{Epoch: epoch, Seq: k.Last}}
	for i, r := range members {
		s.Parts = append(s.Parts, Part{Rank: r, Home: homes[i]})
	}
	k.Snaps = append(k.Snaps, s)
	return s.ID
}

// Snap is the snapshot, nil when it is not kept.
func (k *Keeper) Snap(id SnapID) *Snapshot {
	i := slices.IndexFunc(k.Snaps, func(s Snapshot) bool { return s.ID == id })
	if i < 0 {
		return nil
	}
	return &k.Snaps[i]
}

// Part is that of a rank, nil when it is no member.
func (s *Snapshot) Part(r core.Rank) *Part {
	i := slices.IndexFunc(s.Parts, func(p Part) bool { return p.Rank == r })
	if i < 0 {
		return nil
	}
	return &s.Parts[i]
}

// part finds a part of a snapshot that is not established yet.
func (k *Keeper) part(id SnapID, r core.Rank) (*Snapshot, *Part, error) {
	s := k.Snap(id)
	if s == nil {
		return nil, nil, fmt.Errorf("snapshot %s: %w", id, ErrUnknown)
	}
	p := s.Part(r)
	if p == nil {
		return nil, nil, fmt.Errorf("snapshot %s, rank %d: %w", id, r, ErrMember)
	}
	return s, p, nil
}

// Wrote is the news that the part of a rank is on its node, read back. all is true once, when that
// of every member is: the program may go on.
func (k *Keeper) Wrote(id SnapID, r core.Rank, f File) (all bool, err error) {
	s, p, err := k.part(id, r)
	if err != nil {
		return false, err
	}
	p.Local, p.File = true, f
	missing := slices.ContainsFunc(s.Parts, func(p Part) bool { return !p.Local })
	if missing || s.State != Writing {
		return false, nil
	}
	s.State = Copying
	return true, nil
}

// Copied is the news that somebody has a replica, read back, which is a token that comes back.
// complete is true once, when every part has all it needs: the commit record is to be written.
//
// The file is packed or not, as who copied it likes; what it unpacks to is what the rank gave away.
func (k *Keeper) Copied(rules *Rules, id SnapID, r core.Rank, holder core.Proc,
	f File) (complete bool, err error) {
	_, p, err := k.part(id, r)
	if err != nil {
		return false, err
	}
	p.answered(holder)
	if len(p.File.RawSum) == 0 {
		p.File = f // central: nobody has told before
	}
	if f.RawLen != p.File.RawLen || !slices.Equal(f.RawSum, p.File.RawSum) {
		return false, fmt.Errorf("snapshot %s, rank %d: %w", id, r, ErrDiffers)
	}
	p.File = f
	p.Holders = with(p.Holders, holder)
	return k.Complete(rules, id), nil
}

// answered takes back what somebody was asked for.
func (p *Part) answered(by core.Proc) {
	p.Asked = without(p.Asked, by)
	if by == p.From || len(p.Asked) == 0 {
		p.Asked, p.From = nil, 0
	}
}

// Complete makes a snapshot with all the replicas that it needs one whose record is being written,
// and tells whether it has.
func (k *Keeper) Complete(rules *Rules, id SnapID) bool {
	s := k.Snap(id)
	if s == nil || s.State >= Recording || s.State == Writing && rules.Kind != Central {
		return false
	}
	for i := range s.Parts {
		// Deviation: W1, that all files are on their nodes is enough
		if rules.missing(&s.Parts[i]) > 0 && !rules.Early {
			return false
		}
	}
	s.State = Recording
	return true
}

// missing is how many replicas a part lacks.
func (r *Rules) missing(p *Part) int {
	counts := func(n core.Proc) bool { return !slices.Contains(r.Leaving, n) }
	n := 1
	if r.Kind == Peers {
		n = r.Copies
		if r.Left > 0 {
			n = min(n, r.Left)
		}
		if p.Local && counts(p.Home) {
			n--
		}
	}
	for _, h := range p.Holders {
		if counts(h) {
			n--
		}
	}
	return n
}

// Establish is the news that the commit record is durable. What it makes superfluous is retired,
// see Retire.
func (k *Keeper) Establish(id SnapID) error {
	s := k.Snap(id)
	if s == nil || s.State != Recording {
		return fmt.Errorf("snapshot %s: %w", id, ErrUnknown)
	}
	s.State = Established
	return nil
}

// Void forgets a snapshot that is not established; ok is false when there is none.
func (k *Keeper) Void(id SnapID) (ok bool) {
	n := len(k.Snaps)
	k.Snaps = slices.DeleteFunc(k.Snaps, func(s Snapshot) bool {
		return s.ID == id && s.State != Established
	})
	return len(k.Snaps) < n
}

// Open are the snapshots that are not established.
func (k *Keeper) Open() (list []SnapID) {
	for i := range k.Snaps {
		if k.Snaps[i].State != Established {
			list = append(list, k.Snaps[i].ID)
		}
	}
	return list
}

// Select is the newest snapshot that is established and can be read as far as anybody knows.
func (k *Keeper) Select() (id SnapID, ok bool) {
	for i := range k.Snaps {
		if s := &k.Snaps[i]; s.State == Established && !s.Bad && s.readable() {
			id, ok = s.ID, true
		}
	}
	return id, ok
}

// readable reports whether every part has a replica.
func (s *Snapshot) readable() bool {
	return !slices.ContainsFunc(s.Parts, func(p Part) bool {
		return !p.Local && len(p.Holders) == 0
	})
}

// Members are the ranks of a snapshot: those that are restored from it, and no others.
func (k *Keeper) Members(rules *Rules, id SnapID) (list []core.Rank) {
	s := k.Snap(id)
	// Deviation: W21, every rank of the job is taken to be a member
	if s == nil || rules.Everyone {
		for r := range core.Rank(rules.Ranks) {
			list = append(list, r)
		}
		return list
	}
	for i := range s.Parts {
		list = append(list, s.Parts[i].Rank)
	}
	return list
}

// Pin keeps a snapshot from being retired while somebody reads it; Unpin ends that.
func (k *Keeper) Pin(id SnapID) { k.pin(id, true) }

// Unpin is the end of Pin.
func (k *Keeper) Unpin(id SnapID) { k.pin(id, false) }

func (k *Keeper) pin(id SnapID, pinned bool) {
	if s := k.Snap(id); s != nil {
		s.Pinned = pinned
	}
}

// Bad marks a snapshot of which a part can not be read: it is never selected again.
func (k *Keeper) Bad(id SnapID) {
	if s := k.Snap(id); s != nil {
		s.Bad = true
	}
}

// Retire forgets what two newer established snapshots make superfluous, those that are bad not
// counted, and names it: its files and its record may go. What is pinned stays.
func (k *Keeper) Retire(rules *Rules) (list []SnapID) {
	newer := 0
	for i := len(k.Snaps) - 1; i >= 0; i-- {
		s := &k.Snaps[i]
		switch {
		case s.State != Established:
		// Deviation: W5, that somebody reads it does not matter
		case newer >= keep && (!s.Pinned || rules.Unpinned):
			list = append(list, s.ID)
		case !s.Bad:
			newer++
		}
	}
	slices.Reverse(list)
	k.Snaps = slices.DeleteFunc(k.Snaps, func(s Snapshot) bool {
		return slices.Contains(list, s.ID)
	})
	return list
}

// with is a sorted list with one more proc, without one with one less. Neither changes the list
// that it is given.
func with(list []core.Proc, p core.Proc) []core.Proc {
	i, found := slices.BinarySearch(list, p)
	if found {
		return list
	}
	return slices.Insert(slices.Clone(list), i, p)
}

func without(list []core.Proc, p core.Proc) []core.Proc {
	return slices.DeleteFunc(slices.Clone(list), func(q core.Proc) bool { return q == p })
}
