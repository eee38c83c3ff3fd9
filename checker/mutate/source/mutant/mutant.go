// Package mutant is what mutated source calls: all mutants of a package are compiled into one
// program, and one of them, or none, is chosen when it starts. Nothing else imports it; where no
// source is mutated, nothing here is called.
package mutant

// chosen is the number of the mutant that the program is, from 1; 0 is the original. seen, where it
// is recorded, says which sites have been reached, by the number of their first mutant. They are
// set before anything runs, and seen by one goroutine at a time.
var (
	chosen int
	seen   []bool
)

// Choose makes the program the mutant with the number, 0 = the original.
func Choose(number int) { chosen = number }

// Record notes from now on which sites are reached, of mutants 1 to the number.
func Record(number int) { seen = make([]bool, number+1) }

// Seen are the sites that were reached since Record or the last call.
func Seen() []int {
	var list []int
	for site, reached := range seen {
		if reached {
			list = append(list, site)
			seen[site] = false
		}
	}
	return list
}

// reach notes that a site is reached.
func reach(site int) {
	if seen != nil {
		seen[site] = true
	}
}

// Is reports whether the mutant is chosen.
func Is(number int) bool { return chosen == number }

// At is Is, and the site is reached.
func At(number int) bool {
	reach(number)
	return chosen == number
}

// Off reports whether none of the mutants from first to last is chosen, those of one site.
func Off(first, last int) bool {
	reach(first)
	return chosen < first || chosen > last
}

// Flip is the opposite of a value when the mutant is chosen.
func Flip[T ~bool](number int, value T) T {
	if At(number) {
		return !value
	}
	return value
}

// Pick is another value when the mutant is chosen.
func Pick[T any](number int, value, other T) T {
	if At(number) {
		return other
	}
	return value
}

// Zero is the zero value when the mutant is chosen.
func Zero[T any](number int, value T) T {
	if At(number) {
		var none T
		return none
	}
	return value
}

// Append appends nothing when the mutant is chosen.
func Append[S ~[]E, E any](number int, list S, more ...E) S {
	if At(number) {
		return list
	}
	return append(list, more...)
}
