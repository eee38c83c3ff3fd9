package app

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// maxWorkers is more than any machine has use for: each worker has memory of its own.
const maxWorkers = 1024

// span is what the values of some flags may be. Those of durations are in nanoseconds.
type span struct {
	flags       string
	least, most int64
}

// Spans that many flags have.
func positive(flags string) span    { return span{flags, 1, math.MaxInt64} }
func notNegative(flags string) span { return span{flags, 0, math.MaxInt64} }
func ofWorkers() span               { return span{"workers", 1, maxWorkers} }

// within reports the first flag that is out of its span.
func within(f *pflag.FlagSet, spans ...span) error {
	for _, s := range spans {
		for name := range strings.FieldsSeq(s.flags) {
			text := f.Lookup(name).Value.String()
			value, want := int64(0), fmt.Sprintf("%d or more", s.least)
			if d, err := time.ParseDuration(text); err == nil && f.Lookup(name).Value.Type() ==
				"duration" {
				if value = int64(d); s.least > 0 {
					want = "more than 0"
				}
			} else if value, err = strconv.ParseInt(text, 10, 64); err != nil {
				return fmt.Errorf("--%s %s: %w", name, text, err)
			}
			if s.most < math.MaxInt64 {
				want = fmt.Sprintf("%d to %d", s.least, s.most)
			}
			if value < s.least || value > s.most {
				return fmt.Errorf("--%s %s: want %s", name, text, want)
			}
		}
	}
	return nil
}

// parsing is how package strconv begins an error, which says nothing to who has typed a flag.
var parsing = regexp.MustCompile(`strconv\.\w+: parsing "[^"]*": `)

// plainly says an error without the names of functions.
func plainly(text string) string {
	text = parsing.ReplaceAllString(text, "")
	text = strings.ReplaceAll(text, "invalid syntax", "it is no number of this kind")
	return strings.ReplaceAll(text, "value out of range", "it is too large or too small")
}
