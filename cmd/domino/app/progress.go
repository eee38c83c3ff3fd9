package app

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/sample"
	"github.com/domino-check/domino/cmd/domino/app/term"
)

// progress shows what is running of a number of scenarios.
type progress struct {
	*term.Line
	mu      sync.Mutex
	total   int
	done    int
	running map[string]checker.Stats
	forward func(any) // is told instead, unless nil: somebody else shows it
}

func newProgress(w io.Writer, total int, events bool) *progress {
	return &progress{Line: term.NewLine(w, events), total: total,
		running: map[string]checker.Stats{}}
}

// happening begins an event of what is under way.
type happening struct {
	Type   string `json:"type"`
	Schema string `json:"schema"`
}

// underWay is how all of them begin.
var underWay = happening{"progress", formatName("progress")}

// event is what a search that is under way has done so far.
type event struct {
	happening
	Scenario string `json:"scenario"`
	checker.Stats
	Elapsed float64 `json:"seconds"`
	Rate    int     `json:"rate"` // states a second so far
	// seconds that it may still take, from the estimate; 0 = no estimate
	ETA float64 `json:"eta"`
}

// report is called from a search.
func (p *progress) report(name string) func(checker.Stats) {
	return func(s checker.Stats) {
		if p.forward != nil {
			p.forward(forwarded{Scenario: name, Stats: &s})
			return
		}
		p.mu.Lock()
		p.running[name] = s
		p.mu.Unlock()
		p.Show(name, func() string { return p.longest(name) }, func() any {
			return event{happening: underWay, Scenario: name, Stats: s,
				Elapsed: s.Elapsed.Seconds(), Rate: rate(s), ETA: s.Remaining().Seconds()}
		})
	}
}

// longest tells of the longest of the searches.
func (p *progress) longest(longest string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for n, r := range p.running {
		if r.States > p.running[longest].States || r.States == p.running[longest].States &&
			n < longest {
			longest = n
		}
	}
	r := p.running[longest]
	text := fmt.Sprintf("%d/%d done; %s: %s states, %s/s, depth %d, %s waiting, %d MiB",
		p.done, p.total, longest, count(r.States),
		count(rate(r)), r.Depth, count(r.Frontier), r.Bytes>>20)
	if r.Estimate.States > 0 && r.Elapsed > time.Second {
		text += fmt.Sprintf("; estimate %s, %s to go", r.Estimate,
			r.Remaining().Round(time.Second))
	}
	return text
}

func rate(s checker.Stats) int { return int(float64(s.States) / max(s.Elapsed.Seconds(), 1e-3)) }

// finished takes a run off the line.
func (p *progress) finished(name string) {
	p.mu.Lock()
	p.done++
	delete(p.running, name)
	p.mu.Unlock()
	p.Clear()
}

// drawing is what runs that are drawn have shown so far.
type drawing struct {
	happening
	Scenario string `json:"scenario"`
	sample.Result
	Elapsed float64 `json:"seconds"`
}

// sampled is called while runs are drawn.
func (p *progress) sampled(name string) func(sample.Result) {
	return func(s sample.Result) {
		if p.forward != nil {
			p.forward(forwarded{Scenario: name, Drawn: &s})
			return
		}
		p.Show(name, func() string {
			p.mu.Lock()
			defer p.mu.Unlock()
			return fmt.Sprintf("%d/%d done; %s: %s runs, %s/s, %s ends, longest %d", p.done,
				p.total, name, count(s.Runs),
				count(int(float64(s.Runs)/max(s.Elapsed.Seconds(), 1e-3))), count(s.Terminals),
				s.Longest)
		}, func() any {
			return drawing{happening: underWay, Scenario: name, Result: s,
				Elapsed: s.Elapsed.Seconds()}
		})
	}
}
