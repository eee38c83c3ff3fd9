package checker

import (
	"errors"
	"fmt"
)

// LookEvery is how many steps a search takes between looks at the clock and the limits.
const LookEvery = 512

// ErrBound is why there is no answer to what only a complete search can tell: a limit, or the caller,
// has ended it.
var ErrBound = errors.New("ended early")

// StatesBound names the bound that Options.MaxStates is.
func StatesBound(n int) string { return fmt.Sprintf("limit of %d states", n) }

// Memory writes a size in the largest unit that divides it, or in MiB.
func Memory(bytes int64) string {
	switch {
	case bytes < 1<<20 && bytes%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", bytes>>10)
	case bytes < 1<<20:
		return fmt.Sprintf("%d bytes", bytes)
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}
