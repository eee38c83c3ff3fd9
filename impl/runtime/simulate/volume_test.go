package simulate_test

import (
	"testing"

	"github.com/domino-check/domino/impl/program/script"
	"github.com/domino-check/domino/impl/runtime/simulate"
)

// TestVolume: what leanmd puts into logs under SCMEL and CAMEL is what the enumeration of its
// groups says, to the byte, also with more ranks than a word has bits: at the roots of CAMEL with
// what is kept beside.
func TestVolume(t *testing.T) {
	const bytes = 64 // of a multicast, and of a contribution
	for _, ranks := range []int{32, 96} {
		w, err := script.LeanMD([3]int{3, 3, 2}, 1, ranks, 2)
		if err != nil {
			t.Fatal(err)
		}
		kernel := "leanmd cx=3 cy=3 cz=2 ranks=" + map[int]string{32: "32", 96: "96"}[ranks]
		plain, aware := w.Plain(false), w.Aware()
		for name, want := range map[string]float64{"causal": plain.LoggedSize,
			"camel": aware.LoggedSize + aware.SeedSize} {
			out := play(t, simulate.Job{Machine: machine(t, "myrinet"),
				Setup: setup(t, name, kernel, 0)})
			if float64(out.Logged) != bytes*want || out.LogNow != out.Logged {
				t.Errorf("%s, %d ranks: %d bytes logged, %d at the end, want %v", name, ranks,
					out.Logged, out.LogNow, bytes*want)
			}
		}
	}
}
