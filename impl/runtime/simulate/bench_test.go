package simulate_test

import (
	"fmt"
	"testing"

	"github.com/domino-check/domino/impl/runtime/simulate"
)

// BenchmarkRun is simulated messages a second.
//
//	go test -run - -bench Run ./impl/runtime/simulate
func BenchmarkRun(b *testing.B) {
	for _, c := range []struct {
		kernel, protocol string
		ranks            int
	}{{"ring iterations=20", "none", 1024}, {"heat n=128 iterations=5", "none", 1024},
		{"ring iterations=20", "hydee", 1024}, {"heat n=128 iterations=5", "hydee", 1024},
		{"ring iterations=5", "none", 4096}, {"heat n=256 iterations=2", "none", 4096},
		{"ring iterations=20", "none", 1 << 16}, {"heat n=512 iterations=5", "none", 1 << 16},
		{"ring iterations=20", "hydee", 1 << 16}, {"heat n=512 iterations=5", "hydee", 1 << 16},
		{"ring iterations=20", "causal", 1 << 16}, {"ring iterations=20", "rbml", 1 << 16}} {
		b.Run(fmt.Sprintf("kernel=%.4s/protocol=%s/ranks=%d", c.kernel, c.protocol, c.ranks),
			func(b *testing.B) {
				j := simulate.Job{Machine: machine(b, "ethernet-10g"), Setup: setup(b, c.protocol,
					fmt.Sprintf("%s ranks=%d", c.kernel, c.ranks), 16)}
				if j.Setup == nil {
					b.Fatal("refused")
				}
				messages := 0
				for b.Loop() {
					messages += play(b, j).Messages
				}
				b.ReportMetric(float64(messages)/b.Elapsed().Seconds(), "messages/s")
			})
	}
}
