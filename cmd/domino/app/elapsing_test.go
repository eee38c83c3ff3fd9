package app

import (
	"testing"
	"time"
)

// TestMomentsAreWhole: a time is the nearest whole number of nanoseconds however it is written, so
// that failures of one moment strike at once.
func TestMomentsAreWhole(t *testing.T) {
	for text, want := range map[string]time.Duration{"100us": 100_000, "0.1ms": 100_000,
		"1e5ns": 100_000, "1.001s": 1_001_000_000, "0.7us": 700, "0": 0, "1m0.3s": 60_300_000_000} {
		list, err := readFailures([]string{"r0@" + text})
		if err != nil || list[0].at != want {
			t.Errorf("r0@%s: %v, %v, want %v", text, list, err, want)
		}
		s := simulation{simulateFlags: &simulateFlags{interval: text}}
		if err := s.readInterval(); want >= 1000 && (err != nil || s.every != want) {
			t.Errorf("--interval %s: %v, %v, want %v", text, s.every, err, want)
		}
	}
}
