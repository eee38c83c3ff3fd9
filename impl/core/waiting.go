package core

// Wait is something that a proc waits for.
type Wait struct {
	What string // for a reader, as "the answer to its request"
	From []Proc // who could end it, ascending; nil where nobody in particular could
}

// Waiter is a machine, or the layer of one, that can say what it waits for, for reports on runs
// that are stuck. The answer is empty when it waits for nothing.
type Waiter interface {
	Waiting() []Wait
}

// WaitingOf is what a machine says that it waits for, nil of one that says nothing.
func WaitingOf(m Machine) []Wait {
	if w, ok := m.(Waiter); ok {
		return w.Waiting()
	}
	return nil
}

// WaitFor is one wait for others, nil when there are none.
func WaitFor(what string, from ...Proc) []Wait {
	if len(from) == 0 {
		return nil
	}
	return []Wait{{What: what, From: from}}
}

// RanksThat lists those of the first n ranks for which the function says true, as procs.
func RanksThat(n int, is func(Rank) bool) (list []Proc) {
	for r := range Rank(n) {
		if is(r) {
			list = append(list, r.Proc())
		}
	}
	return list
}
