package level

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/domino-check/domino/checker"
)

// An object holds what a block of one level owns of the next: written once, never changed.
//
//	8 bytes    magic, and how long the header is
//	header     JSON
//	sections   table     the digests that words have, in the order in which they come first
//	           columns   word by word, the place of the digest of each state in the table; packed
//	           parents   the place of each state's parent in the block, as differences; packed
//	           contents  what the digests are of, as far as no committed level has it; packed
//	           report    JSON; packed
//	           prints    the fingerprints, those of a partition together
const magic = 0x446c6531 // Dle1

// The sections.
const (
	theTable = iota
	theColumns
	theParents
	theContents
	theReport
	thePrints
	sections
)

// span is a part [From, To) of the states of an object.
type span struct {
	Object   object
	From, To int
}

// object is where an object is.
type object struct {
	Name   string
	Head   int // bytes of the header, with what is before it
	States int
	Bytes  int
	Failed string // why there is none, in the place of one
	Full   bool   // that is because nothing can be written, which bounds a search
}

// header says what is in an object.
type header struct {
	Search  string
	Level   int // of its states
	Attempt uint64
	Block   int
	Inputs  []span // the block
	States  int
	Prints  []int // fingerprints of each partition
	Sizes   [sections]int
	Sums    [sections]uint32 // CRC-32C
}

// states are the states of an object, each with its parent.
type states struct {
	words   int
	table   [][]checker.Digest // by word
	columns [][]uint32         // by word: places in the table
	parents []uint32           // places in the block, ascending
}

func (s *states) len() int { return len(s.parents) }

// print is the fingerprint of a state.
func (s *states) print(i int) (sum checker.Digest) {
	for w := range s.words {
		sum = sum.Add(s.table[w][s.columns[w][i]])
	}
	return sum
}

// content is a thing with its digest.
type content struct {
	digest checker.Digest
	bytes  []byte
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// build is the object of its parts, without its name. The fingerprints are in the order of
// partitions.
func (p *packer) build(h header, s *states, contents []content, r *report,
	prints []checker.Digest) (object, []byte) {
	var parts [sections][]byte
	parts[theColumns] = make([]byte, 0, 2*s.words*s.len()) // a place takes one or two bytes mostly
	parts[theParents] = make([]byte, 0, 2*s.len())
	parts[thePrints] = make([]byte, 0, checker.DigestBytes*len(prints))
	for w := range s.words {
		parts[theTable] = binary.AppendUvarint(parts[theTable], uint64(len(s.table[w])))
		for _, d := range s.table[w] {
			parts[theTable] = d.Append(parts[theTable])
		}
		for _, place := range s.columns[w] {
			parts[theColumns] = binary.AppendUvarint(parts[theColumns], uint64(place))
		}
	}
	last := uint32(0)
	for _, parent := range s.parents {
		parts[theParents] = binary.AppendUvarint(parts[theParents], uint64(parent-last))
		last = parent
	}
	for _, c := range contents {
		parts[theContents] = binary.AppendUvarint(parts[theContents], uint64(len(c.bytes)))
		parts[theContents] = append(parts[theContents], c.bytes...)
	}
	parts[theReport] = encode(r)
	for _, d := range prints {
		parts[thePrints] = d.Append(parts[thePrints])
	}
	for i := theColumns; i <= theReport; i++ {
		parts[i] = p.packed(parts[i])
	}
	h.States = s.len()
	total := 0
	for i, part := range parts {
		total += len(part)
		h.Sizes[i], h.Sums[i] = len(part), crc32.Checksum(part, castagnoli)
	}
	head := encode(h)
	b := binary.BigEndian.AppendUint32(make([]byte, 0, 8+len(head)+total), magic)
	b = append(binary.BigEndian.AppendUint32(b, uint32(len(head))), head...)
	o := object{Head: len(b), States: h.States}
	for _, part := range parts {
		b = append(b, part...)
	}
	o.Bytes = len(b)
	return o, b
}

// packer compresses sections; it is large, and used again and again.
type packer struct{ w *flate.Writer }

// packed compresses a section.
func (p *packer) packed(b []byte) []byte {
	var out bytes.Buffer
	var err error
	if p.w == nil {
		p.w, err = flate.NewWriter(&out, flate.BestSpeed)
	} else {
		p.w.Reset(&out)
	}
	if err == nil {
		_, err = p.w.Write(b)
	}
	if err = errors.Join(err, p.w.Close()); err != nil {
		panic("invariant: a buffer takes everything: " + err.Error())
	}
	return out.Bytes()
}

// mostUnpacked bounds what a damaged section may swell to.
const mostUnpacked = 4 << 30

func unpacked(b []byte) ([]byte, error) {
	r := flate.NewReader(bytes.NewReader(b))
	return io.ReadAll(io.LimitReader(r, mostUnpacked))
}

// opened is an object of which the header is read.
type opened struct {
	header
	at     object
	config *Config
}

// open reads the header of an object.
func (c *Config) open(ctx context.Context, o object) (*opened, error) {
	b, err := c.Blobs.Range(ctx, o.Name, 0, int64(o.Head))
	if err != nil {
		return nil, err
	}
	in := &opened{at: o, config: c}
	switch {
	case len(b) < 8 || binary.BigEndian.Uint32(b) != magic ||
		int(binary.BigEndian.Uint32(b[4:])) != len(b)-8:
		return nil, fmt.Errorf("object %s: its header makes no sense", o.Name)
	}
	if err := decode("object "+o.Name, b[8:], &in.header); err != nil {
		return nil, err
	}
	total := o.Head
	for _, size := range in.Sizes {
		if size < 0 {
			total = -1
			break
		}
		total += size
	}
	if total != o.Bytes || in.States != o.States || len(in.Prints) != c.Partitions ||
		in.Search != c.ID {
		return nil, fmt.Errorf("object %s: its header is of another object", o.Name)
	}
	return in, nil
}

// offset is where a section begins.
func (in *opened) offset(section int) int64 {
	at := in.at.Head
	for _, size := range in.Sizes[:section] {
		at += size
	}
	return int64(at)
}

// section reads a section.
func (in *opened) section(ctx context.Context, section int) ([]byte, error) {
	b, err := in.config.Blobs.Range(ctx, in.at.Name, in.offset(section), int64(in.Sizes[section]))
	if err != nil {
		return nil, err
	}
	if crc32.Checksum(b, castagnoli) != in.Sums[section] {
		return nil, fmt.Errorf("object %s: section %d is damaged", in.at.Name, section)
	}
	if section == theTable || section == thePrints {
		return b, nil
	}
	return unpacked(b)
}

// numbers are unsigned numbers of a section; what is missing sticks.
type numbers struct {
	rest []byte
	bad  bool
}

func (n *numbers) next(most uint64) uint64 {
	v, size := binary.Uvarint(n.rest)
	if size <= 0 || v > most {
		n.rest, n.bad = nil, true
		return 0
	}
	n.rest = n.rest[size:]
	return v
}

// states reads the states.
func (in *opened) states(ctx context.Context, words int) (*states, error) {
	var parts [theParents + 1][]byte
	for i := range parts {
		var err error
		if parts[i], err = in.section(ctx, i); err != nil {
			return nil, err
		}
	}
	table, columns, parents := numbers{rest: parts[theTable]}, numbers{rest: parts[theColumns]},
		numbers{rest: parts[theParents]}
	if in.States > len(parts[theParents]) {
		return nil, fmt.Errorf("object %s: %d states have no parents", in.at.Name, in.States)
	}
	s := &states{words: words}
	for range words {
		n := table.next(uint64(len(table.rest) / checker.DigestBytes))
		if n > uint64(len(table.rest)/checker.DigestBytes) {
			table.bad = true // the number itself takes a byte
			break
		}
		list := make([]checker.Digest, 0, n)
		for range n {
			list = append(list, checker.ReadDigest(table.rest))
			table.rest = table.rest[checker.DigestBytes:]
		}
		column := make([]uint32, in.States)
		for i := range column {
			column[i] = uint32(columns.next(uint64(len(list)) - 1))
		}
		if len(list) == 0 && in.States > 0 {
			columns.bad = true
			break
		}
		s.table, s.columns = append(s.table, list), append(s.columns, column)
	}
	last := uint64(0)
	s.parents = make([]uint32, 0, in.States)
	for range in.States {
		last += parents.next(1 << 32)
		s.parents = append(s.parents, uint32(last))
	}
	if table.bad || columns.bad || parents.bad {
		return nil, fmt.Errorf("object %s: its states make no sense", in.at.Name)
	}
	return s, nil
}

// contents reads the contents.
func (in *opened) contents(ctx context.Context) (list []content, err error) {
	b, err := in.section(ctx, theContents)
	if err != nil {
		return nil, err
	}
	for n := (numbers{rest: b}); len(n.rest) > 0; {
		size := n.next(uint64(len(n.rest)))
		if n.bad || size > uint64(len(n.rest)) {
			return nil, fmt.Errorf("object %s: its contents make no sense", in.at.Name)
		}
		list = append(list, content{checker.DigestOf(n.rest[:size]), n.rest[:size]})
		n.rest = n.rest[size:]
	}
	return list, nil
}

// report reads the report.
func (in *opened) report(ctx context.Context) (r report, err error) {
	b, err := in.section(ctx, theReport)
	if err == nil {
		err = decode("the report of "+in.at.Name, b, &r)
	}
	return r, err
}

// prints visits the fingerprints of the partitions [from, to).
func (in *opened) prints(ctx context.Context, from, to int, visit func(checker.Digest)) error {
	before, count := 0, 0
	for p, n := range in.Prints {
		if p < from {
			before += n
		} else if p < to {
			count += n
		}
	}
	b, err := in.config.Blobs.Range(ctx, in.at.Name, in.offset(thePrints)+int64(before)*
		checker.DigestBytes, int64(count)*checker.DigestBytes)
	for ; err == nil && len(b) > 0; b = b[checker.DigestBytes:] {
		visit(checker.ReadDigest(b))
	}
	return err
}
