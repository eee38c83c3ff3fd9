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

// Setters are the options of a protocol, by key.
type Setters map[string]Setter

// ReadOptions gives each word KEY=VALUE of a text to the setter of its key. The error names the
// word, and what would have been one.
func ReadOptions(text string, setters Setters) error {
	return setters.Read(text, func(key, _ string) error {
		names := slices.Sorted(maps.Keys(setters))
		return fmt.Errorf("unknown%s Known: %s", spelling.Guess(key, names),
			strings.Join(names, ", "))
	})
}

// Read is ReadOptions of a protocol that stands on another one: a word whose key has no setter is
// for the function.
func (s Setters) Read(text string, other func(key, word string) error) error {
	seen := map[string]bool{}
	for _, word := range strings.Fields(text) {
		key, value, whole := strings.Cut(word, "=")
		set, err := s[key], error(nil)
		switch {
		case seen[key]:
			err = fmt.Errorf("%s is given twice", key)
		case set == nil:
			err = other(key, word)
		case !whole:
			err = fmt.Errorf("want %s=VALUE", key)
		default:
			err = set(value)
		}
		if err != nil {
			return fmt.Errorf("option %q: %w", word, err)
		}
		seen[key] = true
	}
	return nil
}

// Given are the keys of the options in a text.
func Given(text string) (keys []string) {
	for _, word := range strings.Fields(text) {
		key, _, _ := strings.Cut(word, "=")
		keys = append(keys, key)
	}
	return keys
}

// OneOf sets a word of a list, by its place in it.
func OneOf[T ~int | ~uint8](to *T, words ...string) Setter {
	return Chosen(func(i int) { *to = T(i) }, words...)
}

// Either sets whether the second of two words is given.
func Either(to *bool, no, yes string) Setter {
	return Chosen(func(i int) { *to = i == 1 }, no, yes)
}

// Chosen tells a function the place of the word in a list.
func Chosen(set func(place int), words ...string) Setter {
	return func(value string) error {
		i := slices.Index(words, value)
		if i < 0 {
			return fmt.Errorf("want %s", strings.Join(words, " or "))
		}
		set(i)
		return nil
	}
}

// Between sets a whole number in a range; why, if there is some, says why no other makes sense.
func Between(to *int, least, most int, why ...string) Setter {
	return func(value string) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < least || n > most {
			return fmt.Errorf("want a number in [%d, %d]%s", least, most, reason(why))
		}
		*to = n
		return nil
	}
}

// reason is the words behind an error.
func reason(why []string) string {
	if len(why) == 0 {
		return ""
	}
	return ": " + strings.Join(why, " ")
}

// Refuse is the setter of an option that is decided elsewhere.
func Refuse(why string) Setter {
	return func(string) error { return fmt.Errorf("%s", why) }
}
