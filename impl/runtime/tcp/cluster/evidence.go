package cluster

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/disk"
	"github.com/domino-check/domino/spec/processes"
	"github.com/domino-check/domino/spec/trace"
)

// piece is what is written at once: a step up to its first effect and with it, or one more effect
// of the same step.
type piece struct {
	Began      uint64        `json:"began"` // clock at the beginning of the step
	Number     uint64        `json:"number"`
	Wall       int64         `json:"wall"` // nanoseconds since 1970
	Performed  int           `json:"performed"`
	Recovering bool          `json:"recovering"`
	Done       bool          `json:"done"`
	Events     []trace.Event `json:"events"`
	Sizes      []uint32      `json:"sizes"` // bytes of each payload of Events that was sent

	// of the machine, which may change while its process lives
	Incarnation core.Incarnation `json:"incarnation"`
	// what became of connections, failures and the disk since the piece before
	Marks []processes.Mark `json:"marks"`

	// of the step, in the first of its pieces
	Cause *Cause `json:"cause,omitempty"`
	// instead of a step: how the environment has damaged a record
	Spoilt *disk.Damage `json:"spoilt,omitempty"`
}

// pieceHead is length, checksum of the body, and checksum of both: a length that is wrong must not
// pass for a write that was cut.
const pieceHead = 12

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// recorder writes the evidence of one life. A write that has returned survives the death of the
// process.
type recorder struct {
	file  *os.File
	bytes int64 // that were written
}

func newRecorder(name string) (*recorder, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, fmt.Errorf("cluster: evidence: %w", err)
	}
	return &recorder{file: f}, nil
}

func (r *recorder) write(p *piece) error {
	body := core.Encode(p)
	b := binary.LittleEndian.AppendUint32(make([]byte, 0, pieceHead+len(body)), uint32(len(body)))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(body, castagnoli))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	if _, err := r.file.Write(append(b, body...)); err != nil {
		return fmt.Errorf("cluster: evidence: %w", err)
	}
	r.bytes += int64(pieceHead + len(body))
	return nil
}

// reader reads the evidence of one life while it is written.
type reader struct {
	name   string
	at     int64
	pieces []piece
	said   int64 // bytes that the life has said to have written, at least
	whole  bool  // it has ended in order: they are all
}

// read takes what is complete and not read yet. Of a life that has ended, everything must be
// complete but for a write that the end has cut, and nothing that it has spoken of may be missing.
func (r *reader) read(ended bool) (news []piece, err error) {
	data, err := r.rest()
	if err != nil {
		return nil, err
	}
	return r.take(data, ended)
}

// take is read, of bytes that begin where it has come to.
func (r *reader) take(data []byte, ended bool) (news []piece, err error) {
	for {
		body, size, err := nextPiece(data)
		if err != nil && ended {
			return nil, fmt.Errorf("cluster: evidence: %s: corrupt at byte %d: %w", r.name, r.at,
				err)
		}
		if body == nil {
			break // it is not there yet, or half written
		}
		var p piece
		if err := core.Decode(body, &p); err != nil {
			return nil, fmt.Errorf("cluster: evidence: %s: at byte %d: %w", r.name, r.at, err)
		}
		news = append(news, p)
		data = data[size:]
		r.at += int64(size)
	}
	if ended && (r.at < r.said || r.whole && (r.at > r.said || len(data) > 0)) {
		return nil, fmt.Errorf("cluster: evidence: %s ends at byte %d, with %d of a piece that is "+
			"cut, and the life has said that it wrote %d: some of it is lost", r.name, r.at,
			len(data), r.said)
	}
	r.pieces = append(r.pieces, news...)
	return news, nil
}

// rest is what was not read yet.
func (r *reader) rest() ([]byte, error) {
	f, err := os.Open(r.name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil // it has not come that far
	} else if err != nil {
		return nil, fmt.Errorf("cluster: evidence: %w", err)
	}
	defer f.Close() // it was only read
	if _, err := f.Seek(r.at, io.SeekStart); err != nil {
		return nil, fmt.Errorf("cluster: evidence: %w", err)
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("cluster: evidence: %w", err)
	}
	return data, nil
}

// nextPiece is the body of the piece that the bytes begin with, nil if it is not complete, and how
// long it is with its head.
func nextPiece(data []byte) (body []byte, size int, err error) {
	if len(data) < pieceHead {
		return nil, 0, nil
	}
	length, sum := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:])
	if crc32.Checksum(data[:8], castagnoli) != binary.LittleEndian.Uint32(data[8:]) {
		return nil, 0, errors.New("wrong checksum of the head of a piece")
	}
	if size = pieceHead + int(length); len(data) < size {
		return nil, 0, nil
	}
	if body = data[pieceHead:size]; crc32.Checksum(body, castagnoli) != sum {
		return nil, 0, errors.New("wrong checksum of a piece")
	}
	return body, size, nil
}

// step is one step of a life, or one failure, in the order of all.
type step struct {
	began  uint64
	proc   core.Proc
	life   core.Incarnation
	number uint64
	wall   int64
	events []trace.Event
}

// merge orders the steps of all lives by their clocks: a step comes behind all that it depends on.
func merge(steps []step) (t []trace.Event, walls []int64) {
	slices.SortStableFunc(steps, func(a, b step) int {
		switch {
		case a.began != b.began && a.began < b.began:
			return -1
		case a.began != b.began:
			return 1
		}
		return int(a.proc) - int(b.proc)
	})
	for i, s := range steps {
		for _, e := range s.events {
			e.Step = i + 1
			t, walls = append(t, e), append(walls, s.wall)
		}
	}
	return t, walls
}

// stepsOf puts the pieces of one life together.
func stepsOf(p core.Proc, life core.Incarnation, pieces []piece) (list []step) {
	for i := range pieces {
		k := &pieces[i]
		if n := len(list); n > 0 && list[n-1].number == k.Number {
			list[n-1].events = append(list[n-1].events, k.Events...)
			continue
		}
		list = append(list, step{began: k.Began, proc: p, life: life, number: k.Number,
			wall: k.Wall, events: slices.Clone(k.Events)})
	}
	return list
}
