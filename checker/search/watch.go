package search

import (
	"context"
	"time"

	"github.com/domino-check/domino/checker"
)

// watchEvery is how often a running search shows how far it has come.
const watchEvery = 100 * time.Millisecond

// watch shows progress and holds the search to its limits from the side, so that neither waits for
// a slow step. An interrupt takes effect before the next state. The function that it returns ends
// the watch and waits for it.
func (s *search) watch() (unwatch func()) {
	forget := context.AfterFunc(s.bounds.Context, func() { s.end("interrupted") })
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		saving, last, every := &s.options.Saving, time.Now(), watchEvery
		if saving.Every > 0 {
			every = min(every, saving.Every)
		}
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-over:
				return
			case <-ticker.C:
			}
			if s.options.Progress != nil {
				s.options.Progress(s.stats())
			}
			if !s.limits() && saving.File != "" && saving.Every > 0 &&
				time.Since(last) >= saving.Every {
				last = time.Now()
				s.pause()
			}
		}
	}()
	return func() {
		forget()
		close(over)
		<-done
	}
}

// pause stops the workers for a moment, so that the search can be saved.
func (s *search) pause() { s.stopFor(&s.paused) }

// stopFor stops the workers for a reason; goOn sees to it.
func (s *search) stopFor(reason *bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*reason = true
	s.ended.Store(true)
}

// goOn does what the workers have stopped for; it reports whether they go on. No worker may be at
// work.
func (s *search) goOn() bool {
	s.mu.Lock()
	stopped := s.paused || s.dry || s.crowded || len(s.outgrown) > 0
	save := s.paused && s.bound == ""
	s.mu.Unlock()
	if s.bound != "" || s.over || !stopped {
		return false
	}
	if s.crowded {
		s.disk.relieve()
	}
	if len(s.outgrown) > 0 {
		s.repack()
	}
	if s.dry && !s.refill() {
		return false
	}
	if save {
		if err := s.save(); err != nil && s.options.Saving.Warn != nil {
			s.options.Saving.Warn(err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bound != "" {
		return false
	}
	s.paused, s.dry, s.crowded = false, false, false
	s.ended.Store(false)
	return true
}

// refill collects the states that workers might still begin and reports whether there are any: if
// not, the limit is reached.
func (s *search) refill() bool {
	for _, w := range s.workers {
		s.states.give(w)
	}
	if s.states.left.Load() > 0 {
		return true
	}
	s.end(s.bounds.States(s.options.MaxStates + 1))
	return false
}

// end notes what ends the search early; the first reason counts.
func (s *search) end(bound string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bound == "" && !s.over {
		s.bound = bound
	}
	s.ended.Store(true)
}

// finish notes that nothing is left to do.
func (s *search) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
}

// isOver reports whether there is no going on.
func (s *search) isOver() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bound != "" || s.over
}

// limits looks at the memory, the clock and the caller; it reports whether the search must end.
func (s *search) limits() bool {
	stats := s.stats()
	bound := s.bounds.Over(stats.Bytes)
	switch {
	case bound != "" && !s.started.Load() && s.bounds.Full(stats.Bytes):
		bound = "memory limit " + checker.Memory(s.bounds.MaxBytes) +
			", too little for the first state: its tables take " + checker.Memory(stats.Bytes)
	case bound == "" && s.disk != nil:
		bound = s.disk.limit(s.contents())
	}
	if bound != "" {
		s.end(bound)
	}
	return s.ended.Load()
}

// stats adds up what the workers have shown.
func (s *search) stats() checker.Stats {
	s.repacking.RLock()
	defer s.repacking.RUnlock()
	t := checker.Stats{Elapsed: s.before + time.Since(s.bounds.Began), Bytes: s.visited.bytes() +
		s.sleepers.bytes() + s.links.bytes() + s.levelBytes.Load(),
		Frontier: int(s.levelLeft.Load()), Covered: int(s.covered.Load())}
	words, bytes := s.pool.size()
	t.Frontier, t.Bytes = t.Frontier+words/s.layout.size(), t.Bytes+bytes
	for _, w := range s.workers {
		p := &w.shown
		t.States += int(p.states.Load())
		t.Transitions += int(p.transitions.Load())
		t.Terminals += int(p.terminals.Load())
		t.Depth = max(t.Depth, int(p.depth.Load()))
		t.Frontier += int(p.waiting.Load())
		t.Bytes += p.bytes.Load()
		t.Estimate.States += float64(p.remaining.Load())
		p.mu.Lock()
		t.Saved.Add(p.saved)
		p.mu.Unlock()
	}
	t.Bytes += checker.TableBytes(s.sys) + s.packing.Bytes()
	if s.disk != nil {
		t.Bytes += s.disk.held.Load()
		t.Disk, t.Spills = s.disk.size.Load(), int(s.disk.spills.Load())
	}
	t.Peak = s.top(t.Bytes)
	t.Estimate = s.estimate(t)
	return t
}

// contents is the size of what states are made of.
func (s *search) contents() int64 {
	s.repacking.RLock()
	defer s.repacking.RUnlock()
	return checker.TableBytes(s.sys) + s.packing.Bytes()
}

// top is the most that was used at any time, now included.
func (s *search) top(bytes int64) int64 {
	for {
		peak := s.peak.Load()
		if bytes <= peak || s.peak.CompareAndSwap(peak, bytes) {
			return max(bytes, peak)
		}
	}
}
