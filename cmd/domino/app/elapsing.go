package app

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"time"
)

// elapsing is a time in seconds as a flag, with units from nanoseconds to years: Go's durations end
// at nanoseconds, and a tile takes less than that.
type elapsing float64

// units are the names of times, longest first.
var units = []struct {
	name  string
	value float64
}{{"y", 365.25 * 86400}, {"w", 7 * 86400}, {"d", 86400}, {"h", 3600}, {"m", 60}, {"s", 1},
	{"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}

var (
	oneTime   = regexp.MustCompile(`^([0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?)([a-z]+)`)
	wantsTime = "want a time with its unit, e.g. 22.1ns, 90s, 1h30m, 1d or 5y"
)

// String is the time in a unit that fits, by four digits.
func (s *elapsing) String() string { return lasting(float64(*s)) }

// Type is for the help.
func (s *elapsing) Type() string { return "time" }

// Set reads a time.
func (s *elapsing) Set(text string) error {
	if text == "0" {
		*s = 0
		return nil
	}
	total, rest := 0.0, text
	for rest != "" || text == "" {
		part := oneTime.FindStringSubmatch(rest)
		if part == nil {
			return fmt.Errorf("%q: %s", text, wantsTime)
		}
		value, err := strconv.ParseFloat(part[1], 64)
		unit := 0.0
		for _, u := range units {
			if u.name == part[2] {
				unit = u.value
			}
		}
		if err != nil || unit == 0 {
			return fmt.Errorf("%q: %s", text, wantsTime)
		}
		total, rest = total+value*unit, rest[len(part[0]):]
	}
	if math.IsInf(total, 0) {
		return fmt.Errorf("%q: longer than any number", text)
	}
	*s = elapsing(total)
	return nil
}

// duration is the nearest one in whole nanoseconds: 100us is no whole number of them as a float,
// and is the same moment as 0.1ms.
func (s elapsing) duration() time.Duration {
	return time.Duration(math.Round(float64(s) * 1e9))
}

// lasting is a time in words of a table: "never" where it does not end.
func lasting(s float64) string {
	if math.IsInf(s, 1) || s > 1e6*units[0].value {
		return "never"
	}
	for _, u := range units {
		if s >= u.value && u.name != "w" && (u.name != "y" || s >= 2*u.value) {
			return strconv.FormatFloat(s/u.value, 'g', 4, 64) + " " + u.name
		}
	}
	if s <= 0 {
		return "0 s"
	}
	return strconv.FormatFloat(s/1e-9, 'g', 4, 64) + " ns"
}
