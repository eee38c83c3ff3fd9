//go:build !race

package soak_test

// underRace says that the race detector is off.
const underRace = false
