package perf

import (
	"fmt"
	"slices"
	"strings"
)

// Usual are the kernels that are measured unless others are named: the benchmarks of [HydEE] Figure
// 6 and a stencil.
var Usual = []string{"bt", "cg", "ft", "lu", "mg", "sp", "heat"}

// sizes are the parameters of kernels that are not given: such that four ranks on two cores take
// between 50 ms and a quarter of a second without a protocol.
var sizes = map[string]string{
	"bt": "class=S", "cg": "class=S", "ft": "n=64 iterations=6", "lu": "class=S",
	"mg": "n=64 iterations=4", "sp": "class=S",
	"heat": "n=512 iterations=200", "laplace": "n=512 iterations=200",
	"leanmd": "cx=4 cy=4 cz=2 iterations=50 size=1024", "matmul": "n=500",
	"matmul-dynamic": "n=500 blocks=30", "nbody": "n=300 iterations=20",
	"openatom": "row=4 size=4096 iterations=1000", "ring": "size=8192 iterations=3000",
	"smg": "edge=2048 iterations=300",
}

// Program completes a kernel: its size where no parameter is given, the number of ranks,
// checkpoints where it takes any.
func Program(item string, ranks, checkpoint int) string {
	words := strings.Fields(item)
	given := func(key string) bool {
		return slices.ContainsFunc(words[1:], func(w string) bool {
			return strings.HasPrefix(w, key+"=")
		})
	}
	text := words[0]
	if !given("ranks") {
		text += fmt.Sprintf(" ranks=%d", ranks)
	}
	if len(words) == 1 && sizes[words[0]] != "" {
		text += " " + sizes[words[0]]
	}
	for _, w := range words[1:] {
		text += " " + w
	}
	if checkpoint > 0 && !given("checkpoint") &&
		!slices.Contains([]string{"leanmd", "matmul", "matmul-dynamic"}, words[0]) {
		text += fmt.Sprintf(" checkpoint=%d", checkpoint)
	}
	return text
}
