package simulate_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/all"
	"github.com/domino-check/domino/impl/runtime/simulate"
)

// handledBy are steps of three sorts that take so many nanoseconds for each byte that is added, and
// a constant of their own; one of five was disturbed.
func handledBy(slope float64, sizes ...int64) (list []simulate.Handled) {
	for sort, constant := range []float64{40, 300, 2000} {
		for _, n := range sizes {
			for i := range 10 {
				h := simulate.Handled{Sort: fmt.Sprint(sort), Bytes: n,
					Nanos: constant + slope*float64(n)}
				if i%5 == 4 {
					h.Nanos += 50_000
				}
				list = append(list, h)
			}
		}
	}
	return list
}

// Aim: the price of what is added is the slope that steps were made with, whatever their constants
// and though some were disturbed; there is none where all sizes are the same or nearly so, and none
// less than nothing.
func TestHeaderCost(t *testing.T) {
	for _, slope := range []float64{0, .25, 5, 80} {
		got, residual, ok := simulate.HeaderCost(handledBy(slope, 28, 60, 200, 900))
		if !ok || math.Abs(got-1024*slope) > 1e-6 || residual > 1e-9 {
			t.Errorf("%v ns/KiB, residual %v, %v; want %v", got, residual, ok, 1024*slope)
		}
	}
	if got, _, ok := simulate.HeaderCost(handledBy(-.01, 28, 60, 200, 900)); !ok || got != 0 {
		t.Errorf("%v, %v of steps that take less with more; want 0", got, ok)
	}
	for _, sizes := range [][]int64{nil, {28}, {28, 29, 30}, {0, 28, 56}} {
		if got, _, ok := simulate.HeaderCost(handledBy(5, sizes...)); ok {
			t.Errorf("%v of sizes %v, which do not differ", got, sizes)
		}
	}
}

// Aim: of protocols that tell about receptions timed steps have many sizes, up to all that a burst
// has; what HydEE adds has one. No time is looked at.
func TestTime(t *testing.T) {
	for name, want := range map[string]struct{ least, most int64 }{"hydee": {0, 64},
		"causal": {400, 4000}} {
		p, err := protocol.List(all.Protocols()).Find(name)
		if err != nil {
			t.Fatal(err)
		}
		steps, err := simulate.Time(p)
		if err != nil || len(steps) == 0 {
			t.Fatal(err, len(steps))
		}
		most := slices.MaxFunc(steps, func(a, b simulate.Handled) int {
			return int(a.Bytes - b.Bytes)
		}).Bytes
		if most < want.least || most > want.most {
			t.Errorf("%s: at most %d bytes are added in a step, want [%d, %d]", name, most,
				want.least, want.most)
		}
	}
}

// Aim: a step takes longer by what the protocol has added to its messages at the price of the
// machine, and with free steps it does not: under HydEE a ring has 28 bytes more than none in each
// message (TestParts), which is handled where it is sent and where it comes.
func TestHeaderPrice(t *testing.T) {
	k := "ring ranks=3 size=500 iterations=2"
	const price = 1 << 20 // of a KiB: 1,024 ns a byte
	m := scaled(t, 1)
	dear := m.With(simulate.Parameter{Name: "step.hydee.header", Value: price, Unit: "ns/KiB"})
	s := setup(t, "hydee", k, 3)
	for _, free := range []bool{false, true} {
		without := play(t, simulate.Job{Machine: m, Setup: s, FreeSteps: free})
		with := play(t, simulate.Job{Machine: dear, Setup: s, FreeSteps: free})
		// two laps, in each of which all send at once, then all receive
		want := int64(2*2*28*1024) * 1000
		if free {
			want = 0
		}
		if got := with.Completion - without.Completion; got != want {
			t.Errorf("free steps %v: %d ps longer, want %d", free, got, want)
		}
		if with.Messages != without.Messages || with.Bytes != without.Bytes {
			t.Errorf("%+v, without a price %+v", with, without)
		}
	}
}
