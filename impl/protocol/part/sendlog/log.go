package sendlog

import (
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
)

// Entry is what a log must know of the entries of a protocol.
type Entry[E any] interface {
	*E
	// Content is the payload.
	Content() *core.Payload
}

// Numbered is an entry of a log that is looked at by numbers.
type Numbered[E any] interface {
	Entry[E]
	// Number is the place among all messages of the log, a sequence number or a date: it ascends.
	Number() uint64
}

// Log is messages in the order of their sends. It is plain data; nil is the empty one. It is
// changed in place, so what must stay as it is, an image say, has a clone.
type Log[E any, P Entry[E]] []E

// Append adds a message. The bytes of its payload belong to the program until the keeper settles.
func (l *Log[E, P]) Append(k *Keeper, e E) {
	if k.memory != nil && len(*l) == cap(*l) {
		// a real log grows long: double it, to move its entries seldom
		*l = slices.Grow(*l, len(*l)+16)
	}
	*l = append(*l, e)
	if k.memory == nil {
		return
	}
	lent := P(&(*l)[len(*l)-1]).Content()
	if k.lent != nil {
		panic(fmt.Sprintf("invariant: a step logs one message at most: %v while %v is not settled",
			lent.ID, k.lent.ID))
	}
	k.lent = lent
}

// Prune removes the messages of which gone is true; it is asked about each once, in their order.
// Their bytes are given back, but not to a nil keeper: something else may refer to them.
func (l *Log[E, P]) Prune(k *Keeper, gone func(P) bool) {
	log := *l
	kept := log[:0]
	for i := range log {
		if e := P(&log[i]); gone(e) {
			k.Free(e.Content())
		} else {
			kept = append(kept, log[i])
		}
	}
	clear(log[len(kept):])
	*l = kept
}

// Release gives all back. The log is empty then.
func (l *Log[E, P]) Release(k *Keeper) {
	l.Prune(k, func(P) bool { return true })
	*l = nil
}

// After are the messages with higher numbers, a part of the log.
func After[E any, P Numbered[E]](log []E, number uint64) []E {
	return log[search[E, P](log, number+1):]
}

// Find is the message with the number, in its place; nil if there is none.
func Find[E any, P Numbered[E]](log []E, number uint64) P {
	if at := search[E, P](log, number); at < len(log) && P(&log[at]).Number() == number {
		return &log[at]
	}
	return nil
}

// search is the index of the first message that has the number or a higher one. An entry that was
// handed to the comparison of slices.BinarySearchFunc would be copied, and the copy allocated.
func search[E any, P Numbered[E]](log []E, number uint64) int {
	at, end := 0, len(log)
	for at < end {
		if middle := (at + end) / 2; P(&log[middle]).Number() < number {
			at = middle + 1
		} else {
			end = middle
		}
	}
	return at
}
