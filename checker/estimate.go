package checker

import (
	"fmt"
	"math"
	"time"
)

// Estimate says about how many states a search will have explored at its end. It is a guess from
// what was explored so far; it is never exact and has no proof. States is 0 as long as there is
// nothing to guess from.
type Estimate struct {
	States float64 `json:"states"`
	// in about nine of ten of the measured cases the number was between low and high
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Remaining is about how long the search will still take at its rate so far, 0 when nothing is
// known.
func (t *Stats) Remaining() time.Duration {
	if t.Estimate.States == 0 || t.States == 0 {
		return 0
	}
	seconds := t.Elapsed.Seconds() / float64(t.States) * (t.Estimate.States - float64(t.States))
	return time.Duration(min(seconds, math.MaxInt64/2/float64(time.Second)) * float64(time.Second))
}

// String says it in words, with one digit.
func (e Estimate) String() string {
	if e.States == 0 {
		return "no estimate"
	}
	return fmt.Sprintf("about %s states, between %s and %s", round(e.States), round(e.Low),
		round(e.High))
}

// round writes a number with one digit: more would say more than is known.
func round(n float64) string {
	exponent := math.Floor(math.Log10(max(n, 1)))
	digit := math.Round(n / math.Pow(10, exponent))
	if digit == 10 {
		digit, exponent = 1, exponent+1
	}
	if exponent < 4 {
		return fmt.Sprintf("%.0f", digit*math.Pow(10, exponent))
	}
	return fmt.Sprintf("%.0f*10^%.0f", digit, exponent)
}
