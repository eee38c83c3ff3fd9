package sstore

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/domino-check/domino/impl/core"
)

// Kind is the component that stores files.
type Kind uint8

// The components.
const (
	// Stage writes files on their node, lets the program go on, and copies them to the store.
	Stage Kind = iota
	// Central writes files to the store, for which the program waits.
	Central
	// Peers writes files on their node, lets the program go on, and copies them to other nodes.
	Peers
)

// String is the name.
func (k Kind) String() string { return [...]string{"stage", "central", "peers"}[k] }

// SnapID names a snapshot of the job. Seq is never used twice, from 1; Epoch is the episode in
// which it was taken. The zero value is no snapshot, or the initial state where one is meant.
type SnapID struct {
	_     struct{} `cbor:",toarray"`
	Epoch uint32   `json:"epoch"`
	Seq   uint32   `json:"seq"`
}

// Compare orders snapshots by Epoch, then Seq: whatever is taken after a rollback is newer than all
// that the abandoned future has left.
func (s SnapID) Compare(t SnapID) int {
	return cmp.Or(cmp.Compare(s.Epoch, t.Epoch), cmp.Compare(s.Seq, t.Seq))
}

// None reports whether it names no snapshot.
func (s SnapID) None() bool { return s == SnapID{} }

// String is the name in messages, records and files: Seq, then Epoch.
func (s SnapID) String() string { return fmt.Sprintf("%d.%d", s.Seq, s.Epoch) }

// ParseSnap reads what String wrote, and nothing else: no sign, no separator of folders, no zeros
// in front.
func ParseSnap(name string) (SnapID, error) {
	seq, epoch, _ := strings.Cut(name, ".")
	n, err1 := strconv.ParseUint(seq, 10, 32)
	e, err2 := strconv.ParseUint(epoch, 10, 32)
	id := SnapID{Epoch: uint32(e), Seq: uint32(n)}
	if err1 != nil || err2 != nil || n == 0 || id.String() != name {
		return SnapID{}, fmt.Errorf("%q names no snapshot, want SEQ.EPOCH, SEQ from 1", name)
	}
	return id, nil
}

// The prefixes of records.
const (
	RecordPrefix = "snap/" // commit records, at the head
	FilePrefix   = "file/" // replicas, wherever they are
)

// RecordKey is the key of the commit record.
func (s SnapID) RecordKey() string { return RecordPrefix + s.String() }

// FileKey is the key of a replica of the part of a rank.
func (s SnapID) FileKey(r core.Rank) string {
	return FilePrefix + s.String() + "/" + strconv.Itoa(int(r))
}

// ParseFile reads what FileKey wrote, and nothing else.
func ParseFile(key string) (SnapID, core.Rank, error) {
	name, ok := strings.CutPrefix(key, FilePrefix)
	snap, rank, _ := strings.Cut(name, "/")
	id, err := ParseSnap(snap)
	r, bad := strconv.ParseUint(rank, 10, 16)
	if !ok || err != nil || bad != nil || id.FileKey(core.Rank(r)) != key {
		return SnapID{}, 0, fmt.Errorf("%q names no file, want %sSEQ.EPOCH/RANK", key, FilePrefix)
	}
	return id, core.Rank(r), nil
}
