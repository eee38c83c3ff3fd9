package snapshot_test

import (
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/protocol/part/snapshot"
)

// TestStyle: each word sets its style, no other word is taken, and the first one is the default.
func TestStyle(t *testing.T) {
	for i, word := range strings.Split(snapshot.Styles, "|") {
		s := snapshot.Style(9)
		if err := s.Set(word); err != nil || s.String() != word || s != snapshot.Style(i) {
			t.Errorf("%s: %v, %v", word, s, err)
		}
	}
	s := snapshot.Markers
	if err := s.Set("marker"); err == nil || s != snapshot.Markers {
		t.Errorf("an unknown word: %v, %v", s, err)
	}
}
