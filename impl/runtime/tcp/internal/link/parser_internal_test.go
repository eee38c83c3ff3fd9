package link

import (
	"bytes"
	"testing"

	"github.com/domino-check/domino/impl/runtime/tcp/internal/buffer"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
)

// pieces is a source that has some bytes, of which so many are there at a time.
type pieces struct {
	bytes  []byte
	size   int
	direct bool // the rest of a payload goes where it belongs
	at     []byte
}

func (s *pieces) window() []byte { return s.at }
func (s *pieces) consume(n int)  { s.at = s.at[n:] }
func (s *pieces) more(rest []byte) (n int, came bool, err error) {
	k := min(s.size, len(s.bytes))
	if k == 0 {
		return 0, false, nil
	}
	if s.direct {
		n = copy(rest, s.bytes[:k])
		s.bytes, k = s.bytes[n:], k-n
	}
	s.at = append(append([]byte(nil), s.at...), s.bytes[:k]...)
	s.bytes = s.bytes[k:]
	return n, true, nil
}

// TestReserve: a header alone gets no more room than is reserved, whatever it promises, and a
// payload that is longer arrives whole, however it is cut.
func TestReserve(t *testing.T) {
	payload := make([]byte, 300_001)
	for i := range payload {
		payload[i] = byte(i % 251)
	}
	h := frame.Header{Kind: frame.Data, Length: len(payload)}
	head := frame.Append(nil, &h, nil)
	whole := append(append(bytes.Clone(head), payload...), make([]byte, h.Pad())...)
	for _, size := range []int{1, 1000, 70_000, len(whole)} {
		for _, direct := range []bool{false, true} {
			pool := new(buffer.Pool)
			p := parser{limit: 1 << 30, pool: pool, reserve: frame.Large}
			var a Arrival
			if ok, err := p.next(&pieces{bytes: head, size: len(head)}, &a); ok || err != nil {
				t.Fatal(ok, err)
			}
			if len(p.payload) > frame.Large {
				t.Errorf("%d bytes for a header, want at most %d", len(p.payload), frame.Large)
			}
			rest := &pieces{bytes: whole[len(head):], size: size, direct: direct}
			ok, err := p.next(rest, &a)
			if !ok || err != nil || !bytes.Equal(a.Payload, payload) {
				t.Fatalf("pieces of %d: %t %v, %d bytes", size, ok, err, len(a.Payload))
			}
			if pool.Put(a.Payload); pool.InUse() != 0 {
				t.Errorf("%d buffers are left", pool.InUse())
			}
		}
	}
}
