package link

import (
	"errors"
	"fmt"

	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
)

// ErrBye is the orderly end of a link: the peer sends nothing more.
var ErrBye = errors.New("the peer said goodbye")

// ErrSequence means that a frame is missing, doubled or of another life of the peer.
var ErrSequence = errors.New("frame out of sequence")

// Arrival is one frame that has arrived.
type Arrival struct {
	Header  frame.Header
	Extra   []byte // valid until the next Receive
	Payload []byte // from the pool, of the caller now; nil if empty
}

// source is where a parser reads.
type source interface {
	// window is what has arrived and is not consumed, or a first part of it.
	window() []byte
	consume(n int)
	// more looks for more when the window is too short. If rest is not empty, the window is, and
	// the bytes may go there: n says how many did. It reports whether anything came.
	more(rest []byte) (n int, came bool, err error)
}

// parser makes frames of a stream of bytes, wherever it is cut.
type parser struct {
	limit       int
	pool        *buffer.Pool
	incarnation uint32 // of the peer
	sequence    uint32 // of the next frame

	reserve int // bytes of a payload for which there is room before they come; 0: maxReserve
	phase   phase
	skip    int // bytes of padding to skip
	got     int // bytes of the extra or the payload
	header  frame.Header
	extra   [frame.MaxExtra]byte
	payload []byte
	ended   bool
}

type phase uint8

const (
	inHeader phase = iota
	inExtra
	inPayload
)

// next completes one frame, if its bytes are there.
func (p *parser) next(src source, a *Arrival) (bool, error) {
	for !p.ended {
		w := src.window()
		if p.phase == inHeader && p.skip == 0 && len(w) >= frame.Line {
			n, err := p.whole(w, a)
			if n > 0 || err != nil {
				src.consume(n)
				return n > 0, err
			}
		}
		if len(w) > 0 && (p.phase != inHeader || p.skip > 0 || len(w) >= frame.Size) {
			n, done, err := p.take(w, a)
			src.consume(n)
			if done || err != nil {
				return done, err
			}
			continue
		}
		if p.phase == inPayload && p.skip == 0 && p.got == p.header.Length {
			_, done, err := p.take(nil, a)
			return done, err
		}
		var rest []byte
		if p.phase == inPayload && p.skip == 0 {
			p.grow()
			rest = p.payload[p.got:]
		}
		n, came, err := src.more(rest)
		p.got += n
		if !came || err != nil {
			return false, err
		}
	}
	return false, ErrBye
}

// whole takes a small frame that is in the window as a whole, in one go: n is its length, or 0 if
// it must be taken piece by piece.
func (p *parser) whole(w []byte, a *Arrival) (n int, err error) {
	h, err := frame.Parse(w, p.limit)
	if err != nil || h.Length >= frame.Large || h.Total() > len(w) || h.Kind == frame.Bye ||
		h.Sequence != p.sequence || h.Incarnation != p.incarnation {
		return 0, err
	}
	copy(p.extra[:h.Extra], w[frame.Size:])
	if err := h.CheckExtra(p.extra[:h.Extra]); err != nil {
		return 0, err
	}
	p.sequence++
	a.Header, a.Extra, a.Payload = h, p.extra[:h.Extra], nil
	if h.Length > 0 {
		a.Payload = p.pool.Get(h.Length)
		copy(a.Payload, w[h.Prefix():])
	}
	return h.Total(), nil
}

// take uses bytes of the window and says how many; it reports whether a frame is complete.
func (p *parser) take(w []byte, a *Arrival) (n int, done bool, err error) {
	if p.skip > 0 {
		n = min(p.skip, len(w))
		p.skip -= n
		return n, false, nil
	}
	switch p.phase {
	case inHeader:
		if err := p.readHeader(w); err != nil {
			return 0, false, err
		}
		return frame.Size, false, p.endExtra(0)
	case inExtra:
		n = copy(p.extra[p.got:p.header.Extra], w)
		return n, false, p.endExtra(n)
	}
	if p.got < p.header.Length {
		p.grow()
		n = copy(p.payload[p.got:], w)
		p.got += n
	}
	if p.got == p.header.Length {
		done, err = p.complete(a)
	}
	return n, done, err
}

func (p *parser) readHeader(w []byte) error {
	h, err := frame.Parse(w, p.limit)
	if err != nil {
		return err
	}
	if h.Sequence != p.sequence || h.Incarnation != p.incarnation {
		return fmt.Errorf("%w: frame %d of incarnation %d, want %d of %d", ErrSequence, h.Sequence,
			h.Incarnation, p.sequence, p.incarnation)
	}
	p.sequence++
	p.header, p.got, p.phase = h, 0, inExtra
	return nil
}

// endExtra notes n more bytes of the extra and goes on to the payload after the last.
func (p *parser) endExtra(n int) error {
	if p.got += n; p.got < p.header.Extra {
		return nil
	}
	if err := p.header.CheckExtra(p.extra[:p.header.Extra]); err != nil {
		return err
	}
	p.skip = p.header.Prefix() - frame.Size - p.header.Extra
	p.got, p.phase, p.payload = 0, inPayload, nil
	if p.header.Length > 0 {
		most := p.reserve
		if most == 0 {
			most = maxReserve
		}
		p.payload = p.pool.Get(min(p.header.Length, most))
	}
	return nil
}

// maxReserve is the room that is made for a payload because a header says that it comes: whoever
// sends 24 bytes is not to get a gigabyte for them. It is more than any program sends at once.
const maxReserve = 64 << 20

// grow makes more room for a payload when what there is has been filled.
func (p *parser) grow() {
	if p.got < len(p.payload) || p.got == p.header.Length {
		return
	}
	more := p.pool.Get(min(p.header.Length, 4*len(p.payload)))
	copy(more, p.payload)
	p.pool.Put(p.payload)
	p.payload = more
}

func (p *parser) complete(a *Arrival) (bool, error) {
	a.Header, a.Extra, a.Payload = p.header, p.extra[:p.header.Extra], p.payload
	p.skip, p.phase, p.payload = p.header.Pad(), inHeader, nil
	if p.header.Kind == frame.Bye {
		p.ended = true
		return false, ErrBye
	}
	return true, nil
}

// drop gives back the payload that was under way.
func (p *parser) drop() {
	if p.payload != nil {
		p.pool.Put(p.payload)
		p.payload = nil
	}
}
