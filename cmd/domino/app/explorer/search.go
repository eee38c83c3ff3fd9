package explorer

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/spec"
)

// searches are those of the whole scenario that the page begins, one at a time.
type searches struct {
	server *Server
	ctx    context.Context

	mu      sync.Mutex
	cancel  context.CancelFunc // of the one under way, nil without
	running sync.WaitGroup
	last    state
	changed chan struct{} // closed and made anew with each change of last
}

// state is how far the search has come.
type state struct {
	Running bool           `json:"running"`
	Stats   *checker.Stats `json:"stats,omitempty"`
	// at its end:
	Verdict   string          `json:"verdict,omitempty"`
	Why       string          `json:"why,omitempty"`
	Violation *spec.Violation `json:"violation,omitempty"`
	Path      []string        `json:"path,omitempty"` // of the run that breaks it
}

func (s *searches) begin(ctx context.Context, server *Server) {
	s.server, s.ctx, s.changed = server, ctx, make(chan struct{})
}

// set publishes a state; the caller holds the lock.
func (s *searches) set(r state) {
	s.last = r
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *searches) start(_ context.Context, q *request) (*state, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		return nil, errors.New("a search is under way: stop it first")
	}
	ctx, cancel := context.WithCancel(s.ctx)
	s.cancel = cancel
	o := s.server.Search
	if q.Name != "" {
		order, err := checker.ParseOrder(q.Name)
		if err != nil {
			s.cancel = nil
			cancel()
			return nil, err
		}
		o.Order = order
	}
	o.Progress = func(stats checker.Stats) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.set(state{Running: true, Stats: &stats})
	}
	s.set(state{Running: true})
	s.running.Go(func() {
		a, err := verify.Check(ctx, s.server.List, s.server.Scenario, o)
		cancel()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.cancel = nil
		s.set(finished(a, err))
	})
	r := s.last
	return &r, nil
}

// finished is the state at the end.
func finished(a *verify.Answer, err error) state {
	if err != nil {
		return state{Verdict: spec.Unknown.String(), Why: err.Error()}
	}
	r := state{Verdict: a.Verdict.String(), Why: a.Why, Violation: a.Violation}
	if a.Outcome != nil {
		r.Stats = &a.Outcome.Stats
		if len(a.Outcome.Runs) > 0 {
			r.Path = a.Outcome.Runs[0].Schedule
		}
	}
	return r
}

func (s *searches) stop(context.Context, *request) (*state, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		s.cancel()
	}
	r := s.last
	return &r, nil
}

// end stops the search and waits for it.
func (s *searches) end() {
	s.mu.Lock()
	if s.cancel != nil {
		s.cancel()
	}
	s.mu.Unlock()
	s.running.Wait()
}

// progress sends a state a line, as they come, until no search is under way or the browser goes
// away: it has few connections, for all of its tabs together.
func (s *searches) progress(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/jsonl; charset=utf-8")
	flush := http.NewResponseController(w)
	for {
		s.mu.Lock()
		now, changed := s.last, s.changed
		s.mu.Unlock()
		if json.NewEncoder(w).Encode(now) != nil || flush.Flush() != nil || !now.Running {
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		case <-s.ctx.Done():
			return
		}
	}
}
