package app

import (
	"io"
	"slices"
	"testing"

	"github.com/domino-check/domino/impl/protocol/all"
)

// TestCores: a search uses as many cores as it has workers, and never more than the process had.
func TestCores(t *testing.T) {
	for _, tt := range []struct {
		workers string
		want    []int
	}{{"1", []int{0, 1}}, {"3", []int{0, 3}}, {"64", []int{0, 4}}} {
		var asked []int
		std := streams{out: io.Discard, err: io.Discard, cores: func(n int) int {
			asked = append(asked, n)
			return 4
		}}
		code := start(t.Context(), []string{"check", "a3", "--workers", tt.workers, "--save", ""},
			std, all.Protocols()...)
		if code != 0 || !slices.Equal(asked, tt.want) {
			t.Errorf("%s workers: code %d, cores %v, want %v", tt.workers, code, asked, tt.want)
		}
	}
}
