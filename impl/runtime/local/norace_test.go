//go:build !race

package local_test

// underRace says that the race detector is off.
const underRace = false
