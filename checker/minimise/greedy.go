package minimise

import "context"

// Change is one way to make a thing smaller.
type Change[T any] struct {
	Words string // what is gone, for a reader
	To    T
}

// Phase lists changes of one kind.
type Phase[T any] struct {
	Name string
	// Changes are those of a thing, always the same ones in the same order; it is good to have
	// those first that remove the most.
	Changes func(T) []Change[T]
}

// Greedy makes a thing smaller as long as a change exists that keeps what must be kept. It applies
// the changes phase by phase and begins again with the first phase until no phase has a change
// left, so the last round tries every single change of the result in vain. Every change must make
// the thing smaller in some well-founded order. keeps says whether what must be kept is kept, and
// returns the thing as it goes on from there, which may be still smaller. When ctx ends, Greedy
// returns the smallest thing so far, and false.
//
// With m changes of a thing and n of them kept, it asks at most m*(n+1) times in each round, as a
// rule about m+n times.
func Greedy[T any](ctx context.Context, thing T, phases []Phase[T],
	keeps func(phase string, c Change[T]) (T, bool)) (least T, minimal bool) {
	for changed := true; changed; {
		changed = false
		for _, p := range phases {
			list := p.Changes(thing)
			for i := 0; i < len(list); i++ {
				if ctx.Err() != nil {
					return thing, false
				}
				if kept, ok := keeps(p.Name, list[i]); ok {
					// What was tried before failed for the larger thing; the next round tries it
					// for this one.
					thing, changed = kept, true
					list = p.Changes(thing)
					i--
				}
			}
		}
	}
	return thing, ctx.Err() == nil
}
