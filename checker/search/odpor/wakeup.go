package odpor

import "github.com/domino-check/domino/checker"

// wake is a step of a sequence that is still to be explored, with what it touches there.
type wake struct {
	code    uint64
	touches *checker.Footprint
}

// wakeup is a node of a wakeup tree: a step and what is to be explored behind it, in this order.
// Behind a leaf, everything is.
type wakeup struct {
	wake
	children []*wakeup
}

// opens reports whether the step, enabled where the sequence begins, can come first in some order
// of the sequence or of one that it is the beginning of: it is a weak initial. The index is its
// place in the sequence, -1 when it is independent of all.
func (k *wake) opens(sequence []wake) (index int, ok bool) {
	for i := range sequence {
		if sequence[i].code == k.code {
			return i, true
		}
		if !k.touches.Independent(sequence[i].touches) {
			return 0, false
		}
	}
	return -1, true
}

// insert makes a forest explore a sequence, or one that is equivalent to an extension of it, unless
// it will anyhow: it goes down the first branches that agree with the sequence, and there adds what
// is left of it as the last branch. It returns how many nodes it added.
func insert(forest *[]*wakeup, sequence []wake) (added int) {
	rest := append([]wake(nil), sequence...)
	for {
		branch := (*wakeup)(nil)
		for _, c := range *forest {
			i, ok := c.opens(rest)
			if !ok {
				continue
			}
			if i >= 0 {
				rest = append(rest[:i], rest[i+1:]...)
			}
			branch = c
			break
		}
		if branch == nil {
			break
		}
		if len(branch.children) == 0 {
			return 0
		}
		forest = &branch.children
	}
	for _, k := range rest {
		node := &wakeup{wake: k}
		*forest = append(*forest, node)
		forest = &node.children
	}
	return len(rest)
}
