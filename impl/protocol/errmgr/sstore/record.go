package sstore

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/core"
)

// Global is what a commit record says of a snapshot: its members, and a part for each of them.
type Global struct {
	_       struct{}    `cbor:",toarray"`
	Snap    SnapID      `json:"snap"`
	Members []core.Rank `json:"members"`
	Parts   []Part      `json:"parts"`
}

// ErrRecord is wrapped by whatever is wrong with a commit record. Its snapshot is not established.
var ErrRecord = errors.New("bad commit record")

// Record is the commit record of a snapshot: its canonical bytes, then their sum.
func (k *Keeper) Record(id SnapID) []byte {
	s := k.Snap(id)
	g := Global{Snap: id, Parts: slices.Clone(s.Parts)}
	for i := range g.Parts {
		g.Members = append(g.Members, g.Parts[i].Rank)
		g.Parts[i].Asked, g.Parts[i].From = nil, 0 // the copies that are being made
	}
	return g.encode()
}

func (g *Global) encode() []byte {
	b := core.Encode(g)
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

// ReadRecord reads a commit record of a job with so many ranks, under the key where it was found.
func ReadRecord(key string, value []byte, ranks int) (g Global, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w %q: %w", ErrRecord, key, err)
		}
	}()
	name, ok := strings.CutPrefix(key, RecordPrefix)
	if !ok {
		return g, fmt.Errorf("its name does not begin with %q", RecordPrefix)
	}
	id, err := ParseSnap(name)
	if err != nil {
		return g, err
	}
	n := len(value) - sha256.Size
	if n < 0 {
		return g, fmt.Errorf("%w: %d bytes are less than a sum", ErrLength, len(value))
	}
	if sum := sha256.Sum256(value[:n]); !bytes.Equal(sum[:], value[n:]) {
		return g, ErrSum
	}
	if err := core.Decode(value[:n], &g); err != nil {
		return g, err
	}
	if g.Snap != id {
		return g, fmt.Errorf("it is about snapshot %s", g.Snap)
	}
	return g, g.validate(ranks)
}

// validate reports members that contradict the parts, and values that no rank can have given away.
func (g *Global) validate(ranks int) error {
	if len(g.Members) != len(g.Parts) || len(g.Members) == 0 {
		return fmt.Errorf("%d members with %d parts", len(g.Members), len(g.Parts))
	}
	for i, r := range g.Members {
		p := &g.Parts[i]
		switch {
		case int(r) >= ranks:
			return fmt.Errorf("rank %d does not exist, there are %d ranks", r, ranks)
		case i > 0 && r <= g.Members[i-1]:
			return fmt.Errorf("rank %d is there twice, or the ranks are out of order", r)
		case p.Rank != r:
			return fmt.Errorf("no part of rank %d", r)
		case p.File.Codec >= endOfCodecs:
			return fmt.Errorf("rank %d: unknown codec %d", r, p.File.Codec)
		case p.File.RawLen < 0 || p.File.PackedLen < 0 || p.File.RawLen > MaxLen ||
			p.File.PackedLen > MaxLen:
			return fmt.Errorf("rank %d: %d bytes, packed %d, want [0, %d]", r, p.File.RawLen,
				p.File.PackedLen, int64(MaxLen))
		case len(p.File.RawSum) != sha256.Size || len(p.File.PackedSum) != sha256.Size:
			return fmt.Errorf("rank %d: no SHA-256 sums", r)
		}
	}
	return nil
}

// Load is what the durable records of a head say after its restart: last is the last number that
// was reserved. Whatever was not established is void, and what is wrong with a record makes its
// snapshot one of those; the reasons are for the report. A record whose number was never reserved
// is none of this job.
func Load(rules *Rules, last uint32, records []core.Record) (k Keeper, reasons []string) {
	k.Last = last
	for i := range records {
		r := &records[i]
		if !strings.HasPrefix(r.Key, RecordPrefix) {
			continue
		}
		g, err := Global{}, fmt.Errorf("%w %q: the write was interrupted", ErrRecord, r.Key)
		if !r.Torn {
			g, err = ReadRecord(r.Key, r.Value, rules.Ranks)
		}
		if err == nil && g.Snap.Seq > last {
			err = fmt.Errorf("%w %q: the last number that was given is %d", ErrRecord, r.Key, last)
		}
		if err == nil && slices.ContainsFunc(k.Snaps, func(s Snapshot) bool {
			return s.ID.Seq == g.Snap.Seq
		}) {
			err = fmt.Errorf("%w %q: its number is there twice", ErrRecord, r.Key)
		}
		if err != nil {
			reasons = append(reasons, err.Error())
			continue
		}
		k.Snaps = append(k.Snaps, Snapshot{ID: g.Snap, State: Established, Parts: g.Parts})
	}
	slices.SortFunc(k.Snaps, func(a, b Snapshot) int { return a.ID.Compare(b.ID) })
	return k, reasons
}
