package errmgr

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/errmgr/sstore"
	"github.com/domino-check/domino/spec/trace"
)

// shelf is the files that somebody keeps on stable storage: a daemon on the disk of its node, the
// store on its own. A file is believed when it has been read back. It is plain data.
type shelf struct {
	_     struct{}  `cbor:",toarray"`
	Files []stored  `json:"files"` // by rank and snapshot
	Reads []reading `json:"reads"` // in the order in which they were asked for
	Gone  []SnapID  `json:"gone"`  // void or retired, the last few: what comes now is late
}

// stored is one file.
type stored struct {
	_     struct{}  `cbor:",toarray"`
	Snap  SnapID    `json:"snap"`
	Move  uint32    `json:"move"`
	Rank  core.Rank `json:"rank"`
	Own   bool      `json:"own"`  // of a rank of this node, not a replica for another one
	Good  bool      `json:"good"` // it has been read back, or was here before a restart
	File  File      `json:"file"`
	Epoch uint32    `json:"epoch"` // in which it was written
	// Next is where the image of a rank that moves goes from here: nobody, or its new node.
	Next []core.Proc `json:"next"`
}

// use is what a file is read for.
type use uint8

// The uses.
const (
	toCheck  use = iota // it has been written
	toCopy              // for others, who are to keep it
	toAnswer            // for somebody who starts the rank
	toStart             // to start the rank here
)

// reading is a file that is being read.
type reading struct {
	_    struct{}    `cbor:",toarray"`
	Use  use         `json:"use"`
	Snap SnapID      `json:"snap"`
	Move uint32      `json:"move"`
	Rank core.Rank   `json:"rank"`
	To   []core.Proc `json:"to"`
}

// movePrefix is that of the keys of images of ranks that move, in the store.
const movePrefix = "move/"

// fileKey is the key of a file: the name of the snapshot, or the number of the move, and the rank.
func fileKey(s SnapID, move uint32, r core.Rank) string {
	if move > 0 {
		return fmt.Sprintf("%s%d/%d", movePrefix, move, r)
	}
	return s.FileKey(r)
}

// mostGone is how many snapshots that are gone are remembered.
const mostGone = 4

// find is the place of a file, -1 when there is none.
func (s *shelf) find(id SnapID, move uint32, r core.Rank) int {
	return slices.IndexFunc(s.Files, func(f stored) bool {
		return f.Snap == id && f.Move == move && f.Rank == r
	})
}

// put writes a file, in the place of one of the same name. One of a snapshot that is gone is
// dropped.
func (s *shelf) put(f stored, data []byte, out []core.Effect) []core.Effect {
	if f.Move == 0 && slices.Contains(s.Gone, f.Snap) {
		return append(out, core.DropInput(core.Proc(f.Rank), core.MsgID{},
			"the snapshot is void or retired"))
	}
	if i := s.find(f.Snap, f.Move, f.Rank); i >= 0 {
		s.Files = slices.Delete(slices.Clone(s.Files), i, i+1)
	}
	s.Files = append(s.Files, f)
	s.sort()
	return append(out, core.Effect{Kind: core.Persist, Key: fileKey(f.Snap, f.Move, f.Rank),
		Value: data})
}

func (s *shelf) sort() {
	slices.SortStableFunc(s.Files, func(a, b stored) int {
		return cmp.Or(cmp.Compare(a.Rank, b.Rank), a.Snap.Compare(b.Snap))
	})
}

// read asks for a file.
func (s *shelf) read(r reading, out []core.Effect) []core.Effect {
	s.Reads = append(s.Reads, r)
	return append(out, core.Effect{Kind: core.Read, Key: fileKey(r.Snap, r.Move, r.Rank)})
}

// written is the file that has become stable, or could not, nil for one that is gone by now.
func (s *shelf) written(key string) *stored {
	i := slices.IndexFunc(s.Files, func(f stored) bool {
		return fileKey(f.Snap, f.Move, f.Rank) == key && !f.Good
	})
	if i < 0 {
		return nil
	}
	return &s.Files[i]
}

// loaded is the reading that a file has come for, with its bytes; whole is false when there are
// none. What nobody waits for any more has no reading.
func (s *shelf) loaded(in *core.Input) (r reading, data []byte, whole, waited bool) {
	i := slices.IndexFunc(s.Reads, func(r reading) bool {
		return fileKey(r.Snap, r.Move, r.Rank) == in.Key
	})
	if i < 0 {
		return r, nil, false, false
	}
	r = s.Reads[i]
	s.Reads = slices.Delete(slices.Clone(s.Reads), i, i+1)
	if len(in.Records) == 0 || in.Records[0].Torn {
		return r, nil, false, true
	}
	return r, in.Records[0].Value, true, true
}

// remove deletes a file. What is being read of it is read in vain.
func (s *shelf) remove(i int, out []core.Effect) []core.Effect {
	f := s.Files[i]
	s.Files = slices.Delete(slices.Clone(s.Files), i, i+1)
	return append(out, core.Effect{Kind: core.Persist, Key: fileKey(f.Snap, f.Move, f.Rank)})
}

// drop deletes the files of a snapshot, and refuses those that come late.
func (s *shelf) drop(self core.Proc, id SnapID, out []core.Effect) []core.Effect {
	if !slices.Contains(s.Gone, id) {
		s.Gone = append(s.Gone, id)
		slices.SortFunc(s.Gone, SnapID.Compare)
		s.Gone = s.Gone[max(0, len(s.Gone)-mostGone):]
	}
	had := len(s.Files)
	for i := len(s.Files) - 1; i >= 0; i-- {
		if s.Files[i].Snap == id && s.Files[i].Move == 0 {
			out = s.remove(i, out)
		}
	}
	if len(s.Files) < had {
		out = append(out, snapped(trace.SnapEvicted, id, self, 0))
	}
	return out
}

// opened are the raw bytes of a replica: packed as the file says, or, on the node where the rank
// has written it, not.
func opened(f *File, data []byte) ([]byte, error) {
	raw, err := f.Unpack(data)
	if err == nil || f.Codec == sstore.None {
		return raw, err
	}
	plain := File{RawLen: f.RawLen, RawSum: f.RawSum, PackedLen: f.RawLen, PackedSum: f.RawSum}
	if raw, bad := plain.Unpack(data); bad == nil {
		return raw, nil
	}
	return nil, err
}

// stood is what a holder says about a file that has been read back: nothing is wrong with it, or
// what.
func (s *shelf) stood(r *reading, data []byte, whole bool) (f *stored, raw []byte, why string) {
	i := s.find(r.Snap, r.Move, r.Rank)
	switch {
	case i < 0:
		return nil, nil, "it is not there any more"
	case !whole:
		return &s.Files[i], nil, "it can not be read"
	}
	raw, err := opened(&s.Files[i].File, data)
	if err != nil {
		return &s.Files[i], nil, err.Error()
	}
	return &s.Files[i], raw, ""
}

// trusts reports whether a file is taken for good as soon as it is written.
func (c *config) trusts(f *stored) bool {
	// Deviation: W8, what somebody has sent is taken for whole
	return c.has(W8) && !f.Own && f.Move == 0
}
