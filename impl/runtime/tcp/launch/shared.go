package launch

import (
	"bytes"
	"io"
	"os"
	"sync"
)

// Shared is a writer that several children may have as their standard error at the same time. A
// file serves as it is: the children write to it themselves. Nil stays nil.
func Shared(w io.Writer) io.Writer {
	if _, file := w.(*os.File); file || w == nil {
		return w
	}
	return &shared{w: w}
}

type shared struct {
	mu sync.Mutex
	w  io.Writer
}

func (s *shared) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(b)
}

// tailBytes is how much of a complaint is kept.
const tailBytes = 600

// tail passes on what is written and keeps the end of it.
type tail struct {
	mu  sync.Mutex
	w   io.Writer // may be nil
	end []byte
}

// hush passes on nothing any more: a launcher says of the end that was asked for that it came.
func (t *tail) hush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.w = nil
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = append(t.end, b...)
	if n := len(t.end) - tailBytes; n > 0 {
		t.end = append(t.end[:0], t.end[n:]...)
	}
	if t.w == nil {
		return len(b), nil
	}
	return t.w.Write(b)
}

// String is the end, without empty lines around it.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.end))
}
