package world

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/trace"
)

// sights are what all runs together have shown so far, besides violations. They change seldom.
type sights struct {
	unseen atomic.Pointer[[]spec.Property] // Sometimes properties that no run has shown

	mu   sync.Mutex // held by who writes above, or touches anything below
	seen []string   // names of those that some run has, sorted
	// the first in the alphabet of the typed answers of ranks that can not be recovered
	answer    string
	witnesses map[string]witness // of Pair properties
}

// witness is the first value that some run gave to a key of a Pair property.
type witness struct{ value string }

// look lets the property be shown.
func (s *sights) look(p spec.Property) {
	list := append(slices.Clone(s.left()), p)
	s.unseen.Store(&list)
}

// left are the properties that no run has shown.
func (s *sights) left() []spec.Property {
	if p := s.unseen.Load(); p != nil {
		return *p
	}
	return nil
}

// see notes that a run has shown a property; it reports whether none had.
func (s *sights) see(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := s.left()
	i := slices.IndexFunc(left, func(p spec.Property) bool { return p.Name == name })
	if i < 0 {
		return false
	}
	left = slices.Delete(slices.Clone(left), i, i+1)
	s.unseen.Store(&left)
	s.seen = append(s.seen, name)
	slices.Sort(s.seen)
	return true
}

// answered notes the answer of a rank that can not be recovered.
func (s *sights) answered(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answer == "" || text < s.answer {
		s.answer = text
	}
}

// first is the value that some run gave to the key first, maybe this one now.
func (s *sights) first(key, value string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.witnesses[key]; ok {
		return known.value
	}
	if s.witnesses == nil {
		s.witnesses = map[string]witness{}
	}
	s.witnesses[key] = witness{value: value}
	return value
}

// Seen lists the Sometimes properties that some run has shown so far, and those that none has.
func (w *World) Seen() (seen, unseen []string) {
	w.sights.mu.Lock()
	defer w.sights.mu.Unlock()
	for _, p := range w.sights.left() {
		unseen = append(unseen, p.Name)
	}
	return slices.Clone(w.sights.seen), unseen
}

// relate compares an event with what other runs did; it returns the number of a violation or 0.
func (w *World) relate(v spec.View, e trace.Event) int {
	for _, p := range w.pairs {
		key, value := p.Relate(w.Facts, v, e)
		if key == "" {
			continue
		}
		if first := w.sights.first(p.Name+"\x00"+key, value); first != value {
			return w.violation(spec.Violation{Property: p.Name,
				Message: fmt.Sprintf("%s is %q in one run and %q in another", key, first, value)})
		}
	}
	return 0
}
