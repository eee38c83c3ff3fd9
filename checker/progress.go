package checker

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// watchEvery is how often a running search shows how far it has come.
const watchEvery = 100 * time.Millisecond

// watch shows progress and holds the search to its limits from the side, so that neither waits for
// a slow step. An interrupt takes effect before the next state. The function that it returns ends
// the watch and waits for it.
func (s *search) watch() (unwatch func()) {
	forget := context.AfterFunc(s.ctx, func() { s.end("interrupted") })
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
func (s *search) pause() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended.Load() {
		s.paused = true
		s.ended.Store(true)
	}
}

// goOn saves a search that has paused; it reports whether the workers go on.
func (s *search) goOn() bool {
	s.mu.Lock()
	paused := s.paused && s.bound == ""
	s.mu.Unlock()
	if !paused {
		return false
	}
	if err := s.save(); err != nil && s.options.Saving.Warn != nil {
		s.options.Saving.Warn(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bound != "" {
		return false
	}
	s.paused = false
	s.ended.Store(false)
	return true
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

// Coverage says in words how far a search that ended early has looked.
func (t *Stats) Coverage() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s states explored, %s waiting", thousands(t.States), thousands(t.Frontier))
	switch {
	case t.Covered > 0:
		fmt.Fprintf(&b, "; every run of at most %d steps looked at", t.Covered)
	case t.Depth > 0:
		fmt.Fprintf(&b, "; runs of up to %d steps, but not all of any length", t.Depth)
	}
	if t.Estimate.States > 0 {
		fmt.Fprintf(&b, "; in all an estimated %s",
			strings.TrimPrefix(t.Estimate.String(), "about "))
	}
	return b.String()
}

// thousands writes a number with separators.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// memory writes a size in the largest unit that divides it, or in MiB.
func memory(bytes int64) string {
	switch {
	case bytes < 1<<20 && bytes%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", bytes>>10)
	case bytes < 1<<20:
		return fmt.Sprintf("%d bytes", bytes)
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}
