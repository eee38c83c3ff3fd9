package trace_test

import (
	"testing"

	"github.com/domino-check/domino/spec/trace"
)

// TestEpisode names episodes of the first life of a service and of later ones.
func TestEpisode(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 7: "7", 65535: "65535", 65536: "1.0",
		65537: "1.1", 3<<16 + 12: "3.12"} {
		if got := trace.Episode(n); got != want {
			t.Errorf("episode %d is called %s, want %s", n, got, want)
		}
	}
}
