package world

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"weak"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/search"
)

// TestWorldsAreFreed: a world that nobody has any more is gone with the next collection. Of those
// that a pool kept until the one after the next, random tests had gigabytes.
func TestWorldsAreFreed(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 17))
	var worlds []weak.Pointer[World]
	for range 20 {
		toy := randomToy(r, toyFeatures{crashes: true})
		w, err := New(Config{Setup: toy.setup()})
		if err != nil {
			t.Fatal(err)
		}
		search.Explore(t.Context(), w, checker.Options{MaxStates: 50})
		worlds = append(worlds, weak.Make(w))
	}
	runtime.GC()
	left := 0
	for _, w := range worlds {
		if w.Value() != nil {
			left++
		}
	}
	if left > len(worlds)/4 { // the last one may still be on a stack
		t.Errorf("%d of %d worlds are left", left, len(worlds))
	}
}
