// Package effort says how much the tests of this repository do. A plain go test tries a few cases
// of everything and takes seconds a package; the environment variable DOMINO_TESTS asks for more:
//
//	DOMINO_TESTS=long go test ./...   what continuous integration runs: minutes
//	DOMINO_TESTS=huge go test ./x     the largest explorations: minutes to hours a package
//
// Whatever the value, a test checks the same claim in the same way: only the number of cases or
// their size differs, and which of several cases of one kind are tried.
package effort

import (
	"fmt"
	"os"
)

// Variable is the name of the environment variable.
const Variable = "DOMINO_TESTS"

// More says, behind what a test leaves out, what does it.
const More = "with " + Variable + "=long"

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
