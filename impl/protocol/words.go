package protocol

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/domino-check/domino/scenarios/spelling"
)

// Setter takes the value of one option.
type Setter func(value string) error

// ReadOptions gives each word KEY=VALUE of a text to the setter of its key. The error names the
// word, and what would have been one.
func ReadOptions(text string, setters map[string]Setter) error {
	names := slices.Sorted(maps.Keys(setters))
	seen := map[string]bool{}
	for _, word := range strings.Fields(text) {
		key, value, ok := strings.Cut(word, "=")
		set := setters[key]
		switch {
		case !ok:
			return fmt.Errorf("option %q: want KEY=VALUE, with the keys %s", word,
				strings.Join(names, ", "))
		case set == nil:
			return fmt.Errorf("unknown option %q%s Known: %s", key, spelling.Guess(key, names),
				strings.Join(names, ", "))
		case seen[key]:
			return fmt.Errorf("option %s is given twice", key)
		}
		seen[key] = true
		if err := set(value); err != nil {
			return fmt.Errorf("option %s=%s: %w", key, value, err)
		}
	}
	return nil
}

// OneOf sets a word of a list, by its place in it.
func OneOf[T ~int | ~uint8](to *T, words ...string) Setter {
	return func(value string) error {
		i := slices.Index(words, value)
		if i < 0 {
			return fmt.Errorf("want one of %s", strings.Join(words, ", "))
		}
		*to = T(i)
		return nil
	}
}

// Between sets a whole number in a range.
func Between(to *int, least, most int) Setter {
	return func(value string) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < least || n > most {
			return fmt.Errorf("want a number in [%d, %d]", least, most)
		}
		*to = n
		return nil
	}
}
