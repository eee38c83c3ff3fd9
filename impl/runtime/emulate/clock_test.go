package emulate

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/domino-check/domino/impl/core"
)

// Aim: the clock gives events in their order, whatever the order in which they came, also when some
// are taken in between: as a list that is sorted each time does.
func TestClock(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 200 {
		var c clock
		var twin []event
		var number uint64
		for range 300 {
			if rng.IntN(5) < 3 {
				number++
				e := event{at: moment(rng.IntN(6)), proc: core.Proc(rng.IntN(3)), number: number}
				c.push(e)
				twin = append(twin, e)
				continue
			}
			if len(twin) == 0 {
				continue
			}
			slices.SortFunc(twin, func(a, b event) int {
				switch {
				case a.at != b.at:
					return int(a.at - b.at)
				case a.proc != b.proc:
					return int(a.proc) - int(b.proc)
				}
				return int(a.number) - int(b.number)
			})
			if got := c.pop(); got != twin[0] {
				t.Fatalf("%+v, want %+v", got, twin[0])
			}
			twin = twin[1:]
		}
	}
}

// Aim: how long bytes take at a rate is rounded up to the picosecond, and never overflows.
func TestSpan(t *testing.T) {
	for _, tt := range []struct {
		bytes, rate int64
		want        moment
	}{{0, 1, 0}, {5, 0, 0}, {1, 1_250_000_000, 800}, {1, 3_000_000_000, 334},
		{3, 3_000_000_000, 1000}, {1, 1 << 62, 1}, {1 << 62, 1, most}, {1 << 40, 1 << 10, most},
		{1 << 40, 1 << 40, second}} {
		if got := span(tt.bytes, tt.rate); got != tt.want {
			t.Errorf("%d bytes at %d take %d ps, want %d", tt.bytes, tt.rate, got, tt.want)
		}
	}
}
