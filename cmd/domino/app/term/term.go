// Package term is how a command speaks: streams that remember what could not be written, one line
// that shows what goes on, tables that are printed row by row, and colours where somebody looks.
package term

import (
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// Output is a stream of a command. It may be written by many goroutines, and remembers the first
// error: most of what a command prints is printed by code that does not ask.
type Output struct {
	w   io.Writer
	mu  sync.Mutex
	err error
}

// NewOutput makes a stream of a writer.
func NewOutput(w io.Writer) *Output { return &Output{w: w} }

// Write implements io.Writer. Nothing is written behind an error.
func (o *Output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(b)
	o.err = err
	return n, err
}

// Err is the first error of a write.
func (o *Output) Err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// file is the terminal behind a writer that understands how a line is erased; nil if there is none.
func file(w io.Writer) *os.File {
	if o, ok := w.(*Output); ok {
		w = o.w
	}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return f
}

// Width is how many columns the terminal behind a stream has; 0 when there is none, or it does not
// say.
func Width(w io.Writer) int {
	f := file(w)
	if f == nil {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// Colour is a colour of text.
type Colour int

// The colours that any terminal has.
const (
	Plain  Colour = 0
	Red    Colour = 31
	Green  Colour = 32
	Yellow Colour = 33
)

// Coloured reports whether a stream shows colours: it is a terminal, and NO_COLOR is not set.
func Coloured(w io.Writer) bool { return os.Getenv("NO_COLOR") == "" && file(w) != nil }
