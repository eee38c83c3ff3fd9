package kernels_test

import (
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program/kernels"
)

// TestErrors gives requests that no kernel allows, with the beginning of the error: it names what
// is allowed.
func TestErrors(t *testing.T) {
	all := "bt, cg, ft, heat, laplace, leanmd, lu, matmul, matmul-dynamic, mg, nbody, openatom, " +
		"ring, smg, sp"
	tests := []struct{ text, want string }{
		{"", "kernel without a name, want one of " + all},
		{"heta ranks=3", `unknown kernel "heta", want one of ` + all},
		{"heat", "kernel heat: no number of ranks: write ranks=N"},
		{"heat ranks=0", "kernel heat: ranks=0, want a number in [1, 65536]"},
		{"heat ranks=-1", "kernel heat: ranks=-1, want a number in [1, 65536]"},
		{"ring ranks=65537", "kernel ring: ranks=65537, want a number in [1, 65536]"},
		{"heat ranks=99999999999999999999",
			"kernel heat: ranks=99999999999999999999, want a number in [1, 65536]"},
		{"heat ranks=2 n", `kernel heat: "n", want KEY=VALUE, each key once`},
		{"heat ranks=2 ranks=3", `kernel heat: "ranks=3", want KEY=VALUE, each key once`},
		{"heat ranks=2 wat=1",
			`kernel heat: no parameter "wat", there are ranks, n, iterations, checkpoint, receives`},
		{"heat ranks=2 receives=some", "kernel heat: receives=some, want one of named, any"},
		{"bt ranks=4 class=Q", `kernel bt: class "Q", want one of [A D S W]`},
		{"heat ranks=9 n=2", "kernel heat: n=2 for a grid of 3x3 ranks: want n=3 or more"},
		{"bt ranks=5", "kernel bt: 5 ranks, want a square: 4 or 9"},
		{"sp ranks=9 n=8",
			"kernel sp: n=8 for 9 ranks: a cell needs 3 points each way, want n=9 or more, or at " +
				"most 4 ranks"},
		{"lu ranks=64 n=4",
			"kernel lu: 64 ranks as a grid of 8x8, but n=4: want at most 2 ranks in a column"},
		{"cg ranks=12", "kernel cg: 12 ranks, want a power of 2: 8 or 16"},
		{"cg ranks=64 n=7", "kernel cg: n=7 for 8 columns of ranks: want n=8 or more"},
		{"ft ranks=5 n=4",
			"kernel ft: 5 ranks for 4x4x4 points, want a number that divides the planes, 4, and " +
				"the columns, 16: [1 2 4]"},
		{"mg ranks=6", "kernel mg: 6 ranks, want a power of 2: 4 or 8"},
		{"mg ranks=2 n=12", "kernel mg: n=12, want a power of 2"},
		{"mg ranks=64 n=2", "kernel mg: n=2 for 64 ranks: some would have no points"},
		{"matmul ranks=1", "kernel matmul: 1 rank, want a master and at least one worker: 2 ranks"},
		{"openatom ranks=5 row=2", "kernel openatom: 5 ranks, want a multiple of row=2: 4 or 6"},
		{"leanmd ranks=2 size=20", "kernel leanmd: size=20, want a multiple of 8"},
		{"leanmd ranks=2 cx=64 cy=64 cz=64", "kernel leanmd: 262144 cells, want at most 4096"},
		{"leanmd ranks=2 cx=64 cy=64 cz=64 form=messages",
			"kernel leanmd: 262144 cells, want at most 16384"},
	}
	for _, tt := range tests {
		if _, err := kernels.Build(tt.text); err == nil ||
			!strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%q: %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

// TestValid checks that programs are valid, that a class is a default for what is given beside it,
// and that the list names every kernel with its parameters.
func TestValid(t *testing.T) {
	for _, text := range tiny {
		suite, err := kernels.Build(text)
		if err != nil {
			t.Fatal(err)
		}
		for r, p := range suite.Programs {
			if err := p.Validate(core.Rank(r), len(suite.Programs)); err != nil {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
	before, _, _ := count(t, "bt ranks=4 iterations=3 class=S")
	after, _, _ := count(t, "bt ranks=4 class=S iterations=3")
	if before != after || before.Messages != 4*(6*5+6*4) {
		t.Errorf("a class overrules what is given: %v, %v", before, after)
	}
	names, docs := kernels.List()
	for i, name := range names {
		if words := strings.Fields(name); words[0] != "kernel" ||
			!strings.Contains(docs[i], ": ranks") {
			t.Errorf("%s: %s", name, docs[i])
		}
	}
}
