// Package spelling guesses which known name was meant by one that nobody knows.
package spelling

import (
	"fmt"
	"strings"
)

// Nearest is the known name that differs least from the given one, the first of several, or "" when
// none is near: a letter in three may be wrong, missing, superfluous, or change places with the
// next; of a short name one. Upper and lower case are the same.
func Nearest(name string, known []string) string {
	best, least := "", 1<<30
	for _, k := range known {
		d := distance([]rune(strings.ToLower(name)), []rune(strings.ToLower(k)))
		if d < least && d <= max(1, (max(len(name), len(k))+1)/3) && d < max(len(name), len(k)) {
			best, least = k, d
		}
	}
	return best
}

// Guess ends the sentence about an unknown name: `, did you mean "hydee"?`, or "." when none is
// near.
func Guess(name string, known []string) string {
	if k := Nearest(name, known); k != "" {
		return fmt.Sprintf(", did you mean %q?", k)
	}
	return "."
}

// distance counts the letters to change, to insert, to leave out, or to exchange with the next, no
// letter twice.
func distance(a, b []rune) int {
	var before []int // the row of the letter before the last
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range b {
			cost := row[j]
			if a[i] != b[j] {
				cost++
			}
			next[j+1] = min(cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
