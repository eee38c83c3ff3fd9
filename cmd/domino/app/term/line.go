package term

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// How often is shown what goes on: on a terminal, in events, and in lines of a log.
const (
	lineEvery  = 200 * time.Millisecond
	eventEvery = 500 * time.Millisecond
	plainEvery = 10 * time.Second
)

// Line shows what goes on: on a terminal one line that is written over and never wider than it;
// in a file or pipe a line every ten seconds, so that a log shows that something does; or events in
// JSON. Other writers, such as those of tests, get nothing but events. It may be used by many
// goroutines.
type Line struct {
	mu     sync.Mutex
	w      io.Writer
	tty    *os.File // nil: none
	log    bool     // a file or pipe
	events bool
	width  func() int
	now    func() time.Time
	shown  bool                 // something is there to be erased
	last   map[string]time.Time // of each key; lines have the key ""
}

// NewLine makes a line on a stream.
func NewLine(w io.Writer, events bool) *Line {
	l := &Line{w: w, events: events, tty: file(w), now: time.Now, last: map[string]time.Time{}}
	_, l.log = w.(*os.File)
	l.width = func() int {
		if width := Width(l.tty); width > 1 {
			return width
		}
		return 80
	}
	l.last[""] = l.now()
	return l
}

// Show is told often, and seldom shows something. The key is of what has events of its own.
func (l *Line) Show(key string, text func() string, event func() any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	every := plainEvery
	switch {
	case l.events:
		every = eventEvery
	case l.tty != nil:
		every, key = lineEvery, ""
	case l.log:
		key = ""
	default:
		return
	}
	now := l.now()
	last, ok := l.last[key]
	if !ok {
		l.last[key] = now
	}
	if !ok || now.Sub(last) < every {
		return
	}
	l.last[key] = now
	switch {
	case l.events:
		_ = json.NewEncoder(l.w).Encode(event()) // nobody may be listening
	case l.tty != nil:
		l.shown = true
		fmt.Fprintf(l.w, "\r\x1b[K%s", Cut(text(), l.width()-1))
	default:
		fmt.Fprintln(l.w, text())
	}
}

// Clear takes the line away, before something else is printed.
func (l *Line) Clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shown {
		fmt.Fprint(l.w, "\r\x1b[K")
	}
	l.shown = false
}

// Cut shortens text that is wider than so many characters, such as one that would be wrapped and
// could not be erased.
func Cut(text string, width int) string {
	runes := []rune(text)
	if len(runes) <= width {
		return text
	}
	return string(runes[:max(0, width-1)]) + "…"
}
