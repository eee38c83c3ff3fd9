package simulate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/domino-check/domino/impl/runtime/simulate"
)

// Aim: where more ranks share a node than it has cores, each that waits takes the price of the
// machine to go on. A token goes round three ranks twice, so that six times one goes on that has
// nothing else to do: 60 us on two cores, and on three nothing. What is measured beyond that is put
// down to turns, with the price or as one that the machine does not have.
func TestWakePrice(t *testing.T) {
	const kernel = "ring variant=token ranks=3 iterations=2"
	const wake = 10 * time.Microsecond
	s := setup(t, "none", kernel, 0)
	for cores, want := range map[float64]time.Duration{2: 6 * wake, 3: 0} {
		m := scaled(t, 1).Together().With(simulate.Parameter{Name: "cores", Value: cores,
			Unit: "1"})
		priced := m.With(simulate.Parameter{Name: "wake", Value: float64(wake.Nanoseconds()),
			Unit: "ns"})
		without := play(t, simulate.Job{Machine: m, Setup: s})
		with := play(t, simulate.Job{Machine: priced, Setup: s})
		if got := time.Duration((with.Completion - without.Completion) / 1000); got != want {
			t.Errorf("%g cores: %v longer, want %v", cores, got, want)
		}
		for machine, words := range map[*simulate.Machine]string{m: "no price for that (wake)",
			priced: "modelled at 10µs each"} {
			study := &simulate.Study{Job: simulate.Job{Machine: machine, Setup: s}, Base: s}
			c, err := study.Compare(&simulate.Measurement{Base: 1, Overhead: 5})
			if err != nil {
				t.Fatal(err)
			}
			if turns := strings.HasPrefix(c.Explains, "turns: 3 processes on 2 cores"); turns !=
				(cores == 2) || turns && !strings.Contains(c.Explains, words) {
				t.Errorf("%g cores: %q, want %q if fewer than ranks", cores, c.Explains, words)
			}
		}
	}
}
