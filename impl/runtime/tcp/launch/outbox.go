package launch

import (
	"io"
	"sync"
)

// outbox writes lines to somebody who may not read them for a while, or never: whoever puts them in
// does not wait. How many there can be is up to what is said to one who does not answer.
type outbox struct {
	mu       sync.Mutex
	lines    []byte
	bell     chan struct{} // has one place: there is something to do
	finished bool          // nothing comes any more
	closed   bool          // and nothing is written any more
}

// newOutbox begins to write, in a goroutine that ends with close, with finish when all is written,
// or when nobody reads any more.
func newOutbox(w io.WriteCloser) *outbox {
	b := &outbox{bell: make(chan struct{}, 1)}
	go func() {
		defer w.Close()
		for range b.bell {
			b.mu.Lock()
			lines, last := b.lines, b.finished
			b.lines = nil
			gone := b.closed
			b.mu.Unlock()
			if gone {
				return
			}
			if _, err := w.Write(lines); err != nil || last {
				b.close()
				return
			}
		}
	}()
	return b
}

// put adds a line. After the end it is dropped.
func (b *outbox) put(line []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.finished {
		b.lines = append(append(b.lines, line...), '\n')
		b.ring()
	}
}

// finish ends the output behind what is in the box.
func (b *outbox) finish() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.finished = true
	b.ring()
}

// close drops what is in the box.
func (b *outbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.finished, b.closed, b.lines = true, true, nil
	b.ring()
}

func (b *outbox) ring() {
	select {
	case b.bell <- struct{}{}:
	default:
	}
}
