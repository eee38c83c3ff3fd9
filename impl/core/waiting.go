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
