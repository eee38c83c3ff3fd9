package cluster

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/spec/trace"
)

// progress is how far a proc has come, at the end of a step.
type progress struct {
	iteration, date, phase uint64
}

// reached reports whether the moment of a failure has come.
func (w *witness) reached(m *moment) bool {
	var at uint64
	switch m.What {
	case "":
		return m.After <= w.performed
	case Iteration:
		at = w.now.iteration
	case Date:
		at = w.now.date
	case Phase:
		at = w.now.phase
	case Said:
		return w.said[m.Word] >= max(1, m.Number)
	case Renewed:
		return w.life.in.Restart && uint64(w.performed-w.life.in.Performed) >= m.Number
	}
	return at >= m.Number
}

// hear counts declarations that have become evidence, if a failure waits for one.
func (w *witness) hear(events []trace.Event) {
	if w.said == nil {
		return
	}
	for _, e := range events {
		if !e.Kind.Declared() {
			continue
		}
		word, _, _ := strings.Cut(e.Text, " ")
		if w.said[word]++; word != e.Text {
			w.said[e.Text]++
		}
	}
}

// look notes how far the machine is when the step under way is over. A failure at a measure of the
// program comes behind all effects of the step.
func (w *witness) look() {
	if !w.measured {
		return
	}
	w.next.iteration, w.next.date = 0, 0
	if host, ok := w.life.machine.(interface {
		Iteration() int
		Executed() (sent, received uint32)
	}); ok {
		sent, received := host.Executed()
		w.next.iteration, w.next.date = uint64(host.Iteration()), uint64(sent)+uint64(received)
	}
}

// doing is what a process is busy with, for whoever wonders whether it hangs.
type doing struct {
	mu     sync.Mutex
	layout *core.Layout // nil: it has not begun
	busy   bool
	writes bool // to its disk
	kind   core.InputKind
	from   core.Proc
	timer  string
	steps  uint64
	since  time.Time
}

// know is told the layout of the setup.
func (d *doing) know(l *core.Layout) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.layout = l
}

// begin comes before a step.
func (d *doing) begin(kind core.InputKind, from core.Proc, timer string) {
	now := time.Now()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.steps++
	d.busy, d.kind, d.from, d.timer, d.since = true, kind, from, timer, now
}

// disk comes before and after a stable write.
func (d *doing) disk(writes bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.writes = writes
}

// end comes when there is nothing more to do at once.
func (d *doing) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.busy = false
}

// hangs is how long a step takes before it is worth a word.
const hangs = time.Second

// words says in which step it hangs, "" if in none.
func (d *doing) words() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	length := time.Since(d.since)
	switch {
	case d.layout == nil:
		return "has not begun"
	case !d.busy || length < hangs:
		return ""
	}
	in := core.Input{Kind: d.kind, From: d.from, Timer: d.timer}
	name := in.Name(d.layout)
	if d.writes {
		name += ", writes to its disk"
	}
	return fmt.Sprintf("is in step %d (%s) for %v", d.steps, name,
		length.Round(100*time.Millisecond))
}
