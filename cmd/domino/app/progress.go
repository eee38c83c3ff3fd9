package app

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/domino-check/domino/checker"
)

// How often progress is shown.
const (
	lineEvery  = 200 * time.Millisecond
	eventEvery = 500 * time.Millisecond
)

// progress shows what is running: one line, on a terminal only, or events in JSON.
type progress struct {
	mu      sync.Mutex
	w       io.Writer
	events  bool
	active  bool // the line
	total   int
	done    int
	running map[string]checker.Stats
	last    time.Time
}

func newProgress(w io.Writer, total int, events bool) *progress {
	f, ok := w.(*os.File)
	return &progress{w: w, events: events, active: !events && ok && term.IsTerminal(int(f.Fd())),
		total:   total,
		running: map[string]checker.Stats{}}
}

// event is what a search that is under way has done so far.
type event struct {
	Type     string `json:"type"` // "progress"
	Scenario string `json:"scenario"`
	checker.Stats
	Elapsed float64 `json:"seconds"`
	Rate    int     `json:"rate"` // states a second so far
	// seconds that it may still take, from the estimate; 0 = no estimate
	ETA float64 `json:"eta"`
}

// report is called from a search.
func (p *progress) report(name string) func(checker.Stats) {
	var told time.Time
	return func(s checker.Stats) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.running[name] = s
		switch {
		case p.events && s.Elapsed >= eventEvery && time.Since(told) >= eventEvery:
			told = time.Now()
			e := event{Type: "progress", Scenario: name, Stats: s, Elapsed: s.Elapsed.Seconds(),
				Rate: rate(s), ETA: s.Remaining().Seconds()}
			_ = json.NewEncoder(p.w).Encode(e) // nobody may be listening
		case p.active && time.Since(p.last) >= lineEvery:
			p.last = time.Now()
			p.lineLocked(name)
		}
	}
}

// lineLocked shows the longest of the searches.
func (p *progress) lineLocked(longest string) {
	for n, r := range p.running {
		if r.States > p.running[longest].States || r.States == p.running[longest].States &&
			n < longest {
			longest = n
		}
	}
	r := p.running[longest]
	fmt.Fprintf(p.w, "\r\x1b[K%d/%d done; %s: %s states, %s/s, depth %d, %s waiting, %d MiB",
		p.done, p.total, longest, count(r.States),
		count(rate(r)), r.Depth, count(r.Frontier), r.Bytes>>20)
	if r.Estimate.States > 0 && r.Elapsed > time.Second {
		fmt.Fprintf(p.w, "; estimate %s, %s to go", r.Estimate, r.Remaining().Round(time.Second))
	}
}

func rate(s checker.Stats) int { return int(float64(s.States) / max(s.Elapsed.Seconds(), 1e-3)) }

// finished takes a run off the line.
func (p *progress) finished(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	delete(p.running, name)
	if p.active {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
