package local

import (
	"testing"

	"github.com/domino-check/domino/impl/runtime/plan"
)

// TestRefusals: a full store refuses the oldest put of a proc that is up, and nothing of one
// that stands still in a step, of a read, or without a budget.
func TestRefusals(t *testing.T) {
	put, read := write{key: "k", value: []byte{1}}, write{key: "k", read: true}
	for _, tt := range []struct {
		name    string
		proc    proc
		budget  int
		refused int
	}{
		{"a put", proc{up: true, writing: []write{put}}, 1, 1},
		{"nothing", proc{up: true}, 1, 0},
		{"a read", proc{up: true, writing: []write{read}}, 1, 0},
		{"no budget", proc{up: true, writing: []write{put}}, 0, 0},
		{"it stands still", proc{stand: stand{still: true}, writing: []write{put}}, 1, 0},
	} {
		r := new(run)
		r.left.full = tt.budget
		if got := len(r.harmsOf(&tt.proc, &plan.Spoil{What: plan.Full})); got != tt.refused {
			t.Errorf("%s: %d refusals are offered, want %d", tt.name, got, tt.refused)
		}
	}
}
