// Package effort says how much the tests of this repository do. A plain go test tries a few cases
// of everything and takes seconds a package; the environment variable DOMINO_TESTS asks for more:
//
//	DOMINO_TESTS=long go test ./...   what continuous integration runs: minutes
//	DOMINO_TESTS=huge go test ./x     the largest explorations: minutes to hours a package
//
// Whatever the value, a test checks the same claim in the same way: only the number of cases or
// their size differs, and which of several cases of one kind are tried; a test that has no small
// form is skipped with a line ([Seconds]).
//
// Tests collect garbage less often than other programs, up to half a GiB in short ones and a GiB in
// long ones: a sixth of their time would be the collector's. Huge ones do it as programs do.
package effort

import (
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// Variable is the name of the environment variable.
const Variable = "DOMINO_TESTS"

// More says, behind what a test leaves out, what does it.
const More = "with " + Variable + "=long"

// The collector begins when the heap has grown by garbage percent, and at limit bytes in any case,
// in long tests at longLimit.
const garbage, limit, longLimit = 400, 1 << 29, 1 << 30

func init() {
	measured := slices.ContainsFunc(os.Args, func(a string) bool {
		return strings.HasPrefix(a, "-test.bench") // as the command is, whatever it holds
	})
	if measured || os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	switch level() {
	case 0:
		debug.SetGCPercent(garbage)
		debug.SetMemoryLimit(limit)
	case 1:
		debug.SetGCPercent(garbage)
		debug.SetMemoryLimit(longLimit)
	}
}

// manyTimes is how many times the random cases of a long test a huge one tries.
const manyTimes = 10

// level is 0 for short, 1 for long, 2 for huge. It asks each time: what is asked for while tests
// run go test knows of, and does not answer a long test with a short one that has passed before.
func level() int { return parse(os.Getenv(Variable)) }

// parse panics when the value is unknown: a test that does less than asked for would go unnoticed.
func parse(value string) int {
	switch value {
	case "", "short":
		return 0
	case "long":
		return 1
	case "huge":
		return 2
	}
	panic(fmt.Sprintf("%s is %q: want short, long or huge", Variable, value))
}

// Long says that the test has minutes.
func Long() bool { return level() >= 1 }

// Huge says that the test has as long as it wants.
func Huge() bool { return level() >= 2 }

// Seconds skips a test of seconds that has no smaller form, where the effort asked for is short.
func Seconds(t testing.TB) {
	t.Helper()
	if !Long() {
		t.Skip("takes seconds: " + More)
	}
}

// Of returns what the effort asked for allows; huge is as long.
func Of[T any](short, long T) T {
	if Long() {
		return long
	}
	return short
}

// Cases is a number of random cases: as given, or ten times the long one where it is huge.
func Cases(short, long int) int {
	if Huge() {
		return manyTimes * long
	}
	return Of(short, long)
}
