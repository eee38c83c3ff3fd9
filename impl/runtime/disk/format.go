package disk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/domino-check/domino/impl/core"
)

// version is the version of the format of both kinds of files.
const version = 1

// What may be wrong with a file; the error that wraps it names the file.
var (
	ErrCorrupt  = errors.New("corrupt")
	ErrVersion  = errors.New("format of another version")
	ErrOtherRun = errors.New("file of another run")
)

// The layout of a log, in bytes: head, two slots in sectors of their own, entries. All numbers are
// little-endian.
const (
	headBytes  = 128
	slotPlace  = 512 // of slot 0; slot 1 is as far behind it
	slotBytes  = 20
	firstEntry = 4096
	entryBytes = 36
	valueBytes = headBytes // head of a value file
)

// The first bytes of a file say what it is.
var (
	logMagic   = [8]byte{'d', 'o', 'm', 'i', 'n', 'o', 'L', '\n'}
	valueMagic = [8]byte{'d', 'o', 'm', 'i', 'n', 'o', 'V', '\n'}
)

const entryMagic = 0x79727465 // "etry": never the zeros of space that is not used yet

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// Identity says whose store it is.
type Identity struct {
	Run  string // any text of at most MaxRun bytes; a run is never given the files of another
	Proc core.Proc
}

// MaxRun bounds the name of a run.
const MaxRun = 64

// head is the first part of both kinds of files: magic, version, proc, run, three numbers (log:
// next sequence number; value: sequence number, length, checksum), checksum.
func head(magic [8]byte, id Identity, numbers [3]uint64) []byte {
	b := append(make([]byte, 0, headBytes), magic[:]...)
	b = binary.LittleEndian.AppendUint32(b, version)
	b = binary.LittleEndian.AppendUint32(b, uint32(id.Proc))
	b = append(b, byte(len(id.Run)))
	run := make([]byte, MaxRun)
	copy(run, id.Run)
	b = append(b, run...)
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	b = append(b, make([]byte, headBytes-4-len(b))...)
	return binary.LittleEndian.AppendUint32(b, checksum(b))
}

// readHead checks the head of a file.
func readHead(f File, magic [8]byte, id Identity) (numbers [3]uint64, err error) {
	got, numbers, err := parseHead(f, magic)
	if err == nil && got != id {
		err = fmt.Errorf("%w: of proc %d in run %q, want proc %d in run %q", ErrOtherRun,
			got.Proc, got.Run, id.Proc, id.Run)
	}
	return numbers, err
}

// parseHead reads the head of a file of whomever.
func parseHead(f File, magic [8]byte) (id Identity, numbers [3]uint64, err error) {
	b := make([]byte, headBytes)
	if _, err := io.ReadFull(io.NewSectionReader(f, 0, headBytes), b); err != nil {
		return id, numbers, fmt.Errorf("%w: head: %w", ErrCorrupt, err)
	}
	if !bytes.Equal(b[:8], magic[:]) || binary.LittleEndian.Uint32(b[headBytes-4:]) != checksum(
		b[:headBytes-4]) {
		return id, numbers, fmt.Errorf("%w: the head is damaged, or this is no such file",
			ErrCorrupt)
	}
	if v := binary.LittleEndian.Uint32(b[8:]); v != version {
		return id, numbers, fmt.Errorf("%w: %d, want %d", ErrVersion, v, version)
	}
	id = Identity{Run: string(b[17 : 17+min(int(b[16]), MaxRun)]),
		Proc: core.Proc(binary.LittleEndian.Uint32(b[12:]))}
	for i := range numbers {
		numbers[i] = binary.LittleEndian.Uint64(b[17+MaxRun+8*i:])
	}
	return id, numbers, nil
}

// slot says how far a log is committed; the slot with the greater count holds.
type slot struct {
	count uint64
	end   int64
}

func (s slot) encode() []byte {
	b := binary.LittleEndian.AppendUint64(nil, s.count)
	b = binary.LittleEndian.AppendUint64(b, uint64(s.end))
	return binary.LittleEndian.AppendUint32(b, checksum(b))
}

func (s slot) place() int64 { return slotPlace * int64(1+s.count%2) }

// readSlot finds the slot that holds. One may be damaged, or empty in a new log.
func readSlot(f File) (slot, error) {
	var best slot
	for i := range int64(2) {
		b := make([]byte, slotBytes)
		if _, err := io.ReadFull(io.NewSectionReader(f, slotPlace*(1+i), slotBytes),
			b); err != nil {
			return best, fmt.Errorf("%w: slot %d: %w", ErrCorrupt, i, err)
		}
		s := slot{binary.LittleEndian.Uint64(b), int64(binary.LittleEndian.Uint64(b[8:]))}
		if binary.LittleEndian.Uint32(b[16:]) == checksum(b[:16]) && s.count > best.count &&
			s.count%2 == uint64(i) {
			best = s
		}
	}
	if best.count == 0 || best.end < firstEntry {
		return best, fmt.Errorf("%w: neither slot says how far the log is committed", ErrCorrupt)
	}
	return best, nil
}

// kind is what an entry does.
type kind uint8

const (
	putInline kind = iota + 1 // the value follows the key
	putFile                   // the value is in a file of its own
	remove
)

// entry is one change of the records. Its first bytes: magic, sequence number, kind, length of the
// key, length and checksum of the value, checksum of all that and the key.
type entry struct {
	sequence uint64
	kind     kind
	key      string
	length   int64
	sum      uint32 // of the value
	place    int64  // of the value in the log
}

// MaxKey bounds the length of a key.
const MaxKey = 1 << 10

// appendTo appends the encoded entry without its value.
func (e entry) appendTo(b []byte) []byte {
	first := len(b)
	b = binary.LittleEndian.AppendUint32(b, entryMagic)
	b = binary.LittleEndian.AppendUint64(b, e.sequence)
	b = append(b, byte(e.kind), 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(e.key)))
	b = binary.LittleEndian.AppendUint64(b, uint64(e.length))
	b = binary.LittleEndian.AppendUint32(b, e.sum)
	b = append(b, 0, 0, 0, 0)
	sum := checksum(b[first:])
	b = binary.LittleEndian.AppendUint32(b, crc32.Update(sum, castagnoli, []byte(e.key)))
	return append(b, e.key...)
}

// size is how long the entry is in the log.
func (e *entry) size() int64 {
	n := int64(entryBytes + len(e.key))
	if e.kind == putInline {
		n += e.length
	}
	return n
}

// readEntry reads the head and the key of the entry at a place; ok is false when there is no whole
// one.
func readEntry(f io.ReaderAt, at int64) (e entry, ok bool, err error) {
	var b [entryBytes + MaxKey]byte
	n, err := f.ReadAt(b[:], at)
	if err != nil && !errors.Is(err, io.EOF) {
		return e, false, err
	}
	if n < entryBytes || binary.LittleEndian.Uint32(b[:]) != entryMagic {
		return e, false, nil
	}
	keyBytes := int(binary.LittleEndian.Uint16(b[14:]))
	if keyBytes > MaxKey || n < entryBytes+keyBytes {
		return e, false, nil
	}
	key := b[entryBytes : entryBytes+keyBytes]
	if binary.LittleEndian.Uint32(b[32:]) != crc32.Update(checksum(b[:32]), castagnoli, key) {
		return e, false, nil
	}
	e = entry{sequence: binary.LittleEndian.Uint64(b[4:]), kind: kind(b[12]), key: string(key),
		length: int64(binary.LittleEndian.Uint64(b[16:])), sum: binary.LittleEndian.Uint32(b[24:]),
		place: at + int64(entryBytes+keyBytes)}
	return e, e.kind >= putInline && e.kind <= remove && e.length >= 0, nil
}
