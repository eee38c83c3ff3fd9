package kernels_test

import (
	"testing"

	"github.com/domino-check/domino/impl/program/kernels"
)

// TestIterations compares the iterations that programs have marked with the parameter that says how
// many there are, with checkpoints and without; BT, SP and LU do one more to warm up, and work that
// is handed out has none.
func TestIterations(t *testing.T) {
	tests := []struct {
		text string
		want int
	}{
		{"ring ranks=3 iterations=5", 5}, {"ring ranks=3 iterations=5 checkpoint=2 variant=token",
			5}, {"heat ranks=4 n=8 iterations=7", 7},
		{"heat ranks=4 n=8 iterations=7 checkpoint=3", 7},
		{"laplace ranks=4 n=8 iterations=25", 25},
		{"laplace ranks=4 n=8 iterations=25 checkpoint=1", 25},
		{"cg ranks=4 iterations=3", 3}, {"lu ranks=4 iterations=3", 4},
		{"bt ranks=4 iterations=3", 4}, {"sp ranks=4 iterations=3 checkpoint=2", 4},
		{"mg ranks=4 iterations=3", 3},
		{"ft ranks=4 iterations=3", 3}, {"nbody ranks=3 iterations=4 checkpoint=2", 4},
		{"smg ranks=4 iterations=3", 3}, {"openatom ranks=4 iterations=6 checkpoint=2", 6},
		{"matmul ranks=3", 0}, {"leanmd ranks=2 form=messages", 0},
		{"leanmd ranks=2 iterations=23", 23}, {"leanmd ranks=1 iterations=9", 9},
	}
	for _, tt := range tests {
		suite, err := kernels.Build(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		for r, p := range suite.Programs {
			if n, known := p.Iterations(); n != tt.want || !known {
				t.Errorf("%s: rank %d has %d iterations (known %t), want %d", tt.text, r, n, known,
					tt.want)
			}
		}
	}
}
