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
}

// pieceHead is length and checksum.
const pieceHead = 8

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// recorder writes the evidence of one life. A write that has returned survives the death of the
// process.
type recorder struct{ file *os.File }

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
	if _, err := r.file.Write(append(b, body...)); err != nil {
		return fmt.Errorf("cluster: evidence: %w", err)
	}
	return nil
}

// reader reads the evidence of one life while it is written.
type reader struct {
	name   string
	at     int64
	pieces []piece
}

// read takes what is complete and not read yet. Of a life that has ended, everything must be
// complete but for a write that the end has cut.
func (r *reader) read(ended bool) (news []piece, err error) {
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
	for len(data) >= pieceHead {
		size := int(binary.LittleEndian.Uint32(data))
		if len(data) < pieceHead+size {
			break
		}
		body := data[pieceHead : pieceHead+size]
		if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(data[4:]) {
			if ended {
				return nil, fmt.Errorf("cluster: evidence: %s: corrupt at byte %d", r.name, r.at)
			}
			break // half written
		}
		var p piece
		if err := core.Decode(body, &p); err != nil {
			return nil, fmt.Errorf("cluster: evidence: %s: at byte %d: %w", r.name, r.at, err)
		}
		news = append(news, p)
		data = data[pieceHead+size:]
		r.at += int64(pieceHead + size)
	}
	r.pieces = append(r.pieces, news...)
	return news, nil
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
