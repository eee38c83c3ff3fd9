package launch

import (
	"io"
	"os"
	"sync"
)

// Shared is a writer that several children may have as their standard error at the same time. A file serves as it is: the children
// write to it themselves. Nil stays nil.
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
