package spec

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"

	"github.com/domino-check/domino/spec/trace"
)

// Linearizable: the operations of all clients can be put into one order that a single register
// would give the same answers in, without turning round two of them that did not overlap.
//
// It remembers, of each client, the operations with their answers in order, and of each operation
// how many operations of each other client had ended when it began. That is all that matters:
// whether two operations overlapped, and what they did. Two runs that differ only in how
// overlapping operations began and ended are the same history. An operation that never ends may
// have happened at any later time, or not at all. A client that restarts is a new client: whether
// the operation of its former life will still happen, nobody knows.
var Linearizable = register(Property{
	Name: "linearizable", Kind: Monitor, Source: "[Linearizable] section 2",
	Doc: "the answers of all clients are those of one register, in an order that respects " +
		"which operation ended before which began",
	Applies: func(f *Facts) bool { return f.Register },
	Needs:   "Register (Invoke, Return)",
	Watched: []trace.Kind{trace.Invoked, trace.Returned},
	Memory: &Remembers[string]{Observe: func(f *Facts, memory *string, e trace.Event) string {
		h := readHistory(*memory)
		broken := ""
		c := h.client(e)
		name := f.name(e.Proc)
		switch {
		case e.Kind == trace.Invoked && c.Open != nil:
			return fmt.Sprintf("%s begins to %s before its %s has ended", name, e.Text,
				c.Open.Input)
		case e.Kind == trace.Invoked:
			c.Open = &operation{Input: e.Text, Before: h.ended(c)}
		case c.Open == nil:
			return fmt.Sprintf("%s gets the answer %q to no operation", name, e.Text)
		default:
			c.Open.Output = e.Text
			c.Done, c.Open = append(c.Done, *c.Open), nil
			if !porcupine.CheckOperations(oneRegister, h.timed()) {
				broken = fmt.Sprintf("%s gets the answer %q: no order of %s explains it", name,
					e.Text, h.describe(f))
			}
		}
		*memory = h.text()
		return broken
	}},
})

// ReadsValue: reads are more than asked.
var ReadsValue = sometimes("reads-value", "in some run a client reads a value that was written",
	func(f *Facts) bool { return f.Register }, "Register (Invoke, Return)",
	func(f *Facts, e trace.Event) bool { return e.Kind == trace.Returned && e.Text != "" })

// clients is a history of operations: by proc, then incarnation.
type clients []*clientHistory

// clientHistory is what one incarnation of a client did.
type clientHistory struct {
	Proc        trace.Proc        `json:"p"`
	Incarnation trace.Incarnation `json:"i,omitempty"`
	Done        []operation       `json:"d,omitempty"`
	Open        *operation        `json:"o,omitempty"` // has not ended
}

// operation is "read" or "write VALUE" with its answer.
type operation struct {
	Input  string  `json:"in"`
	Output string  `json:"out,omitempty"`
	Before []ended `json:"b,omitempty"` // of other clients, in the order of clients
}

// ended says how many operations of a client had ended.
type ended struct {
	Proc        trace.Proc        `json:"p"`
	Incarnation trace.Incarnation `json:"i,omitempty"`
	Count       int               `json:"n"`
}

func readHistory(memory string) (h clients) {
	if memory == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(memory), &h); err != nil {
		panic(fmt.Sprintf("invariant: the memory is what text wrote: %v", err))
	}
	return h
}

func (h clients) text() string {
	b, err := json.Marshal(h)
	if err != nil {
		panic(fmt.Sprintf("invariant: a history can be written: %v", err))
	}
	return string(b)
}

// client is the one of the event; it is added if it is new.
func (h *clients) client(e trace.Event) *clientHistory {
	c := &clientHistory{Proc: e.Proc, Incarnation: e.Incarnation}
	i, found := slices.BinarySearchFunc(*h, c, func(a, b *clientHistory) int {
		return cmp.Or(cmp.Compare(a.Proc, b.Proc), cmp.Compare(a.Incarnation, b.Incarnation))
	})
	if !found {
		*h = slices.Insert(*h, i, c)
	}
	return (*h)[i]
}

// ended counts what others than c have done.
func (h clients) ended(c *clientHistory) (list []ended) {
	for _, d := range h {
		if d != c && len(d.Done) > 0 {
			list = append(list, ended{Proc: d.Proc, Incarnation: d.Incarnation, Count: len(d.Done)})
		}
	}
	return list
}

// timed gives the operations times that tell the same of them: which ended before which began. The
// counts at the beginnings of operations rise along the run, so their sum is a clock: an operation
// begins just after the sum of all that had ended by then, and ends just before the first one that
// begins later.
func (h clients) timed() (list []porcupine.Operation) {
	for id, c := range h {
		for k := range c.Done {
			o := &c.Done[k]
			end := int64(math.MaxInt64)
			if k+1 < len(c.Done) {
				end = 2 * int64(c.clock(k+1))
			} else if c.Open != nil {
				end = 2 * int64(c.clock(len(c.Done)))
			}
			for _, d := range h {
				for j := range len(d.Done) + 1 {
					if b := d.at(j); d != c && b != nil && b.saw(c) > k {
						end = min(end, 2*int64(d.clock(j)))
					}
				}
			}
			list = append(list, porcupine.Operation{ClientId: id, Input: o.Input, Output: o.Output,
				Call: 2*int64(c.clock(k)) + 1, Return: end})
		}
		if c.Open != nil {
			list = append(list, porcupine.Operation{ClientId: id, Input: c.Open.Input,
				Call: 2*int64(c.clock(len(c.Done))) + 1, Return: math.MaxInt64})
		}
	}
	return list
}

// at is the k-th operation, the one that has not ended behind all others; nil when there is none.
func (c *clientHistory) at(k int) *operation {
	if k < len(c.Done) {
		return &c.Done[k]
	}
	return c.Open
}

// clock is how many operations of all clients had ended when the k-th of this one began.
func (c *clientHistory) clock(k int) int {
	n := k
	for _, b := range c.at(k).Before {
		n += b.Count
	}
	return n
}

// saw is how many operations of a client had ended when the operation began.
func (o *operation) saw(c *clientHistory) int {
	for _, b := range o.Before {
		if b.Proc == c.Proc && b.Incarnation == c.Incarnation {
			return b.Count
		}
	}
	return 0
}

// describe lists the operations.
func (h clients) describe(f *Facts) string {
	var words []string
	for _, c := range h {
		for _, o := range c.Done {
			text := f.name(c.Proc) + " " + o.Input
			if o.Input == "read" {
				text += fmt.Sprintf(" %q", o.Output)
			}
			words = append(words, text)
		}
		if c.Open != nil {
			words = append(words, f.name(c.Proc)+" "+c.Open.Input+" (not ended)")
		}
	}
	return strings.Join(words, ", ")
}

// oneRegister is what the clients believe to see: at first it holds nothing. A missing output is
// not known.
var oneRegister = porcupine.Model{
	Init: func() any { return "" },
	Step: func(state, input, output any) (bool, any) {
		if value, write := strings.CutPrefix(input.(string), "write "); write {
			return true, value
		}
		return output == nil || output == state, state
	},
}
