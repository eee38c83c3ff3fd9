package emulate

import (
	"math/bits"
	"time"
)

// moment is picoseconds since the beginning of a run, or how long something takes: a byte at
// 10 Gb/s takes less than a nanosecond, and rounding it would make large messages wrong.
type moment int64

const (
	second moment = 1e12
	// most is the longest that one thing takes, 13 days, and theEnd when time ends, after 53: sums
	// of a few of them are in range.
	most   moment = 1 << 60
	theEnd moment = 1 << 62
)

// lasting is a duration as a moment.
func lasting(d time.Duration) moment { return moment(min(d, time.Duration(most/1000))) * 1000 }

// duration is a moment in whole nanoseconds.
func (m moment) duration() time.Duration { return time.Duration(m / 1000) }

// plus is the moment so much later.
func (m moment) plus(d moment) moment { return min(m+d, theEnd) }

// span is how long so many bytes take at a rate, rounded up: nothing is faster than its rate.
func span(bytes, rate int64) moment {
	if rate <= 0 || bytes <= 0 {
		return 0
	}
	high, low := bits.Mul64(uint64(bytes), uint64(second))
	if high >= uint64(rate) {
		return most
	}
	takes, rest := bits.Div64(high, low, uint64(rate))
	if rest > 0 {
		takes++
	}
	return moment(min(takes, uint64(most)))
}
