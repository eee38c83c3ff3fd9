package perf

import (
	"fmt"
	"slices"
	"strings"
)

// Usual are the kernels that are measured unless others are named: the benchmarks of [HydEE] Figure 6 and a stencil.
var Usual = []string{"bt", "cg", "ft", "lu", "mg", "sp", "heat"}

// sizes are the parameters of kernels that are not given: such that four ranks on two cores take a tenth to a quarter of a second without a protocol.
var sizes = map[string]string{
	"bt": "class=S", "cg": "class=S", "ft": "n=64 iterations=6", "lu": "class=S", "mg": "class=S", "sp": "class=S", "heat": "n=512 iterations=200",
}

// Program completes a kernel: its size where no parameter is given, the number of ranks, checkpoints where it takes any.
func Program(item string, ranks, checkpoint int) string {
	words := strings.Fields(item)
	given := func(key string) bool {
		return slices.ContainsFunc(words[1:], func(w string) bool { return strings.HasPrefix(w, key+"=") })
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
	if checkpoint > 0 && !given("checkpoint") && !slices.Contains([]string{"leanmd", "matmul", "matmul-dynamic"}, words[0]) {
		text += fmt.Sprintf(" checkpoint=%d", checkpoint)
	}
	return text
}
